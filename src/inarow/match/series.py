"""Series of matches between two agents, in pairs on one opening with seats swapped, and their totals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import Any, NamedTuple, Unpack

from inarow.agents import Agent
from inarow.errors import InarowError, check_instance, check_integer, check_number
from inarow.formatting import counted, number, share
from inarow.limits import MAX_MATCHES
from inarow.match.openings import Openings
from inarow.match.playing import PlayOptions, play_match
from inarow.match.record import MatchRecord, Termination
from inarow.randomness import derive
from inarow.rules import FIRST, SECOND, Game, Outcome, Player
from inarow.stats import NORMALISED, Z95, Interval, deviation, elo_of, spread, weighted_mean, wilson

ENOUGH = 5
"""Number of identical repeats after which a pairing is assumed to be deterministic."""


def used_up_text(count: str, more: str) -> str:
    """Return a note that further pairs would be repeats; ``count`` is how many count, ``more`` how to get others."""
    return (
        f"The openings are used up: {count} count, the others repeat earlier ones move by move. "
        f"Give more openings, such as {more}."
    )


def either(flags: Iterable[bool | int | None]) -> bool | None:
    """Return True if any flag is set, else None if any is unknown, else False."""
    seen = list(flags)
    return True if any(seen) else None if None in seen else False


class Repeats:
    """Decide which pairs of two agents are new observations, in order.

    A pair where no random number decided a move is a function of its opening: one observation, however often it is
    played. Built-in agents report if they used random numbers. For others (an agent in a file, your own class, a limit
    in seconds) it is inferred: as long as every repeated opening gave the same moves, repeats are not counted; once one
    differs, all later pairs count, even coinciding ones.
    """

    def __init__(self) -> None:
        self._settled: set[Hashable] = set()
        self._moves: dict[Hashable, Hashable] = {}
        self._same = 0
        self._varied = False

    def is_settled(self, opening: Hashable) -> bool:
        """Return True if another pair from this opening would be a repeat."""
        return opening in self._settled or (self._same >= ENOUGH and not self._varied and opening in self._moves)

    @property
    def settled(self) -> int:
        """The number of openings from which another pair would be a repeat."""
        inferred = len(self._moves) if self._same >= ENOUGH and not self._varied else 0
        return len(self._settled) + inferred

    def is_new(self, opening: Hashable, stochastic: bool | None, moves: Hashable) -> bool:
        """Return True if the next pair is a new observation. ``moves`` are those of both matches."""
        if opening in self._settled:
            return False
        if stochastic is False:
            self._settled.add(opening)
            return True
        if stochastic or self._varied:
            return True
        if opening not in self._moves:
            self._moves[opening] = moves
            return True
        if self._moves[opening] == moves:
            self._same += 1
            return False
        self._varied = True
        return True


@dataclass(frozen=True, slots=True)
class Pair:
    """Two matches on one opening: ``straight`` with the first agent as first player, ``swapped`` the other way.

    ``swapped`` is None when only one was played.
    """

    index: int
    straight: MatchRecord
    swapped: MatchRecord | None

    def matches(self) -> list[tuple[MatchRecord, Player]]:
        """Return each record with the seat that the first agent had."""
        return [(self.straight, FIRST)] + ([(self.swapped, SECOND)] if self.swapped is not None else [])

    @property
    def stochastic(self) -> bool | None:
        """True if a random number decided a move of either match; None if unknown."""
        return either(record.stochastic for record, _ in self.matches())

    @property
    def moves(self) -> tuple[tuple[int, ...], ...]:
        """The moves of each match, opening included."""
        return tuple(record.all_moves for record, _ in self.matches())


def match_seed(seed: int, game: Game, index: int, swapped: bool) -> int:
    """Derive the seed of a match from its series' seed, the board, the pair's index and its place in the pair.

    It does not depend on the agents: a renamed agent or parameter plays the same matches, and all agents face the same
    random numbers of an opponent at the same index. Each seat gets its own stream from this seed.
    """
    return derive(seed, game.name, "pair", index, int(swapped))


def play_pair(
    game: Game,
    a: Agent,
    b: Agent,
    *,
    index: int = 0,
    opening: Sequence[int] = (),
    seed: int = 0,
    swap: bool = True,
    **how: Unpack[PlayOptions],
) -> Pair:
    """Play one pair; ``seed`` is that of the series or tournament (see `match_seed`)."""
    seeds = [match_seed(seed, game, index, swapped) for swapped in (False, True)]
    straight = play_match(game, a, b, opening=opening, seed=seeds[0], **how)
    return Pair(index, straight, play_match(game, b, a, opening=opening, seed=seeds[1], **how) if swap else None)


def play_series(
    game: Game,
    a: Agent,
    b: Agent,
    *,
    matches: int,
    seed: int = 0,
    openings: Openings | None = None,
    swap: bool = True,
    **how: Unpack[PlayOptions],
) -> Iterator[Pair]:
    """Yield pairs, ``matches`` matches in all (without ``swap`` each pair is one match).

    Each pair starts from one of ``openings``, drawn from the seed, or from the empty board. A pair that would only
    repeat an earlier one (see `Repeats`) is not played.
    """
    matches = check_integer("matches", matches, 1, MAX_MATCHES)
    pairs = (matches + 1) // 2 if swap else matches
    starts = [()] * pairs if openings is None else openings.draw(pairs, seed)
    repeats = Repeats()
    for index, start in enumerate(starts):
        if repeats.is_settled(start):
            continue
        both = swap and 2 * index + 1 < matches
        pair = play_pair(game, a, b, index=index, opening=start, seed=seed, swap=both, **how)
        repeats.is_new(start, pair.stochastic, pair.moves)
        yield pair


class Effort(NamedTuple):
    """The cost of decisions."""

    moves: int
    nodes: int
    seconds: float
    least: float | None
    most: float | None


@dataclass(repr=False, eq=False)
class Tally:
    """Results of an agent's matches and the cost of its decisions.

    `as_first` and `as_second` are the same for one seat, without pairs and openings.
    """

    spec: str = ""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    moves: int = 0
    """Number of decisions."""
    nodes: int = 0
    seconds: float = 0.0
    least: float | None = None
    """Seconds of the fastest decision."""
    most: float | None = None
    lost_by: Counter[str] = field(default_factory=Counter)
    """Number of its lost matches by termination."""
    pairs: Counter[tuple[float, ...]] = field(default_factory=Counter)
    """Counts by row of points (its points in each match of a pair)."""
    openings: dict[Hashable, tuple[int, float]] = field(default_factory=dict)
    """The matches from each opening, and their points."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._summary()}>"

    def _summary(self) -> str:
        return f"{self.spec}: {counted(self.matches, 'match', 'matches')}, {self.counts}"

    @cached_property
    def as_first(self) -> Tally:
        """Its matches as first player."""
        return Tally(self.spec)

    @cached_property
    def as_second(self) -> Tally:
        """Its matches as second player."""
        return Tally(self.spec)

    @property
    def matches(self) -> int:
        """Matches with a result."""
        return self.wins + self.draws + self.losses

    @property
    def counts(self) -> str:
        """The results as ``wins / draws / losses``."""
        return f"{self.wins} / {self.draws} / {self.losses}"

    @property
    def nodes_per_move(self) -> float:
        """Mean nodes of a decision."""
        return self.nodes / self.moves if self.moves else 0.0

    @property
    def seconds_per_move(self) -> float:
        """Mean seconds of a decision."""
        return self.seconds / self.moves if self.moves else 0.0

    def seat(self, player: Player) -> Tally:
        """Return the results in one seat."""
        check_instance("player", player, Player, "Player.FIRST or Player.SECOND")
        return self.as_first if player is FIRST else self.as_second

    def count(self, points: float, count: int = 1, seat: Player | None = None) -> None:
        """Count matches that gave the agent 1, ½ or 0 points; also in a seat, if given."""
        if points == 0.5:
            self.draws += count
        elif points:
            self.wins += count
        else:
            self.losses += count
        if seat is not None:
            self.seat(seat).count(points, count)

    def count_opening(self, opening: Hashable, matches: int, points: float) -> None:
        """Count the points of matches from an opening."""
        before, gained = self.openings.get(opening, (0, 0.0))
        self.openings[opening] = before + matches, gained + points

    def count_effort(self, other: Tally | Effort) -> None:
        """Add the cost of further decisions."""
        self.moves += other.moves
        self.nodes += other.nodes
        self.seconds += other.seconds
        if other.least is not None and other.most is not None:
            self.least = other.least if self.least is None else min(self.least, other.least)
            self.most = other.most if self.most is None else max(self.most, other.most)

    def all_won(self) -> Tally:
        """Return the same pairs and openings with every match won."""
        pairs: Counter[tuple[float, ...]] = Counter()
        for row, count in self.pairs.items():
            pairs[(1.0,) * len(row)] += count
        openings = {opening: (matches, float(matches)) for opening, (matches, _) in self.openings.items()}
        return Tally(self.spec, pairs=pairs, openings=openings)

    def merge(self, other: Tally) -> None:
        """Add the agent's results in other matches."""
        for own, added in ((self, other), (self.as_first, other.as_first), (self.as_second, other.as_second)):
            own.wins += added.wins
            own.draws += added.draws
            own.losses += added.losses
            own.count_effort(added)
        self.pairs.update(other.pairs)
        for opening, (matches, points) in other.openings.items():
            self.count_opening(opening, matches, points)
        self.lost_by.update(other.lost_by)

    @property
    def pair_scores(self) -> Counter[float]:
        """Number of pairs by score per match. Single matches count only if there are no pairs."""
        full = self._pair_length
        counts: Counter[float] = Counter()
        for row, count in self.pairs.items():
            if len(row) == full:
                counts[sum(row) / full] += count
        return counts

    @property
    def score(self) -> Interval | None:
        """Points per match (a draw is ½), with a 95 % interval over pairs or, if wider, over repeated openings; None
        without matches."""
        return self.score_at(Z95)

    def score_at(self, z: float) -> Interval | None:
        """Return the score with the interval of another normal quantile."""
        z = check_number("z", z, 0, 100)
        return weighted_mean(self._weighted(sum), z, self._by_opening)

    @property
    def win_rate(self) -> Interval | None:
        """The share of wins."""
        return self.rate(1.0)

    @property
    def draw_rate(self) -> Interval | None:
        """The share of draws."""
        return self.rate(0.5)

    @property
    def loss_rate(self) -> Interval | None:
        """The share of losses."""
        return self.rate(0.0)

    def rate(self, points: float) -> Interval | None:
        """Return the share of matches that gave these points, with an interval over pairs, or Wilson's interval in one
        seat."""
        points = check_number("points", points, 0, 1)
        if points not in (0, 0.5, 1):
            raise InarowError(f"points must be 0, 0.5 or 1, got {points}")
        if self.pairs:
            return weighted_mean(self._weighted(lambda row: row.count(points)))
        return wilson({1.0: self.wins, 0.5: self.draws, 0.0: self.losses}[points], self.wins + self.draws + self.losses)

    @property
    def superiority(self) -> float | None:
        """The likelihood of superiority (LOS), from 0 to 1; None without matches."""
        off = self.deviation
        return None if off is None else NormalDist().cdf(off)

    @property
    def deviation(self) -> float | None:
        """The number of standard errors by which its score exceeds 50 %; None without matches."""
        return deviation(self._weighted(sum), self._by_opening)

    def elo(self, score: Interval | None) -> Interval | None:
        """Return the Elo difference for this interval of its score; infinite at 0 and 100 %."""
        check_instance("score", score, Interval | None, "an interval of the score, or None")
        return None if score is None else Interval(*map(elo_of, score))

    def normalised_elo(self, score: Interval | None) -> Interval | None:
        """Return normalised Elo: the difference in units of the standard deviation of its results, so that draws don't
        shrink it. None if all pairs had the same score."""
        check_instance("score", score, Interval | None, "an interval of the score, or None")
        off = spread(self.pair_scores)
        return None if score is None or not off else Interval(*((one - 0.5) / off * NORMALISED for one in score))

    @property
    def _pair_length(self) -> int:
        return max(map(len, self.pairs), default=0)

    def _weighted(self, measure: Callable[[tuple[float, ...]], float]) -> Counter[tuple[float, float]]:
        """Count pairs by weight (½ for a single match) and score per match."""
        counts: Counter[tuple[float, float]] = Counter()
        for row, count in self.pairs.items():
            counts[len(row) / self._pair_length, measure(row) / len(row)] += count
        return counts

    @property
    def _by_opening(self) -> Counter[tuple[float, float]]:
        length = self._pair_length
        if len(self.openings) == 1:  # the score is that from this opening
            return Counter()
        return Counter((matches / length, points / matches) for matches, points in self.openings.values())

    def _counts_json(self) -> dict[str, Any]:
        return {
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_rate": _json(self.win_rate),
            "draw_rate": _json(self.draw_rate),
            "loss_rate": _json(self.loss_rate),
        }

    def to_json(self) -> dict[str, Any]:
        """Return counts, rates and effort, without timing."""
        played = self.wins + self.draws + self.losses
        return {
            "spec": self.spec,
            **self._counts_json(),
            "score": _json(self.score),
            "as_first": self.as_first._counts_json(),
            "as_second": self.as_second._counts_json(),
            "moves": self.moves,
            "moves_per_match": round(self.moves / played, 3) if played else None,
            "nodes": self.nodes,
            "nodes_per_move": round(self.nodes_per_move, 3),
            "lost_by": dict(sorted(self.lost_by.items())),
        }

    def timing_json(self) -> dict[str, Any]:
        """Return the seconds per move of its decisions."""
        return {
            "spec": self.spec,
            "seconds_per_move": self.seconds_per_move,
            "least": self.least,
            "most": self.most,
        }


