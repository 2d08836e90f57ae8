"""Evaluators and networks as a user writes them: functions of Python and kernels."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from inarow.agents.evaluators import Windows
from inarow.bits import BitLayout, popcount
from inarow.kernels.lang.jit import kernel
from inarow.rules import Player, Position

WINDOWS = Windows(three=7, share=0.5)


def windows(position: Position, player: Player) -> float:
    """The built-in heuristic, as a function."""
    return WINDOWS.points(position, player) / 100


def bottom(position: Position, player: Player) -> float:
    """Stones in the lowest row, own minus the opponent's half."""
    stones = (position.first, position.second)
    own, opp = stones[player], stones[player.other]
    return (own & position.game.bottom).bit_count() - (opp & position.game.bottom).bit_count() / 2


@kernel
def bottom_kernel(layout: BitLayout, own: int, opp: int) -> float:
    """The same as a kernel."""
    return popcount(own & layout.bottom) - popcount(opp & layout.bottom) / 2


@kernel
def zero_kernel(layout: BitLayout, own: int, opp: int) -> int:
    """Another one."""
    return 0


@kernel
def nan_kernel(layout: BitLayout, own: int, opp: int) -> float:
    """NaN for positions in which the second player has four stones."""
    return (1e308 * 10.0 - 1e308 * 10.0) if popcount(opp) == 4 else 0.5


def arbitrary(planes: NDArray[np.int8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Priors and values that differ from position to position, for boards of 7 moves."""
    priors, values = [], []
    for one in planes:
        random = np.random.default_rng(list(hashlib.sha256(one.tobytes()).digest()))
        priors.append(random.random(7))
        values.append(random.uniform(-0.9, 0.9))
    return np.array(priors), np.array(values)
