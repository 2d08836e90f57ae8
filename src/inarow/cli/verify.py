"""inarow verify: check a certificate, a strategy that proves how a game ends."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import say


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow verify 6x4x4.certificate")(verify)


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `inarow solve --certificate` wrote.")],
) -> None:
    """Check a certificate, without the solver.

    All play against its strategy is walked through: every reply has an answer, and every end is as claimed.
    """
    from inarow.checker import Wrong, check
    from inarow.errors import InarowError
    from inarow.paths import read_text
    from inarow.rules import FIRST, SECOND, format_moves, game

    try:
        content, found = check(read_text(file))
    except Wrong as error:
        raise InarowError(f"{file} proves nothing: {error}") from None
    board = game(f"{content['columns']}x{content['rows']}x{content['k']}{'' if content['gravity'] else '-free'}")
    after = f" after {format_moves(board, content['moves'])}" if content["moves"] else ""
    for one in found:
        player = (FIRST, SECOND)[one.player].name.lower()
        result = "wins" if one.win else "at least draws"
        count = f"{len(one.answers):,} answers, {len(one.closed):,} positions closed by a rule"
        say(f"Proven on {board}{after}: the {player} player {result} ({count}).")
