"""The exact score of a position with gravity: null-window negamax on bitboards with a table of proven bounds.

Scores are for the side to move: the stones that the winner still has in hand before its winning move. With n stones on
the board of c cells, a win with the next stone scores (c + 1 − n) // 2, one by the other side with the stone after it
−(c − n) // 2, and so on.
"""

from __future__ import annotations

import functools

import numpy as np

from inarow.kernels.common.board import fours, has_line, lowest, popcount, winning_cells
from inarow.kernels.lang.jit import kernel, runs_at_once
from inarow.kernels.lang.pointers import handle, peek, poke, prefetch
from inarow.kernels.solver import solver_layout as memory
from inarow.kernels.solver import solver_table
from inarow.kernels.solver.parity_bound import NO_BOUND, follow_up_bound
from inarow.kernels.solver.questions import answered, next_question

ABORTED = 1000
INTERVAL = 1000
"""Nodes between two looks at the stop flag."""
OVER = -1
LIFT = 128
HINTED = 1 << 40
THREAT = 128
"""What a winning cell counts in the order of moves, against one cut-off in the history."""
NARROW = 3
"""Parity proves scores near 0 only: it is asked where the window is not further away than this."""


def wins_of(stones: int, k: int, stride: int, board: int) -> int:
    """The winning cells of a side, taken or not; not all of those below its own stones, where no cell is free."""
    if k == 4 and stride < 20:
        up = (stones << 1) & (stones << 2) & (stones << 3)
        return (up | fours(stones, stride - 1) | fours(stones, stride) | fours(stones, stride + 1)) & board
    return winning_cells(stones, k, stride, board)


def may_visit(m: int, stop: int) -> bool:
    """Count a node, unless a limit is reached: then False."""
    nodes = peek(m, memory.NODES)
    if nodes >= peek(m, memory.LOOK):
        if nodes >= peek(m, memory.LIMIT) or peek(stop, 0) != 0:
            poke(m, memory.STOPPED, 1)
            return False
        poke(m, memory.LOOK, min(peek(m, memory.LIMIT), nodes + INTERVAL))
    poke(m, memory.NODES, nodes + 1)
    return True


def _history_of(ply: int) -> int:
    """Where the history of a ply's stage and player begins, a word per cell."""
    stage, player = ply >> memory.STAGE_SHIFT, ply & 1
    return memory.HISTORY + (2 * stage + player) * memory.CELL_WORDS


def _update_history(m: int, history: int, moves: int, index: int) -> None:
    """Update the history: the move of this index cut off, those before it did not."""
    if index == 0:
        return
    at = history + lowest(peek(m, moves + memory.ENTRY * index + memory.MOVE))
    poke(m, at, peek(m, at) + index)
    for i in range(index):
        move = peek(m, moves + memory.ENTRY * i + memory.MOVE)
        if move != 0:
            at = history + lowest(move)
            poke(m, at, peek(m, at) - 1)


def _insert(m: int, moves: int, count: int, worth: int, move: int, wins: int) -> None:
    """Put a move, with the winning cells that it leaves its player, into the list in descending order of worth."""
    at = moves + memory.ENTRY * count
    while at > moves and peek(m, at - memory.ENTRY + memory.WORTH) < worth:
        before = at - memory.ENTRY
        poke(m, at + memory.WORTH, peek(m, before + memory.WORTH))
        poke(m, at + memory.MOVE, peek(m, before + memory.MOVE))
        poke(m, at + memory.WINS, peek(m, before + memory.WINS))
        at = before
    poke(m, at + memory.WORTH, worth)
    poke(m, at + memory.MOVE, move)
    poke(m, at + memory.WINS, wins)


