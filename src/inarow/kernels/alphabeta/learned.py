"""Minimax and alpha–beta with an n-tuple network as the evaluator, compiled; otherwise like `search`.

A separate kernel, so that searches without a network don't wait for it to be compiled. The network's indices follow
the search move by move; where a child is the horizon, only what its stone changes is summed anew (see `ntuple.points`).
"""

from __future__ import annotations

import functools

import numpy as np

from inarow.bits import MAX_BITS
from inarow.kernels.alphabeta.counting import STOPPED, count_cutoff, count_leaf, visit
from inarow.kernels.alphabeta.ordering import put_in_order, remember_cutoff
from inarow.kernels.alphabeta.search import (
    GENERATION,
    INFINITE,
    LENGTHS,
    LISTS,
    ROOT_PLY,
    SCORES,
    SIZE,
    begin_line,
    win_points,
    write_line,
)
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
from inarow.kernels.common.board import playable, winning_cells
from inarow.kernels.lang.jit import kernel
from inarow.kernels.ntuple.arguments import Ints, Net, Stones, Work
from inarow.kernels.ntuple.network import unit_of
from inarow.kernels.ntuple.points import hold_weights, move_points, put_stone, smallest_whole, take_stone


def _leaf_after(setup: Ints, net: Net, board: Work, stones: Stones, cell: int, seat: int, held_sum: int) -> int:
    """Points of a move to the horizon for the player in this seat, who makes it; evaluated as SWAP and SIGN say."""
    points = move_points(net, board, stones, cell, seat, held_sum)
    if setup[search_layout.SWAP + 1 - seat] == 0:  # the network's points for one side are those of the other, negated
        points = -points
    signed: int = -setup[search_layout.SIGN + 1 - seat] * points
    return signed


def _stones(setup: Ints, mover: int, waiter: int, wins: int) -> Stones:
    """The stones of both sides with their winning cells; ``wins`` are the mover's."""
    k, stride, board = setup[search_layout.K], setup[search_layout.STRIDE], setup[search_layout.BOARD]
    return Stones(mover, waiter, wins, winning_cells(waiter, k, stride, board))


def _last_list(setup: Ints, work: Ints, at: int, legal: int, wins: int) -> int:
    """Write the legal cells one ply above the horizon to ``work[at…]``, in their order; returns how many. Wins come
    first where the search orders moves by threats."""
    first = wins if setup[search_layout.ORDERING] == search_layout.THREATS else 0
    count = 0
    for part in range(2):
        cells = first if part == 0 else legal & ~first
        for i in range(setup[search_layout.MOVES]):
            cell = cells & setup[search_layout.ORDER + i]
            if cell != 0:
                work[at + count] = cell
                count += 1
    return count


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
    net: Net,
    board: Work,
) -> int:
    """The value of an unfinished position, ``depth`` ≥ 1 plies above the horizon; a bound if it is not between alpha
    and beta. ``board`` holds the position."""
    occupied, seat = mover | waiter, ply & 1
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
    cells = setup[search_layout.BOARD]
    legal = playable(occupied, setup[search_layout.BOTTOM], cells, setup[search_layout.GRAVITY] != 0)
    wins = winning_cells(mover, setup[search_layout.K], setup[search_layout.STRIDE], cells) & legal
    stones = _stones(setup, mover, waiter, wins) if depth == 1 else Stones(mover, waiter, wins, 0)
    held_sum = hold_weights(net, board, 1 - seat) if depth == 1 else 0
    at = LISTS + 64 * below
    if depth == 1:
        count = _last_list(setup, work, at, legal, wins)
    else:
        count = put_in_order(setup, work, at, SCORES + 64 * below, mover, waiter, legal, wins, hint, image, seat)
    best, best_cell, lower = -INFINITE, 0, alpha
    for i in range(count):
        cell = work[at + i]
        if not visit(work, flag, below + 1):
            return best
        work[LENGTHS + below + 1] = 0
        if cell & wins != 0 or occupied | cell == cells or depth == 1:
            count_leaf(work)
            if cell & wins != 0:
                value = win_points(setup, occupied | cell, seat, ply + 1)
            elif occupied | cell == cells:
                value = 0
            else:
                value = _leaf_after(setup, net, board, stones, cell, seat, held_sum)
        else:
            low, high = (-beta, -lower) if prune else (-INFINITE, INFINITE)
            unit = unit_of(net, cell)
            content = put_stone(net, board, unit, seat)
            value = -_value(
                waiter, mover | cell, depth - 1, ply + 1, low, high, setup, work, table, flag, net, board
            )  # fmt: skip
            take_stone(net, board, unit, seat, content)
        if work[STOPPED] != 0:
            return best
        if value > best:
            best, best_cell = value, cell
            if best > alpha:
                lower = max(lower, best)
                begin_line(work, below, cell)
                if best >= beta and prune:
                    count_cutoff(work)
                    if depth > 1:
                        remember_cutoff(setup, work, cell, depth, seat)
                    break
    if setup[search_layout.TABLE] != 0:
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
    net: Net,
    board: Work,
) -> int:
    """Search the root moves ``cells`` in their order; the same promises as `alphabeta.search.search_root`. ``board``
    holds the position, before and after."""
    full = setup[search_layout.BOARD]
    occupied, seat = mover | waiter, ply & 1
    wins = winning_cells(mover, setup[search_layout.K], setup[search_layout.STRIDE], full)
    narrow = setup[search_layout.PRUNE] != 0 and setup[search_layout.ROOT] != search_layout.FULL
    margin = 1 if setup[search_layout.ROOT] == search_layout.PROVEN else 0
    work[ROOT_PLY] = ply
    stones = _stones(setup, mover, waiter, wins)
    held_sum = hold_weights(net, board, 1 - seat) if depth == 1 else 0
    best = low = -INFINITE
    for i in range(len(cells)):
        cell = cells[i]
        if not visit(work, flag, 1):
            return i
        work[LENGTHS] = 0
        work[LENGTHS + 1] = 0
        if cell & wins != 0:
            count_leaf(work)
            value = win_points(setup, occupied | cell, seat, ply + 1)
        elif occupied | cell == full:
            count_leaf(work)
            value = 0
        elif depth == 1:
            count_leaf(work)
            value = _leaf_after(setup, net, board, stones, cell, seat, held_sum)
        else:
            high = margin - best if narrow and best > low else -low
            unit = unit_of(net, cell)
            content = put_stone(net, board, unit, seat)
            value = -_value(
                waiter, mover | cell, depth - 1, ply + 1, low, high, setup, work, table, flag, net, board
            )  # fmt: skip
            take_stone(net, board, unit, seat, content)
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
    lines = np.zeros((1, MAX_BITS + 1), dtype=np.int64)
    search_root(0, 0, 1, 0, setup, work, few, few, none, none, lines, *smallest_whole())
