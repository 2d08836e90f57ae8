"""Intervals, all for 95 % unless another ``z`` is given, and a correction for several tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054


class Interval(NamedTuple):
    """An estimate and the range that covers the truth in 95 of 100 such experiments."""

    estimate: float
    low: float
    high: float

    def covers(self, value: float) -> bool:
        """Return True if the range holds this value."""
        return self.low <= value <= self.high

    def to_json(self, digits: int = 6) -> dict[str, float]:
        """Return it for JSON, rounded so that the last bits of a sum don't show."""
        return {name: round(value, digits) for name, value in self._asdict().items()}


def wilson(successes: int, trials: int, z: float = Z95) -> Interval | None:
    """Return Wilson's interval for a rate; None without trials."""
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
    """Return an interval for the mean of scores in [0, 1], such as those of pairs; None without scores.

    The scores are given one by one, or as how often each was seen.
    """
    counts = scores if isinstance(scores, Mapping) else Counter(scores)
    return weighted_mean({(1.0, score): count for score, count in counts.items()}, z)


def weighted_mean(scores: Weighted, z: float = Z95, clusters: Weighted | None = None) -> Interval | None:
    """Return an interval for the weighted mean of scores in [0, 1]; None without scores.

    It has the means that a self-normalised sum does not exclude, which is accurate far from the centre, too, where
    several comparisons share one error. With ``clusters``, the same scores grouped by what they share, the wider of the
    intervals over scores and over clusters is returned.
    """
    total = math.fsum(weight * count for (weight, _), count in scores.items())
    if not total:
        return None
    estimate = math.fsum(weight * score * count for (weight, score), count in sorted(scores.items())) / total
    sums = _Sums.of(scores, clusters)
    mean, spread = sums.mean, sums.spread(z)
    return Interval(estimate, min(estimate, max(0.0, mean - spread)), max(estimate, min(1.0, mean + spread)))


def deviation(scores: Weighted, clusters: Weighted | None = None) -> float | None:
    """Return by how many standard errors the mean of such scores is above ½; None without scores.

    `weighted_mean` excludes ½ where this is beyond ± ``z``.
    """
    return _Sums.of(scores, clusters).deviation if any(scores.values()) else None


class _Sums(NamedTuple):
    """Sums over scores, with two scores of 0 and two of 1 added, so that equal scores don't give an error of 0 (like
    Agresti and Coull's for a rate)."""

    mean: float
    total: float
    """The weights."""
    squares: float
    """The squared weights."""
    scatter: float
    """The squared deviations from the mean, weighted; of scores or of clusters, whichever is more."""

    @classmethod
    def of(cls, scores: Weighted, clusters: Weighted | None) -> _Sums:
        rows = [(weight, score, count) for (weight, score), count in sorted(scores.items())] + [(1, 0, 2), (1, 1, 2)]
        total = math.fsum(weight * count for weight, _, count in rows)
        mean = math.fsum(weight * score * count for weight, score, count in rows) / total
        squares = math.fsum(weight * weight * count for weight, _, count in rows)
        scatter = max(_scatter(scores, mean), _scatter(clusters or {}, mean))
        return cls(mean, total, squares, scatter + 2 * mean**2 + 2 * (1 - mean) ** 2)

    def spread(self, z: float) -> float:
        """Return half the width of the interval: how far a mean m may be from this one, if the sum of the deviations
        from m is at most z times the root of the sum of their squares."""
        left = self.total**2 - z**2 * self.squares
        return z * math.sqrt(self.scatter / left) if left > 0 else 1.0

    @property
    def deviation(self) -> float:
        off = self.mean - 0.5
        return off * self.total / math.sqrt(self.scatter + off**2 * self.squares)


def _scatter(scores: Weighted, mean: float) -> float:
    return math.fsum(count * (weight * (score - mean)) ** 2 for (weight, score), count in sorted(scores.items()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of several tests, after Holm: below 0.05 any is wrong in at most 5 % of families."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, most = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        most = max(most, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = most
    return adjusted


Floats = npt.NDArray[np.float64]

STAKES = 0.5 ** (np.arange(12) / 2)
"""The shares θ, from 1 (for scores that are all alike) to 1/45 (for means close to the true one); each has an equal
part of the capital."""

_HALVINGS = 40


def log_capital(scores: Sequence[float], counts: npt.ArrayLike, mean: float) -> Floats:
    """Return the logarithm of the capital won against this mean by bets on higher scores.

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
    """Return the mean of scores with an interval that covers the true mean at all looks with probability 1 − ``alpha``.

    None without scores.
    """
    seen = tuple((score, count) for score, count in sorted(counts.items()) if count)
    return _sequence(seen, alpha) if seen else None


@lru_cache(maxsize=1024)
def _sequence(scores: tuple[tuple[float, int], ...], alpha: float) -> Interval:
    """Compute it once: a page asks for the interval of a pairing in each of its tables, figures and sentences."""
    seen = dict(scores)
    estimate = math.fsum(score * count for score, count in seen.items()) / sum(seen.values())
    low = _excluded_below(seen, alpha / 2, estimate)
    high = 1 - _excluded_below({1 - score: count for score, count in seen.items()}, alpha / 2, 1 - estimate)
    return Interval(estimate, min(low, estimate), max(high, estimate))


def _excluded_below(seen: Mapping[float, int], alpha: float, estimate: float) -> float:
    """Return the least mean that the bets on higher scores don't exclude; it is below the estimate."""
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
    """Return a p-value that is valid after every score: how likely such evidence against the mean ever is, at most.

    Both sides are tested. The interval of `confidence_sequence` excludes the mean where this is at most ``alpha``.
    """
    if not any(counts.values()):
        return None
    up = log_capital(list(counts), list(counts.values()), mean)
    down = log_capital([1 - score for score in counts], list(counts.values()), 1 - mean)
    return min(1.0, 2 * math.exp(-max(float(up), float(down))))
