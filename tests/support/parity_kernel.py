"""The parity bound of the solver's kernel, for many positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from inarow.bits import winning_cells
from inarow.kernels.lang.jit import kernel
from inarow.kernels.solver.solve import NO_BOUND, Search, follow_up
from inarow.rules import Position
from inarow.solver.engine import Engine

Ints = NDArray[np.int64]


@kernel
def _bounds(search: Search, stones: Ints, occupied: Ints, out: Ints) -> None:
    """The bound of every position in which the side to move can't win with its next stone; else NO_BOUND."""
    k, stride, board, bottom = search.k, search.stride, search.board, search.bottom
    for i in range(len(stones)):
        direct = (occupied[i] + bottom) & board
        mine = winning_cells(stones[i], k, stride, board) & ~occupied[i]
        theirs = winning_cells(occupied[i] ^ stones[i], k, stride, board) & ~occupied[i]
        out[i] = NO_BOUND
        if mine & direct == 0:
            out[i], _ = follow_up(search, stones[i], occupied[i], direct, theirs)


def kernel_bounds(positions: Sequence[Position]) -> Ints:
    """A bound from above on the score of each position of one game; NO_BOUND where nothing is proven."""
    board = positions[0].game
    stones = np.array([position.own for position in positions], dtype=np.int64)
    occupied = np.array([position.occupied for position in positions], dtype=np.int64)
    found = np.empty(len(positions), dtype=np.int64)
    search = Engine(board, tt_mb=1).searches[0]
    assert isinstance(search, Search)
    _bounds(search, stones, occupied, found)
    return found
