"""The results of a tournament: totals over its records, standings with ratings, and their JSON.

They are a function of the store's rows. What depends on the clock is kept under ``timing``.
"""

from __future__ import annotations

import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

import numpy as np

from inarow.arena.store import COUNTED, Run, Store, StoredPair, points_of
from inarow.arena.tournament import Pairing, Place, Round, Scores, config_hash, most_pairs, parse_format
from inarow.errors import InarowError, check_instance, check_list, unknown
from inarow.formatting import NOTHING, counted, elo_range, share
from inarow.limits import Limit
from inarow.match import Claim, Rule, SequentialRule, Series, Termination, claim
from inarow.match.claims import HolmRule, rule_of
from inarow.match.openings import draw_again
from inarow.match.record import RESULTS
from inarow.match.series import FAULTS_SHOWN, Effort, Tally, elo_json, fault_lines, used_up_text
from inarow.rules import FIRST, SECOND, Game, Player, game
from inarow.rules.position import DRAW, WON_BY
from inarow.stats import HeadToHead, Interval, Ratings, Sprt, SprtState, bradley_terry, pentanomial
from inarow.truth import Accuracy, SolvedPositions, count_by
from inarow.truth.positions import Map


@dataclass(frozen=True)
class PlayedSchedule:
    """The rounds of a run that are known so far."""

    agents: list[str]
    scores: Scores
    rounds: list[Round]
    """The rounds that were played, and the next one."""
    table: list[Place]
    """The agents, the best first."""
    finished: bool
    """True if all rounds were played."""

    def to_json(self) -> dict[str, Any]:
        """Return the rounds and the table for JSON."""
        return {
            "rounds": [
                {
                    "name": one.name,
                    "pairings": [
                        {"a": self.agents[m.a], "b": self.agents[m.b], "score": (self.scores(m) or (None,))[0]}
                        for m in one.pairings
                    ],
                    "byes": [self.agents[player] for player in one.byes],
                }
                for one in self.rounds
            ],
            "table": [
                {
                    "agent": self.agents[place.player],
                    "points": round(place.points, 6),
                    "opponents": round(place.opponents, 6),
                    "reached": place.reached or None,
                }
                for place in self.table
            ],
        }


def schedule_of(store: Store, run: Run) -> PlayedSchedule | None:
    """Return the schedule of a run, or None if its format does not depend on results."""
    kind = parse_format(run.config["format"])
    if kind.fixed:
        return None
    agents = [one["spec"] for one in run.config["agents"]]
    points: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for found in store.results(run):
        if known := [one for one in found.points if one is not None]:
            points[run.pairings[found.pairing]].append(sum(known) / len(known))
    pairs: int = run.config["pairs"]

    def scores(meet: Pairing) -> tuple[float, float] | None:
        part = points[agents[meet.a], agents[meet.b]][meet.again * pairs : (meet.again + 1) * pairs]
        if len(part) < pairs:
            return None
        first = sum(part) / pairs
        return first, 1 - first

    count = len(agents)
    rounds, table = kind.rounds(count, scores), kind.table(count, scores)
    return PlayedSchedule(agents, scores, rounds, table, kind.finished(count, scores))


class Standing(Tally):
    """One agent in a pool: its results against all others."""

    def __init__(self, spec: str, rating: Interval, series: Iterable[Series]) -> None:
        super().__init__(spec)
        self.rating = rating
        """Elo; the mean of the pool is 0."""
        self.distinct = 0
        """The number of distinct matches."""
        for one in series:
            if one.spec != one.opponent.spec and spec in (one.spec, one.opponent.spec):
                self.merge(one if one.spec == spec else one.opponent)
                self.distinct += one.distinct

    def _summary(self) -> str:
        return f"{super()._summary()}, Elo {NOTHING if self.shown is None else elo_range(self.shown)}"

    @property
    def shown(self) -> Interval | None:
        """The rating to print: None without matches; infinite, printed as a bound, if it won or lost every match."""
        if not self.matches:
            return None
        if self.matches not in (self.wins, self.losses):
            return self.rating
        return self.rating._replace(estimate=math.inf if self.wins else -math.inf)


