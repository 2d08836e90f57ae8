"""A search that recognises the end of a game only by its evaluator, compiled: minimax and alpha–beta of two reports.

Every position is evaluated when it is reached. A finished game gets its evaluation like any leaf (EVALUATED), or lines
are not looked for at all, and a position with very many points is taken for the end (BY_POINTS). A separate kernel,
because these cases would slow the usual search down.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.alphabeta.search import INFINITE, leaf_points, smallest
from inarow.kernels.alphabeta.state import SearchState, update_line, visit, write_line
from inarow.kernels.common.board import has_line, playable
from inarow.kernels.common.setup import BY_POINTS, FULL, PROVEN, SearchSetup
from inarow.kernels.lang.jit import kernel

Ints = NDArray[np.int64]


def _is_leaf(setup: SearchSetup, own: int, opp: int, points: int, depth: int) -> bool:
    """Return True if the search looks no further than this position."""
    if depth == 0 or own | opp == setup.board:
        return True
    if setup.ends == BY_POINTS:
        return abs(points) > setup.over
    return has_line(opp, setup.k, setup.stride)


def _negamax(
    setup: SearchSetup, search: SearchState, own: int, opp: int, depth: int, ply: int, alpha: int, beta: int
) -> int:
    """Return the value of a position for the side to move; a bound if it is not between alpha and beta."""
    below = ply - search.root_ply
    search.lengths[below] = 0
    points = leaf_points(setup, own, opp, ply & 1)
    if _is_leaf(setup, own, opp, points, depth):
        search.leaves += 1
        return 0 if setup.full_is_zero and own | opp == setup.board else points
    legal = playable(own | opp, setup.bottom, setup.board, setup.gravity)
    best, lower = -INFINITE, alpha
    for i in range(setup.moves):
        cell = legal & setup.order[i]
        if cell == 0:
            continue
        if not visit(search, below + 1):
            return best
        low, high = (-beta, -lower) if setup.prune else (-INFINITE, INFINITE)
        value = -_negamax(setup, search, opp, own | cell, depth - 1, ply + 1, low, high)
        if search.stopped:
            return best
        if value > best:
            best = value
            if best > alpha:
                lower = best
                update_line(search, below, cell)
                if best >= beta and setup.prune:
                    search.cutoffs += 1
                    return best
    return best


@kernel
def search_root(
    setup: SearchSetup,
    search: SearchState,
    own: int,
    opp: int,
    depth: int,
    ply: int,
    cells: Ints,
    values: Ints,
    lines: Ints,
) -> int:
    """Search the root moves ``cells`` in their order; the same promises as `alphabeta.search.search_root`."""
    narrow = setup.prune and setup.root != FULL
    margin = 1 if setup.root == PROVEN else 0
    search.root_ply = ply
    best = low = -INFINITE
    for i in range(len(cells)):
        if not visit(search, 1):
            return i
        search.lengths[0] = 0
        high = margin - best if narrow and best > low else -low
        value = -_negamax(setup, search, opp, own | cells[i], depth - 1, ply + 1, low, high)
        if search.stopped:
            return i
        values[i] = value
        best = max(best, value)
        write_line(search, cells[i], lines, i)
    return len(cells)


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    search_root(*smallest())
