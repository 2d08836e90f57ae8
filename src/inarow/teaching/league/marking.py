"""Marks: points for scores and accuracy, their standard error, the grade, and how many pairs are enough.

Everything that decides a mark is in this module, as plain arithmetic on pair scores and counts of graded moves. So the
same code marks a league and the simulated classes of ``benchmarks/league_fairness.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

PRIOR_MOVES = 20
"""Graded moves at which accuracy has half its weight; the other half goes by the reference players."""
STEP = 5
"""Pairs by which a series is extended."""


@dataclass(frozen=True)
class PointScale:
    """Points for a rate: none up to ``least``, all from ``full`` on, linear in between."""

    points: float = 0.0
    least: float = 0.5
    full: float = 0.95

    def of(self, rate: float) -> float:
        """Return the points for a rate."""
        return self.points * min(1.0, max(0.0, (rate - self.least) / (self.full - self.least)))

    def measured(self, rate: float, error: float) -> Points:
        """Return the points for an estimated rate; their error is half of what lies within one error of the rate."""
        return Points(self.of(rate), (self.of(rate + error) - self.of(rate - error)) / 2, self.points)


@dataclass(frozen=True)
class Points:
    """Points with their standard error, and the most that can be earned."""

    value: float = 0.0
    error: float = 0.0
    most: float = 0.0


@dataclass(frozen=True)
class RungScores:
    """The pairs against one reference player on one board: points per match of each, in the order of their index."""

    scale: PointScale
    scores: Sequence[float]

    @property
    def points(self) -> Points:
        """Points for the mean score."""
        if not self.scores:
            return Points(most=self.scale.points)
        mean = math.fsum(self.scores) / len(self.scores)
        return self.scale.measured(mean, standard_error(self.scores))


def standard_error(scores: Iterable[float]) -> float:
    """Return the standard error of the mean of scores in [0, 1].

    One score of 0 and one of 1 are added, so that equal scores do not have an error of 0.
    """
    steadied = [0.0, 1.0, *scores]
    mean = math.fsum(steadied) / len(steadied)
    return math.sqrt(math.fsum((score - mean) ** 2 for score in steadied)) / len(steadied)


@dataclass(frozen=True)
class Mark:
    """All points of an entrant."""

    ladder: tuple[Points, ...]
    """Of each tally, in their order."""
    accuracy: Points
    efficiency: Points
    error: float
    """The standard error of all points together."""

    @property
    def points(self) -> float:
        """All points, to two decimals."""
        parts = (*self.ladder, self.accuracy, self.efficiency)
        return round(math.fsum(part.value for part in parts), 2)


@dataclass(frozen=True)
class Marking:
    """How points, grades and the number of pairs follow from results."""

    pairs: int = 10
    """Least pairs per reference player and board."""
    max_pairs: int = 40
    precision: float = 3.0
    """The standard error of an entrant's points at which it has played enough, away from grade boundaries."""
    disqualify: float | None = 0.5
    """The share of failed matches, of the first ``pairs`` pairs of each series, that disqualifies; None: never."""
    accuracy: PointScale = PointScale(20.0)
    efficiency: PointScale = PointScale(0.0, 0.0, 0.6)
    """Points for saving nodes of plain minimax, where they can be counted."""
    grades: tuple[tuple[str, float], ...] = (("A", 90), ("B", 75), ("C", 60), ("D", 40), ("F", 0))
    """From the highest threshold down."""

    def mark(self, tallies: Sequence[RungScores], kept: int = 0, moves: int = 0, saved: float | None = None) -> Mark:
        """Return the mark for these pairs, for keeping the value in ``kept`` of so many ``moves`` that could lose it,
        and for the share of nodes saved.

        Accuracy counts with the weight moves / (moves + `PRIOR_MOVES`); the rest of its points are earned in the same
        proportion as those of the reference players. So a few moves, or none, do not decide a grade.
        """
        ladder = tuple(tally.points for tally in tallies)
        most = math.fsum(part.most for part in ladder)
        proportion = math.fsum(part.value for part in ladder) / most if most else 0.0
        weight = moves / (moves + PRIOR_MOVES)
        error = standard_error([1.0] * kept + [0.0] * (moves - kept))
        own = self.accuracy.measured(kept / moves if moves else 0.0, error)
        value = weight * own.value + (1 - weight) * proportion * own.most
        leverage = 1 + (1 - weight) * own.most / most if most else 1.0
        variance = (weight * own.error) ** 2 + math.fsum((leverage * part.error) ** 2 for part in ladder)
        return Mark(
            ladder,
            Points(value, weight * own.error, own.most),
            Points(0.0 if saved is None else self.efficiency.of(saved), 0.0, self.efficiency.points),
            math.sqrt(variance),
        )

    def grade(self, points: float) -> str:
        """Return the grade for points; empty below the lowest threshold."""
        return next((name for name, least in self.grades if points >= least), "")

    def near(self, points: float, error: float) -> str:
        """Return the other grades within one standard error of the points; empty if there are none."""
        within = (self.grade(points + error), self.grade(points - error))
        return " or ".join(dict.fromkeys(grade for grade in within if grade != self.grade(points)))

    def required(self, points: float) -> float:
        """Return the standard error at which points are precise enough.

        It is `precision`, less if a grade boundary is nearer than that, and never less than half of it.
        """
        distance = min((abs(points - least) for _, least in self.grades if least > 0), default=math.inf)
        return max(self.precision / 2, min(self.precision, distance))

    def wanted(self, tallies: Sequence[RungScores], mark: Mark) -> list[int]:
        """Return how many pairs each series should have in all; those that it has if they are enough.

        Pairs are added where they reduce the error most, as far as the present errors tell, until that series is
        doubled: then it is time for another look.
        """
        counts = [len(tally.scores) for tally in tallies]
        if any(count < self.pairs for count in counts):
            return [max(count, self.pairs) for count in counts]
        wanted = list(counts)
        accuracy = mark.accuracy.error**2
        variances = [part.error**2 for part in mark.ladder]
        leverage = (mark.error**2 - accuracy) / math.fsum(variances) if any(variances) else 0.0

        def gain(at: int) -> float:
            """Return by how much some more pairs of a series reduce the variance."""
            own = leverage * variances[at] * counts[at] / wanted[at] * STEP / (wanted[at] + STEP)
            return own + accuracy * sum(counts) / sum(wanted) * STEP / (sum(wanted) + STEP)

        excess = mark.error**2 - self.required(mark.points) ** 2
        while excess > 0:
            best = max((at for at in range(len(wanted)) if wanted[at] < self.max_pairs), key=gain, default=None)
            if best is None or wanted[best] >= 2 * counts[best] or not gain(best):
                break
            excess -= gain(best)
            wanted[best] = min(wanted[best] + STEP, self.max_pairs)
        return wanted

    def most_faults(self, series: int) -> int | None:
        """Return how many failed matches of the first `pairs` pairs of each of so many series disqualify."""
        return None if self.disqualify is None else max(1, math.ceil(self.disqualify * 2 * self.pairs * series))


@dataclass(frozen=True)
class Late:
    """A deadline and what being late costs."""

    deadline: datetime
    days: int = 0
    """Late days that cost nothing, for those whose number is not in the roster."""
    penalty: float = 0.0
    """Points for each further day."""

    def days_late(self, submitted: datetime | None) -> int:
        """Return the days after the deadline; each one that has begun counts."""
        if submitted is None:
            return 0
        return max(0, -int((self.deadline - submitted).total_seconds() // 86400))

    def points_off(self, submitted: datetime | None, allowance: int | None) -> float:
        """Return the points for the days that exceed the allowance."""
        free = self.days if allowance is None else allowance
        return self.penalty * max(0, self.days_late(submitted) - free)