class Results:
    """The series of each pairing of a tournament, and the tables made of them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.game = game(run.config["game"])
        self.agents = [agent["spec"] for agent in run.config["agents"]]
        self.series = {number: Series(self.game, a, b) for number, (a, b) in run.pairings.items()}
        self.openings: dict[int, str] = {}
        """Openings from a file, by the index of the pairs that started from them."""
        self.schedule: PlayedSchedule | None = None
        """Set if the format depends on results; then only agents that have met have a series."""

    def __repr__(self) -> str:
        faults = f"; {': '.join(fault_lines(self.failed, self.faults[:1]))}" if self.failed else ""
        return f"<Results {self.game}: {', '.join(self.agents)}, {counted(self.matches, 'match', 'matches')}{faults}>"

    def _repr_html_(self) -> str:
        """Show the standings in a notebook, with Elo and score."""
        from inarow.drawing.svg import table

        rows = []
        for standing in self.standings():
            elo = NOTHING if standing.shown is None else elo_range(standing.shown)
            rows.append((standing.spec, elo, share(standing.score), standing.wins, standing.draws, standing.losses))
        kind = self.rule.pointwise
        head = (self.game.title, f"Elo ({kind})", f"score ({kind})", "wins", "draws", "losses")
        played = f"{counted(self.matches, 'match', 'matches')}, {self.distinct:,} of them distinct"
        return table(head, rows, played, *fault_lines(self.failed, self.faults))

    def add(self, pairs: Iterable[StoredPair]) -> None:
        """Count pairs that have just been stored: points only, for a live view."""
        for pair in pairs:
            if pair.pairing not in self.series:
                self.series[pair.pairing] = Series(self.game, *self.run.pairings[pair.pairing])
            self.series[pair.pairing].read(pair.opening, pair.stochastic, pair.lines, pair.points)
        for computed in ("ratings", "rule"):
            self.__dict__.pop(computed, None)

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings of all agents, in their order."""
        place = {spec: index for index, spec in enumerate(self.agents)}
        meetings = [
            HeadToHead(place[s.spec], place[s.opponent.spec], s.pairs)
            for s in self.series.values()
            if s.spec != s.opponent.spec
        ]
        return bradley_terry(len(self.agents), [*meetings, *_links(len(self.agents), meetings)])

    def standings(self) -> list[Standing]:
        """Return the agents, the best first, those without a match last."""
        series = self.series.values()
        table = [Standing(spec, self.ratings.rating(index), series) for index, spec in enumerate(self.agents)]
        return sorted(table, key=lambda one: (not one.matches, -one.rating.estimate))

    @property
    def names(self) -> list[str]:
        """The agents, the highest rating first."""
        return [standing.spec for standing in self.standings()]

    def between(self, a: str, b: str) -> Series | None:
        """Return the series of two agents, if they met."""
        for spec in (a, b):
            check_instance("an agent", spec, str, "a spec, as in agents")
        return next((series for series in self.series.values() if {side.spec for side in series.sides} == {a, b}), None)

    def beats(self, a: str, b: str) -> bool:
        """Return True if ``a`` is claimed to be better than ``b``."""
        series = self.between(a, b)
        return series is not None and self.claim(series).winner == a

    def ranked(self, names: Sequence[str]) -> list[list[str]]:
        """Group agents, the highest rating first: each is claimed to be better than everyone in later groups."""
        check_list("names", names, str, "specs, as in agents")
        order = [name for name in self.names if name in names]
        made: list[list[str]] = []
        for place, name in enumerate(order):
            if all(self.beats(better, worse) for better in order[:place] for worse in order[place:]):
                made.append([name])
            else:
                made[-1].append(name)
        return made

    def mean_score(self, spec: str) -> float | None:
        """Return the unweighted mean of an agent's scores against the other agents; None without any."""
        check_instance("spec", spec, str, "a spec, as in agents")
        sides = [side for s in self.series.values() for side in s.sides if s.spec != s.opponent.spec]
        scores = [score.estimate for side in sides if side.spec == spec and (score := side.score) is not None]
        return sum(scores) / len(scores) if scores else None

    def difference(self, series: Series) -> Interval:
        """Return how much stronger the first agent is than the second, in Elo, from all matches of the pool."""
        a, b = (self.agents.index(side.spec) for side in self._own(series).sides)
        return self.ratings.difference(a, b)

    @property
    def sprt(self) -> tuple[Sprt, SprtState] | None:
        """The sequential test and its state, if the tournament has one."""
        config = self.run.config.get("sprt")
        if config is None:
            return None
        test = Sprt(**config)
        series = next(iter(self.series.values()))
        return test, test.state(pentanomial(series.pair_scores))

    @cached_property
    def rule(self) -> Rule:
        """The rule for claims: the declared one, sequential with a sequential test, else Holm's."""
        if self.run.config.get("sprt") is not None:
            return SequentialRule()
        declared = self.run.config.get("rule")
        return HolmRule.over(self.series.values()) if declared is None else rule_of(declared)

    def claim(self, series: Series) -> Claim:
        """Return the claim of one of the pairings."""
        return claim(self._own(series), self.rule)

    def _own(self, series: Series) -> Series:
        """Return a series of these agents. Raises `InarowError` for anything else."""
        check_instance("series", series, Series, "one of these results, as in between(a, b)")
        for side in series.sides:
            if side.spec not in self.agents:
                raise InarowError(unknown("agent", side.spec, self.agents))
        return series

    def most(self, series: Series) -> int:
        """Return the maximum number of pairs of a pairing; names must not have been replaced."""
        config, specs = self.run.config, (side.spec for side in self._own(series).sides)
        return most_pairs(config["pairs"], config.get("costs", {}), specs)

    @property
    def finished(self) -> bool:
        """True if every pairing has played all its pairs or was ended early by the test or rule."""
        if self.schedule is not None:
            return self.schedule.finished
        return all(
            series.pairs.total() + series.repeated >= self.most(series) or self._ended(series) or self.used_up(series)
            for series in self.series.values()
        )

    def used_up(self, series: Series) -> bool:
        """Return True if a pairing ended because its other pairs would repeat earlier ones."""
        most, side, repeats = self.most(series), series.sides[0], series.repeats
        if not repeats.settled or side.pairs.total() >= most or self._ended(series):
            return False
        config = self.run.config
        left = Counter(draw_again(self.game, config["openings"], most, config["seed"], self.openings))
        for opening, (matches, _) in side.openings.items():
            left[str(opening)] -= (matches + 1) // 2
        return sum(count for opening, count in left.items() if not repeats.is_settled(opening)) <= series.repeated

    def used_up_note(self, more: str) -> str:
        """Return a note if pairings ended because their openings are used up, else an empty string."""
        ended = [series for series in self.series.values() if self.used_up(series)]
        if not ended:
            return ""
        played, planned = sum(one.sides[0].pairs.total() for one in ended), sum(map(self.most, ended))
        names = " – ".join(side.spec for side in ended[0].sides) if len(ended) == 1 else f"{len(ended)} pairings"
        return used_up_text(f"{played:,} of {planned:,} pairs of {names}", more)

    def _ended(self, series: Series) -> bool:
        stopping = self.rule if self.sprt is None else self.sprt[0]
        return isinstance(stopping, Sprt | SequentialRule) and stopping.is_enough(series)

    @property
    def matches(self) -> int:
        """Matches played."""
        return sum(series.matches for series in self.series.values())

    @property
    def faults(self) -> list[str]:
        """The first faults of each pairing: which agent failed, and how."""
        return [fault for series in self.series.values() for fault in series.faults]

    @property
    def failed(self) -> int:
        """The number of matches that ended by a fault."""
        return sum(series.failed for series in self.series.values())

    @property
    def distinct(self) -> int:
        """The number of matches that differ from the others of their pairing."""
        return sum(series.distinct for series in self.series.values())


