"""Whether two rows of counts have the same shares: an exact test."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import lgamma

import numpy as np
from numpy.typing import NDArray

_SLACK = 1e-7
"""Of a logarithm: tables as likely as the one seen count as that likely."""


def same_shares(one: Sequence[int], two: Sequence[int]) -> float:
    """The p-value of the exact test of Freeman and Halton for two rows of two or three counts.

    It is the chance, given how often each outcome came in both rows together, of a table at most as likely as this one.
    """
    pooled = [a + b for a, b in zip(one, two, strict=True)]
    kept = sorted((place for place, total in enumerate(pooled) if total), key=pooled.__getitem__)
    first, totals = [one[place] for place in kept], [pooled[place] for place in kept]
    if len(kept) < 2 or not sum(one) or not sum(two):
        return 1.0
    assert len(kept) <= 3, "two or three outcomes"
    if len(kept) == 2:
        totals, first = [*totals, 0], [*first, 0]
    size, logs = sum(first), _log_factorials(sum(totals))
    a = np.arange(totals[0] + 1)[:, None]
    b = np.arange(totals[1] + 1)[None, :]
    c = size - a - b
    inside = (c >= 0) & (c <= totals[2])
    chances = np.full(inside.shape, -np.inf)
    a, b = np.broadcast_to(a, inside.shape)[inside], np.broadcast_to(b, inside.shape)[inside]
    chances[inside] = sum(_choose(logs, total, n) for total, n in zip(totals, (a, b, c[inside]), strict=True))
    seen = chances[first[0], first[1]]
    top = chances.max()
    weights = np.exp(chances - top)
    return float(min(1.0, weights[chances <= seen + _SLACK].sum() / weights.sum()))


@lru_cache(maxsize=8)
def _log_factorials(most: int) -> NDArray[np.float64]:
    return np.array([lgamma(n + 1.0) for n in range(most + 1)])


def _choose(logs: NDArray[np.float64], total: int, taken: NDArray[np.int64]) -> NDArray[np.float64]:
    """The logarithms of binomial coefficients."""
    found: NDArray[np.float64] = logs[total] - logs[taken] - logs[total - taken]
    return found
