"""Minimax and alpha–beta, compiled: one search for any game and evaluator, its improvements switched by the setup.

Values are points for the side to move. A win is worth the same whichever moves led to it (it is scored by the stones on
the board), and leaves are valued by the position alone: so every order of moves, and a table, give the same decision.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS
from inarow.kernels.alphabeta.counting import STOPPED, count_cutoff, count_leaf, visit
from inarow.kernels.alphabeta.ordering import HISTORY, put_in_order, remember_cutoff
from inarow.kernels.alphabeta.transposition import (
    EXACT,
    LOWER,
    NO_HINT,
    UPPER,
    WORDS,
    canonical,
    hint_of,
    place,
    recall,
    store,
)
from inarow.kernels.common import search_layout
from inarow.kernels.common.board import lowest, playable, popcount, winning_cells
from inarow.kernels.common.evaluate import evaluate
from inarow.kernels.lang.jit import kernel

Ints = NDArray[np.int64]

INFINITE = 1 << 60

# Where a search keeps its own data in ``work``, after the counters (see `counting`) and the history (see `ordering`).
ROOT_PLY = 8
GENERATION = 9
LENGTHS = HISTORY + 2 * 64
LINES = LENGTHS + 65
LISTS = LINES + 65 * 64
SCORES = LISTS + 64 * 64
SIZE = SCORES + 64 * 64


def win_points(setup: Ints, occupied: int, seat: int, ply: int) -> int:
    """Points of a win by the player in this seat, with ``ply`` stones on the board."""
    win: int = setup[search_layout.WIN + seat]
    if win == 0:
        cells = playable(
            occupied, setup[search_layout.BOTTOM], setup[search_layout.BOARD], setup[search_layout.GRAVITY] != 0
        )
        return search_layout.POINTS * (popcount(cells) + 1)
    points: int = win - setup[search_layout.SOONER] * ply
    return points


def leaf_points(setup: Ints, mover: int, waiter: int, seat: int) -> int:
    """Points of a leaf for the player in this seat, who is to move there; evaluated as SWAP and SIGN say."""
    own, other = mover, waiter
    if setup[search_layout.SWAP + seat] != 0:
        own, other = waiter, mover
    points: int = setup[search_layout.SIGN + seat] * evaluate(setup, own, other)
    return points


def begin_line(work: Ints, below: int, cell: int) -> None:
    """The expected play from here is this move and what is expected after it."""
    at = LINES + 64 * below
    work[at] = lowest(cell)
    length = work[LENGTHS + below + 1]
    for i in range(length):
        work[at + 1 + i] = work[at + 64 + i]
    work[LENGTHS + below] = length + 1


def write_line(work: Ints, cell: int, lines: Ints, row: int) -> None:
    """Write the expected play from the root through this cell, as bit indices ended by −1."""
    begin_line(work, 0, cell)
    length = work[LENGTHS]
    for j in range(length):
        lines[row, j] = work[LINES + j]
    lines[row, length] = -1


def _last_ply(mover: int, waiter: int, ply: int, alpha: int, beta: int, setup: Ints, work: Ints, flag: Ints) -> int:
    """The value of a position one ply above the horizon: all its children are leaves."""
    board = setup[search_layout.BOARD]
    occupied = mover | waiter
    legal = playable(occupied, setup[search_layout.BOTTOM], board, setup[search_layout.GRAVITY] != 0)
    wins = winning_cells(mover, setup[search_layout.K], setup[search_layout.STRIDE], board) & legal
    at_once = wins if setup[search_layout.ORDERING] == search_layout.THREATS else 0
    seat = ply & 1
    below = ply - work[ROOT_PLY]
    work[LENGTHS + below] = 0
    work[LENGTHS + below + 1] = 0
    best = -INFINITE
    for part in range(2):
        cells = at_once if part == 0 else legal & ~at_once
        if cells == 0:
            continue
        for i in range(setup[search_layout.MOVES]):
            cell = cells & setup[search_layout.ORDER + i]
            if cell == 0:
                continue
            if not visit(work, flag, below + 1):
                return best
            count_leaf(work)
            if cell & wins != 0:
                value = win_points(setup, occupied | cell, seat, ply + 1)
            elif occupied | cell == board:
                value = 0
            else:
                value = -leaf_points(setup, waiter, mover | cell, 1 - seat)
            if value > best:
                best = value
                if best > alpha:
                    begin_line(work, below, cell)
                    if best >= beta and setup[search_layout.PRUNE] != 0:
                        count_cutoff(work)
                        return best
    return best


def _value(
    mover: int,
    waiter: int,
    depth: int,
    ply: int,
    alpha: int,
    beta: int,
    setup: Ints,
    work: Ints,
    table: Ints,
    flag: Ints,
) -> int:
    """The value of an unfinished position, ``depth`` ≥ 1 plies above the horizon.

    Exact if it is between alpha and beta; an upper bound if it is at most alpha, a lower bound if it is at least beta.
    """
    board = setup[search_layout.BOARD]
    occupied = mover | waiter
    prune = setup[search_layout.PRUNE] != 0
    below = ply - work[ROOT_PLY]
    work[LENGTHS + below] = 0
    slot, image, hint = 0, 0, NO_HINT
    key_mover, key_waiter = mover, waiter
    if setup[search_layout.TABLE] != 0:
        if setup[search_layout.SYMMETRY] != 0:
            key_mover, key_waiter, image = canonical(setup, mover, waiter)
        slot = place(table, key_mover, key_waiter)
        known, bound, value, hint = recall(table, slot, key_mover, key_waiter, work[GENERATION], depth)
        if known and (bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)):
            return value
    best, best_cell, lower = -INFINITE, 0, alpha
    if depth == 1:
        best = _last_ply(mover, waiter, ply, alpha, beta, setup, work, flag)
    else:
        legal = playable(occupied, setup[search_layout.BOTTOM], board, setup[search_layout.GRAVITY] != 0)
        wins = winning_cells(mover, setup[search_layout.K], setup[search_layout.STRIDE], board) & legal
        at = LISTS + 64 * below
        count = put_in_order(setup, work, at, SCORES + 64 * below, mover, waiter, legal, wins, hint, image, ply & 1)
        for i in range(count):
            cell = work[at + i]
            if not visit(work, flag, below + 1):
                return best
            work[LENGTHS + below + 1] = 0
            if cell & wins != 0:
                count_leaf(work)
                value = win_points(setup, occupied | cell, ply & 1, ply + 1)
            elif occupied | cell == board:
                count_leaf(work)
                value = 0
            else:
                low, high = (-beta, -lower) if prune else (-INFINITE, INFINITE)
                value = -_value(waiter, mover | cell, depth - 1, ply + 1, low, high, setup, work, table, flag)
            if work[STOPPED] != 0:
                return best
            if value > best:
                best, best_cell = value, cell
                if best > alpha:
                    lower = max(lower, best)
                    begin_line(work, below, cell)
                    if best >= beta and prune:
                        count_cutoff(work)
                        remember_cutoff(setup, work, cell, depth, ply & 1)
                        break
    if setup[search_layout.TABLE] != 0 and work[STOPPED] == 0:
        bound = UPPER if best <= alpha else LOWER if best >= beta else EXACT
        hint = hint_of(setup, image, best_cell)
        store(table, slot, key_mover, key_waiter, work[GENERATION], depth, bound, best, hint)
    return best


@kernel
def search_root(
    mover: int,
    waiter: int,
    depth: int,
    ply: int,
    setup: Ints,
    work: Ints,
    table: Ints,
    flag: Ints,
    cells: Ints,
    values: Ints,
    lines: Ints,
) -> int:
    """Search the root moves ``cells`` in their order, ``depth`` ≥ 1 plies deep; returns how many were finished.

    ``values[i]`` is exact if it is above the values before it, else an upper bound; with PROVEN the window begins one
    point below the best, so that a value equal to the best is exact too; with FULL all values are exact.
    ``lines[i]`` is the expected play in cells' bit indices, ended by −1.
    """
    board = setup[search_layout.BOARD]
    occupied = mover | waiter
    wins = winning_cells(mover, setup[search_layout.K], setup[search_layout.STRIDE], board)
    narrow = setup[search_layout.PRUNE] != 0 and setup[search_layout.ROOT] != search_layout.FULL
    margin = 1 if setup[search_layout.ROOT] == search_layout.PROVEN else 0
    work[ROOT_PLY] = ply
    best = low = -INFINITE
    for i in range(len(cells)):
        cell = cells[i]
        if not visit(work, flag, 1):
            return i
        work[LENGTHS] = 0
        work[LENGTHS + 1] = 0
        if cell & wins != 0:
            count_leaf(work)
            value = win_points(setup, occupied | cell, ply & 1, ply + 1)
        elif occupied | cell == board:
            count_leaf(work)
            value = 0
        elif depth == 1:
            count_leaf(work)
            value = -leaf_points(setup, waiter, mover | cell, 1 - (ply & 1))
        else:
            high = margin - best if narrow and best > low else -low
            value = -_value(waiter, mover | cell, depth - 1, ply + 1, low, high, setup, work, table, flag)
        if work[STOPPED] != 0:
            return i
        values[i] = value
        best = max(best, value)
        write_line(work, cell, lines, i)
    return len(cells)


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    setup = np.zeros(search_layout.SIZE, dtype=np.int64)
    work = np.zeros(SIZE, dtype=np.int64)
    few = np.zeros(WORDS, dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    search_root(0, 0, 1, 0, setup, work, few, few, none, none, np.zeros((1, MAX_BITS + 1), dtype=np.int64))