def _links(agents: int, meetings: Iterable[HeadToHead]) -> list[HeadToHead]:
    """Return virtual drawn pairs that connect the groups of agents without a chain of meetings between them."""
    part = list(range(agents))
    for meeting in meetings:
        old, new = part[meeting.a], part[meeting.b]
        part = [new if one == old else one for one in part]
    first_of_each = {group: agent for agent, group in reversed(list(enumerate(part)))}
    return [HeadToHead(0, agent) for agent in sorted(first_of_each.values()) if agent]


def load(store: Store, run: Run) -> Results:
    """Sum the results of a run in the database, pairing by pairing."""
    results = Results(run)
    for pairing, series in results.series.items():
        _load_series(store.database, series, (pairing << 32, (pairing + 1) << 32))
    if run.config["openings"]["kind"] == "file":
        query = "SELECT DISTINCT pair, opening FROM match WHERE id >= ? AND id < ?"
        results.openings = dict(store.database.execute(query, run.ids()))
    results.schedule = schedule_of(store, run)
    if results.schedule is not None:
        results.series = {number: series for number, series in results.series.items() if series.matches}
    return results


def _load_series(database: sqlite3.Connection, series: Series, ids: tuple[int, int]) -> None:
    within = "id >= ? AND id < ?"
    if repeated := _load_points(database, series, ids):
        within += f" AND (id & 0xFFFFFFFF) >> 1 NOT IN ({', '.join(map(str, repeated))})"
    lines = database.execute(f"SELECT (moves_hash & ~1) | swapped FROM match WHERE {within}", ids)
    series.distinct = len(np.unique(np.fromiter(chain.from_iterable(lines), dtype=np.int64)))
    _load_sums(database, series, within, ids)
    others = database.execute(
        f"SELECT swapped, result, termination, fault FROM match WHERE {within} "
        "AND termination NOT IN ('line', 'full board') ORDER BY id",
        ids,
    )
    for seat, result, cause, words in others:
        termination = Termination(cause)
        series.count_ending(termination, SECOND if seat else FIRST, RESULTS[result])
        if termination.is_fault and len(series.faults) < FAULTS_SHOWN:
            loser = series.sides[int((result == "first") != bool(seat))]
            series.faults.append(f"{loser.spec}: {cause} ({words})")


