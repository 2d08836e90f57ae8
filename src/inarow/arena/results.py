"""What a tournament shows: sums over its records, standings with ratings, and one JSON object of it all.

All of it is a function of the store's rows. What depends on the clock is kept under ``timing``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inarow.arena.rows import PairRows, points_of
from inarow.arena.store import Run, Store
from inarow.arena.tournament import config_hash
from inarow.match import Series, Termination
from inarow.match.record import RESULTS
from inarow.match.series import FAULTS_SHOWN, Effort, Side
from inarow.rules import FIRST, SECOND, game
from inarow.stats import Interval, Meeting, Ratings, Sprt, SprtState, davidson, superiority
from inarow.stats.sprt import pentanomial

NO_DIFFERENCE = "no difference shown"


@dataclass(frozen=True)
class Standing:
    """One agent in a pool, over all its matches against others."""

    spec: str
    rating: Interval
    """Elo; the mean of the pool is 0."""
    side: Side
    distinct: int
    """Its playings that differ."""


class Results:
    """The series of each pairing of a tournament, and the tables made of them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.game = game(run.config["game"])
        self.agents = [agent["spec"] for agent in run.config["agents"]]
        self.series = {number: Series(self.game, a, b) for number, (a, b) in run.pairings.items()}

    def add(self, pairs: Iterable[PairRows]) -> None:
        """Count pairs that have just been stored: points only, for a view of what is under way."""
        for pair in pairs:
            self.series[pair.pairing].count_pairs(pair.points)
        self.__dict__.pop("ratings", None)

    @cached_property
    def ratings(self) -> Ratings:
        """Of all agents, in their order."""
        place = {spec: index for index, spec in enumerate(self.agents)}
        meetings = [
            Meeting(place[s.sides[0].spec], place[s.sides[1].spec], s.sides[0].pairs)
            for s in self.series.values()
            if s.sides[0].spec != s.sides[1].spec
        ]
        return davidson(len(self.agents), meetings)

    def standings(self) -> list[Standing]:
        """The agents, the best first."""
        table = []
        for index, spec in enumerate(self.agents):
            side = Side(spec)
            distinct = 0
            for series in self.series.values():
                a, b = series.sides
                if a.spec != b.spec and spec in (a.spec, b.spec):
                    side.add(a if a.spec == spec else b)
                    distinct += series.distinct
            table.append(Standing(spec, self.ratings.rating(index), side, distinct))
        return sorted(table, key=lambda standing: (-standing.rating.estimate, self.agents.index(standing.spec)))

    def difference(self, series: Series) -> Interval:
        """How much stronger the pairing's first agent is than its second, in Elo, by all that the pool played."""
        a, b = (self.agents.index(side.spec) for side in series.sides)
        return self.ratings.difference(a, b)

    @property
    def sprt(self) -> tuple[Sprt, SprtState] | None:
        """The sequential test and where it stands, if the tournament is one."""
        config = self.run.config.get("sprt")
        if config is None:
            return None
        test = Sprt(**config)
        series = next(iter(self.series.values()))
        return test, test.state(pentanomial(series.sides[0].pair_scores))

    @property
    def matches(self) -> int:
        """All that were played."""
        return sum(series.matches for series in self.series.values())


def verdict(series: Series) -> str:
    """What a series says about its two agents, in words that it carries."""
    a, b = series.sides
    score = a.score()
    if score is None:
        return "not played"
    if a.spec == b.spec or score.covers(0.5):
        return NO_DIFFERENCE
    return f"{(a if score.estimate > 0.5 else b).spec} is better"


