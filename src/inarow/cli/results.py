"""The command ``results``: print or export the results of tournaments."""

from __future__ import annotations

import contextlib
import csv
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.agents import agent
from inarow.cli.common import (
    ClusterOption,
    ForceOption,
    JsonOption,
    WorkersOption,
    new_file,
    note,
    print_json,
    print_table,
    say,
    tables,
    waiting,
)
from inarow.cli.pages import command
from inarow.errors import InarowError
from inarow.formatting import MINUS, NOTHING, duration, elo_range, percent, share, signed
from inarow.paths import text_writer
from inarow.rules import Game

if TYPE_CHECKING:
    from rich.table import Table

    from inarow.arena import Results, Store
    from inarow.arena.results import PlayedSchedule
    from inarow.match.claims import Rule
    from inarow.match.series import Series, Tally
    from inarow.stats import Interval
    from inarow.truth import Accuracy


@command("inarow results league.db --out league.csv")
def results(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A file written by `inarow tournament --out`.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write pairings (.csv), tables (.tex, .md), all results (.json) or match records (.jsonl, .txt).",
        ),
    ] = None,
    truth: Annotated[
        bool, typer.Option("--truth", help="Also grade every move with the exact solver; may be slow.")
    ] = False,
    truth_from: Annotated[
        int | None, typer.Option(min=0, help="Grade only moves in positions with at least this many stones.")
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Print or export the stored results of a tournament."""
    from inarow.arena import Store, load, open_executor

    if not truth and (workers, cluster, truth_from) != (None, None, None):
        raise InarowError("--workers, --cluster and --truth-from are for grading moves; give --truth as well")
    target = new_file(out, force) if out is not None else None
    with Store.read(path) as store:
        for said in store.notes:
            note(said)
        runs = [load(store, run) for run in store.runs()]
        if not runs:
            note(f"{path} holds no matches yet")
        shape = results_shape(runs)
        accuracies = []
        if truth:
            from inarow.arena.results import grade_run, usual_ply

            with open_executor(workers, cluster) as executor, waiting("Grading moves …"):
                for one, data in zip(runs, shape["tournaments"], strict=True):
                    least = usual_ply(one.game) if truth_from is None else truth_from
                    accuracies.append((grade_run(store, one.run, least, executor.map), least))
                    found = {spec: accuracy.to_json() for spec, accuracy in accuracies[-1][0].items()}
                    data["truth"] = {"from_ply": least, "agents": found}
        if target is not None:
            _export_results(store, runs, shape, target)
        elif as_json:
            print_json(shape)
        else:
            for one in runs:
                print_results(one)
            for one, (accuracy, least) in zip(runs, accuracies, strict=False):
                print_truth(one, accuracy, least)


def _export_results(store: Store, runs: list[Results], shape: dict[str, Any], path: Path) -> None:
    from inarow.match.record import record_text, write_json_lines

    records = (record for one in runs for _, _, record in store.records(one.run))
    if path.suffix not in (".csv", ".json", ".jsonl", ".md", ".tex", ".txt", ".pgn"):
        raise InarowError(f"{path}: give a name that ends with .csv, .json, .jsonl, .md, .tex or .txt")
    with text_writer(path) as out:
        if path.suffix == ".jsonl":
            write_json_lines(records, out)
        elif path.suffix == ".json":
            out.write(json.dumps(shape, indent=2, ensure_ascii=False) + "\n")
        elif path.suffix in (".md", ".tex"):
            out.write(_results_tables(runs, path.suffix))
        elif path.suffix == ".csv":
            rows = [row for one in shape["tournaments"] for row in flat_pairings(one)]
            table = csv.DictWriter(out, list(rows[0]) if rows else [])
            table.writeheader()
            table.writerows(rows)
        else:
            for index, record in enumerate(records):
                out.write(("\n" if index else "") + record_text(record))


def _results_tables(runs: list[Results], suffix: str) -> str:
    """Return standings, pairings, parameters and costs of each tournament as Markdown or LaTeX."""
    from inarow.report.tables import to_latex, to_markdown
    from inarow.studies import sections as parts

    write = to_latex if suffix == ".tex" else to_markdown
    made = []
    for number, one in enumerate(runs, start=1):
        key = f"{one.game.name}-{number}"
        made += [parts.standings(one, f"{key}-standings"), parts.meetings(one, f"{key}-pairings")]
        made += [parts.parameters(one, {}, f"{key}-parameters"), parts.cost(one, f"{key}-cost")]
    return "\n".join(map(write, made))


def flat_pairings(tournament: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one flat row per pairing, for CSV."""
    from inarow.stats import Interval

    return [
        {
            "game": tournament["config"]["game"],
            "a": pairing["a"]["spec"],
            "b": pairing["b"]["spec"],
            "matches": pairing["matches"],
            "distinct": pairing["distinct"],
            **{key: pairing["a"][key] for key in ("wins", "draws", "losses")},
            **{f"first_{key}": pairing["a"]["as_first"][key] for key in ("wins", "draws", "losses")},
            **{f"second_{key}": pairing["a"]["as_second"][key] for key in ("wins", "draws", "losses")},
            **{f"{key}_{end}": (pairing[key] or {}).get(end) for key in ("score", "elo") for end in Interval._fields},
            "interval": pairing["interval"],
            **{f"pool_elo_difference_{end}": value for end, value in pairing["pool_elo_difference"].items()},
            "superiority": pairing["superiority"],
            "pentanomial": " ".join(map(str, pairing["pentanomial"])),
            "verdict": pairing["verdict"],
        }
        for pairing in tournament["pairings"]
    ]


def elo_text(interval: Interval | None) -> str:
    """Format a rating as ``+120 ± 35``, or as a bound if the estimate is infinite."""
    if interval is None:
        return NOTHING
    if math.isinf(interval.estimate):
        return elo_range(interval)
    return f"{signed(interval.estimate)} ± {(interval.high - interval.low) / 2:.0f}"


def elo_cells(side: Tally, score: Interval | None) -> tuple[str, str]:
    """Return the Elo and the normalised Elo of a pairing's first agent."""
    plain, normalised = side.elo(score), side.normalised_elo(score)
    return (
        NOTHING if plain is None else elo_range(plain),
        NOTHING if normalised is None else signed(normalised.estimate),
    )


def results_shape(runs: list[Results]) -> dict[str, Any]:
    """Return the results of a store's tournaments for JSON; timing is kept apart."""
    from inarow.arena import results_json

    tournaments = [results_json(results) for results in runs]
    timing = [tournament.pop("timing") for tournament in tournaments]
    return {"tournaments": tournaments, "timing": timing}


def live_standings(results: Results, width: int) -> Iterator[Table]:
    """Return the standings so far, as tables that fit the width."""
    kind = results.rule.pointwise
    head = ["agent", f"Elo ({kind})", "win / draw / loss", f"score ({kind})"]
    rows = [(one.spec, elo_text(one.shown), one.counts, share(one.score)) for one in results.standings()]
    return tables(head, rows, width, numbers=True)


def print_results(results: Results) -> None:
    """Print all tables of one tournament."""
    config = results.run.config
    planned = sum(map(results.most, results.series.values()))
    unfinished = " so far" if results.schedule is not None else f" of {planned:,}"
    played = sum(series.pairs.total() for series in results.series.values())
    of = "" if config["sprt"] or results.finished else unfinished
    title = f"{results.game.title}, {config['format']}: {played:,}{of} pairs, {results.matches:,} matches"
    if results.schedule is not None:
        _print_schedule(results.schedule)
    standings = results.standings()
    ratings = [elo_text(one.shown) for one in standings]
    print_standings(f"{title}, {results.distinct:,} distinct", standings, results.rule.pointwise, ratings)
    _print_pairings(results)
    if len(results.agents) > 2:
        _print_cross_table(results)
    print_effort(standings)
    print_parameters(results.game, [one.spec for one in standings])
    say(
        f"Standings: Elo in this pool of {len(results.agents)}, whose mean is 0. Pairings: Elo by the pairing's own "
        "score; nElo, normalised by the spread of its results. d Elo are an expected score of 1 / (1 + 10^(−d/400))."
    )
    say(rule_text(results.rule) if results.sprt is None else sprt_text(results))
    if note := results.used_up_note("--openings random:4"):
        say(note)
    print_faults(results)


def rule_text(rule: Rule) -> str:
    """State the rule by which pairings are judged."""
    from inarow.match import HolmRule, SequentialRule

    if isinstance(rule, SequentialRule):
        return (
            "Verdicts hold for any number of pairs: the intervals of the pairings are confidence sequences. All others "
            "are fixed-sample intervals."
        )
    if isinstance(rule, HolmRule):
        return (
            f"Verdicts by Holm's rule over {rule.comparisons} pairings: the chance of any false one is at most "
            f"{share(1 - rule.confidence)}. Intervals are over pairs."
        )
    return "The verdict is by the 95 % interval of the score, over pairs."


def _print_schedule(schedule: PlayedSchedule) -> None:
    """Print the pairings of each round, and the table of the format."""
    names = schedule.agents
    for one in schedule.rounds:
        rows = [
            (names[meet.a], names[meet.b], NOTHING if (found := schedule.scores(meet)) is None else f"{found[0]:.3g}")
            for meet in one.pairings
        ]
        rows += [(names[player], "(bye)", NOTHING) for player in one.byes]
        print_table(one.name.capitalize(), ["agent", "against", "points per match"], rows, numbers=False)
    places = [
        (names[place.player], f"{place.points:g}", f"{place.opponents:g}", place.reached or NOTHING)
        for place in schedule.table
    ]
    print_table("Table by the format", ["agent", "points", "opponents' points", "reached"], places)


def print_standings(title: str, sides: Sequence[Tally], interval: str, ratings: Sequence[str] = ()) -> None:
    """Print the results of each agent, in all and by seat, and its rating if it has one."""
    rows: list[list[str]] = []
    for number, side in enumerate(sides):
        rows.append([side.spec, *ratings[number : number + 1], side.counts, share(side.score)])
        for seat in (side.as_first, side.as_second):
            rows[-1] += [seat.counts, share(seat.win_rate)]
    rated = [f"Elo ({interval})"] if ratings else []
    seats = ["as first", "wins (95 %)", "as second", "wins (95 %)"]
    print_table(title, ["agent", *rated, "win / draw / loss", f"score ({interval})", *seats], rows)


def _print_pairings(results: Results) -> None:
    from inarow.stats import pentanomial

    rows = []
    for series in results.series.values():
        a, b = series.sides
        score = results.rule.interval(a)
        rows.append(
            (
                f"{a.spec} – {b.spec}",
                a.counts,
                share(score),
                *elo_cells(a, score),
                " ".join(map(str, pentanomial(a.pair_scores))),
                share(a.superiority),
                f"{series.distinct:,} of {series.matches:,}",
                *([results.claim(series).verdict] if results.sprt is None else []),
            )
        )
    head = [
        "pairing",
        "win / draw / loss",
        f"score ({results.rule.coverage})",
        "Elo",
        "nElo",
        "pairs 0 ¼ ½ ¾ 1",
        "superior",
        "distinct",
        *(["verdict"] if results.sprt is None else []),
    ]
    print_table("Pairings, each by its own matches", head, rows)


def _print_cross_table(results: Results) -> None:
    """Print the score of each row's agent against each column's."""
    order = [standing.spec for standing in results.standings()]
    scores: dict[tuple[str, str], str] = {}
    for series in results.series.values():
        for mine, theirs in (series.sides, series.sides[::-1]):
            score = mine.score
            scores[mine.spec, theirs.spec] = NOTHING if score is None else percent(score.estimate)
    names = [f"{i}" for i in range(1, len(order) + 1)]
    rows = [
        (f"{i}  {row}", *(scores.get((row, column), "") for column in order)) for i, row in enumerate(order, start=1)
    ]
    print_table("Score in % of the row against the column", ["agent", *names], rows)


def print_effort(sides: Iterable[Tally]) -> None:
    """Print the cost of each agent's decisions, and the reasons for its losses."""
    rows = []
    for side in sides:
        lost = ", ".join(f"{count:,} by {cause}" for cause, count in sorted(side.lost_by.items()))
        moves, per_move = side.moves / max(1, side.matches), side.seconds_per_move if side.moves else None
        times = map(duration, (per_move, side.least, side.most))
        rows.append((side.spec, f"{moves:.1f}", f"{side.nodes_per_move:,.1f}", *times, lost or NOTHING))
    print_table("Effort", ["agent", "moves / match", "nodes / move", "time / move", "min", "max", "lost"], rows)


def print_parameters(game: Game, specs: Iterable[str]) -> None:
    """Print the effective parameters of each agent that has any and can be loaded."""
    for spec in dict.fromkeys(specs):
        with contextlib.suppress(InarowError):
            if values := (one := agent(spec)).effective(game):
                say(f"{one.full_name}: {values}")


def print_truth(results: Results, accuracies: dict[str, Accuracy], from_ply: int) -> None:
    """Print each agent's accuracy by the exact solver."""
    rows = []
    for standing in results.standings():
        one = accuracies[standing.spec]
        blunders = ", ".join(f"{count} at {ply}" for ply, count in one.blunders_by_ply.most_common(3))
        rows.append(
            (
                standing.spec,
                f"{one.moves:,}",
                share(one.kept_rate),
                share(one.nontrivial_kept_rate),
                share(one.perfect_rate),
                f"{one.blunders:,}",
                blunders or "–",
            )
        )
    head = ["agent", "moves", "kept verdict", "where it could be lost", "perfect", "blunders", "most, by ply"]
    print_table(f"Moves against the truth, from {from_ply} stones on", head, rows)


def sprt_text(results: Results) -> str:
    """State the result of the sequential test so far."""
    assert results.sprt is not None
    test, state = results.sprt
    series: Series = next(iter(results.series.values()))
    a, b = series.sides
    bounds = f"LLR {state.llr:+.2f} in ({state.lower:.2f}, {state.upper:.2f})".replace("-", MINUS)
    bounds += f" after {a.pairs.total():,} pairs"
    if state.accepted is None:
        said = "undecided"
    else:
        hypothesis, error = ("H1", test.alpha) if state.accepted == "elo1" else ("H0", test.beta)
        said = f"{hypothesis} accepted: {test.conclusion(state.accepted, a.spec, b.spec)} (error rate {share(error)})"
    return f"SPRT elo0={test.elo0:g} elo1={test.elo1:g}: {bounds}; {said}."


def print_faults(results: Results) -> None:
    """Print which agents failed, how often, and the first messages."""
    from inarow.match import Termination

    faulty = {cause.value for cause in Termination if cause.is_fault}
    for standing in results.standings():
        for cause, count in sorted(standing.lost_by.items()):
            if cause in faulty:
                say(f"fault: {standing.spec} lost {count:,} of its matches by {cause}.")
    shown = set(results.faults)
    for fault in sorted(shown)[:10]:
        say(f"  {fault}")