def _load_points(database: sqlite3.Connection, series: Series, ids: tuple[int, int]) -> list[int]:
    """Count the points of each pair; return the indices of those that only repeat others.

    Pairs with randomness, which may be many, are summed by the database; the others are read in order.
    """
    pairs = "FROM match m LEFT JOIN match n ON n.id = m.id + 1 WHERE m.id >= ? AND m.id < ? AND m.swapped = 0"
    varied = "(m.stochastic = 1 OR ifnull(n.stochastic, 0) = 1)"
    for opening, straight, swapped, count in database.execute(
        f"SELECT m.opening, m.result, n.result, count(*) {pairs} AND {varied} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3", ids
    ):
        points = [points_of(straight, 0)] + ([points_of(swapped, 1)] if swapped else [])
        series.count_pairs(points, count, opening)
    rows = database.execute(
        f"SELECT {COUNTED} FROM match WHERE id >= ? AND id < ? AND pair IN "
        f"(SELECT m.pair {pairs} AND NOT ifnull({varied}, 0)) ORDER BY id",
        (*ids, *ids),
    )
    repeated = []
    for _, group in groupby(rows, key=itemgetter(1)):
        pair = StoredPair.of(list(group))
        if not series.read(pair.opening, pair.stochastic, pair.lines, pair.points):
            repeated.append(pair.pair)
    return repeated


def _load_sums(database: sqlite3.Connection, series: Series, those: str, ids: tuple[int, int]) -> None:
    """Count endings by the rules, and effort."""
    for swapped, seat_of_first in ((0, FIRST), (1, SECOND)):
        within = f"WHERE {those} AND id & 1 = {swapped}"
        plies, first, second, full, *work = database.execute(
            "SELECT sum(plies), sum(result = 'first' AND termination = 'line'), "
            "sum(result = 'second' AND termination = 'line'), sum(termination = 'full board'), "
            f"sum(moves_first), sum(nodes_first), sum(moves_second), sum(nodes_second) FROM match {within}",
            ids,
        ).fetchone()
        for cause, outcome, count in (
            (Termination.LINE, WON_BY[FIRST], first),
            (Termination.LINE, WON_BY[SECOND], second),
            (Termination.FULL_BOARD, DRAW, full),
        ):
            if count:
                series.count_ending(cause, seat_of_first, outcome, count)
        times = database.execute(
            "SELECT sum(seconds_first), min(least_first), max(most_first), sum(seconds_second), min(least_second), "
            f"max(most_second) FROM timing {within}",
            ids,
        ).fetchone()
        series.plies += plies or 0
        for seat in (0, 1):
            moves, nodes = work[2 * seat : 2 * seat + 2]
            seconds, least, most = times[3 * seat : 3 * seat + 3]
            effort = Effort(moves or 0, nodes or 0, seconds or 0.0, least, most)
            side = series.sides[seat ^ swapped]
            side.count_effort(effort)
            side.seat(Player(seat)).count_effort(effort)


