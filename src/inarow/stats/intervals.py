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


def bounded_mean(scores: Iterable[float] | Mapping[float, int], z: float = Z95) -> Interval | None:
    """An interval for the mean of scores in [0, 1], such as those of pairs; None without scores.

    The scores are given one by one, or as how often each was seen.
    """
    counts = _counted(scores)
    if not counts:
        return None
    mean, error = _steadied(counts)
    estimate = math.fsum(s * n for s, n in counts.items()) / sum(counts.values())
    low, high = mean - z * error, mean + z * error
    return Interval(estimate, min(estimate, max(0.0, low)), max(estimate, min(1.0, high)))


def superiority(scores: Iterable[float] | Mapping[float, int]) -> float | None:
    """The likelihood that the mean of such scores is above ½, from 0 to 1; None without scores."""
    counts = _counted(scores)
    if not counts:
        return None
    mean, error = _steadied(counts)
    return 0.5 * (1 + math.erf((mean - 0.5) / (error * math.sqrt(2))))


def _counted(scores: Iterable[float] | Mapping[float, int]) -> dict[float, int]:
    counts = scores if isinstance(scores, Mapping) else Counter(scores)
    return {score: count for score, count in sorted(counts.items()) if count}


def _steadied(counts: Mapping[float, int]) -> tuple[float, float]:
    """Mean and its standard error, like Agresti and Coull's for a rate.

    Two scores of 0 and two of 1 are added first, so that equal scores don't give an error of 0.
    """
    count = sum(counts.values()) + 4
    mean = (math.fsum(s * n for s, n in counts.items()) + 2) / count
    square = math.fsum(n * (s - mean) ** 2 for s, n in counts.items())
    variance = (square + 2 * mean**2 + 2 * (1 - mean) ** 2) / count
    return mean, math.sqrt(variance / count)