def load(store: Store, run: Run) -> Results:
    """The results of a run, summed in the database."""
    results = Results(run)
    ids = run.ids()
    database = store.database
    within = "WHERE m.id >= ? AND m.id < ?"
    for pairing, first, second, count in database.execute(
        f"SELECT m.pairing, m.result, n.result, count(*) FROM match m LEFT JOIN match n ON n.id = m.id + 1 {within} "
        "AND m.swapped = 0 GROUP BY m.pairing, m.result, n.result",
        ids,
    ):
        points = [points_of(first, 0)] + ([points_of(second, 1)] if second is not None else [])
        results.series[pairing].count_pairs(points, count)
    for pairing, swapped, result, cause, count, plies in database.execute(
        "SELECT m.pairing, m.swapped, m.result, m.termination, count(*), sum(m.plies) "
        f"FROM match m {within} GROUP BY m.pairing, m.swapped, m.result, m.termination",
        ids,
    ):
        series = results.series[pairing]
        series.plies += plies
        series.count_ending(Termination(cause), SECOND if swapped else FIRST, RESULTS[result], count)
    for pairing, distinct in database.execute(
        f"SELECT pairing, count(*) FROM (SELECT DISTINCT m.pairing, m.swapped, m.playing FROM match m {within}) "
        "GROUP BY pairing",
        ids,
    ):
        results.series[pairing].distinct = distinct
    _load_effort(store, results)
    faulty = ", ".join(f"'{cause.value}'" for cause in Termination if cause.is_fault)
    for pairing, swapped, result, cause, words in database.execute(
        f"SELECT m.pairing, m.swapped, m.result, m.termination, m.fault FROM match m {within} "
        f"AND m.termination IN ({faulty}) ORDER BY m.id",
        ids,
    ):
        series = results.series[pairing]
        if len(series.faults) < FAULTS_SHOWN:
            loser = series.sides[int((result == "first") != bool(swapped))]
            series.faults.append(f"{loser.spec}: {cause} ({words})")
    return results


def _load_effort(store: Store, results: Results) -> None:
    for pairing, swapped, *sums in store.database.execute(
        "SELECT m.pairing, m.swapped, sum(m.moves_first), sum(m.nodes_first), sum(t.seconds_first), "
        "min(t.least_first), max(t.most_first), sum(m.moves_second), sum(m.nodes_second), sum(t.seconds_second), "
        "min(t.least_second), max(t.most_second) FROM match m LEFT JOIN timing t USING (id) "
        "WHERE m.id >= ? AND m.id < ? GROUP BY m.pairing, m.swapped",
        results.run.ids(),
    ):
        for seat, (moves, nodes, seconds, least, most) in enumerate((sums[:5], sums[5:])):
            side = results.series[pairing].sides[seat ^ swapped]
            side.effort.add(Effort(moves, nodes, seconds or 0.0, least, most))


def results_json(results: Results) -> dict[str, Any]:
    """All of it for JSON. Nothing outside ``timing`` depends on the clock, or on how the run was interrupted."""
    standings = results.standings()
    config = results.run.config
    test = results.sprt
    return {
        "name": results.run.name,
        "hash": config_hash(config),
        "config": config,
        "matches": results.matches,
        "distinct": sum(series.distinct for series in results.series.values()),
        "standings": [_standing_json(results, standing) for standing in standings],
        "pairings": [_series_json(results, series) for series in results.series.values()],
        "faults": [fault for series in results.series.values() for fault in series.faults],
        "sprt": None if test is None else _sprt_json(*test),
        "timing": {
            "agents": [standing.side.timing_json() for standing in standings],
            "pairings": [[side.timing_json() for side in series.sides] for series in results.series.values()],
        },
    }


def _standing_json(results: Results, standing: Standing) -> dict[str, Any]:
    pool = {"elo": standing.rating.to_json(2), "pool": len(results.agents), "distinct": standing.distinct}
    return {**standing.side.to_json(), **pool}


def _series_json(results: Results, series: Series) -> dict[str, Any]:
    a, b = series.sides
    likely = superiority(a.pair_scores)
    return {
        "a": a.to_json(),
        "b": b.to_json(),
        "matches": series.matches,
        "distinct": series.distinct,
        "pentanomial": list(pentanomial(a.pair_scores)),
        "elo_difference": results.difference(series).to_json(2),
        "superiority": None if likely is None else round(likely, 6),
        "verdict": verdict(series),
        "terminations": dict(sorted(series.terminations.items())),
        "plies_per_game": round(series.plies / series.matches, 3) if series.matches else None,
    }


def _sprt_json(test: Sprt, state: SprtState) -> dict[str, Any]:
    return {
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha,
        "beta": test.beta,
        "llr": round(state.llr, 6),
        "lower": round(state.lower, 6),
        "upper": round(state.upper, 6),
        "accepted": state.accepted,
    }
