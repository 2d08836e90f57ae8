"""Random choices, made from random numbers in [0, 2**63)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.board import below, lowest, popcount
from inarow.kernels.compiler.jit import primitive


@primitive
def uniform(number: int) -> float:
    """A number in [0, 1)."""
    return (number >> 10) / 9007199254740992.0


@primitive
def pick(cells: int, number: int) -> int:
    """One cell of a set, each as likely, as a bit."""
    for _ in range(below(number, popcount(cells))):
        cells &= cells - 1
    return cells & -cells


@primitive
def pick_weighted(cells: int, weights: NDArray[np.int64], number: int) -> int:
    """One cell of a set, each as likely as the weight of its bit, as a bit."""
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
