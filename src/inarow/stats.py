"""Intervals: numbers in, numbers out. All are for 95 % unless another ``z`` is given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Z95 = 1.959963984540054


class Interval(NamedTuple):
    """An estimate and the range that covers the truth in 95 of 100 such experiments."""

    estimate: float
    low: float
    high: float


def wilson(successes: int, trials: int, z: float = Z95) -> Interval | None:
    """Wilson's interval for a rate; None without trials."""
    if trials == 0:
        return None
    rate = successes / trials
    spread = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    centre = rate + z * z / (2 * trials)
    scale = 1 + z * z / trials
    # The ends are exact at rates of 0 and 1, where rounding would put them a hair outside.
    low = 0.0 if successes == 0 else (centre - spread) / scale
    high = 1.0 if successes == trials else (centre + spread) / scale
    return Interval(rate, low, high)


def bounded_mean(scores: Sequence[float], z: float = Z95) -> Interval | None:
    """An interval for the mean of scores in [0, 1], such as those of pairs; None without scores.

    Like Agresti and Coull's for a rate: two scores of 0 and two of 1 are added before mean and variance are
    taken, so that equal scores don't give an interval of no width.
    """
    if not scores:
        return None
    count = len(scores) + 4
    mean = (math.fsum(scores) + 2) / count
    variance = (math.fsum((s - mean) ** 2 for s in scores) + 2 * mean**2 + 2 * (1 - mean) ** 2) / count
    spread = z * math.sqrt(variance / count)
    estimate = math.fsum(scores) / len(scores)
    return Interval(estimate, min(estimate, max(0.0, mean - spread)), max(estimate, min(1.0, mean + spread)))
