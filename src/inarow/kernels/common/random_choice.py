"""Random choices, made from random numbers in [0, 2**63)."""

from __future__ import annotations

from typing import Any

from inarow.kernels.common.board import below, lowest, popcount


def uniform(number: int) -> float:
    """A number in [0, 1)."""
    return (number >> 10) / 9007199254740992.0


def pick(cells: int, number: int) -> int:
    """A uniformly random cell of a set, as a bit."""
    for _ in range(below(number, popcount(cells))):
        cells &= cells - 1
    return cells & -cells


def pick_weighted(cells: int, weights: Any, number: int) -> int:
    """A random cell of a set, as a bit, with probabilities in proportion to the weight of its bit."""
    total = 0
    rest = cells
    while rest:
        total += weights[lowest(rest)]
        rest &= rest - 1
    at = below(number, total)
    rest = cells
    while True:
        at -= weights[lowest(rest)]
        if at < 0:
            return rest & -rest
        rest &= rest - 1
