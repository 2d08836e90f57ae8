"""inarow assignment: starter kits for students with the graders that match them, and grading by them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import JsonOption, print_json, print_table, progress, say
from inarow.cli.external import TrustOption
from inarow.cli.running import WorkersOption


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow assignment week3 --exercise minimax")(assignment)


def assignment(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to create, or with --grade to use.")],
    exercise: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="minimax, qlearning, heuristic (a league on Connect 4), or complete (search, learning).",
        ),
    ] = "minimax",
    game_name: Annotated[
        str, typer.Option("--game", metavar="GAME", help="tictactoe, or a small board such as 4x3x3 or 3x4x3.")
    ] = "tictactoe",
    seed: Annotated[
        int | None, typer.Option(help="Seed of the hidden positions; keep it secret.", show_default="drawn at random")
    ] = None,
    grade: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Grade the submissions of this folder, a file or folder each.")
    ] = None,
    roster: Annotated[Path | None, typer.Option(help="CSV: who is who, with --grade.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="For marks and feedback.", show_default="SUBMISSIONS-marks")
    ] = None,
    workers: WorkersOption = None,
    trust: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a programming assignment with its grader.

    With --grade, grade a folder of submissions. The grader runs students' code in a sandbox, offline, on hidden
    positions; also as a zip for Gradescope. Students get the same checks on other positions.
    """
    from inarow.errors import unknown
    from inarow.rules import game
    from inarow.teaching.assignment.exercise import KINDS, AssignmentError
    from inarow.teaching.assignment.making import make_assignment, make_heuristic

    if grade is not None:
        out = out or grade.resolve().with_name(f"{grade.resolve().name}-marks")
        _grade(folder, grade, roster, out, workers, trust, as_json)
        return
    if exercise == "heuristic":
        points, title = make_heuristic(folder, seed).most_points, "heuristic search on Connect 4"
        use = f"To grade: put what is handed in into {folder / 'hand-ins'}, then `inarow league {folder / 'hand-ins'}`"
    elif exercise in KINDS:
        made = make_assignment(game(game_name), folder, seed, exercise)
        points, title = made.points.most, f"an assignment on {made.game.title}"
        use = (
            f"For an autograder: {folder / 'autograder.zip'} (keep it to yourself)\n"
            f"Try it: python {folder / 'autograder' / 'grade.py'} {folder / 'reference.py'}"
        )
    else:
        raise AssignmentError(unknown("exercise", exercise, ["heuristic", *KINDS]))
    if as_json:
        print_json({"folder": str(folder), "exercise": exercise, "points": points})
        return
    say(f"{folder}: {title}, {points:g} points.\nFor the students: {folder / 'student.zip'}\n{use}")


def _grade(
    folder: Path,
    submissions: Path,
    roster: Path | None,
    out: Path,
    workers: int | None,
    trust: bool,
    as_json: bool,
) -> None:
    from inarow.agents.external import USUAL_PACKAGES, Policy
    from inarow.formatting import counted
    from inarow.teaching.assignment.batch import MARKS, grade_all
    from inarow.teaching.league.entrants import read_entrants
    from inarow.teaching.league.writing import SIMILAR

    policy = Policy(trust, packages=USUAL_PACKAGES)
    entrants = read_entrants(submissions, roster, policy, besides=[out, *([roster] if roster is not None else [])])
    with progress(as_json) as bar:
        task = bar.add_task("submissions graded", total=len(entrants))
        batch = grade_all(
            folder,
            entrants,
            out,
            trust=trust,
            workers=workers,
            watch=lambda done: bar.update(task, completed=done),
        )
    if as_json:
        found = [{"name": one.entrant.name, "sha256": one.entrant.digest, **one.results} for one in batch.graded]
        print_json({"most_points": batch.most, "marks": str(out / MARKS), "submissions": found})
        return
    rows = [
        (one.entrant.name, f"{one.points:g}", one.entrant.problem or one.results["output"])
        for one in sorted(batch.graded, key=lambda one: -one.points)
    ]
    print_table(f"{folder.name}, {batch.most:g} points", ["name", "points", "remark"], rows, numbers=False)
    if batch.similarity.pairs:
        say(f"{counted(len(batch.similarity.pairs), 'pair', 'pairs')} of similar submissions: {out / SIMILAR}")
    say(f"The marks: {out / MARKS}\nThe feedback: {out / 'feedback'}")
