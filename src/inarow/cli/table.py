"""inarow table: the exact score of every position of a small board, in one file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import ForceOption, GameArgument, JsonOption, new_file, print_json, print_table, progress, say
from inarow.cli.pages import App

if TYPE_CHECKING:
    from inarow.solver.tables import CompleteTable


def register(app: typer.Typer) -> None:
    """Add the command."""
    group = App(help="Build and show complete tables of small boards.", no_args_is_help=True)
    group.command(epilog="Example: inarow table build 4x4x4 4x4x4.table")(build)
    group.command(epilog="Example: inarow table show 4x4x4.table")(show)
    app.add_typer(group, name="table")


def build(
    game_name: GameArgument,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The table file to write.")],
    memory_mb: Annotated[
        float | None,
        typer.Option("--memory-mb", min=1, help="Memory that may be used.", show_default="half of the machine's"),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compute the exact score of every position of a board, without search.

    `solve --table`, `grade --table` and `inarow.solver.tables` use the file.
    """
    from inarow.rules import game
    from inarow.solver.tables import build_table, check_size, write_table

    board = game(game_name)
    check_size(board, memory_mb)
    new_file(out, force)
    with progress(quiet=as_json) as bar:
        task = bar.add_task(f"{board}", total=None)

        def show_progress(phase: str, done: int, total: int) -> None:
            bar.update(task, description=f"{phase} {board}", completed=done, total=total)

        table = build_table(board, progress=show_progress, memory_mb=memory_mb)
    size = write_table(table, out)
    _print(table, as_json)
    say(f"{out}: {table.positions:,} positions, {size:,} bytes.", stderr=as_json)


def show(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `inarow table build` wrote.")],
    as_json: JsonOption = False,
) -> None:
    """Show how many positions of each ply are won, drawn and lost."""
    from inarow.solver.tables import read_table

    _print(read_table(path), as_json)


def _print(table: CompleteTable, as_json: bool) -> None:
    if as_json:
        plies = [asdict(one) for one in table.statistics]
        print_json({"game": table.game.name, "positions": table.positions, "plies": plies})
        return
    head = ["ply", "positions", "wins", "draws", "losses", "ended won", "ended drawn", "only moves", "longest win"]
    rows = [
        [
            *(f"{n:,}" for n in (one.ply, one.positions, one.wins, one.draws, one.losses, one.won, one.full)),
            f"{one.only_moves:,}",
            "–" if one.longest_win is None else f"{one.longest_win} plies",
        ]
        for one in table.statistics
    ]
    print_table(f"{table.game.title}: every position, for the side to move", head, rows)