def _search(
    m: int, table: int, stop: int, stones: int, occupied: int, theirs: int, mine: int, ply: int, alpha: int
) -> int:
    """Whether the score is more than alpha: returns a proven bound on that side of it (ABORTED at a limit).

    ``mine`` and ``theirs`` are the free winning cells; the mover can't win with this stone.
    """
    cells = peek(m, memory.CELLS)
    stride, board, k = peek(m, memory.STRIDE), peek(m, memory.BOARD), peek(m, memory.K)
    direct = (occupied + peek(m, memory.BOTTOM)) & board
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
    known = ply & 1 == 0 and ply < peek(m, memory.TABLE_UNTIL) and forced == 0
    code, hint = 0, 0
    if known:
        code = solver_table.scattered(m, stones + occupied, ply)
        word = solver_table.recall(m, table, code)
        if word != 0:
            low = max(low, solver_table.low_of(word))
            if low > alpha:
                return low
            high = min(high, solver_table.high_of(word))
            if high <= alpha:
                return high
            hint = solver_table.hint_of(word)
    # At odd plies the table is asked about every child instead: one of them may cut off without a search.
    ask = ply & 1 == 1 and ply + 1 < peek(m, memory.TABLE_UNTIL)
    waiter = occupied ^ stones
    moves = memory.LISTS + ply * peek(m, memory.LIST)
    history = _history_of(ply)
    count = 0
    left = possible
    while left != 0:
        move = left & -left
        left ^= move
        now = occupied | move
        wins = wins_of(stones | move, k, stride, board) & ~now
        open_cells = (direct ^ move) | ((move << 1) & board)
        threats = wins & open_cells
        # The other side loses at once if it faces two threats, or one below another, or has no safe move left.
        if threats & (threats - 1) != 0 or threats & (wins >> 1) != 0 or open_cells & ~(wins >> 1) == 0:
            return high
        if ask:
            prefetch(table, solver_table.slot_of(m, solver_table.scattered(m, waiter + now, ply + 1)))
        worth = popcount(wins) * THREAT + peek(m, history + lowest(move))
        if move == hint:
            worth += HINTED
        _insert(m, moves, count, worth, move, wins)
        count += 1
    # No move wins so quickly: the best that is left is two stones later.
    high = min(high, (cells - 1 - ply) // 2 - 1)
    if high <= alpha:
        return high
    if alpha < NARROW and ply >= peek(m, memory.PARITY_FROM):
        for i in range(count):
            move = peek(m, moves + memory.ENTRY * i + memory.MOVE)
            open_cells = (direct ^ move) | ((move << 1) & board)
            bound = -follow_up_bound(
                m, waiter, occupied | move, open_cells, peek(m, moves + memory.ENTRY * i + memory.WINS)
            )
            if bound > alpha:
                return bound
    begun = peek(m, memory.NODES)
    best = -NO_BOUND
    if ask and count > 1:
        for i in range(count):
            now = occupied | peek(m, moves + memory.ENTRY * i + memory.MOVE)
            word = solver_table.recall(m, table, solver_table.scattered(m, waiter + now, ply + 1))
            if word != 0:
                if -solver_table.high_of(word) > alpha:
                    return -solver_table.high_of(word)
                if -solver_table.low_of(word) <= alpha:  # known not to be enough
                    best = max(best, -solver_table.low_of(word))
                    poke(m, moves + memory.ENTRY * i + memory.MOVE, 0)
    hint_kept = solver_table.NO_HINT if hint == 0 else lowest(hint)
    for i in range(count):
        move, wins = peek(m, moves + memory.ENTRY * i + memory.MOVE), peek(m, moves + memory.ENTRY * i + memory.WINS)
        if move == 0:
            continue
        if not may_visit(m, stop):
            return ABORTED
        score = -_search(m, table, stop, waiter, occupied | move, wins, theirs & ~move, ply + 1, -alpha - 1)
        if score == -ABORTED:
            return ABORTED
        best = max(best, score)
        if score > alpha:
            _update_history(m, history, moves, i)
            hint_kept = lowest(move)
            break
    if known:
        if best > alpha:
            low = best
        else:
            high = best
        solver_table.keep(m, table, code, low, high, peek(m, memory.NODES) - begun, hint_kept)
    return best


def _narrow(m: int, table: int, stop: int, stones: int, occupied: int, ply: int, low: int, high: int) -> None:
    """Ask until the bounds low ≤ score ≤ high meet or a limit is reached; they are left at LOW and HIGH.

    The low and high given need not be proven: of a score outside them the nearer one is reported.
    """
    stride, board, k, cells = peek(m, memory.STRIDE), peek(m, memory.BOARD), peek(m, memory.K), peek(m, memory.CELLS)
    mine = wins_of(stones, k, stride, board) & ~occupied
    theirs = wins_of(occupied ^ stones, k, stride, board) & ~occupied
    if mine & (occupied + peek(m, memory.BOTTOM)) != 0:
        low = high = (cells + 1 - ply) // 2
    low = max(low, -((cells - ply) // 2))
    high = min(high, max(low, (cells - 1 - ply) // 2))
    floor, ceiling = low, high
    asked = 0
    while low < high:
        question = next_question(low, high, asked, cells // 6)
        asked += 1
        score = _search(m, table, stop, stones, occupied, theirs, mine, ply, question)
        if score == ABORTED:
            break
        low, high = answered(low, high, question, score)
    poke(m, memory.LOW, min(low, ceiling))
    poke(m, memory.HIGH, max(high, floor))


@kernel
def solve(m: int, table: int, stop: int, stones: int, occupied: int, low: int, high: int, limit: int) -> int:
    """Narrow the bounds low ≤ score ≤ high until they meet or ``limit`` nodes are visited; OVER if the game is over.

    ``stones`` are those of the side to move. Arrays are given by their handles, which are quicker to pass. The answer
    is one word, from the top: nodes, low + LIFT and high + LIFT in eight bits each; they are left in the memory, too.
    """
    k, stride = peek(m, memory.K), peek(m, memory.STRIDE)
    if occupied == peek(m, memory.BOARD) or has_line(stones, k, stride) or has_line(occupied ^ stones, k, stride):
        return OVER
    poke(m, memory.NODES, 0)
    poke(m, memory.LOOK, 0)
    poke(m, memory.STOPPED, 0)
    poke(m, memory.LIMIT, limit)
    _narrow(m, table, stop, stones, occupied, popcount(occupied), low, high)
    return (peek(m, memory.NODES) << 16) | ((peek(m, memory.LOW) + LIFT) << 8) | (peek(m, memory.HIGH) + LIFT)


_WORK = np.zeros(memory.SIZE, dtype=np.int64)
_SMALLEST = handle(_WORK), handle(_WORK), handle(_WORK), 0, 0, 0, 0, 0


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    solve(*_SMALLEST)


def is_compiled() -> bool:
    """Whether it needs no compiling."""
    return runs_at_once(solve, *_SMALLEST)
