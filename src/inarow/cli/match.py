"""The command ``match``: a series between two agents, in pairs with seats swapped."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import (
    AdjudicateOption,
    ForceOption,
    GameArgument,
    JsonOption,
    MatchesOption,
    MatchSecondsOption,
    NodesOption,
    OpeningsOption,
    RecordsOption,
    SandboxOptions,
    SecondsOption,
    SeedOption,
    new_file,
    print_json,
    print_table,
    progress,
    say,
    takes,
    two_agents,
)
from inarow.cli.pages import command
from inarow.cli.results import elo_cells, print_parameters
from inarow.formatting import duration, share

if TYPE_CHECKING:
    from inarow.match.record import MatchRecord
    from inarow.match.series import Series


@command("inarow match connect4 rules random --matches 100")
@takes(SandboxOptions)
def match(
    game_name: GameArgument,
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT AGENT", help="The two agents; `inarow agents` lists them.")
    ],
    matches: MatchesOption = 10,
    seats: Annotated[
        str,
        typer.Option(
            metavar="swap|keep",
            help="swap: play every opening twice, with seats swapped; keep: the first agent always moves first.",
        ),
    ] = "swap",
    openings: OpeningsOption = "none",
    seconds: SecondsOption = None,
    match_seconds: MatchSecondsOption = None,
    nodes: NodesOption = None,
    adjudicate: AdjudicateOption = False,
    out: RecordsOption = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
    *,
    options: SandboxOptions,
) -> None:
    """Play matches between two agents and test which is better.

    Each opening is played twice, with seats swapped. A difference is claimed only if it is statistically significant.
    """
    from inarow.agents import Limit
    from inarow.agents.base import rehearse
    from inarow.errors import InarowError
    from inarow.match import Series, parse_openings, play_series
    from inarow.match.record import write_records
    from inarow.match.series import used_up_text
    from inarow.rules import game

    board = game(game_name)
    a, b = options.agents(*two_agents("match", agents))
    a.check(board)
    b.check(board)
    if seats not in ("swap", "keep"):
        raise InarowError(f"--seats must be swap or keep, got {seats}")
    starts = parse_openings(board, openings)
    limit = Limit(seconds=seconds, nodes=nodes, match_seconds=match_seconds)
    target = new_file(out, force) if out is not None else None
    series = Series(board, a, b)
    records: list[MatchRecord] = []
    for one in (a, b):  # so that compiling does not count as thinking time
        rehearse(one, board)
    interrupted = False
    with progress(quiet=as_json) as bar:
        begun = time.perf_counter()
        task = bar.add_task(f"{a.spec} – {b.spec}", total=matches)
        try:
            for pair in play_series(
                board,
                a,
                b,
                matches=matches,
                seed=seed,
                openings=starts,
                limit=limit,
                swap=seats == "swap",
                adjudicate=adjudicate,
            ):
                series.add(pair)
                if target is not None:
                    records += [record for record, _ in pair.matches()]
                bar.update(task, completed=series.matches)
        except KeyboardInterrupt:
            interrupted = True
    elapsed = time.perf_counter() - begun
    unwritten: InarowError | None = None
    if target is not None:
        try:
            write_records(records, target)
        except InarowError as error:  # the results are printed first
            unwritten = error
    if as_json:
        print_json(series_json(series, elapsed))
    else:
        print_series(series, elapsed)
    if series.matches < matches and not interrupted:
        say(used_up_text(f"{series.matches:,} of {matches:,} matches", "--openings random:4"), stderr=as_json)
    if interrupted:
        say(f"inarow: interrupted after {series.matches} of {matches} matches.", stderr=True)
    if unwritten is not None:
        raise unwritten
    if interrupted:
        raise typer.Exit(130)


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
    from inarow.match.claims import USUAL

    matches = max(1, series.matches)
    rows = [
        (
            s.spec,
            s.counts,
            share(s.score),
            *(cell for t in (s.as_first, s.as_second) for cell in (t.counts, share(t.win_rate))),
        )
        for s in series.sides
    ]
    head = ["agent", "win / draw / loss", "score (95 %)", "as first", "wins (95 %)", "as second", "wins (95 %)"]
    print_table(f"{series.game.title}: {series.matches} matches, {series.distinct} distinct", head, rows)
    rows = [
        (
            s.spec,
            f"{s.moves:,}",
            f"{s.nodes_per_move:,.1f}",
            f"{s.nodes:,}",
            duration(s.seconds_per_move),
            duration(s.least),
            duration(s.most),
        )
        for s in series.sides
    ]
    print_table("Effort", ["agent", "moves", "nodes / move", "nodes", "time / move", "min", "max"], rows)
    print_parameters(series.game, [side.spec for side in series.sides])
    ends = ", ".join(f"{count} by {cause}" for cause, count in sorted(series.terminations.items()))
    say(f"{series.plies / matches:.1f} moves and {duration(elapsed / matches)} per match. Ended: {ends}.")
    say(_claim_text(series))
    if series.score is not None and series.matches >= USUAL.matches:
        plain, normalised = elo_cells(series, series.score)
        say(f"Elo of {series.spec} by this score: {plain}; normalised by the spread of results: {normalised}.")
    for fault in dict.fromkeys(series.faults):
        say(f"fault: {fault}")


def _claim_text(series: Series) -> str:
    """Return the claim, with advice if there were too few matches."""
    from inarow.match.claims import Finding, claim

    made = claim(series)
    if made.finding is Finding.TOO_FEW:
        return f"{made.sentence} Play at least {made.rule.matches}."
    return made.sentence
