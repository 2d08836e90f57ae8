"""Opponents that play inside a training kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.random_choice import pick, pick_weighted
from inarow.kernels.compiler.jit import primitive

# SELF: the learner itself; OUTSIDE: an agent that Python asks.
SELF, RANDOM, RULES_RANDOM, RULES_CENTRE, RULES_CORNERS, OUTSIDE = range(6)


@primitive
def reply(kind: int, free: int, wins: int, blocks: int, styles: NDArray[np.int64], number: int) -> int:
    """The move of a compiled opponent, as a bit: random, or win, block, else by style."""
    if kind != RANDOM:
        if wins & free:
            return pick(wins & free, number)
        if blocks & free:
            return pick(blocks & free, number)
        if kind == RULES_CENTRE:
            return pick_weighted(free, styles, number)
        if kind == RULES_CORNERS:
            for mask in (styles[-2], styles[-1]):
                if free & mask:
                    return pick(free & mask, number)
    return pick(free, number)
