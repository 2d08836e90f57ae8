"""Minimax and alpha–beta with an n-tuple network as the evaluator, compiled; otherwise like `search`.

A separate kernel, so that searches without a network don't wait for it to be compiled. The network's indices follow
the search move by move; where a child is the horizon, only what its stone changes is summed anew (see `ntuple.points`).
"""

from __future__ import annotations

import functools

from inarow.kernels.alphabeta.ordering import order_moves, update_history
from inarow.kernels.alphabeta.search import INFINITE, smallest, win_points
from inarow.kernels.alphabeta.state import SearchState, update_line, visit, write_line
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
from inarow.kernels.common.setup import FULL, PROVEN, THREATS, SearchSetup
from inarow.kernels.lang.jit import kernel
from inarow.kernels.ntuple.arguments import Ints, Net, Stones, Work
from inarow.kernels.ntuple.network import unit_of
from inarow.kernels.ntuple.points import hold_weights, move_points, put_stone, smallest_whole, take_stone


def _stones(setup: SearchSetup, own: int, opp: int, wins: int) -> Stones:
    """Return the stones of both sides with their winning cells; ``wins`` are those of the side to move."""
    return Stones(own, opp, wins, winning_cells(opp, setup.k, setup.stride, setup.board))


def _order_last(setup: SearchSetup, search: SearchState, below: int, legal: int, wins: int) -> int:
    """Write the legal cells one ply above the horizon to their list; returns how many. Wins come first where the search
    orders moves by threats."""
    moves = search.moves[below]
    first = wins if setup.ordering == THREATS else 0
    count = 0
    for part in range(2):
        cells = first if part == 0 else legal & ~first
        for i in range(setup.moves):
            cell = cells & setup.order[i]
            if cell != 0:
                moves[count].cell = cell
                count += 1
    return count


def _negamax(
    setup: SearchSetup,
    search: SearchState,
    own: int,
    opp: int,
    depth: int,
    ply: int,
    alpha: int,
    beta: int,
    net: Net,
    board: Work,
) -> int:
    """Return the value of an unfinished position, ``depth`` ≥ 1 plies above the horizon; a bound if it is not between
    alpha and beta. ``board`` holds the position."""
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
    legal = playable(occupied, setup.bottom, setup.board, setup.gravity)
    wins = winning_cells(own, setup.k, setup.stride, setup.board) & legal
    stones = _stones(setup, own, opp, wins) if depth == 1 else Stones(own, opp, wins, 0)
    held_sum = hold_weights(net, board, 1 - seat) if depth == 1 else 0
    moves = search.moves[below]
    if depth == 1:
        count = _order_last(setup, search, below, legal, wins)
    else:
        count = order_moves(setup, search, below, own, opp, legal, wins, tt_move, image, seat)
    best, best_cell, lower = -INFINITE, 0, alpha
    for i in range(count):
        cell = moves[i].cell
        if not visit(search, below + 1):
            return best
        search.lengths[below + 1] = 0
        if cell & wins != 0 or occupied | cell == setup.board or depth == 1:
            search.leaves += 1
            if cell & wins != 0:
                value = win_points(setup, ply + 1)
            elif occupied | cell == setup.board:
                value = 0
            else:
                value = move_points(net, board, stones, cell, seat, held_sum)
        else:
            low, high = (-beta, -lower) if setup.prune else (-INFINITE, INFINITE)
            unit = unit_of(net, cell)
            content = put_stone(net, board, unit, seat)
            value = -_negamax(setup, search, opp, own | cell, depth - 1, ply + 1, low, high, net, board)
            take_stone(net, board, unit, seat, content)
        if search.stopped:
            return best
        if value > best:
            best, best_cell = value, cell
            if best > alpha:
                lower = max(lower, best)
                update_line(search, below, cell)
                if best >= beta and setup.prune:
                    search.cutoffs += 1
                    if depth > 1:
                        update_history(setup, search, cell, depth, seat)
                    break
    if setup.use_tt:
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
    net: Net,
    board: Work,
) -> int:
    """Search the root moves ``cells`` in their order; the same promises as `alphabeta.search.search_root`. ``board``
    holds the position, before and after."""
    occupied, seat = own | opp, ply & 1
    wins = winning_cells(own, setup.k, setup.stride, setup.board)
    narrow = setup.prune and setup.root != FULL
    margin = 1 if setup.root == PROVEN else 0
    search.root_ply = ply
    stones = _stones(setup, own, opp, wins)
    held_sum = hold_weights(net, board, 1 - seat) if depth == 1 else 0
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
            value = move_points(net, board, stones, cell, seat, held_sum)
        else:
            high = margin - best if narrow and best > low else -low
            unit = unit_of(net, cell)
            content = put_stone(net, board, unit, seat)
            value = -_negamax(setup, search, opp, own | cell, depth - 1, ply + 1, low, high, net, board)
            take_stone(net, board, unit, seat, content)
        if search.stopped:
            return i
        values[i] = value
        best = max(best, value)
        write_line(search, cell, lines, i)
    return len(cells)


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    search_root(*smallest(), *smallest_whole())
