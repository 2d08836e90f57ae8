"""What the commands that play a tournament share: their options, the store, the live view, the tables at the end."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import (
    AdjudicateOption,
    ForceOption,
    JsonOption,
    MatchSecondsOption,
    NodesOption,
    OpeningsOption,
    SecondsOption,
    SeedOption,
    console,
    new_file,
    note,
    print_json,
)
from inarow.cli.external import AllowSolverOption, RequireSandboxOption, SandboxOptions, TrustOption
from inarow.cli.tables import print_results, results_shape, sprt_text, standings_table
from inarow.errors import HostFailure
from inarow.limits import MOST_WORKERS

if TYPE_CHECKING:
    from inarow.agents import Agent, Limit
    from inarow.arena import Run, Running, Store, Tournament
    from inarow.arena.rows import PairRows

WorkersOption = Annotated[
    int | None, typer.Option(min=1, max=MOST_WORKERS, help="Worker processes.", show_default="one per core")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Use the workers of a Dask scheduler instead, such as tcp://127.0.0.1:8786."),
]


@dataclass(frozen=True)
class TournamentOptions:
    """What every command that plays a tournament takes."""

    openings: OpeningsOption = "random"
    workers: WorkersOption = None
    cluster: ClusterOption = None
    out: Annotated[Path | None, typer.Option(help="Keep every record in this file, so that it can be resumed.")] = None
    resume: Annotated[bool, typer.Option("--resume", help="Resume the tournament in the --out file.")] = False
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first failure of an agent.")] = False
    seconds: SecondsOption = None
    match_seconds: MatchSecondsOption = None
    nodes: NodesOption = None
    adjudicate: AdjudicateOption = False
    seed: SeedOption = 0
    trust: TrustOption = False
    require_sandbox: RequireSandboxOption = False
    allow_solver: AllowSolverOption = False
    force: ForceOption = False
    as_json: JsonOption = False

    @property
    def limit(self) -> Limit:
        """Of every decision."""
        from inarow.agents import Limit

        return Limit(seconds=self.seconds, nodes=self.nodes, match_seconds=self.match_seconds)

    def agents(self, *specs: str) -> tuple[Agent, ...]:
        """The agents of these specs, external ones as far trusted as was asked for."""
        return SandboxOptions(self.trust, self.require_sandbox, self.allow_solver).agents(*specs)


def play_and_show(tournament: Tournament, options: TournamentOptions) -> None:
    """Play a tournament in a store, show it live, print its tables; exits with 130 if interrupted."""
    from inarow.arena import ArenaError, Running, StoreError, load, open_executor

    tournament.check()
    interrupted: str | None = None
    with open_executor(options.workers, options.cluster) as executor:
        executor.check(tournament.agents)  # before there is a store
        with _store(options) as store:
            run = store.resume(tournament) if options.resume else store.begin(tournament)
            running = Running(tournament, store, run, executor, strict=options.strict)
            try:
                with _live(running, store, run, quiet=options.as_json):
                    running.play()
            except KeyboardInterrupt:
                interrupted = "interrupted"
            except (ArenaError, StoreError, HostFailure) as error:  # a fault that was to stop it, a full disk …
                interrupted = str(error)
            results = load(store, run)
    if options.as_json:
        print_json(results_shape([results]))
    else:
        print_results(results)
    if interrupted is not None:
        kept = f"; {options.out} keeps the finished pairs, continue with --resume" if options.out is not None else ""
        note(f"{interrupted}{kept}")
        raise typer.Exit(130 if interrupted == "interrupted" else 1)


def _store(options: TournamentOptions) -> Store:
    from inarow.arena import Store
    from inarow.errors import InarowError

    if options.out is None:
        if options.resume:
            raise InarowError("--resume needs the file of the tournament; give it with --out")
        return Store.in_memory()
    if options.resume:
        store = Store.open(options.out)
    else:
        new_file(options.out, options.force)
        store = Store.create(options.out, replace=options.force)
    for said in store.notes:
        note(said)
    return store


@contextlib.contextmanager
def _live(running: Running, store: Store, run: Run, quiet: bool) -> Iterator[None]:
    """A progress bar with pairs per second and the time left, and the standings so far; nothing in a pipe."""
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
    done = sum(series.pairs.total() for series in results.series.values())
    task = bar.add_task("pairs", total=running.tournament.weight // 2, completed=done, rate="")
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
            if now - drawn > 0.5:  # the ratings are computed again each time
                drawn = now
                live.update(shown())

        running.on_pairs = on_pairs
        yield
