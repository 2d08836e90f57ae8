"""The commands ``check``, ``check-tests``, ``assignment``, ``tree`` and ``league``, for teachers and students."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.agents.external import USUAL_PACKAGES, Policy, using
from inarow.agents.file import FIRST_SECONDS, MOVE_SECONDS, File
from inarow.agents.parameters import AgentError
from inarow.cli.common import (
    AllowSolverOption,
    ClusterOption,
    ForceOption,
    JsonOption,
    RequireSandboxOption,
    SandboxOptions,
    SecondsOption,
    SeedOption,
    TrustOption,
    WorkersOption,
    new_file,
    note,
    optional_game,
    print_json,
    print_table,
    progress,
    say,
    say_what_is_open,
    takes,
    waiting,
)
from inarow.cli.common import progress as progress_bar
from inarow.cli.pages import command
from inarow.errors import HostFailure, unknown
from inarow.formatting import counted, duration, sentence, share
from inarow.limits import Limit
from inarow.rules import game

if TYPE_CHECKING:
    from inarow.teaching.checking import CheckReport
    from inarow.teaching.league.entrants import Entrant
    from inarow.teaching.league.settings import LeagueSettings
    from inarow.teaching.league.standings import EntrantResult


@command("inarow check connect4 my_agent.py")
@takes(SandboxOptions)
def check(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[GAME] FILE",
            help="The game, connect4 if none is given; a Python file with an agent, or its folder.",
        ),
    ],
    seconds: SecondsOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    *,
    options: SandboxOptions,
) -> None:
    """Test an agent in a file and report its problems.

    The agent plays whole matches and unusual positions. The exit code is 1 if it fails anywhere.
    """
    from inarow.teaching.checking import check_agent

    game_name, path = optional_game(words, "FILE")
    board = game(game_name)
    path = path.removeprefix("file:")
    try:
        (agent,) = options.agents(f"file:{path}")
    except AgentError as error:
        if not Path(path).is_dir():
            raise
        raise AgentError(f"{error}; `inarow league {path}` checks a folder with one agent per file") from None
    assert isinstance(agent, File)
    with waiting(f"Checking {path} …"):
        report = check_agent(agent, board, Limit(seconds=seconds), seed)
    allowed = MOVE_SECONDS if seconds is None else seconds
    if as_json:
        print_json(
            {"file": path, "sha256": agent.digest, "asked": agent.asked, "game": board.name, **report.to_json(allowed)}
        )
    else:
        _print_check(report, f"{path} on {board.title}", allowed, agent.policy.trust)
        if agent.asked:
            say(f"Called for moves: {agent.asked}.")
        _print_imports(agent.snapshot.imports)
    if report.faults:
        raise typer.Exit(1)


_REFUSALS = ("PermissionError", "FileNotFoundError")
"""Exceptions that code raises when the sandbox denies access."""


def _print_check(report: CheckReport, title: str, allowed: float, trusted: bool) -> None:
    from inarow.teaching.checking import TOO_SLOW

    if not report.loaded:
        (problem,) = report.problems.values()
        say(sentence(f"{title}: {problem.text}"))
        return
    rows = [
        (
            match.opponent,
            match.seat.name.lower(),
            f"{len(match.record.opening)} plies" if match.record.opening else "–",
            match.result,
            match.record.termination.value,
        )
        for match in report.matches
    ]
    print_table(title, ["match against", "seat", "opening", "result", "ended by"], rows, numbers=False)
    for problem in report.problems.values():
        say(f"PROBLEM ({_times(problem.count)}): {problem.text}\n   first seen: {problem.where}")
        if not trusted and any(name in problem.text for name in _REFUSALS):
            say("   A sandboxed agent can open only its own files; it has no network and starts no processes.")
    for problem in report.advice.values():
        say(f"Advice ({_times(problem.count)}): it {problem.text}\n   first seen: {problem.where}")
    if report.problems or report.advice:
        say("Moves are shown counting from 1; in Python they count from 0.")
    if report.seconds:
        say(_speed(report, allowed))
    if report.stopped == TOO_SLOW:
        say("A larger --seconds allows more time; a search of the whole game tree needs a cut-off, such as a depth.")
    if report.stopped:
        say(f"The check ended early: {report.stopped}.")
    matches, positions = len(report.matches), len(report.positions)
    asked = f"{counted(matches, 'match', 'matches')} and {counted(positions, 'position', 'positions')}"
    if report.faults:
        say(f"Not ready: it failed {_times(report.faults)} in {asked}; each failure loses the match.")
    else:
        say(f"{'No failure so far' if report.stopped else 'Ready: no failure'} in {asked}.")


def _print_imports(names: Sequence[str]) -> None:
    others = [name for name in names if name not in ("inarow", *USUAL_PACKAGES, *sys.stdlib_module_names)]
    if others:
        usual = ", ".join(("the standard library", *USUAL_PACKAGES))
        say(f"It imports {', '.join(others)}. A league allows only {usual}, unless its settings list more.")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _speed(report: CheckReport, allowed: float) -> str:
    slowest, mean = max(report.seconds), sum(report.seconds) / len(report.seconds)
    return (
        f"Speed: {duration(mean)} per move, at most {duration(slowest)}; {allowed:g} s are allowed, and "
        f"{FIRST_SECONDS:g} s more for the first move."
    )


@command("inarow check-tests expected.csv")
def check_tests(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV with the columns game, moves, and best or value.")],
    as_json: JsonOption = False,
) -> None:
    """Verify a file of expected moves and values with the exact solver.

    Each line gives the best moves of a position, counted from 1, or its value: win, draw or loss. The exit code is 1
    if a line is wrong or omits an equally good move.
    """
    from inarow.teaching.checking import check_expected

    with waiting(f"Solving the positions of {file} …"):
        found = check_expected(file)
    bad = [one for one in found if one.finding != "right"]
    if as_json:
        print_json({"file": str(file), "lines": len(found), "wrong": len(bad), "findings": [asdict(f) for f in found]})
    else:
        rows = [(one.line, one.position, one.finding, one.text) for one in found]
        print_table(str(file), ["line", "position", "finding", "why"], rows, numbers=False)
        say(f"Right: {len(found) - len(bad)} of {counted(len(found), 'line', 'lines')}.")
    if bad:
        raise typer.Exit(1)


@command("inarow assignment week3 --exercise minimax")
def assignment(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to create, or to use with --grade.")],
    exercise: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="minimax, qlearning, heuristic (a league on Connect 4) or complete (search and learning).",
        ),
    ] = "minimax",
    game_name: Annotated[
        str, typer.Option("--game", metavar="GAME", help="tictactoe, or a small board such as 4x3x3 or 3x4x3.")
    ] = "tictactoe",
    seed: Annotated[
        int | None, typer.Option(help="Seed of the hidden positions; keep it secret.", show_default="drawn at random")
    ] = None,
    grade: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Grade a folder of submissions, one file or folder each.")
    ] = None,
    roster: Annotated[Path | None, typer.Option(help="CSV with students and teams, for --grade.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="Folder for marks and feedback.", show_default="SUBMISSIONS-marks"
        ),
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    trust: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a programming assignment with an autograder.

    With --grade, grade a folder of submissions. The grader runs students' code in a sandbox, offline, on hidden
    positions; it is also written as a zip for Gradescope. Students get the same checks on other positions.
    """
    from inarow.teaching.assignment.exercise import KINDS, AssignmentError
    from inarow.teaching.assignment.making import make_assignment, make_heuristic

    if grade is not None:
        out = out or grade.resolve().with_name(f"{grade.resolve().name}-marks")
        _grade(folder, grade, roster, out, workers, cluster, trust, as_json)
        return
    if exercise == "heuristic":
        points, title = make_heuristic(folder, seed).most_points, "heuristic search on Connect 4"
        use = (
            f"To grade: copy submissions to {folder / 'submissions'}, then run `inarow league {folder / 'submissions'}`"
        )
    elif exercise in KINDS:
        made = make_assignment(game(game_name), folder, seed, exercise)
        points, title = made.points.most, f"an assignment on {made.game.title}"
        use = (
            f"Autograder: {folder / 'autograder.zip'} (keep it secret)\n"
            f"Try it: python {folder / 'autograder' / 'grade.py'} {folder / 'reference.py'}"
        )
    else:
        raise AssignmentError(unknown("exercise", exercise, ["heuristic", *KINDS]))
    if as_json:
        print_json({"folder": str(folder), "exercise": exercise, "points": points})
        return
    say(f"{folder}: {title}, {points:g} points.\nStudent kit: {folder / 'student.zip'}\n{use}")


