"""inarow book: make an opening book with inarow's own solver."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import ForceOption, GameArgument, new_file, note, progress, say
from inarow.cli.pages import App
from inarow.cli.running import ClusterOption
from inarow.formatting import counted
from inarow.limits import MOST_WORKERS


def register(app: typer.Typer) -> None:
    """Add the command."""
    group = App(help="Make opening books.", no_args_is_help=True)
    group.command(epilog="Example: inarow book build 5x4x4 5x4x4.book --plies 4")(build)
    group.callback()(_group)
    app.add_typer(group, name="book")


def _group() -> None:
    """Make opening books with inarow's own solver."""


def build(
    game_name: GameArgument,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The book file to write.")],
    plies: Annotated[int, typer.Option("--plies", min=1, max=20, help="Most stones on the board.")] = 6,
    work: Annotated[
        Path | None,
        typer.Option("--work", help="File for scores found so far.", show_default="FILE.work"),
    ] = None,
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Win, draw or loss instead of scores: quicker to solve.")
    ] = False,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="Threads, at low priority.")] = 2,
    workers: Annotated[
        int, typer.Option(min=1, max=MOST_WORKERS, help="Processes instead of threads, each with a table.")
    ] = 1,
    cluster: ClusterOption = None,
    tt_mb: Annotated[int, typer.Option("--tt-mb", min=1, help="Size of the solver's table in MB.")] = 256,
    seeded: Annotated[
        bool, typer.Option("--seeded/--from-scratch", help="Start from the books that ship with inarow.")
    ] = True,
    force: ForceOption = False,
) -> None:
    """Solve every position with few stones and write the scores; if stopped, the same command resumes.

    Scores are solved ply by ply: when it is stopped, the same command with fewer plies writes a smaller book.
    """
    from inarow.arena import open_executor
    from inarow.errors import InarowError
    from inarow.rules import game
    from inarow.solver.book import SCORES, VERDICTS, folded_key, open_book, shipped_book, write_book
    from inarow.solver.building import derive, early_positions, read_progress, solve_all, to_solve

    board = game(game_name)
    if not board.gravity:
        raise InarowError(f"{board} has no gravity; books are made for boards with gravity")
    new_file(out, force)
    work = work or out.with_name(out.name + ".work")
    _, damaged = read_progress(work, board, verdicts)
    if damaged:
        note(f"{work} is damaged: {counted(damaged, 'line', 'lines')} left out, to be solved again")
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
    book = derive(board, plies, scores, verdicts)
    write_book(book, out)
    say(f"{len(book.keys):,} positions up to {plies} plies in {out} ({out.stat().st_size:,} bytes), verified.")