def results_json(results: Results) -> dict[str, Any]:
    """Return the results for JSON. Nothing outside ``timing`` depends on the clock, or on interruptions."""
    standings = results.standings()
    config = results.run.config
    test = results.sprt
    return {
        "name": results.run.name,
        "hash": config_hash(config),
        "config": config,
        "matches": results.matches,
        "distinct": results.distinct,
        "standings": [_standing_json(results, standing) for standing in standings],
        "pairings": [_series_json(results, series) for series in results.series.values()],
        "faults": results.faults,
        "sprt": None if test is None else _sprt_json(*test),
        "schedule": None if results.schedule is None else results.schedule.to_json(),
        "timing": {
            "agents": [standing.timing_json() for standing in standings],
            "pairings": [[side.timing_json() for side in series.sides] for series in results.series.values()],
        },
    }


def _standing_json(results: Results, standing: Standing) -> dict[str, Any]:
    elo = standing.rating.to_json(2) if standing.matches else None
    pool = {"elo": elo, "pool": len(results.agents), "distinct": standing.distinct}
    return {**standing.to_json(), **pool}


def _series_json(results: Results, series: Series) -> dict[str, Any]:
    a, b = series.sides
    likely, score = a.superiority, results.rule.interval(a)
    shown = results.claim(series)
    return {
        "a": a.to_json(),
        "b": b.to_json(),
        "matches": series.matches,
        "distinct": series.distinct,
        "used_up": results.used_up(series),
        "pentanomial": list(pentanomial(a.pair_scores)),
        "score": None if score is None else score.to_json(),
        "elo": elo_json(a.elo(score)),
        "normalised_elo": elo_json(a.normalised_elo(score)),
        "pool_elo_difference": results.difference(series).to_json(2),
        "superiority": None if likely is None else round(likely, 6),
        "verdict": shown.verdict,
        "interval": results.rule.coverage,
        "claim": shown.to_json(),
        "terminations": dict(sorted(series.terminations.items())),
        "plies_per_match": round(series.plies / series.matches, 3) if series.matches else None,
    }


def _sprt_json(test: Sprt, state: SprtState) -> dict[str, Any]:
    return {
        **asdict(test),
        "llr": round(state.llr, 6),
        "lower": round(state.lower, 6),
        "upper": round(state.upper, 6),
        "accepted": state.accepted,
    }


GRADING_LIMIT = Limit(nodes=2_000_000)
"""The limit for grading a move: in nodes, so that results don't depend on the machine's speed."""


def usual_ply(board: Game) -> int:
    """Return the ply from which positions are solved in milliseconds: 16 in Connect 4, 0 on small boards."""
    return max(0, board.cells - 26) if board.cells > 20 else 0


def grade_run(store: Store, run: Run, from_ply: int | None = None, each: Map = map) -> dict[str, Accuracy]:
    """Return each agent's accuracy over all its moves in positions with at least ``from_ply`` stones.

    ``each`` is the `map` that solves the positions, in the order of the records' ids: the same records always give the
    same accuracy.
    """
    board = game(run.config["game"])
    least = usual_ply(board) if from_ply is None else from_ply
    solved = SolvedPositions(board, GRADING_LIMIT)
    solved.solve((position for *_, record in store.records(run) for position, _ in record.decisions(least)), each)
    found = count_by(graded for _, _, record in store.records(run) for graded in solved.grade_record(record, least))
    return {agent["spec"]: found.get(agent["spec"], Accuracy()) for agent in run.config["agents"]}
