"""Tables and figures of tournaments and gradings: standings, head-to-head scores, seats, cost, accuracy."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarow.agents import agent
from inarow.arena import Results
from inarow.errors import InarowError
from inarow.match import Finding, SequentialRule, Series
from inarow.match.series import Tally
from inarow.report.charts import Shares, elo_chart, heat_map, share_matrix
from inarow.report.curves import Priced, strength_by_cost
from inarow.report.tables import Blank, Cell, Figure, Table, table
from inarow.rules import FIRST, Game
from inarow.stats import Interval
from inarow.studies.base import Measurement, Plan, StudyResults
from inarow.studies.measurements import grade
from inarow.truth import Accuracy

NOT_PLAYED = Blank("not played")


def standings(results: Results, key: str) -> Table:
    """Return the standings, strongest first.

    If pairings stop early, agents mostly play their equals, so the mean score over opponents replaces rates over all
    matches.
    """
    sequential = _is_sequential(results)
    rows: list[tuple[Cell, ...]] = []
    for one in results.standings():
        rates = [results.mean_score(one.spec)] if sequential else [one.as_first.win_rate, one.as_second.win_rate]
        rows.append(
            (one.spec, _or_blank(one.shown), one.wins, one.draws, one.losses, *map(_or_blank, rates), one.distinct)
        )
    rate_heads = "mean score:percent" if sequential else "wins as first:percent | wins as second:percent"
    heads = (
        f"agent | Elo ({results.rule.pointwise}):elo | wins:count | draws:count | losses:count | {rate_heads} | "
        "distinct matches:count"
    )
    return table(key, f"{results.game.title}: standings", heads, rows)


def parameters(results: Results, specs: Mapping[str, str], key: str) -> Table:
    """Return the effective parameters of each agent; ``specs`` are by label where labels are used."""
    rows: list[tuple[Cell, ...]] = []
    for standing in results.standings():
        values = ""
        with contextlib.suppress(InarowError):
            values = agent(specs.get(standing.spec, standing.spec)).effective(results.game)
        rows.append((standing.spec, values or Blank("no parameters")))
    return table(key, f"{results.game.title}: effective parameters", "agent | parameters", rows)


def _or_blank(value: Interval | float | None) -> Cell:
    return NOT_PLAYED if value is None else value


def meetings(results: Results, key: str) -> Table:
    """Return every pairing with its counts and finding, strongest agents first.

    A sequential rule adds a bound on the error probability.
    """
    rule = results.rule
    rows: list[tuple[Cell, ...]] = []
    rank = {standing.spec: place for place, standing in enumerate(results.standings())}
    for series in sorted(results.series.values(), key=lambda s: sorted(rank[side.spec] for side in s.sides)):
        a, b = sorted(series.sides, key=lambda side: rank[side.spec])
        mean = series.plies / series.matches if series.matches else NOT_PLAYED
        counts = (a.pairs.total(), a.wins, a.draws, a.losses)
        errors = (_error(rule, a),) if isinstance(rule, SequentialRule) else ()
        finding = results.claim(series).verdict_for(a.spec)
        rows.append((a.spec, b.spec, *counts, _or_blank(rule.interval(a)), series.distinct, mean, *errors, finding))
    p_head = "p:number | " if _is_sequential(results) else ""
    heads = (
        "agent | against | pairs:count | wins:count | draws:count | losses:count | "
        f"score ({rule.coverage}):percent | distinct:count | moves:number | {p_head}finding"
    )
    notes = _SEQUENTIAL_NOTES if _is_sequential(results) else ()
    said = "Counts are for the first agent. Distinct: number of different matches. Moves: mean per match."
    return table(key, f"{results.game.title}: pairings", heads, rows, said, *notes)


def _error(rule: SequentialRule, side: Tally) -> Cell:
    error = rule.error(side)
    return NOT_PLAYED if error is None else max(MIN_P, error)


MIN_P = 1e-6
"""Minimum p shown."""

_SEQUENTIAL_NOTES = (
    "Intervals are confidence sequences: they hold whenever the pairing stops. p: upper bound of the probability that "
    "any pairing of equal agents ever shows such a difference; at least 0.000001.",
)


def _is_sequential(results: Results) -> bool:
    return isinstance(results.rule, SequentialRule)


def decided(results: Results, key: str) -> Table:
    """Count the decided pairings and the pairs they took."""
    counts: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    most: Counter[str] = Counter()
    for series in results.series.values():
        finding = results.claim(series).finding
        name = _FINDINGS.get(finding, finding.value)
        played = series.pairs.total()
        counts[name] += 1
        pairs[name] += played
        most[name] = max(most[name], played)
    names = [*_FINDINGS.values(), *(name for name in counts if name not in _FINDINGS.values())]
    rows: list[tuple[Cell, ...]] = [(name, counts[name], pairs[name], most[name]) for name in names]
    rows.append(("in all", counts.total(), pairs.total(), max(most.values(), default=0)))
    heads = "finding | pairings:count | pairs:count | most pairs of a pairing:count"
    return table(key, f"{results.game.title}: pairings by finding", heads, rows)


_FINDINGS = {
    Finding.BETTER: "one agent is better",
    Finding.EQUAL: "the two are about equal",
    Finding.NO_DIFFERENCE: "no difference is shown",
}


def scores(results: Results, names: Sequence[str]) -> dict[tuple[int, int], Interval]:
    """Return the score of each agent against each other, by index."""
    found: dict[tuple[int, int], Interval] = {}
    for series in results.series.values():
        places = [names.index(side.spec) for side in series.sides]
        for side, (i, j) in zip(series.sides, (places, places[::-1]), strict=True):
            score = results.rule.interval(side)
            if score is not None and i != j:
                found[i, j] = score
    return found


def cross_table(results: Results, key: str) -> Figure:
    """Return the head-to-head scores as a heat map, strongest first."""
    names, title = [standing.spec for standing in results.standings()], f"{results.game.title}: head-to-head scores"
    return heat_map(key, title, names, scores(results, names), undecided=_undecided(results, names))


def _undecided(results: Results, names: Sequence[str]) -> set[tuple[int, int]]:
    """Return the indices of undecided pairings, both ways."""
    found: set[tuple[int, int]] = set()
    for series in results.series.values():
        i, j = (names.index(side.spec) for side in series.sides)
        if not results.claim(series).decided:
            found |= {(i, j), (j, i)}
    return found


def strength_and_time(results: Results, key: str) -> Figure:
    """Plot Elo against time per move."""
    agents = [Priced(s.spec, s.seconds_per_move, s.rating) for s in results.standings()]
    title = f"{results.game.title}: Elo by time per move"
    return strength_by_cost(key, title, agents, "time per move", "seconds")


def seats(results: Results, names: Sequence[str]) -> dict[tuple[int, int], Shares]:
    """Return the outcomes by first and second player, by index."""
    found: dict[tuple[int, int], Shares] = {}
    for series in results.series.values():
        i, j = (names.index(side.spec) for side in series.sides)
        for first, second, side in ((i, j, series.sides[0]), (j, i, series.sides[1])):
            tally = side.as_first
            if tally.matches:
                before = found.get((first, second), Shares(0, 0, 0)) if i == j else Shares(0, 0, 0)
                found[first, second] = Shares(
                    before.first + tally.wins, before.draws + tally.draws, before.second + tally.losses
                )
    return found


def seat_matrix(results: Results, key: str) -> Figure:
    """Return outcome shares as a matrix: rows move first, columns second, strongest first."""
    names = [standing.spec for standing in results.standings()]
    return share_matrix(key, f"{results.game.title}: outcomes by seat", names, seats(results, names))


def elos(results: Results, key: str) -> Figure:
    """Plot ratings with their intervals."""
    return elo_chart(key, f"{results.game.title}: Elo", [(s.spec, s.rating) for s in results.standings()])


def cost(results: Results, key: str) -> Table:
    """Return the cost per move of each agent."""
    rows: list[tuple[Cell, ...]] = []
    for one in results.standings():
        limits = (Blank("it made no move") if limit is None else limit for limit in (one.least, one.most))
        rows.append((one.spec, one.moves, one.nodes_per_move, one.nodes, one.seconds_per_move, *limits))
    heads = (
        "agent | moves:count | nodes per move:number | nodes, total:count | time per move:seconds | "
        "minimum:seconds | maximum:seconds"
    )
    return table(key, f"{results.game.title}: cost per move", heads, rows)


Seats = Mapping[tuple[str, str], Series]
"""Results of the first player, by the labels of the first and the second player."""


def results_by_seat(found: StudyResults, key: str) -> dict[tuple[str, str], Series]:
    """Return the results of a tournament by the labels of first and second player, repeated matches included."""
    labels: Mapping[str, str] = found.labels(key)
    made: dict[tuple[str, str], Series] = {}
    for record in found.records(key):
        names = (labels.get(record.first, record.first), labels.get(record.second, record.second))
        made.setdefault(names, Series(record.game, *names)).add_match(record, FIRST)
    return made


def as_first(seats: Seats, a: str, b: str) -> tuple[int, int, int] | None:
    """Return the wins, draws and losses of ``a`` as first player against ``b``."""
    series = seats.get((a, b))
    return None if series is None else (series.wins, series.draws, series.losses)


def effort_in(seats: Seats, name: str) -> Tally:
    """Return the total cost of a player's decisions over all its matches."""
    whole = Tally()
    for series in seats.values():
        for side in series.sides:
            if side.spec == name:
                whole.count_effort(side)
    return whole