def _grade(
    folder: Path,
    submissions: Path,
    roster: Path | None,
    out: Path,
    workers: int | None,
    cluster: str | None,
    trust: bool,
    as_json: bool,
) -> None:
    from inarow.teaching.assignment.batch import grade_all
    from inarow.teaching.league.entrants import read_entrants
    from inarow.teaching.league.writing import MARKS, similar_text

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
            cluster=cluster,
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
    if similar := similar_text(out):
        say(similar)
    if roster is None:
        note(f"roster: {NO_ROSTER}")
    say(f"The marks: {out / MARKS}\nThe feedback: {out / 'feedback'}")


@command('inarow tree "((3 12 8) (2 4 6) (14 5 2))" --out exam.html')
def tree(
    text: Annotated[
        str | None,
        typer.Argument(metavar="[TREE]", help="Tree such as ((3 12 8) (2 4 6)); random by default."),
    ] = None,
    algorithm: Annotated[str, typer.Option(metavar="ALGORITHM", help="minimax, alphabeta or uct.")] = "alphabeta",
    difficulty: Annotated[
        str, typer.Option(metavar="LEVEL", help="Difficulty of a random tree: easy, medium or hard.")
    ] = "medium",
    root: Annotated[str, typer.Option(metavar="max|min", help="Who moves at the root.")] = "max",
    simulations: Annotated[int, typer.Option(min=1, max=200, help="Number of UCT simulations.")] = 8,
    exploration: Annotated[float, typer.Option(min=0, help="Exploration constant c of UCT.", show_default="√2")] = 2
    ** 0.5,
    title: Annotated[
        str, typer.Option(metavar="TITLE", help="The heading of the page.", show_default="the algorithm's")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Write the question to a file (.html, .svg or .pdf), and the solution to NAME-solution."
        ),
    ] = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make an exam question from a game tree, with its solution.

    Minimax, alpha–beta or UCT is carried out step by step, as a student would on paper. Ties go to the left.
    """
    from inarow.teaching.exam_tree import Exam, TreeNode, parse_tree, random_tree, solve

    if text is None:
        root_node = random_tree(seed, difficulty, algorithm=algorithm, root=root)
    else:
        root_node = parse_tree(text, root=root)
    solution = solve(root_node, algorithm, simulations=simulations, exploration=exploration, seed=seed)
    written: list[Path] = []
    if out is not None:
        new_file(out, force)
        new_file(out.with_stem(f"{out.stem}-solution"), force)
        written = Exam(solution, title).write(out)
    if as_json:
        print_json({**solution.to_json(), "written": [str(path) for path in written]})
        return
    if written:
        say(f"The question: {written[0]}\nThe solution: {written[1]}\nThe tree: {root_node.to_text()}")
        return

    def lines(node: TreeNode, level: int = 0) -> list[tuple[str, str, str]]:
        mark = "pruned" if node.name in solution.pruned else solution.marks.get(node.name, "")
        leaf = node.to_text() if node.value is not None else node.player
        below = [line for child in node.children for line in lines(child, level + 1)]
        return [(f"{'  ' * level}{node.name}", leaf, mark), *below]

    value = "visits · mean" if solution.playouts else "value"
    print_table(f"Tree {root_node.to_text()}", ["node", "player or leaf", value], lines(root_node), numbers=False)
    steps = [(step.simulation or number, step.text) for number, step in enumerate(solution.steps, start=1)]
    print_table(
        f"{solution.algorithm.label}, step by step",
        ["simulation" if solution.playouts else "step", "what happens"],
        steps,
        numbers=False,
    )
    say(f"{root_node.player} plays to {solution.best}.")


NO_ROSTER = "none, so the exports for Moodle and Canvas have no user names"
LINE_SECONDS = 20.0
"""Interval between progress lines in a pipe."""


@command("inarow league submissions --out autumn")
def league(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Folder of submissions: one file or subfolder per entrant.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Folder for the site, the marks and the store.",
            show_default="FOLDER-league",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="Settings file: boards, limits, ladder, grades.", show_default="league.toml next to FOLDER"),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(help="CSV with students and teams.", show_default="roster.csv next to FOLDER"),
    ] = None,
    preview: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check and grade one submission, as the league would.")
    ] = None,
    regrade: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Play one entrant's matches again and explain every point.", show_default=False
        ),
    ] = "",
    forget: Annotated[
        str, typer.Option(metavar="NAME", help="Delete all data of a withdrawn entrant.", show_default=False)
    ] = "",
    serve: Annotated[
        str,
        typer.Option(
            metavar="[HOST:]PORT", help="Serve the live table while the league runs; 0.0.0.0:8000 for the network."
        ),
    ] = "",
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    trust: TrustOption = False,
    require_sandbox: RequireSandboxOption = False,
    allow_solver: AllowSolverOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check, play and grade a folder of submissions; write a site.

    Each agent plays against reference players and is graded by its points. After submissions are added, changed or
    withdrawn, run the command again: only new matches are played. Settings are read from next to the folder, never
    from inside it.
    """
    from inarow.teaching.league import running
    from inarow.teaching.league.entrants import ROSTER, SETTINGS, LeagueError, read_entrants, read_one
    from inarow.teaching.league.pages import parse_address, serving
    from inarow.teaching.league.settings import LeagueSettings, read_settings
    from inarow.teaching.league.writing import PAGE, SITE, league_json, write_why

    given = folder if preview is None else preview.absolute().parent
    if given is None or (folder is not None and preview is not None):
        raise LeagueError("give the folder of submissions, or --preview FILE with one submission")
    config = config or _next_to(given, SETTINGS, "--config", among=preview is None)
    with using(Policy(trust, require_sandbox, allow_solver)):
        settings = read_settings(config) if config is not None else LeagueSettings()
    solver = allow_solver or "solver" in settings.packages
    policy = Policy(trust, require_sandbox, solver, settings.packages)
    say_what_is_open(policy)
    if preview is not None:
        with _watched() as watch:
            _print_one(running.preview(read_one(preview, policy), settings, workers, watch), as_json)
        return
    roster = roster or _next_to(given, ROSTER, "--roster")
    target = out or given.resolve().with_name(f"{given.resolve().name}-league")
    own = filter(None, (target, config, roster, settings.starter))
    entrants = read_entrants(given, roster, policy, besides=own)
    note(f"settings: {config or 'the defaults'}; roster: {roster or NO_ROSTER}")
    if roster is not None and (others := [one.name for one in entrants if not one.students]):
        note(f"not on the roster, so in no export: {', '.join(others)}")
    if forget:
        running.forget(forget, entrants, target)
        note(f"all data of {forget} is deleted; the site and the marks are rewritten")
    if regrade:
        one = _named(entrants, regrade)
        with _watched() as watch:
            standing = running.regrade(one, settings, target, workers, watch)
        page = write_why(standing, given / one.file, target)
        _print_one(standing, as_json)
        note(f"every point explained: {page}")
        return
    try:
        with contextlib.ExitStack() as stack:
            url = ""
            if serve:
                address = parse_address(serve)
                url = stack.enter_context(serving(target / SITE, address))
                note(f"for a projector: {url}{PAGE}")
            with _watched() as watch:
                table = running.run_league(
                    entrants,
                    settings,
                    target,
                    workers=workers,
                    cluster=cluster,
                    watch=watch,
                    note=note,
                    tell=note,
                    url=url,
                )
            if as_json:
                print_json(league_json(table, settings, target))
            else:
                _print(table, settings, target)
            if serve:
                note(f"finished; {url} is served until Ctrl-C")
                with contextlib.suppress(KeyboardInterrupt):
                    threading.Event().wait()
    except KeyboardInterrupt:
        note(f"interrupted; {target} keeps what is finished, run the same command to continue")
        raise typer.Exit(130) from None
    except HostFailure as error:
        raise HostFailure(f"{error}; {target} keeps what is finished, run the same command to continue") from None


