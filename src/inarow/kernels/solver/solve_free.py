"""The exact score of a position on a board without gravity: null-window negamax for small boards.

A position needs both sides' stones as its key. An entry of the table is three words: the stones of the side to move,
all stones, and both bounds with the generation that wrote them. The third is combined with a hash of the first two by
exclusive or: threads share the table without a lock, and of an entry that two of them wrote at once the generation
is not readable.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.board import has_line, mix, plus, popcount, times, winning_cells
from inarow.kernels.lang.jit import kernel, runs_at_once
from inarow.kernels.lang.pointers import handle
from inarow.kernels.solver import solver_layout as memory
from inarow.kernels.solver.questions import answered, next_question
from inarow.kernels.solver.solve import ABORTED, may_visit
from inarow.randomness import MIX_A

Ints = NDArray[np.int64]

WORDS = 3
NOTHING = -100


def _search(work: Ints, table: Ints, flag: Ints, stones: int, occupied: int, alpha: int) -> int:
    """Whether the score is more than alpha: a proven bound on that side of it; the game is not over."""
    board, k, stride = work[memory.BOARD], work[memory.K], work[memory.STRIDE]
    cells: int = work[memory.CELLS]
    ply = popcount(occupied)
    empty = board & ~occupied
    if winning_cells(stones, k, stride, board) & empty != 0:
        return (cells + 1 - ply) // 2
    if ply == cells - 1:
        return 0
    waiter = occupied ^ stones
    possible = winning_cells(waiter, k, stride, board) & empty
    if possible & (possible - 1) != 0:
        return -((cells - ply) // 2)
    if possible == 0:
        possible = empty
    low: int = -((cells - 2 - ply) // 2)
    high: int = (cells - 1 - ply) // 2
    if not has_line(stones | empty, k, stride):
        high = min(high, 0)
    if not has_line(waiter | empty, k, stride):
        low = max(low, 0)
    if low > alpha:
        return low
    if high <= alpha:
        return high
    key = mix(plus(times(stones, MIX_A), occupied))
    slot = (key % (len(table) // WORDS)) * WORDS
    generation = work[memory.GENERATION]
    bounds = table[slot + 2] ^ key
    if table[slot] == stones and table[slot + 1] == occupied and bounds >> 16 == generation:
        low = max(low, ((bounds >> 8) & 255) - 128)
        high = min(high, (bounds & 255) - 128)
        if low > alpha:
            return low
        if high <= alpha:
            return high
    best = NOTHING
    # Moves that make the most threats first.
    for wanted in range(2, -1, -1):
        left = possible
        while left != 0 and best <= alpha:
            move = left & -left
            left ^= move
            threats = popcount(winning_cells(stones | move, k, stride, board) & empty & ~move)
            if min(threats, 2) != wanted:
                continue
            if not may_visit(handle(work), handle(flag)):
                return ABORTED
            score = -_search(work, table, flag, waiter, occupied | move, -alpha - 1)
            if score == -ABORTED:
                return ABORTED
            best = max(best, score)
    if best > alpha:
        low = best
    else:
        high = best
    table[slot] = stones
    table[slot + 1] = occupied
    table[slot + 2] = ((generation << 16) | ((low + 128) << 8) | (high + 128)) ^ key
    return best


@kernel
def solve_free(work: Ints, table: Ints, flag: Ints, stones: int, occupied: int, ply: int, low: int, high: int) -> None:
    """Narrow the bounds low ≤ score ≤ high until they meet or a limit is reached; they are left in ``work``."""
    cells = work[memory.CELLS]
    low = max(low, -((cells - ply) // 2))
    high = min(high, (cells + 1 - ply) // 2)
    floor, ceiling = low, high
    asked = 0
    while low < high:
        question = next_question(low, high, asked, cells // 6)
        asked += 1
        score = _search(work, table, flag, stones, occupied, question)
        if score == ABORTED:
            break
        low, high = answered(low, high, question, score)
    work[memory.LOW] = min(low, ceiling)
    work[memory.HIGH] = max(high, floor)


_WORK = np.zeros(memory.SIZE, dtype=np.int64)
_SMALLEST = _WORK, _WORK, _WORK, 0, 0, 0, 0, 0


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    solve_free(*_SMALLEST)


def is_compiled() -> bool:
    """Whether it needs no compiling."""
    return runs_at_once(solve_free, *_SMALLEST)
