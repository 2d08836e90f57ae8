"""inarow assignment: a starter kit for students and the grader that matches it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import say


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow assignment week3 --game tictactoe")(assignment)


def assignment(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to create.")],
    game_name: Annotated[
        str, typer.Option("--game", metavar="GAME", help="tictactoe, or a small board such as 4x3x3 or 3x4x3.")
    ] = "tictactoe",
    seed: Annotated[
        int | None, typer.Option(help="Seed of the hidden positions; keep it secret.", show_default="drawn at random")
    ] = None,
) -> None:
    """Make a programming assignment with its grader.

    Students write the rules, minimax, alpha–beta and a learner. The grader runs them in a sandbox on hidden positions,
    offline, also as a zip for Gradescope.
    """
    from inarow.rules import game
    from inarow.teaching.assignment.making import make_assignment

    exercise = make_assignment(game(game_name), folder, seed)
    say(
        f"{folder}: an assignment on {exercise.game.title}, {exercise.points.most:g} points.\n"
        f"For the students: {folder / 'student.zip'}\n"
        f"For an autograder: {folder / 'autograder.zip'} (keep it to yourself)\n"
        f"Try it: python {folder / 'autograder' / 'grade.py'} {folder / 'reference.py'}"
    )
