"""inarow games: the named games, and how other boards are written."""

from __future__ import annotations

import typer

from inarow.cli.common import JsonOption, print_json, print_table, say


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow games")(games)


def games(as_json: JsonOption = False) -> None:
    """List the named games, and how to write other boards."""
    from inarow.rules import GAMES

    if as_json:
        keys = ("columns", "rows", "k", "gravity", "moves")
        print_json({"games": [{"name": n, **{key: getattr(g, key) for key in keys}} for n, g in GAMES.items()]})
        return
    rows = [(n, g.title, f"{g.columns} × {g.rows}", g.k, "yes" if g.gravity else "no") for n, g in GAMES.items()]
    print_table("Games", ["name", "game", "columns × rows", "in a row", "stones fall"], rows, numbers=False)
    say("Any other board: COLUMNSxROWSxK, such as 5x4x4, or 4x4x3-free without gravity.")
    say("Columns × (rows + 1) may be up to 63.")
