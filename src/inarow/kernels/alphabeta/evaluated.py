"""A search that recognises the end of a game only by its evaluator, compiled: minimax and alpha–beta of two reports.

Every position is evaluated when it is reached. A finished game gets its evaluation like any leaf (EVALUATED), or lines
are not looked for at all, and a position with very many points is taken for the end (BY_POINTS). A separate kernel,
because these cases would slow the usual search down.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS
from inarow.kernels.alphabeta.counting import STOPPED, count_cutoff, count_leaf, visit
from inarow.kernels.alphabeta.search import INFINITE, LENGTHS, ROOT_PLY, SIZE, begin_line, leaf_points, write_line
from inarow.kernels.common import search_layout
from inarow.kernels.common.board import has_line, playable
from inarow.kernels.lang.jit import kernel

Ints = NDArray[np.int64]


def _is_leaf(setup: Ints, mover: int, waiter: int, points: int, depth: int) -> bool:
    """Whether the search looks no further than this position."""
    if depth == 0 or mover | waiter == setup[search_layout.BOARD]:
        return True
    if setup[search_layout.ENDS] == search_layout.BY_POINTS:
        over: bool = abs(points) > setup[search_layout.OVER]
        return over
    return has_line(waiter, setup[search_layout.K], setup[search_layout.STRIDE])


def _value(
    mover: int, waiter: int, depth: int, ply: int, alpha: int, beta: int, setup: Ints, work: Ints, flag: Ints
) -> int:
    """The value of a position for the side to move; a bound if it is not between alpha and beta."""
    below = ply - work[ROOT_PLY]
    work[LENGTHS + below] = 0
    board = setup[search_layout.BOARD]
    points = leaf_points(setup, mover, waiter, ply & 1)
    if _is_leaf(setup, mover, waiter, points, depth):
        count_leaf(work)
        return 0 if setup[search_layout.FULL_IS_ZERO] != 0 and mover | waiter == board else points
    prune = setup[search_layout.PRUNE] != 0
    legal = playable(mover | waiter, setup[search_layout.BOTTOM], board, setup[search_layout.GRAVITY] != 0)
    best, lower = -INFINITE, alpha
    for i in range(setup[search_layout.MOVES]):
        cell = legal & setup[search_layout.ORDER + i]
        if cell == 0:
            continue
        if not visit(work, flag, below + 1):
            return best
        low, high = (-beta, -lower) if prune else (-INFINITE, INFINITE)
        value = -_value(waiter, mover | cell, depth - 1, ply + 1, low, high, setup, work, flag)
        if work[STOPPED] != 0:
            return best
        if value > best:
            best = value
            if best > alpha:
                lower = best
                begin_line(work, below, cell)
                if best >= beta and prune:
                    count_cutoff(work)
                    return best
    return best


@kernel
def search_root(
    mover: int,
    waiter: int,
    depth: int,
    ply: int,
    setup: Ints,
    work: Ints,
    flag: Ints,
    cells: Ints,
    values: Ints,
    lines: Ints,
) -> int:
    """Search the root moves ``cells`` in their order; the same promises as `alphabeta.search.search_root`."""
    narrow = setup[search_layout.PRUNE] != 0 and setup[search_layout.ROOT] != search_layout.FULL
    margin = 1 if setup[search_layout.ROOT] == search_layout.PROVEN else 0
    work[ROOT_PLY] = ply
    best = low = int(-INFINITE)
    for i in range(len(cells)):
        if not visit(work, flag, 1):
            return i
        work[LENGTHS] = 0
        high = margin - best if narrow and best > low else -low
        value = -_value(waiter, mover | cells[i], depth - 1, ply + 1, low, high, setup, work, flag)
        if work[STOPPED] != 0:
            return i
        values[i] = value
        best = max(best, value)
        write_line(work, cells[i], lines, i)
    return len(cells)


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    setup = np.zeros(search_layout.SIZE, dtype=np.int64)
    work = np.zeros(SIZE, dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    lines = np.zeros((1, MAX_BITS + 1), dtype=np.int64)
    search_root(0, 0, 1, 0, setup, work, np.zeros(1, dtype=np.int64), none, none, lines)
