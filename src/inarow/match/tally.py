"""Results of many matches of one agent: wins, draws and losses, what its decisions cost, and views by seat."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import Any

from inarow.match.record import MatchRecord
from inarow.rules import FIRST, Player
from inarow.stats import NORMALISED, Z95, Interval, deviation, elo_of, spread, weighted_mean, wilson


@dataclass(repr=False, eq=False)
class Tally:
    """Results of an agent's matches and the cost of its decisions.

    `as_first` and `as_second` are the same for one seat. Pairs and openings are known of the whole only.
    """

    spec: str = ""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    moves: int = 0
    """Its decisions."""
    nodes: int = 0
    seconds: float = 0.0
    least: float | None = None
    """Seconds of the quickest decision."""
    most: float | None = None
    lost_by: Counter[str] = field(default_factory=Counter)
    """How its lost matches ended, by cause."""
    pairs: Counter[tuple[float, ...]] = field(default_factory=Counter)
    """How often each row of points was seen: its points, match by match of a pair."""
    openings: dict[Hashable, tuple[int, float]] = field(default_factory=dict)
    """The matches from each opening, and their points."""

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
        """Return the view of one seat."""
        return self.as_first if player is FIRST else self.as_second

    def count(self, points: float, count: int = 1, seat: Player | None = None) -> None:
        """Count matches that gave the agent 1, ½ or 0 points; also in one seat, if that is given."""
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

    def count_effort(self, other: Tally) -> None:
        """Count what other decisions cost."""
        self.moves += other.moves
        self.nodes += other.nodes
        self.seconds += other.seconds
        if other.least is not None and other.most is not None:
            self.least = other.least if self.least is None else min(self.least, other.least)
            self.most = other.most if self.most is None else max(self.most, other.most)

    def merge(self, other: Tally) -> None:
        """Count what the agent did in other matches."""
        for mine, theirs in ((self, other), (self.as_first, other.as_first), (self.as_second, other.as_second)):
            mine.wins += theirs.wins
            mine.draws += theirs.draws
            mine.losses += theirs.losses
            mine.count_effort(theirs)
        self.pairs.update(other.pairs)
        for opening, (matches, points) in other.openings.items():
            self.count_opening(opening, matches, points)
        self.lost_by.update(other.lost_by)

    @property
    def pair_scores(self) -> Counter[float]:
        """How many pairs had each score per match. A match on its own is no pair, unless all are."""
        full = self._pair_length
        counts: Counter[float] = Counter()
        for row, count in self.pairs.items():
            if len(row) == full:
                counts[sum(row) / full] += count
        return counts

    @property
    def score(self) -> Interval | None:
        """Points per match (a draw is ½), with a 95 % interval over pairs, or over openings where these were repeated
        and that is wider; None without a match."""
        return self.score_at(Z95)

    def score_at(self, z: float) -> Interval | None:
        """Return the score with the interval of another normal quantile."""
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
        """Return the share of matches that gave these points: with an interval over pairs, or Wilson's in one seat,
        where each match is on its own."""
        if self.pairs:
            return weighted_mean(self._weighted(lambda row: row.count(points)))
        return wilson({1.0: self.wins, 0.5: self.draws, 0.0: self.losses}[points], self.wins + self.draws + self.losses)

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
        """Return counts, rates and effort, without what depends on the clock."""
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
        """Return how long its decisions took, in seconds per move."""
        return {
            "spec": self.spec,
            "seconds_per_move": self.seconds_per_move,
            "least": self.least,
            "most": self.most,
        }


def effort_of(record: MatchRecord, seat: Player) -> Tally:
    """Return what the decisions of one seat cost in one match."""
    start = (len(record.opening) + seat) % 2
    times = record.seconds[start::2]
    least, most = min(times, default=None), max(times, default=None)
    return Tally("", 0, 0, 0, len(times), sum(record.nodes[start::2]), sum(times), least, most)


def _json(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else interval.to_json()


def elo_json(elo: Interval | None) -> dict[str, float | None] | None:
    """An interval in Elo for JSON; what is infinite is null."""
    if elo is None:
        return None
    return {name: round(value, 2) if math.isfinite(value) else None for name, value in elo._asdict().items()}
