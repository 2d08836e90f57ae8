"""The exact score of a position on a board without gravity: null-window negamax for small boards.

A position needs both sides' stones as its key. An entry of the table is three words: the stones of the side to move,
all stones, and both bounds with the generation that wrote them. The third is combined with a hash of the first two by
exclusive or: threads share the table without a lock, and of an entry that two of them wrote at once the generation
is not readable.
"""

from __future__ import annotations

import functools

from inarow.kernels.common.board import has_line, mix, plus, popcount, times, winning_cells
from inarow.kernels.lang.jit import kernel, runs_at_once
from inarow.kernels.solver.questions import answered, next_question
from inarow.kernels.solver.solve import ABORTED, may_visit, smallest
from inarow.kernels.solver.state import Search
from inarow.randomness import MIX_A

WORDS = 3
NOTHING = -100


def _search(search: Search, own: int, occupied: int, alpha: int) -> int:
    """Whether the score is more than alpha: a proven bound on that side of it; the game is not over."""
    board, k, stride = search.board, search.k, search.stride
    cells: int = search.cells
    ply = popcount(occupied)
    empty = board & ~occupied
    if winning_cells(own, k, stride, board) & empty != 0:
        return (cells + 1 - ply) // 2
    if ply == cells - 1:
        return 0
    opp = occupied ^ own
    possible = winning_cells(opp, k, stride, board) & empty
    if possible & (possible - 1) != 0:
        return -((cells - ply) // 2)
    if possible == 0:
        possible = empty
    low: int = -((cells - 2 - ply) // 2)
    high: int = (cells - 1 - ply) // 2
    if not has_line(own | empty, k, stride):
        high = min(high, 0)
    if not has_line(opp | empty, k, stride):
        low = max(low, 0)
    if low > alpha:
        return low
    if high <= alpha:
        return high
    key = mix(plus(times(own, MIX_A), occupied))
    slot = (key % (len(search.tt) // WORDS)) * WORDS
    generation = search.generation
    bounds = search.tt[slot + 2] ^ key
    if search.tt[slot] == own and search.tt[slot + 1] == occupied and bounds >> 16 == generation:
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
            threats = popcount(winning_cells(own | move, k, stride, board) & empty & ~move)
            if min(threats, 2) != wanted:
                continue
            if not may_visit(search):
                return ABORTED
            score = -_search(search, opp, occupied | move, -alpha - 1)
            if score == -ABORTED:
                return ABORTED
            best = max(best, score)
    if best > alpha:
        low = best
    else:
        high = best
    search.tt[slot] = own
    search.tt[slot + 1] = occupied
    search.tt[slot + 2] = ((generation << 16) | ((low + 128) << 8) | (high + 128)) ^ key
    return best


@kernel
def solve_free(search: Search, own: int, occupied: int, ply: int, low: int, high: int) -> None:
    """Narrow the bounds low ≤ score ≤ high until they meet or a limit is reached; they are left in the record."""
    cells = search.cells
    low = max(low, -((cells - ply) // 2))
    high = min(high, (cells + 1 - ply) // 2)
    floor, ceiling = low, high
    asked = 0
    while low < high:
        question = next_question(low, high, asked, cells // 6)
        asked += 1
        score = _search(search, own, occupied, question)
        if score == ABORTED:
            break
        low, high = answered(low, high, question, score)
    search.low = min(low, ceiling)
    search.high = max(high, floor)


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    solve_free(*smallest())


def is_compiled() -> bool:
    """Whether it needs no compiling."""
    return runs_at_once(solve_free, *smallest())
