"""Rates that change during training."""

from __future__ import annotations

import numpy as np

from inarow.kernels.common.arithmetic import power
from inarow.kernels.lang.jit import kernel
from inarow.kernels.qlearning.arguments import Rate, Reals

CONSTANT, DECAY, LINEAR, VISITS = range(4)


def scheduled(rate: Rate, episodes: int, moves: int, visits: int) -> float:
    """A rate, given the episodes, moves, and visits of the value that it is for."""
    steps = moves if rate.by_move != 0 else episodes
    if rate.kind == DECAY:
        return max(rate.end, rate.start * power(rate.pace, steps))
    if rate.kind == LINEAR:
        return rate.start + (rate.end - rate.start) * min(1.0, steps / rate.pace)
    if rate.kind == VISITS:
        return max(rate.end, rate.start / (1.0 + visits))
    return rate.start


@kernel
def rate_now(schedule: Reals, episodes: int) -> float:
    """A rate that counts episodes, given as an array of the fields of `Rate`."""
    return scheduled(Rate(schedule[0], schedule[1], schedule[2], schedule[3], schedule[4]), episodes, 0, 0)


def warm() -> None:
    """Compile what is here."""
    rate_now(np.array([CONSTANT, 0.1, 0.0, 0.0, 0.0]), 0)
