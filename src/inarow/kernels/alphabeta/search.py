"""Minimax and alpha–beta, compiled: one search for any game and evaluator, its improvements switched by the setup.

Values are points for the side to move. A win is worth the same whichever moves led to it (it is scored by the stones on
the board), and leaves are valued by the position alone: so every order of moves, and a table, give the same decision.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS
from inarow.kernels.alphabeta.ordering import order_moves, update_history
from inarow.kernels.alphabeta.state import Entry, SearchState, update_line, visit, write_line
from inarow.kernels.alphabeta.transposition import (
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    canonical,
    probe,
    slot_of,
    store,
    tt_move_of,
)
from inarow.kernels.common.board import playable, winning_cells
from inarow.kernels.common.evaluate import evaluate
from inarow.kernels.common.setup import FULL, PROVEN, THREATS, SearchSetup
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import array_of

Ints = NDArray[np.int64]

INFINITE = 1 << 60


def win_points(setup: SearchSetup, ply: int) -> int:
    """Return the points of a win with ``ply`` stones on the board."""
    return setup.win - setup.stone_cost * ply


def leaf_points(setup: SearchSetup, own: int, opp: int, seat: int) -> int:
    """Return the points of a leaf for the player in this seat, who is to move there; evaluated for the searcher."""
    return evaluate(setup, own, opp) if seat == setup.searcher else -evaluate(setup, opp, own)


def _last_ply(setup: SearchSetup, search: SearchState, own: int, opp: int, ply: int, alpha: int, beta: int) -> int:
    """Return the value of a position one ply above the horizon: all its children are leaves."""
    occupied, seat = own | opp, ply & 1
    legal = playable(occupied, setup.bottom, setup.board, setup.gravity)
    wins = winning_cells(own, setup.k, setup.stride, setup.board) & legal
    first = wins if setup.ordering == THREATS else 0
    below = ply - search.root_ply
    search.lengths[below] = 0
    search.lengths[below + 1] = 0
    best = -INFINITE
    for part in range(2):
        cells = first if part == 0 else legal & ~first
        if cells == 0:
            continue
        for i in range(setup.moves):
            cell = cells & setup.order[i]
            if cell == 0:
                continue
            if not visit(search, below + 1):
                return best
            search.leaves += 1
            if cell & wins != 0:
                value = win_points(setup, ply + 1)
            elif occupied | cell == setup.board:
                value = 0
            else:
                value = -leaf_points(setup, opp, own | cell, 1 - seat)
            if value > best:
                best = value
                if best > alpha:
                    update_line(search, below, cell)
                    if best >= beta and setup.prune:
                        search.cutoffs += 1
                        return best
    return best


def _negamax(
    setup: SearchSetup, search: SearchState, own: int, opp: int, depth: int, ply: int, alpha: int, beta: int
) -> int:
    """Return the value of an unfinished position, ``depth`` ≥ 1 plies above the horizon.

    Exact if it is between alpha and beta; an upper bound if it is at most alpha, a lower bound if it is at least beta.
    """
    occupied, seat = own | opp, ply & 1
    below = ply - search.root_ply
    search.lengths[below] = 0
    slot, image, tt_move = 0, 0, NO_MOVE
    key_own, key_opp = own, opp
    if setup.use_tt:
        if setup.use_symmetry:
            key_own, key_opp, image = canonical(setup, own, opp)
        slot = slot_of(search, key_own, key_opp)
        known, bound, value, tt_move = probe(search, slot, key_own, key_opp, depth)
        if known and (bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)):
            return value
    best, best_cell, lower = -INFINITE, 0, alpha
    if depth == 1:
        best = _last_ply(setup, search, own, opp, ply, alpha, beta)
    else:
        legal = playable(occupied, setup.bottom, setup.board, setup.gravity)
        wins = winning_cells(own, setup.k, setup.stride, setup.board) & legal
        moves = search.moves[below]
        count = order_moves(setup, search, below, own, opp, legal, wins, tt_move, image, seat)
        for i in range(count):
            cell = moves[i].cell
            if not visit(search, below + 1):
                return best
            search.lengths[below + 1] = 0
            if cell & wins != 0:
                search.leaves += 1
                value = win_points(setup, ply + 1)
            elif occupied | cell == setup.board:
                search.leaves += 1
                value = 0
            else:
                low, high = (-beta, -lower) if setup.prune else (-INFINITE, INFINITE)
                value = -_negamax(setup, search, opp, own | cell, depth - 1, ply + 1, low, high)
            if search.stopped:
                return best
            if value > best:
                best, best_cell = value, cell
                if best > alpha:
                    lower = max(lower, best)
                    update_line(search, below, cell)
                    if best >= beta and setup.prune:
                        search.cutoffs += 1
                        update_history(setup, search, cell, depth, seat)
                        break
    if setup.use_tt and not search.stopped:
        bound = UPPER if best <= alpha else LOWER if best >= beta else EXACT
        store(search, slot, key_own, key_opp, depth, bound, best, tt_move_of(setup, image, best_cell))
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
    """Search the root moves ``cells`` in their order, ``depth`` ≥ 1 plies deep; returns how many were finished.

    ``values[i]`` is exact if it is above the values before it, else an upper bound; with PROVEN the window begins one
    point below the best, so that a value equal to the best is exact too; with FULL all values are exact.
    ``lines[i]`` is the expected play in cells' bit indices, ended by −1.
    """
    occupied, seat = own | opp, ply & 1
    wins = winning_cells(own, setup.k, setup.stride, setup.board)
    narrow = setup.prune and setup.root != FULL
    margin = 1 if setup.root == PROVEN else 0
    search.root_ply = ply
    best = low = -INFINITE
    for i in range(len(cells)):
        cell = cells[i]
        if not visit(search, 1):
            return i
        search.lengths[0] = 0
        search.lengths[1] = 0
        if cell & wins != 0:
            search.leaves += 1
            value = win_points(setup, ply + 1)
        elif occupied | cell == setup.board:
            search.leaves += 1
            value = 0
        elif depth == 1:
            search.leaves += 1
            value = -leaf_points(setup, opp, own | cell, 1 - seat)
        else:
            high = margin - best if narrow and best > low else -low
            value = -_negamax(setup, search, opp, own | cell, depth - 1, ply + 1, low, high)
        if search.stopped:
            return i
        values[i] = value
        best = max(best, value)
        write_line(search, cell, lines, i)
    return len(cells)


def new_search(tt_entries: int = 1) -> SearchState:
    """Return the state of a search with a transposition table of this size, a power of two."""
    search = SearchState()
    search.tt, search.stop = array_of(Entry, tt_entries), np.zeros(1, np.int64)
    return search


def smallest() -> tuple[SearchSetup, SearchState, int, int, int, int, Ints, Ints, Ints]:
    """Return the arguments of a call that does nothing."""
    none = np.zeros(0, dtype=np.int64)
    return SearchSetup(), new_search(), 0, 0, 1, 0, none, none, np.zeros((1, MAX_BITS + 1), dtype=np.int64)


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    search_root(*smallest())
