"""The exact score of a position with gravity: null-window negamax on bitboards with a table of proven bounds.

Scores are for the side to move: the stones that the winner still has in hand before its winning move. With n stones on
the board of c cells, a win with the next stone scores (c + 1 − n) // 2, one by the other side with the stone after it
−(c − n) // 2, and so on.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inarow.bits import fours, has_line, lowest, popcount, winning_cells
from inarow.kernels.lang.jit import kernel, prefetch, runs_at_once
from inarow.kernels.lang.records import Array
from inarow.kernels.solver import solver_table as tt
from inarow.kernels.solver.parity_bound import NO_BOUND, follow_up
from inarow.kernels.solver.questions import answered, next_question
from inarow.kernels.solver.state import STAGE_SHIFT, Limited, Move, Search
from inarow.stopping import raised

Ints = NDArray[np.int64]

ABORTED = 1000
INTERVAL = 1000
"""Nodes between two looks at the stop flag."""
OVER = -1
LIFT = 128
TT_MOVE = 1 << 40
THREAT = 128
"""What a winning cell counts in the order of moves, against one cut-off in the history."""
NARROW = 3
"""Parity proves scores near 0 only: it is asked where the window is not further away than this."""


def wins_of(own: int, k: int, stride: int, board: int) -> int:
    """The winning cells of a side, taken or not; not all of those below its own stones, where no cell is free."""
    if k == 4 and stride < 20:
        up = (own << 1) & (own << 2) & (own << 3)
        return (up | fours(own, stride - 1) | fours(own, stride) | fours(own, stride + 1)) & board
    return winning_cells(own, k, stride, board)


def may_visit(search: Limited) -> bool:
    """Count a node, unless a limit is reached: then False."""
    nodes = search.nodes
    if nodes >= search.look:
        if nodes >= search.limit or raised(search.stop) != 0:
            search.stopped = True
            return False
        search.look = min(search.limit, nodes + INTERVAL)
    search.nodes = nodes + 1
    return True


def _update_history(history: Ints, moves: Array[Move], index: int) -> None:
    """Update the history: the move of this index cut off, those before it did not."""
    if index == 0:
        return
    history[lowest(moves[index].move)] += index
    for i in range(index):
        if moves[i].move != 0:
            history[lowest(moves[i].move)] -= 1


def _insert(moves: Array[Move], count: int, worth: int, move: int, wins: int) -> None:
    """Put a move, with the winning cells that it leaves its player, into the list in descending order of worth."""
    at = count
    while at > 0 and moves[at - 1].worth < worth:
        moves[at] = moves[at - 1]
        at -= 1
    moves[at].worth = worth
    moves[at].move = move
    moves[at].wins = wins


def _search(search: Search, own: int, occupied: int, theirs: int, mine: int, ply: int, alpha: int) -> int:
    """Whether the score is more than alpha: returns a proven bound on that side of it (ABORTED at a limit).

    ``mine`` and ``theirs`` are the free winning cells; the mover can't win with this stone.
    """
    cells = search.cells
    stride, board, k = search.stride, search.board, search.k
    direct = (occupied + search.bottom) & board
    possible = direct & ~(theirs >> 1)
    forced = direct & theirs
    if forced != 0:
        if forced & (forced - 1) != 0:
            return -((cells - ply) // 2)
        possible &= forced
    if possible == 0:
        return -((cells - ply) // 2)
    if ply >= cells - 2:
        return 0
    low = -((cells - 2 - ply) // 2)
    if low > alpha:
        return low
    high = (cells - 1 - ply) // 2
    if high <= alpha:
        return high
    known = ply & 1 == 0 and ply < search.tt_until and forced == 0
    code, tt_move = 0, 0
    if known:
        code = tt.scattered(search, own + occupied, ply)
        word = tt.probe(search, code)
        if word != 0:
            low = max(low, tt.low_of(word))
            if low > alpha:
                return low
            high = min(high, tt.high_of(word))
            if high <= alpha:
                return high
            tt_move = tt.tt_move_of(word)
    # At odd plies the table is asked about every child instead: one of them may cut off without a search.
    ask = ply & 1 == 1 and ply + 1 < search.tt_until
    opp = occupied ^ own
    moves = search.moves[ply]
    history = search.history[2 * (ply >> STAGE_SHIFT) + (ply & 1)]
    count = 0
    left = possible
    while left != 0:
        move = left & -left
        left ^= move
        now = occupied | move
        wins = wins_of(own | move, k, stride, board) & ~now
        open_cells = (direct ^ move) | ((move << 1) & board)
        threats = wins & open_cells
        # The other side loses at once if it faces two threats, or one below another, or has no safe move left.
        if threats & (threats - 1) != 0 or threats & (wins >> 1) != 0 or open_cells & ~(wins >> 1) == 0:
            return high
        if ask:
            prefetch(search.tt, tt.slot_of(search, tt.scattered(search, opp + now, ply + 1)))
        worth = popcount(wins) * THREAT + history[lowest(move)]
        if move == tt_move:
            worth += TT_MOVE
        _insert(moves, count, worth, move, wins)
        count += 1
    # No move wins so quickly: the best that is left is two stones later.
    high = min(high, (cells - 1 - ply) // 2 - 1)
    if high <= alpha:
        return high
    if alpha < NARROW and ply >= search.parity_from:
        for i in range(count):
            move = moves[i].move
            open_cells = (direct ^ move) | ((move << 1) & board)
            bound, _ = follow_up(search, opp, occupied | move, open_cells, moves[i].wins)
            if -bound > alpha:
                return -bound
    begun = search.nodes
    best = -NO_BOUND
    if ask and count > 1:
        for i in range(count):
            word = tt.probe(search, tt.scattered(search, opp + (occupied | moves[i].move), ply + 1))
            if word != 0:
                if -tt.high_of(word) > alpha:
                    return -tt.high_of(word)
                if -tt.low_of(word) <= alpha:  # known not to be enough
                    best = max(best, -tt.low_of(word))
                    moves[i].move = 0
    best_cell = tt.NO_MOVE if tt_move == 0 else lowest(tt_move)
    for i in range(count):
        move, wins = moves[i].move, moves[i].wins
        if move == 0:
            continue
        if not may_visit(search):
            return ABORTED
        score = -_search(search, opp, occupied | move, wins, theirs & ~move, ply + 1, -alpha - 1)
        if score == -ABORTED:
            return ABORTED
        best = max(best, score)
        if score > alpha:
            _update_history(history, moves, i)
            best_cell = lowest(move)
            break
    if known:
        if best > alpha:
            low = best
        else:
            high = best
        tt.store(search, code, low, high, search.nodes - begun, best_cell)
    return best


def _narrow(search: Search, own: int, occupied: int, ply: int, low: int, high: int) -> None:
    """Ask until the bounds low ≤ score ≤ high meet or a limit is reached; they are left in the record.

    The low and high given need not be proven: of a score outside them the nearer one is reported.
    """
    stride, board, k, cells = search.stride, search.board, search.k, search.cells
    mine = wins_of(own, k, stride, board) & ~occupied
    theirs = wins_of(occupied ^ own, k, stride, board) & ~occupied
    if mine & (occupied + search.bottom) != 0:
        low = high = (cells + 1 - ply) // 2
    low = max(low, -((cells - ply) // 2))
    high = min(high, max(low, (cells - 1 - ply) // 2))
    floor, ceiling = low, high
    asked = 0
    while low < high:
        question = next_question(low, high, asked, cells // 6)
        asked += 1
        score = _search(search, own, occupied, theirs, mine, ply, question)
        if score == ABORTED:
            break
        low, high = answered(low, high, question, score)
        search.low, search.high = low, high  # for whoever watches
    search.low = min(low, ceiling)
    search.high = max(high, floor)


@kernel
def solve(search: Search, own: int, occupied: int, low: int, high: int, limit: int) -> int:
    """Narrow the bounds low ≤ score ≤ high until they meet or ``limit`` nodes are visited; OVER if the game is over.

    ``own`` are the stones of the side to move. The answer is one word, from the top: nodes, low + LIFT and high + LIFT
    in eight bits each; they are left in the record, too.
    """
    k, stride = search.k, search.stride
    if occupied == search.board or has_line(own, k, stride) or has_line(occupied ^ own, k, stride):
        return OVER
    search.nodes = 0
    search.look = 0
    search.stopped = False
    search.limit = limit
    _narrow(search, own, occupied, popcount(occupied), low, high)
    return (search.nodes << 16) | ((search.low + LIFT) << 8) | (search.high + LIFT)


@functools.cache
def smallest() -> tuple[Search, int, int, int, int, int]:
    """Return the arguments of a call that does nothing."""
    search = Search()
    search.tt = search.stop = np.zeros(1, np.int64)
    return search, 0, 0, 0, 0, 0


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    solve(*smallest())


def is_compiled() -> bool:
    """Whether it needs no compiling."""
    return runs_at_once(solve, *smallest())
