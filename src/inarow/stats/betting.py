"""A confidence sequence for the mean of scores in [0, 1]: an interval that may be looked at after every score.

It is made by betting (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS-B 2024).
To test a mean m, a gambler stakes the share θ of its capital on each score x, whose factor is 1 + θ (x / m − 1); if m
is the true mean, the expected factor is 1. The capital is then a martingale, and by Ville's inequality it ever reaches
1 / α with a probability of at most α. Whatever mean lets the capital reach that is excluded.

The capital is spread over several fixed shares θ, as in Cover's universal portfolio (Mathematical Finance 1991; Orabona
and Jun, Tight concentrations and confidence sequences from the regret of universal portfolio, 2021). So it depends on
how often each score was seen, not on their order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from inarow.stats.intervals import Interval

Floats = npt.NDArray[np.float64]

STAKES = 0.5 ** (np.arange(12) / 2)
"""The shares θ, from 1 (for scores that are all alike) to 1/45 (for means close to the true one); each has an equal
part of the capital."""

_HALVINGS = 40


def log_capital(scores: Sequence[float], counts: npt.ArrayLike, mean: float) -> Floats:
    """The logarithm of the capital won against this mean by bets on higher scores.

    ``counts`` says how often each of the scores was seen, on its last axis; the others are separate experiments. It
    falls in ``mean``, which must be above 0.
    """
    seen = np.asarray(counts, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.log(np.maximum(0.0, 1 + np.outer(np.asarray(scores) / mean - 1, STAKES)))
        won = np.where(seen[..., None] > 0, seen[..., None] * factors, 0.0).sum(axis=-2)  # 0 × −∞ is nothing lost
    most = won.max(axis=-1, keepdims=True)
    steady = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(np.exp(won - steady).mean(axis=-1)) + steady[..., 0]
    return logs


def confidence_sequence(counts: Mapping[float, int], alpha: float) -> Interval | None:
    """The mean of scores, and an interval that covers the true mean at every look with a probability of 1 − ``alpha``.

    None without scores.
    """
    seen = tuple((score, count) for score, count in sorted(counts.items()) if count)
    return _sequence(seen, alpha) if seen else None


@lru_cache(maxsize=1024)
def _sequence(scores: tuple[tuple[float, int], ...], alpha: float) -> Interval:
    """Remembered, because a page asks for the interval of a pairing in each of its tables, figures and sentences."""
    seen = dict(scores)
    estimate = math.fsum(score * count for score, count in seen.items()) / sum(seen.values())
    low = _excluded_below(seen, alpha / 2, estimate)
    high = 1 - _excluded_below({1 - score: count for score, count in seen.items()}, alpha / 2, 1 - estimate)
    return Interval(estimate, min(low, estimate), max(high, estimate))


def _excluded_below(seen: Mapping[float, int], alpha: float, estimate: float) -> float:
    """The least mean that the bets on higher scores don't exclude; it is below the estimate."""
    needed = -math.log(alpha)
    low, high = 0.0, estimate
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle > 0 and log_capital(list(seen), list(seen.values()), middle) >= needed:
            low = middle
        else:
            high = middle
    return low


def likeliness(counts: Mapping[float, int], mean: float) -> float | None:
    """A p-value that may be looked at after every score: how likely such evidence against the mean ever is, at most.

    Both sides are tested. The interval of `confidence_sequence` excludes the mean where this is at most ``alpha``.
    """
    if not any(counts.values()):
        return None
    up = log_capital(list(counts), list(counts.values()), mean)
    down = log_capital([1 - score for score in counts], list(counts.values()), 1 - mean)
    return min(1.0, 2 * math.exp(-max(float(up), float(down))))
