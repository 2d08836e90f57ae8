"""What most studies show of a tournament: standings, head-to-head scores, seats, cost; as tables and figures."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence

from inarow.agents import agent
from inarow.arena import Results
from inarow.errors import InarowError
from inarow.match import Finding, SequentialRule
from inarow.match.series import Tally
from inarow.report.charts import Shares, elo_chart, heat_map, share_matrix
from inarow.report.curves import Priced, strength_by_cost
from inarow.report.style import Figure
from inarow.report.tables import Blank, Cell, Column, Table, table
from inarow.stats import Interval

NOT_PLAYED = Blank("not played")


def standings(results: Results, key: str) -> Table:
    """The pool, the strongest first.

    Where pairings end as soon as they are decided, an agent plays its equals most: instead of rates over all its
    matches there is the mean of its scores against each of the others.
    """
    sequential = _is_sequential(results)
    rows: list[tuple[Cell, ...]] = []
    for standing in results.standings():
        rows.append(
            (
                standing.spec,
                standing.shown,
                standing.wins,
                standing.draws,
                standing.losses,
                *(
                    (_or_blank(results.mean_score(standing.spec)),)
                    if sequential
                    else (_or_blank(standing.as_first.win_rate), _or_blank(standing.as_second.win_rate))
                ),
                standing.distinct,
            )
        )
    heads = (
        "agent",
        Column(f"Elo ({results.rule.pointwise})", "elo"),
        Column("wins", "count"),
        Column("draws", "count"),
        Column("losses", "count"),
        *(
            (Column("mean score", "percent"),)
            if sequential
            else (Column("wins as first", "percent"), Column("wins as second", "percent"))
        ),
        Column("distinct matches", "count"),
    )
    return table(key, f"{results.game.title}: standings", heads, rows)


def parameters(results: Results, specs: Mapping[str, str], key: str) -> Table:
    """The effective parameters of each agent; ``specs`` are by label where that is another."""
    rows: list[tuple[Cell, ...]] = []
    for standing in results.standings():
        values = ""
        with contextlib.suppress(InarowError):
            values = agent(specs.get(standing.spec, standing.spec)).effective(results.game)
        rows.append((standing.spec, values or Blank("no parameters")))
    return table(key, f"{results.game.title}: effective parameters", ("agent", "parameters"), rows)


def _or_blank(value: Interval | float | None) -> Cell:
    return NOT_PLAYED if value is None else value


def meetings(results: Results, key: str) -> Table:
    """Every pairing with its counts and what they say, the strongest agents first; by a sequential rule also how
    likely an error is."""
    rule = results.rule
    rows: list[tuple[Cell, ...]] = []
    rank = {standing.spec: place for place, standing in enumerate(results.standings())}
    for series in sorted(results.series.values(), key=lambda s: sorted(rank[side.spec] for side in s.sides)):
        a, b = sorted(series.sides, key=lambda side: rank[side.spec])
        mean = series.plies / series.matches if series.matches else NOT_PLAYED
        rows.append(
            (
                a.spec,
                b.spec,
                a.pairs.total(),
                a.wins,
                a.draws,
                a.losses,
                _or_blank(rule.interval(a)),
                series.distinct,
                mean,
                *((_error(rule, a),) if isinstance(rule, SequentialRule) else ()),
                results.claim(series).verdict_for(a.spec),
            )
        )
    heads = (
        "agent",
        "against",
        Column("pairs", "count"),
        Column("wins", "count"),
        Column("draws", "count"),
        Column("losses", "count"),
        Column(f"score ({rule.coverage})", "percent"),
        Column("distinct", "count"),
        Column("moves", "number"),
        *((Column("p", "number"),) if isinstance(rule, SequentialRule) else ()),
        "finding",
    )
    notes = _SEQUENTIAL_NOTES if _is_sequential(results) else ()
    said = "Counts are of the first-named agent. Distinct: matches that differ. Moves: mean per match."
    return table(key, f"{results.game.title}: pairings", heads, rows, said, *notes)


def _error(rule: SequentialRule, side: Tally) -> Cell:
    error = rule.error(side)
    return NOT_PLAYED if error is None else max(LEAST_P, error)


LEAST_P = 1e-6
"""Smaller ones are shown as this."""

_SEQUENTIAL_NOTES = (
    "At any look, all together: the interval of a score holds whenever the pairing stops. p: upper bound of the "
    "probability that any pairing of equal agents ever shows such a difference; at least 0.000001.",
)


def _is_sequential(results: Results) -> bool:
    return isinstance(results.rule, SequentialRule)


def decided(results: Results, key: str) -> Table:
    """How many pairings are decided, and after how many pairs."""
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
    heads: list[str | Column] = ["finding"]
    heads += [Column(name, "count") for name in ("pairings", "pairs", "most pairs of a pairing")]
    return table(key, f"{results.game.title}: pairings by finding", heads, rows)


_FINDINGS = {
    Finding.BETTER: "one agent is better",
    Finding.EQUAL: "the two are about equal",
    Finding.NO_DIFFERENCE: "no difference is shown",
}


def scores(results: Results, names: Sequence[str]) -> dict[tuple[int, int], Interval]:
    """The score of each agent against each other, by their places among the names."""
    found: dict[tuple[int, int], Interval] = {}
    for series in results.series.values():
        places = [names.index(side.spec) for side in series.sides]
        for side, (i, j) in zip(series.sides, (places, places[::-1]), strict=True):
            score = results.rule.interval(side)
            if score is not None and i != j:
                found[i, j] = score
    return found


def cross_table(results: Results, key: str) -> Figure:
    """Who scores how much against whom, as a heat map, the strongest first."""
    names = [standing.spec for standing in results.standings()]
    return heat_map(
        key,
        f"{results.game.title}: head-to-head scores",
        names,
        scores(results, names),
        undecided=_undecided(results, names),
    )


def _undecided(results: Results, names: Sequence[str]) -> set[tuple[int, int]]:
    """The places of pairings that nothing is claimed about, both ways."""
    found: set[tuple[int, int]] = set()
    for series in results.series.values():
        i, j = (names.index(side.spec) for side in series.sides)
        if not results.claim(series).decided:
            found |= {(i, j), (j, i)}
    return found


def strength_and_time(results: Results, key: str) -> Figure:
    """Elo against the time of a move."""
    agents = [Priced(s.spec, s.seconds_per_move, s.rating) for s in results.standings()]
    title = f"{results.game.title}: Elo by time per move"
    return strength_by_cost(key, title, agents, "time per move", "seconds")


def seats(results: Results, names: Sequence[str]) -> dict[tuple[int, int], Shares]:
    """How matches ended by who sat first and who second, by their places among the names."""
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
    """Outcome shares, rows first player and columns second, the strongest first."""
    names = [standing.spec for standing in results.standings()]
    return share_matrix(key, f"{results.game.title}: outcomes by seat", names, seats(results, names))


def elos(results: Results, key: str) -> Figure:
    """Ratings with their errors."""
    return elo_chart(key, f"{results.game.title}: Elo", [(s.spec, s.rating) for s in results.standings()])


def cost(results: Results, key: str) -> Table:
    """What decisions cost each agent."""
    rows: list[tuple[Cell, ...]] = []
    for standing in results.standings():
        none = Blank("it made no move")
        rows.append(
            (
                standing.spec,
                standing.moves,
                standing.nodes_per_move,
                standing.nodes,
                standing.seconds_per_move,
                none if standing.least is None else standing.least,
                none if standing.most is None else standing.most,
            )
        )
    heads = (
        "agent",
        Column("moves", "count"),
        Column("nodes per move", "number"),
        Column("nodes, total", "count"),
        Column("time per move", "seconds"),
        Column("minimum", "seconds"),
        Column("maximum", "seconds"),
    )
    return table(key, f"{results.game.title}: cost per move", heads, rows)