def _named(entrants: list[Entrant], name: str) -> Entrant:
    """Return the entrant with this name, or with a student of this name."""
    from inarow.teaching.league.entrants import LeagueError

    for one in entrants:
        if one.is_called(name):
            return one
    raise LeagueError(unknown("entrant", name, [one.name for one in entrants]))


def _print_one(one: EntrantResult, as_json: bool) -> None:
    """Print the result of one submission."""
    from inarow.teaching.league.pages import mark_text, points_text
    from inarow.teaching.league.writing import results_json

    results = results_json(one)
    if as_json:
        print_json({"name": one.entrant.name, "sha256": one.entrant.digest, "grade": one.grade, **results})
        return
    rows = [
        (test["name"], points_text(test["score"]), points_text(test["max_score"]), test["output"])
        for test in results["tests"]
    ]
    print_table(one.entrant.name, ["part", "points", "of", "why"], rows, numbers=False)
    say(sentence(results["output"]))
    say(f"{mark_text(one)} of {points_text(one.settings.most_points)} points.")


def _next_to(folder: Path, name: str, option: str, *, among: bool = True) -> Path | None:
    """Return the file of this name next to the folder, or None. Raises LeagueError if it is among the submissions.

    With ``among=False`` the folder does not hold submissions, and the file is looked for inside it.
    """
    from inarow.teaching.league.entrants import LeagueError

    if not among:
        return folder / name if (folder / name).exists() else None
    if (folder / name).exists():
        raise LeagueError(
            f"{folder / name} is among the submissions, where any entrant could put it; move it next to the folder, "
            f"or name the file to use with {option}"
        )
    path = folder.resolve().parent / name
    return path if path.exists() else None