def effort_of(record: MatchRecord, seat: Player) -> Effort:
    """Return the cost of one seat's decisions in one match."""
    start = (len(record.opening) + seat) % 2
    times, nodes = record.seconds[start::2], record.nodes[start::2]
    if not times:
        return Effort(0, 0, 0.0, None, None)
    return Effort(len(times), sum(nodes), sum(times), min(times), max(times))


def _json(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else interval.to_json()


def elo_json(elo: Interval | None) -> dict[str, float | None] | None:
    """Return an interval in Elo for JSON; infinite ends are null."""
    if elo is None:
        return None
    return {name: round(value, 2) if math.isfinite(value) else None for name, value in elo._asdict().items()}


class Series(Tally):
    """The results of a pairing, for its first agent; `opponent` has the second agent's, `sides` both."""

    def __init__(self, game: Game, a: Agent | str, b: Agent | str) -> None:
        check_instance("game", game, Game, "a Game, as inarow.game gives it")
        for one in (a, b):
            check_instance("an agent", one, Agent | str, "an Agent or its name")
        super().__init__(a if isinstance(a, str) else a.spec)
        self.game = game
        self.opponent = Tally(b if isinstance(b, str) else b.spec)
        self.repeats = Repeats()
        self.repeated = 0
        """Pairs that repeated an earlier one and are not counted."""
        self.distinct = 0
        """The number of matches that differ in seats or moves."""
        self.plies = 0
        self.interrupted = 0
        self.terminations: Counter[str] = Counter()
        """Number of all matches by termination."""
        self.faults: list[str] = []
        """Descriptions of the first faults: which agent failed, and how."""
        self._seen: set[tuple[Player, tuple[int, ...]]] = set()

    @property
    def sides(self) -> tuple[Tally, Tally]:
        """The results of both agents."""
        return self, self.opponent

    @property
    def matches(self) -> int:
        """The number of matches played, interrupted ones included."""
        return super().matches + self.interrupted

    @property
    def failed(self) -> int:
        """The number of matches that ended by a fault."""
        return sum(count for cause, count in self.terminations.items() if Termination(cause).is_fault)

    def add(self, pair: Pair) -> None:
        """Count a pair, unless it repeats an earlier one."""
        points = [r.outcome.score(seat) if r.outcome is not None else None for r, seat in pair.matches()]
        if not self.read(pair.straight.opening, pair.stochastic, pair.moves, points):
            return
        for record, seat in pair.matches():
            self._count_moves(record, seat)

    def add_match(self, record: MatchRecord, seat: Player) -> None:
        """Count a single match with the first agent in this seat, even if it repeats an earlier one."""
        if record.outcome is None:
            self.interrupted += 1
        else:
            self.count(record.outcome.score(seat), seat=seat)
            self.opponent.count(record.outcome.score(seat.other), seat=seat.other)
        self._count_moves(record, seat)

    def _count_moves(self, record: MatchRecord, seat: Player) -> None:
        """Count everything about a match except its points."""
        if (seat, record.all_moves) not in self._seen:
            self._seen.add((seat, record.all_moves))
            self.distinct += 1
        self.plies += len(record.all_moves)
        self.count_ending(record.termination, seat, record.outcome)
        for side, place in zip(self.sides, (seat, seat.other), strict=True):
            effort = effort_of(record, place)
            side.count_effort(effort)
            side.seat(place).count_effort(effort)
        if record.termination.is_fault and len(self.faults) < FAULTS_SHOWN:
            self.faults.append(fault_text(record))

    def read(self, opening: Hashable, stochastic: bool | None, moves: Hashable, points: Sequence[float | None]) -> bool:
        """Count the points of a pair, unless it repeats an earlier one; return True if it was counted."""
        if not self.repeats.is_new(opening, stochastic, moves):
            self.repeated += 1
            return False
        self.count_pairs(points, opening=opening)
        return True

    def count_pairs(self, points: Sequence[float | None], count: int = 1, opening: Hashable = None) -> None:
        """Count pairs that gave the first agent these points, match by match; None for an interrupted one.

        If the opening is given, they are counted as pairs of one cluster.
        """
        known = tuple(p for p in points if p is not None)
        self.interrupted += count * (len(points) - len(known))
        if known:
            self.pairs[known] += count
            self.opponent.pairs[tuple(1 - p for p in known)] += count
            if opening is not None:
                for side, gained in zip(self.sides, (sum(known), len(known) - sum(known)), strict=True):
                    side.count_opening(opening, count * len(known), count * gained)
        for p, seat in zip(points, (FIRST, SECOND), strict=False):
            if p is not None:
                self.count(p, count, seat)
                self.opponent.count(1 - p, count, seat.other)

    def count_ending(self, cause: Termination, seat: Player, outcome: Outcome | None, count: int = 1) -> None:
        """Count matches with this termination and the first agent in this seat."""
        self.terminations[cause.value] += count
        if outcome is not None and outcome.winner is not None:
            self.sides[outcome.winner is seat].lost_by[cause.value] += count

    def __repr__(self) -> str:
        played = counted(self.matches, "match", "matches")
        faults = f"; {': '.join(fault_lines(self.failed, self.faults[:1]))}" if self.failed else ""
        return f"<Series {self.game}: {self.spec} against {self.opponent.spec}, {played}, {self.counts}{faults}>"

    def _repr_html_(self) -> str:
        """Show wins, draws, losses and the score of both agents in a notebook."""
        from inarow.drawing.svg import table
        from inarow.match.claims import claim

        rows = []
        for side in self.sides:
            nodes = number(side.nodes_per_move)
            rows.append((side.spec, side.wins, side.draws, side.losses, share(side.score), nodes))
        head = (self.game.title, "wins", "draws", "losses", "score (95 %)", "nodes per move")
        played = f"{counted(self.matches, 'match', 'matches')}, {self.distinct:,} of them distinct"
        return table(head, rows, played, claim(self).sentence, *fault_lines(self.failed, self.faults))


FAULTS_SHOWN = 20
"""The number of fault messages that a series keeps."""


def fault_lines(failed: int, faults: Sequence[str]) -> list[str]:
    """Return the number of matches that ended by a fault and each distinct fault; empty without faults."""
    if not failed:
        return []
    return [f"{counted(failed, 'match', 'matches')} ended by a fault", *dict.fromkeys(faults)]


def fault_text(record: MatchRecord) -> str:
    """Return which agent failed, how, and the message."""
    loser = record.second if record.result == "first" else record.first
    return f"{loser}: {record.termination.value} ({record.fault})"
