"""The commands ``book`` and ``table``: build files of exact scores."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import (
    ClusterOption,
    ForceOption,
    GameArgument,
    JsonOption,
    new_file,
    note,
    print_json,
    print_table,
    progress,
    say,
)
from inarow.cli.pages import CommandApp
from inarow.formatting import counted
from inarow.limits import MOST_WORKERS

if TYPE_CHECKING:
    from inarow.solver.tables import CompleteTable


book = CommandApp(help="Build opening books.", no_args_is_help=True)


@book.command("build", epilog="Example: inarow book build 5x4x4 5x4x4.book --plies 4")
def build_book(
    game_name: GameArgument,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The book file to write.")],
    plies: Annotated[int, typer.Option("--plies", min=1, max=20, help="Maximum number of stones on the board.")] = 6,
    work: Annotated[
        Path | None,
        typer.Option("--work", help="Keep the scores found so far in this file.", show_default="FILE.work"),
    ] = None,
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Store win, draw or loss instead of scores; faster to solve.")
    ] = False,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="Number of threads, at low priority.")] = 2,
    workers: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_WORKERS, help="Use processes instead of threads, each with its own transposition table."
        ),
    ] = 1,
    cluster: ClusterOption = None,
    tt_mb: Annotated[int, typer.Option("--tt-mb", min=1, help="Size of the transposition table in MB.")] = 256,
    seeded: Annotated[
        bool, typer.Option("--seeded/--from-scratch", help="Start from the books that ship with inarow.")
    ] = True,
    force: ForceOption = False,
) -> None:
    """Build an opening book: the score of every position with few stones.

    Positions are solved ply by ply. To resume an interrupted build, run the same command again; with fewer plies it
    writes a smaller book at once.
    """
    from inarow.arena import open_executor
    from inarow.errors import InarowError
    from inarow.rules import game
    from inarow.solver.book import SCORES, VERDICTS, folded_key, open_book, shipped_book, write_book
    from inarow.solver.building import derive, early_positions, read_progress, solve_all, to_solve

    board = game(game_name)
    board.check_usual("a book")
    if not board.gravity:
        raise InarowError(f"{board} has no gravity; opening books need a board with gravity")
    new_file(out, force)
    work = work or out.with_name(out.name + ".work")
    _, damaged = read_progress(work, board, verdicts)
    if damaged:
        note(f"{work} is damaged: {counted(damaged, 'line', 'lines')} skipped and solved again")
    shipped = (shipped_book(board, holds) for holds in (SCORES, VERDICTS)) if seeded and not verdicts else ()
    seeds = [path for path in shipped if path is not None and path.resolve() != out.resolve()]
    with open_executor(workers, cluster) as executor, progress() as bar:
        task = bar.add_task(f"solving {board}", total=None)

        def show(ply: int, done: int, total: int) -> None:
            bar.update(task, description=f"solving {board} at ply {ply}", completed=done, total=total)

        scores = solve_all(
            board,
            plies,
            work,
            verdicts=verdicts,
            seeds=[open_book(path, board) for path in seeds],
            threads=threads,
            tt_mb=tt_mb,
            each=executor.map if workers > 1 or cluster is not None else None,
            progress=show,
        )
    if any(folded_key(position) not in scores for position in to_solve(early_positions(board, plies))):
        raise KeyboardInterrupt
    made = derive(board, plies, scores, verdicts)
    write_book(made, out)
    say(f"{len(made.keys):,} positions up to {plies} plies in {out} ({out.stat().st_size:,} bytes), verified.")


table = CommandApp(help="Build and show complete tables of small boards.", no_args_is_help=True)


@table.command("build", epilog="Example: inarow table build 4x4x4 4x4x4.table")
def build_table(
    game_name: GameArgument,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The table file to write.")],
    memory_mb: Annotated[
        float | None,
        typer.Option("--memory-mb", min=1, help="Memory limit.", show_default="half of the machine's"),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Build a table of the exact score of every position of a small board.

    `solve --table`, `grade --table` and `inarow.solver.tables` use the file.
    """
    from inarow.rules import game
    from inarow.solver import tables

    board = game(game_name)
    tables.check_size(board, memory_mb)
    new_file(out, force)
    with progress(quiet=as_json) as bar:
        task = bar.add_task(f"{board}", total=None)

        def show_progress(phase: str, done: int, total: int) -> None:
            bar.update(task, description=f"{phase} {board}", completed=done, total=total)

        built = tables.build_table(board, progress=show_progress, memory_mb=memory_mb)
    size = tables.write_table(built, out)
    _print_table(built, as_json)
    say(f"{out}: {built.positions:,} positions, {size:,} bytes.", stderr=as_json)


@table.command("show", epilog="Example: inarow table show 4x4x4.table")
def show_table(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `inarow table build` wrote.")],
    as_json: JsonOption = False,
) -> None:
    """Show the number of won, drawn and lost positions per ply."""
    from inarow.solver.tables import read_table

    _print_table(read_table(path), as_json)


def _print_table(table: CompleteTable, as_json: bool) -> None:
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