@contextlib.contextmanager
def _watched() -> Iterator[Callable[[str, int, int], None]]:
    """Show the current step with a progress bar; in a pipe, with a line at its start and end and every LINE_SECONDS."""
    with progress_bar() as bar:
        if not bar.disable:
            task = bar.add_task("", total=None)
            yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)
            return
        step = line = shown = ""
        printed = 0.0

        def show() -> None:
            nonlocal shown, printed
            if line not in ("", shown):
                note(line)
            shown, printed = line, time.monotonic()

        def watch(what: str, done: int, total: int) -> None:
            nonlocal step, line
            begins = what != step
            if begins:
                show()
            step, line = what, f"{done:,} of {total:,} {what}" if total else ""
            if begins or time.monotonic() - printed >= LINE_SECONDS:
                show()

        yield watch
        show()


def _print(table: list[EntrantResult], settings: LeagueSettings, target: Path) -> None:
    from inarow.teaching.league.pages import points_text
    from inarow.teaching.league.writing import MARKS, SITE, similar_text

    wide = len(str(max(one.rank for one in table)))
    rows = [
        (
            f"{one.rank:<{wide}}  {one.entrant.name}",
            points_text(one.points, one.mark.error),
            one.grade,
            one.near,
            share(one.ladder_score),
            share(one.accuracy.nontrivial_kept_rate),
        )
        for one in table
    ]
    print_table(
        settings.title, [f"{'#':<{wide}}  name", "points", "grade", "near", "score (95 %)", "accuracy (95 %)"], rows
    )
    for one in table:
        if one.problem:
            say(sentence(f"{one.entrant.name}: {one.problem}"))
    if similar := similar_text(target):
        say(similar)
    typer.echo(f"The site: {target / SITE / 'index.html'}\nThe marks: {target / MARKS}")
