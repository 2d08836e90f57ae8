"""One side of a series: what an agent won and lost in each seat, and what its decisions cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from inarow.match.record import Record
from inarow.rules import Player
from inarow.stats import NORMALISED, Z95, Interval, deviation, elo_of, spread, weighted_mean, wilson


@dataclass
class Tally:
    """Wins, draws and losses of one agent."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def matches(self) -> int:
        """Matches with a result."""
        return self.wins + self.draws + self.losses

    def win_rate(self) -> Interval | None:
        """The share of wins, with Wilson's interval: for matches in one seat, each on its own."""
        return wilson(self.wins, self.matches)

    def to_json(self) -> dict[str, Any]:
        """Counts and, with Wilson's intervals, rates."""
        rates = {"win_rate": self.wins, "draw_rate": self.draws, "loss_rate": self.losses}
        return {
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            **{name: _json(wilson(count, self.matches)) for name, count in rates.items()},
        }

    def add(self, points: float, count: int = 1) -> None:
        """Count matches that gave the agent 1, ½ or 0 points."""
        if points == 0.5:
            self.draws += count
        elif points:
            self.wins += count
        else:
            self.losses += count


@dataclass
class Effort:
    """What an agent's decisions cost."""

    moves: int = 0
    nodes: int = 0
    seconds: float = 0.0
    least: float | None = None
    most: float | None = None

    def add(self, other: Effort) -> None:
        """Count what other decisions cost."""
        self.moves += other.moves
        self.nodes += other.nodes
        self.seconds += other.seconds
        if other.least is not None and other.most is not None:
            self.least = other.least if self.least is None else min(self.least, other.least)
            self.most = other.most if self.most is None else max(self.most, other.most)

    def nodes_per_move(self) -> float:
        """Mean nodes of a decision."""
        return self.nodes / self.moves if self.moves else 0.0

    def seconds_per_move(self) -> float:
        """Mean seconds of a decision."""
        return self.seconds / self.moves if self.moves else 0.0


def effort_of(record: Record, seat: Player) -> Effort:
    """What the decisions of one seat cost in one match."""
    start = (len(record.opening) + seat) % 2
    times = record.seconds[start::2]
    if not times:
        return Effort()
    return Effort(len(times), sum(record.nodes[start::2]), sum(times), min(times), max(times))


@dataclass
class Side:
    """What one agent of a series did."""

    spec: str
    as_first: Tally = field(default_factory=Tally)
    as_second: Tally = field(default_factory=Tally)
    effort: Effort = field(default_factory=Effort)
    pairs: Counter[tuple[float, ...]] = field(default_factory=Counter)
    """How often each row of points was seen: its points, match by match of a pair."""
    openings: dict[Hashable, tuple[int, float]] = field(default_factory=dict)
    """The matches from each opening, and their points."""
    terminations: Counter[str] = field(default_factory=Counter)
    """How its lost matches ended, by cause."""

    def count_opening(self, opening: Hashable, matches: int, points: float) -> None:
        """Count the points of matches from an opening."""
        before, gained = self.openings.get(opening, (0, 0.0))
        self.openings[opening] = before + matches, gained + points

    @property
    def together(self) -> Tally:
        """Both seats."""
        a, b = self.as_first, self.as_second
        return Tally(a.wins + b.wins, a.draws + b.draws, a.losses + b.losses)

    @property
    def pair_scores(self) -> Counter[float]:
        """How many pairs had each score per match. A match on its own is no pair, unless all are."""
        full = self._pair_length
        counts: Counter[float] = Counter()
        for row, count in self.pairs.items():
            if len(row) == full:
                counts[sum(row) / full] += count
        return counts

    def score(self, z: float = Z95) -> Interval | None:
        """Points per match (a draw is ½), with an interval over pairs, or over openings where these were repeated and
        that is wider; for 95 % unless another ``z`` is given."""
        return weighted_mean(self._weighted(sum), z, self._by_opening)

    @property
    def superiority(self) -> float | None:
        """The likelihood that it is better than its opponent, from 0 to 1; None without a match."""
        off = self.deviation
        return None if off is None else NormalDist().cdf(off)

    @property
    def deviation(self) -> float | None:
        """By how many standard errors its score is above 50 %; None without a match."""
        return deviation(self._weighted(sum), self._by_opening)

    def elo(self, score: Interval | None) -> Interval | None:
        """How much stronger it is than its opponent by this interval of its score; infinite at 0 and 100 %."""
        return None if score is None else Interval(*map(elo_of, score))

    def normalised_elo(self, score: Interval | None) -> Interval | None:
        """The same in units of the spread of its results, so that draws don't shrink it: what one match tells about who
        is better. None if all pairs had the same score."""
        off = spread(self.pair_scores)
        return None if score is None or not off else Interval(*((one - 0.5) / off * NORMALISED for one in score))

    def rate(self, points: float) -> Interval | None:
        """The share of matches that gave these points, with an interval over pairs."""
        return weighted_mean(self._weighted(lambda row: row.count(points)))

    @property
    def _pair_length(self) -> int:
        return max(map(len, self.pairs), default=0)

    def _weighted(self, measure: Callable[[tuple[float, ...]], float]) -> Counter[tuple[float, float]]:
        """Pairs by their weight (½ for a match on its own) and what they measure per match."""
        counts: Counter[tuple[float, float]] = Counter()
        for row, count in self.pairs.items():
            counts[len(row) / self._pair_length, measure(row) / len(row)] += count
        return counts

    @property
    def _by_opening(self) -> Counter[tuple[float, float]]:
        length = self._pair_length
        if len(self.openings) == 1:  # what is asked is how they play from that one
            return Counter()
        return Counter((matches / length, points / matches) for matches, points in self.openings.values())

    def add(self, other: Side) -> None:
        """Count what the agent did in another series."""
        for mine, theirs in ((self.as_first, other.as_first), (self.as_second, other.as_second)):
            mine.wins += theirs.wins
            mine.draws += theirs.draws
            mine.losses += theirs.losses
        self.effort.add(other.effort)
        self.pairs.update(other.pairs)
        for opening, (matches, points) in other.openings.items():
            self.count_opening(opening, matches, points)
        self.terminations.update(other.terminations)

    def to_json(self) -> dict[str, Any]:
        """Counts, rates and effort, without what depends on the clock; totals have intervals over pairs."""
        together = self.together
        return {
            "spec": self.spec,
            "wins": together.wins,
            "draws": together.draws,
            "losses": together.losses,
            "win_rate": _json(self.rate(1.0)),
            "draw_rate": _json(self.rate(0.5)),
            "loss_rate": _json(self.rate(0.0)),
            "score": _json(self.score()),
            "as_first": self.as_first.to_json(),
            "as_second": self.as_second.to_json(),
            "moves": self.effort.moves,
            "moves_per_match": round(self.effort.moves / together.matches, 3) if together.matches else None,
            "nodes": self.effort.nodes,
            "nodes_per_move": round(self.effort.nodes_per_move(), 3),
            "lost_by": dict(sorted(self.terminations.items())),
        }

    def timing_json(self) -> dict[str, Any]:
        """How long its decisions took, in seconds per move."""
        effort = self.effort
        return {
            "spec": self.spec,
            "seconds_per_move": effort.seconds_per_move(),
            "least": effort.least,
            "most": effort.most,
        }


def _json(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else interval.to_json()


def elo_json(elo: Interval | None) -> dict[str, float | None] | None:
    """An interval in Elo for JSON; what is infinite is null."""
    if elo is None:
        return None
    return {name: round(value, 2) if math.isfinite(value) else None for name, value in elo._asdict().items()}
