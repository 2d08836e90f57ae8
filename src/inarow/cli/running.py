"""What the commands that play a tournament share: where it is stored, who works, the live view, the end."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import console, new_file, print_json
from inarow.cli.tables import print_results, results_shape, sprt_text, standings_table

if TYPE_CHECKING:
    from inarow.arena import Results, Run, Running, Store, Tournament
    from inarow.arena.rows import PairRows

OpeningsOption = Annotated[
    str,
    typer.Option(
        help="none, random:PLIES, all:PLIES or file:PATH; random alone: 4 plies, fewer on small boards.",
    ),
]
WorkersOption = Annotated[int | None, typer.Option(min=1, help="Processes that play.", show_default="one a core")]
ClusterOption = Annotated[
    str | None, typer.Option(help="Play on the workers of a Dask scheduler, such as tcp://127.0.0.1:8786.")
]
OutOption = Annotated[Path | None, typer.Option(help="Keep every record in this file, so that it can be resumed.")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on with what --out holds.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Stop at the first fault of an agent.")]
SecondsOption = Annotated[float | None, typer.Option(help="At most so many seconds a decision; who takes more loses.")]
NodesOption = Annotated[int | None, typer.Option(help="At most so many nodes a decision.")]


def play_and_show(
    tournament: Tournament,
    *,
    out: Path | None,
    resume: bool,
    force: bool,
    workers: int | None,
    cluster: str | None,
    strict: bool,
    as_json: bool,
) -> Results:
    """Play a tournament in a store, show it live, print its tables; leaves with 130 if it was interrupted."""
    from inarow.arena import ArenaError, Running, crew, load
    from inarow.arena.workers import cores

    interrupted: str | None = None
    with _store(out, resume, force) as store:
        run = store.resume(tournament) if resume else store.begin(tournament)
        with crew(workers or cores(), cluster) as hands:
            running = Running(tournament, store, run, hands, strict=strict)
            try:
                with _live(running, store, run, quiet=as_json):
                    running.play()
            except KeyboardInterrupt:
                interrupted = "interrupted"
            except ArenaError as error:  # a fault that was to stop it, or a cluster that was lost
                interrupted = str(error)
        results = load(store, run)
    if as_json:
        print_json(results_shape([results]))
    else:
        print_results(results)
    if interrupted is not None:
        kept = f"; {out} keeps the finished pairs, --resume goes on" if out is not None else ""
        console(stderr=True).print(f"inarow: {interrupted}{kept}", soft_wrap=True)
        raise typer.Exit(130 if interrupted == "interrupted" else 1)
    return results


def _store(out: Path | None, resume: bool, force: bool) -> Store:
    from inarow.arena import Store
    from inarow.errors import InarowError

    if out is None:
        if resume:
            raise InarowError("--resume goes on with a store; name it with --out")
        return Store.in_memory()
    if resume:
        return Store.open(out)
    new_file(out, force)
    return Store.create(out, replace=force)


@contextlib.contextmanager
def _live(running: Running, store: Store, run: Run, quiet: bool) -> Iterator[None]:
    """A bar with pairs a second and the time left, and the standings so far; nothing in a pipe."""
    screen = console(stderr=True)
    if quiet or not screen.is_terminal:
        yield
        return
    from rich.console import Group
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from inarow.arena import load

    results = load(store, run)
    bar = Progress(
        TextColumn("pairs"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=screen,
    )
    pairings = len(run.pairings)
    done = sum(series.sides[0].pairs.total() for series in results.series.values())
    task = bar.add_task("pairs", total=running.tournament.pairs * pairings, completed=done, rate="")
    begun = drawn = time.monotonic()
    count = 0

    def shown() -> Any:
        test = sprt_text(results) if results.sprt is not None else ""
        return Group(standings_table(results), test, bar)

    with Live(shown(), console=screen, transient=True, refresh_per_second=4) as live:

        def on_pairs(rows: Sequence[PairRows]) -> None:
            nonlocal count, drawn
            results.add(rows)
            count += len(rows)
            now = time.monotonic()
            bar.update(task, advance=len(rows), rate=f"{count / max(1e-9, now - begun):,.1f} pairs/s")
            if now - drawn > 0.5:  # the ratings are worked out anew each time
                drawn = now
                live.update(shown())

        running.on_pairs = on_pairs
        yield
