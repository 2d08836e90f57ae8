"""Rates that change as training goes on, as an array: kind, start, factor or length, floor or end, 1 to count moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.compiler.jit import kernel, primitive

Reals = NDArray[np.float64]

CONSTANT, DECAY, LINEAR, VISITS = range(4)


@primitive
def scheduled(schedule: Reals, episodes: int, moves: int, visits: int) -> float:
    """The value of a schedule now."""
    kind, start, middle, end = schedule[0], float(schedule[1]), float(schedule[2]), float(schedule[3])
    now = moves if schedule[4] != 0 else episodes
    if kind == DECAY:
        return max(end, start * middle**now)
    if kind == LINEAR:
        return start + (end - start) * min(1.0, now / middle)
    if kind == VISITS:
        return max(end, start / (1.0 + visits))
    return start


@kernel
def rate_now(schedule: Reals, episodes: int) -> float:
    """The value of a schedule that counts episodes."""
    return scheduled(schedule, episodes, 0, 0)


def warm() -> None:
    """Compile what is here."""
    rate_now(np.array([0.0, 0.1, 0.0, 0.0, 0.0]), 0)
