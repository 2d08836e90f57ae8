"""The commands ``match``, ``tournament`` and ``sprt``: series, tournaments and sequential tests."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.agents.registry import expand_specs
from inarow.cli.common import (
    ClusterOption,
    GameArgument,
    MatchesOption,
    MatchOptions,
    RecordsOption,
    WorkersOption,
    console,
    new_file,
    note,
    print_json,
    print_table,
    progress,
    say,
    takes,
    two_agents,
)
from inarow.cli.pages import command
from inarow.cli.results import (
    elo_cells,
    live_standings,
    print_effort,
    print_parameters,
    print_results,
    print_standings,
    results_shape,
    sprt_text,
)
from inarow.errors import HostFailure, InarowError
from inarow.formatting import MINUS, NOTHING, duration, share
from inarow.limits import MAX_MATCHES
from inarow.rules import game

if TYPE_CHECKING:
    from inarow.arena import Run, Running, Store, Tournament
    from inarow.arena.store import StoredPair
    from inarow.match.record import MatchRecord
    from inarow.match.series import Series
    from inarow.stats import Sprt


@dataclass(frozen=True)
class TournamentOptions(MatchOptions):
    """Options of commands that play a tournament."""

    workers: WorkersOption = None
    cluster: ClusterOption = None
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Store every match in this file, so that the tournament can be resumed."),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Resume the tournament in the --out file.")] = False
    strict: Annotated[bool, typer.Option("--strict", help="Stop if an agent fails.")] = False


def play_and_show(tournament: Tournament, options: TournamentOptions) -> None:
    """Play a tournament in a store, show it live, print its tables; exits with 130 if interrupted."""
    from inarow.arena import ArenaError, Running, StoreError, load, open_executor

    tournament.check()
    interrupted: str | None = None
    with open_executor(options.workers, options.cluster) as executor:
        executor.check(tournament.agents)  # before a store is created
        with _store(options) as store:
            run = store.resume(tournament) if options.resume else store.begin(tournament)
            running = Running(tournament, store, run, executor, strict=options.strict)
            try:
                with _live(running, store, run, quiet=options.as_json):
                    running.play()
            except KeyboardInterrupt:
                interrupted = "interrupted"
            except (ArenaError, StoreError, HostFailure) as error:  # a fault with --strict, a full disk …
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

    if options.out is None:
        if options.resume:
            raise InarowError("--resume needs the tournament's file; give it with --out")
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
    """Show a progress bar with pairs per second, and the standings so far; nothing in a pipe."""
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
        return Group(*live_standings(results, screen.width), test, bar)

    with Live(shown(), console=screen, transient=True, refresh_per_second=4) as live:

        def on_pairs(rows: Sequence[StoredPair]) -> None:
            nonlocal count, drawn
            results.add(rows)
            count += len(rows)
            now = time.monotonic()
            bar.update(task, advance=len(rows), rate=f"{count / max(1e-9, now - begun):,.1f} pairs/s")
            if now - drawn > 0.5:  # computing ratings takes time
                drawn = now
                live.update(shown())

        running.on_pairs = on_pairs
        yield


@command("inarow tournament connect4 random rules greedy --pairs 50 --out c4.db")
@takes(TournamentOptions)
def tournament(
    game_name: GameArgument,
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT...",
            help="Agents (see `inarow agents`); a folder or a pattern stands for its Python files.",
        ),
    ],
    pairs: Annotated[
        int,
        typer.Option(
            min=1, max=MAX_MATCHES, help="Pairs of matches per pairing; a pair is one opening, played in both seats."
        ),
    ] = 20,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="round-robin; gauntlet: the first agent against each of the others; swiss or swiss:ROUNDS; "
            "groups or groups:NUMBER, then a play-off.",
        ),
    ] = "round-robin",
    with_self: Annotated[bool, typer.Option("--self", help="Each agent also plays itself.")] = False,
    *,
    options: TournamentOptions,
) -> None:
    """Play a tournament between several agents."""
    from inarow.arena import Tournament

    made = Tournament.of(
        game_name,
        options.agents(*expand_specs(agents)),
        options.openings,
        pairs,
        format=format_,
        with_self=with_self,
        limit=options.limit,
        seed=options.seed,
        adjudicate=options.adjudicate,
    )
    play_and_show(made, options)


@command("inarow sprt connect4 rules random --elo0 0 --elo1 20")
@takes(TournamentOptions)
def sprt(
    game_name: GameArgument = "",
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="AGENT AGENT", help="The agent to test, and the one to compare it with."),
    ] = None,
    elo0: Annotated[float, typer.Option(help="H0: the first agent is stronger by this much Elo.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="H1: it is stronger by this much Elo; larger than elo0.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="Probability of accepting H1 when H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability of accepting H0 when H1 is true.")] = 0.05,
    pairs: Annotated[int, typer.Option(min=1, max=MAX_MATCHES, help="Maximum number of pairs.")] = 20_000,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Print the expected number of matches and the power of the test, without playing."),
    ] = False,
    *,
    options: TournamentOptions,
) -> None:
    """Test with few matches whether one agent is stronger (SPRT).

    The sequential probability ratio test plays pairs of matches with seats swapped until one hypothesis is accepted.
    """
    from inarow.arena import Tournament
    from inarow.stats import Sprt

    test = Sprt(elo0, elo1, alpha, beta)
    if plan:
        print_plan(test, options.as_json)
        return
    if not game_name:
        raise InarowError("sprt takes a game and two agents, such as: inarow sprt connect4 rules random")
    made = Tournament.of(
        game_name,
        options.agents(*two_agents("sprt", agents or [])),
        options.openings,
        pairs,
        limit=options.limit,
        seed=options.seed,
        adjudicate=options.adjudicate,
        sprt=test,
    )
    play_and_show(made, options)


def _signed(elo: float) -> str:
    return f"{elo:+g}".replace("-", MINUS) if elo else "0"


def print_plan(test: Sprt, as_json: bool) -> None:
    """Print the expected number of matches by the true Elo of the first agent."""
    from inarow.stats import PLANNED_DRAWS

    step = (test.elo1 - test.elo0) / 2
    rows = [test.expected(test.elo0 + number * step, draws) for number in range(-2, 5) for draws in PLANNED_DRAWS]
    if as_json:
        print_json({**asdict(test), "plan": [row.to_json() for row in rows]})
        return
    head = ["true Elo", "accepts elo1", *(f"matches at {share(draws)} draws" for draws in PLANNED_DRAWS)]
    width = len(PLANNED_DRAWS)
    print_table(
        f"SPRT elo0={test.elo0:g} elo1={test.elo1:g} alpha={test.alpha:g} beta={test.beta:g}: expected matches",
        head,
        [
            (_signed(same[0].elo), share(same[0].accepts), *(f"{2 * round(one.pairs):,}" for one in same))
            for same in (rows[start : start + width] for start in range(0, len(rows), width))
        ],
    )
    say("Wald's approximation for independent matches; pairs on balanced openings need fewer.")


@command("inarow match connect4 rules random")
@takes(MatchOptions)
def match(
    game_name: GameArgument,
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT AGENT", help="The two agents; `inarow agents` lists them.")
    ],
    matches: MatchesOption = 40,
    seats: Annotated[
        str,
        typer.Option(
            metavar="swap|keep",
            help="swap: play every opening twice, with seats swapped; keep: the first agent always moves first.",
        ),
    ] = "swap",
    out: RecordsOption = None,
    *,
    options: MatchOptions,
) -> None:
    """Play matches between two agents and test which is better.

    Each opening is played twice, with seats swapped. A difference is claimed only if it is statistically significant.
    """
    from inarow.agents.base import rehearse
    from inarow.match import Finding, Series, claim, parse_openings, play_series
    from inarow.match.claims import USUAL
    from inarow.match.record import write_records
    from inarow.match.series import used_up_text

    board = game(game_name)
    a, b = options.agents(*two_agents("match", agents))
    a.check(board)
    b.check(board)
    if seats not in ("swap", "keep"):
        raise InarowError(f"--seats must be swap or keep, got {seats}")
    starts = parse_openings(board, options.openings)
    target = new_file(out, options.force) if out is not None else None
    series = Series(board, a, b)
    records: list[MatchRecord] = []
    for one in (a, b):  # so that compiling does not count as thinking time
        rehearse(one, board)
    interrupted = False
    with progress(quiet=options.as_json) as bar:
        begun = time.perf_counter()
        task = bar.add_task(f"{a.spec} – {b.spec}", total=matches)
        try:
            for pair in play_series(
                board,
                a,
                b,
                matches=matches,
                seed=options.seed,
                openings=starts,
                limit=options.limit,
                swap=seats == "swap",
                adjudicate=options.adjudicate,
            ):
                series.add(pair)
                if target is not None:
                    records += [record for record, _ in pair.matches()]
                bar.update(task, completed=series.matches)
                if pair.index == 0 and (left := (time.perf_counter() - begun) * (matches / series.matches - 1)) > LONG:
                    about = f"{left / 60:.0f} minutes" if left > 120 else f"{left:.0f} seconds"
                    note(f"{matches} matches will take about {about}; Ctrl-C shows the results so far")
        except KeyboardInterrupt:
            interrupted = True
    elapsed = time.perf_counter() - begun
    unwritten: InarowError | None = None
    if target is not None:
        try:
            write_records(records, target)
        except InarowError as error:  # the results are printed first
            unwritten = error
    if options.as_json:
        print_json(series_json(series, elapsed))
    else:
        print_series(series, elapsed)
    if series.matches < matches and not interrupted:
        say(used_up_text(f"{series.matches:,} of {matches:,} matches", "--openings random:4"), stderr=options.as_json)
    elif claim(series).finding is Finding.TOO_FEW:
        least = 2 * USUAL.least_pairs
        enough = f"play at least {least}" if matches < least else "give more openings, such as --openings random:4"
        say(f"To show a difference, {enough}.", stderr=options.as_json)
    if interrupted:
        note(f"interrupted after {series.matches} of {matches} matches")
    if unwritten is not None:
        raise unwritten
    if interrupted:
        raise typer.Exit(130)


LONG = 20.0
"""Seconds beyond which the expected time of a series is printed."""


def series_json(series: Series, elapsed: float) -> dict[str, Any]:
    """Return the series for JSON; everything that depends on the clock is under ``timing``."""
    from inarow.match import claim
    from inarow.match.series import elo_json

    matches = max(1, series.matches)
    return {
        "game": series.game.name,
        "matches": series.matches,
        "distinct": series.distinct,
        "moves_per_match": series.plies / matches,
        "terminations": series.terminations,
        "faults": series.faults,
        "agents": [side.to_json() for side in series.sides],
        "claim": claim(series).to_json(),
        "elo": elo_json(series.elo(series.score)),
        "normalised_elo": elo_json(series.normalised_elo(series.score)),
        "timing": {
            "seconds": elapsed,
            "seconds_per_match": elapsed / matches,
            "agents": [side.timing_json() for side in series.sides],
        },
    }


def print_series(series: Series, elapsed: float) -> None:
    """Print the tables and the claim of a series."""
    from inarow.match.claims import Finding, claim

    matches = max(1, series.matches)
    title = f"{series.game.title}: {series.matches} matches, {series.distinct} distinct"
    print_standings(title, series.sides, "95 %")
    print_effort(series.sides)
    print_parameters(series.game, [side.spec for side in series.sides])
    ends = ", ".join(f"{count} by {cause}" for cause, count in sorted(series.terminations.items()))
    say(f"{series.plies / matches:.1f} moves and {duration(elapsed / matches)} per match. Ended: {ends}.")
    shown = claim(series)
    say(shown.sentence)
    if shown.finding not in (Finding.NOT_PLAYED, Finding.TOO_FEW):
        plain, normalised = elo_cells(series, series.score)
        known = "" if normalised == NOTHING else f"; normalised Elo: {normalised}"
        say(f"Elo of {series.spec} relative to {series.sides[1].spec}: {plain}{known}.")
    for fault in dict.fromkeys(series.faults):
        say(f"fault: {fault}")