GRADED = (60, 200)
"""Positions per band at each scale."""


def gradings(game: Game, agents: Sequence[str], plan: Plan) -> list[Measurement]:
    """Return one grading per agent, all on the same positions."""
    settings = {"game": game.name, "count": plan.pick(*GRADED), "seed": plan.seed}
    return [Measurement(f"{game.name}-grade-{spec}", grade, {"agent": spec, **settings}, weight=20) for spec in agents]


class Graded(NamedTuple):
    """An agent's accuracy in total and by number of stones."""

    total: Accuracy
    by_ply: Mapping[int, Accuracy]


def graded(found: StudyResults, game: Game) -> dict[str, Graded]:
    """Return the accuracy of each graded agent."""
    start = f"{game.name}-grade-"
    keys = [key for key in found.keys("measurement") if key.startswith(start)]
    known = {key.removeprefix(start): read_grade(found, key) for key in keys}
    return {spec: graded for spec, graded in known.items() if graded is not None}


def read_grade(found: StudyResults, key: str) -> Graded | None:
    """Return the accuracy stored by a `grade` measurement, or None if it was not run."""
    measured = found.measured(key)
    if measured is None:
        return None
    counts = {**measured, **measured["timing"]}  # under timing if a limit in seconds decided it
    by_ply = {int(ply): Accuracy.from_json(one) for ply, one in counts["by_ply"].items()}
    return Graded(sum(by_ply.values(), Accuracy()), by_ply)
