"""Intervals. All are for 95 % unless another ``z`` is given."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

Z95 = 1.959963984540054


class Interval(NamedTuple):
    """An estimate and the range that covers the truth in 95 of 100 such experiments."""

    estimate: float
    low: float
    high: float

    def covers(self, value: float) -> bool:
        """Whether the range holds this value."""
        return self.low <= value <= self.high

    def to_json(self, digits: int = 6) -> dict[str, float]:
        """For JSON, rounded so that the last bits of a sum don't show."""
        return {name: round(value, digits) for name, value in self._asdict().items()}


def wilson(successes: int, trials: int, z: float = Z95) -> Interval | None:
    """Wilson's interval for a rate; None without trials."""
    if trials == 0:
        return None
    rate = successes / trials
    spread = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    centre = rate + z * z / (2 * trials)
    scale = 1 + z * z / trials
    # The ends are exact at rates of 0 and 1, where rounding would put them slightly outside.
    low = 0.0 if successes == 0 else (centre - spread) / scale
    high = 1.0 if successes == trials else (centre + spread) / scale
    return Interval(rate, low, high)


Weighted = Mapping[tuple[float, float], int]
"""How often each (weight, score) was seen. A pair has weight 1, a match on its own ½, and three pairs on one opening,
taken together, 3."""


def bounded_mean(scores: Iterable[float] | Mapping[float, int], z: float = Z95) -> Interval | None:
    """An interval for the mean of scores in [0, 1], such as those of pairs; None without scores.

    The scores are given one by one, or as how often each was seen.
    """
    counts = scores if isinstance(scores, Mapping) else Counter(scores)
    return weighted_mean({(1.0, score): count for score, count in counts.items()}, z)


def weighted_mean(scores: Weighted, z: float = Z95, clusters: Weighted | None = None) -> Interval | None:
    """An interval for the weighted mean of scores in [0, 1]; None without scores.

    With ``clusters``, the same scores grouped by what they share, the wider of the intervals over scores and over
    clusters is returned.
    """
    total = math.fsum(weight * count for (weight, _), count in scores.items())
    if not total:
        return None
    estimate = math.fsum(weight * score * count for (weight, score), count in sorted(scores.items())) / total
    mean, error = _steadied(scores, clusters)
    low, high = mean - z * error, mean + z * error
    return Interval(estimate, min(estimate, max(0.0, low)), max(estimate, min(1.0, high)))


def superiority(scores: Weighted, clusters: Weighted | None = None) -> float | None:
    """The likelihood that the mean of such scores is above ½, from 0 to 1; None without scores."""
    if not any(scores.values()):
        return None
    mean, error = _steadied(scores, clusters)
    return 0.5 * (1 + math.erf((mean - 0.5) / (error * math.sqrt(2))))


def _steadied(scores: Weighted, clusters: Weighted | None) -> tuple[float, float]:
    """Mean and its standard error, like Agresti and Coull's for a rate.

    Two scores of 0 and two of 1 are added first, so that equal scores don't give an error of 0.
    """
    total = math.fsum(weight * count for (weight, _), count in scores.items()) + 4
    mean = (math.fsum(weight * score * count for (weight, score), count in sorted(scores.items())) + 2) / total
    square = max(_square(groups, mean) for groups in (scores, clusters or {}))
    return mean, math.sqrt(square + 2 * mean**2 + 2 * (1 - mean) ** 2) / total


def _square(scores: Weighted, mean: float) -> float:
    return math.fsum(count * (weight * (score - mean)) ** 2 for (weight, score), count in sorted(scores.items()))
