"""Minimax and alpha–beta at the root: depth by depth, the best moves of the depth before first, until a limit."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS, BitLayout, popcount
from inarow.kernels.alphabeta import PLIES, Evaluator, SearchState, new_search, search_moves
from inarow.kernels.common.evaluate import CARRIED, FULL, MAX_MOVES, SearchSetup
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import record, shape
from inarow.kernels.ntuple.points import NetBoard, smallest_whole
from inarow.kernels.rules import move_to, open_cells


@record
class Root:
    """The moves of a decision, and the best known of them. A set of moves has bit m for move m."""

    candidates: int
    """The set of moves to choose from."""
    depth: int
    """Plies that all moves were searched to; those in ``exact`` may be one ply further. −1 before the first search."""
    exact: int
    """The set of moves whose points are exact."""
    best: int
    """The set of moves with the most points; empty if no move was searched."""
    cells: NDArray[np.int64] = shape(MAX_MOVES)
    """The cells of the candidates, in the order of the last search."""
    values: NDArray[np.int64] = shape(MAX_MOVES)
    points: NDArray[np.int64] = shape(MAX_MOVES)
    """By move, the points, or an upper bound of them."""
    rows: NDArray[np.int64] = shape(MAX_MOVES)
    """By move, the row of its line."""
    lines: NDArray[np.int64] = shape(MAX_MOVES, MAX_BITS + 1)
    """In the order of the last search, the expected play as bit indices, ended by −1."""


@kernel
def begin_search(search: SearchState, root: Root, candidates: int, limit: int) -> None:
    """Begin a decision among these moves with at most ``limit`` nodes."""
    search.nodes = search.leaves = search.cutoffs = search.look = 0
    search.stopped = False
    search.limit = limit
    search.generation += 1
    for i in range(PLIES):
        search.visits[i] = 0
        search.history[0, i] = 0
        search.history[1, i] = 0
    root.candidates, root.depth = candidates, -1
    root.best = root.exact = 0


def search_depth(
    setup: SearchSetup,
    search: SearchState,
    root: Root,
    layout: BitLayout,
    own: int,
    opp: int,
    depth: int,
    best_first: bool,
    evaluator: Evaluator,
) -> None:
    """Search the candidates to one depth; if stopped before the first is finished, nothing changes."""
    free, count = open_cells(layout, own | opp), 0
    first = root.best if best_first else 0
    for part in range(2):
        for i in range(setup.moves):
            cell = free & setup.order[i]
            move = move_to(layout, cell) if cell != 0 else 0
            wanted = first if part == 0 else root.candidates & ~first
            if cell != 0 and (wanted >> move) & 1 != 0:
                root.cells[count] = cell
                count += 1
    cells, values, lines = root.cells, root.values, root.lines
    finished = search_moves(setup, search, own, opp, depth, popcount(own | opp), count, cells, values, lines, evaluator)
    if finished == 0:
        return
    all_exact = not setup.prune or setup.root == FULL
    root.exact = root.best = 0
    most = values[0]
    for i in range(finished):
        move, value = move_to(layout, cells[i]), values[i]
        root.points[move], root.rows[move] = value, i
        better = value > most if setup.root == CARRIED else value >= most
        if i == 0 or all_exact or better:
            root.exact |= 1 << move
            if i == 0 or value > most:
                root.best = 0
            if i == 0 or value >= most:
                root.best |= 1 << move
        most = max(most, value)
    root.depth = depth if finished == count else depth - 1


@kernel
def deepen(
    setup: SearchSetup,
    search: SearchState,
    root: Root,
    layout: BitLayout,
    own: int,
    opp: int,
    first: int,
    last: int,
    best_first: bool,
    evaluator: Evaluator,
) -> None:
    """Search from depth ``first`` to depth ``last``, or until a limit of the search is reached."""
    for depth in range(first, last + 1):
        search_depth(setup, search, root, layout, own, opp, depth, best_first, evaluator)
        if search.stopped:
            break


@functools.cache
def warm_for(network: bool) -> None:
    """Compile the kernels for searches with or without a network, or load them."""
    setup, search, root, layout = SearchSetup(), new_search(), Root(), BitLayout(1, 2, 1, 1, True, 1, 1, 2, 1)
    board = NetBoard(*smallest_whole()) if network else None
    begin_search(search, root, 0, 0)
    deepen(setup, search, root, layout, 0, 0, 1, 0, False, board)


def warm() -> None:
    """Compile the kernels of this module, or load them."""
    warm_for(False)
    warm_for(True)
