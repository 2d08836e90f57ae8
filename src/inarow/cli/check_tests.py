"""inarow check-tests: are a teacher's expected moves and values correct, and unique?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import JsonOption, print_json, print_table, say, waiting


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check-tests", epilog="Example: inarow check-tests expected.csv")(check_tests)


def check_tests(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV with the columns game, moves, and best or value.")],
    as_json: JsonOption = False,
) -> None:
    """Verify expected moves and values with the exact solver.

    Each line says which moves are best in a position, counted from 1, or whether it is a win, draw or loss. The exit
    code is 1 if a line is wrong, or if a move that it leaves out is as good.
    """
    from inarow.formatting import counted
    from inarow.teaching.expected import check_expected

    with waiting(f"Solving the positions of {file} …"):
        found = check_expected(file)
    bad = [one for one in found if one.finding != "right"]
    if as_json:
        print_json(
            {"file": str(file), "lines": len(found), "not_right": len(bad), "findings": [f.to_json() for f in found]}
        )
    else:
        rows = [(one.line, one.position, one.finding, one.text) for one in found]
        print_table(str(file), ["line", "position", "finding", "why"], rows, numbers=False)
        say(f"Right: {len(found) - len(bad)} of {counted(len(found), 'line', 'lines')}.")
    if bad:
        raise typer.Exit(1)
