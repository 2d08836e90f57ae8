"""The exact score of a misère position, with or without gravity: who completes a line loses.

A stone that completes a line of its own side ends the game, so a side plays one only if it has nothing else. Scores are
those of `kernels.solver.solve`, with the signs reversed: if the side to move must complete a line, its score is
−(c + 1 − n) // 2 with n stones on the board of c cells. The search is null-window negamax with the table of
`kernels.solver.solve_free`.

**Following up** (`_follow_up`), on boards with gravity. Let A be to move and B the other; claimed and contested cells
are those of `kernels.solver.solve`. If the number of contested cells is even, B answers each stone right above it, or
a contested cell by another one. Then A gets every cell that is not claimed, and B gets claimed ones only. Take a line
that B could complete in this way. If it is horizontal and the cells right below it are A's already or are not claimed,
A completes the line below first: each of B's stones in it that is still to come follows the one of A below it. If that
holds for all such lines, B never loses. If besides A's stones and the unclaimed cells hold a line, A loses, with the
last stone at the latest.

With an even number of rows, and k columns at least, this proves at once that the second player wins from the empty
board: whatever the first player does, it fills the lowest row.
"""

from __future__ import annotations

import functools

from inarow.bits import each_bit, line_on, lowest, mirror, playable, popcount, runs, turned_runs, wins_on
from inarow.kernels.lang.jit import kernel
from inarow.kernels.solver.solve import ABORTED, narrow
from inarow.kernels.solver.solve_free import NOTHING, FreeSearch, conclude, insert, probe, smallest, try_moves

POISON = 64
"""The penalty, in the order of moves, for each cell where its player would complete a line; a cut-off counts 1."""


@kernel
def solve_misere(search: FreeSearch, own: int, occupied: int, ply: int, low: int, high: int) -> None:
    """Narrow the bounds low ≤ score ≤ high until they meet or a limit is reached; they are left in the record."""
    low = max(low, -((search.cells + 1 - ply) // 2))
    high = min(high, (search.cells - ply) // 2)
    narrow(search, own, occupied, ply, low, high, _search)


def _search(search: FreeSearch, own: int, occupied: int, ply: int, alpha: int) -> int:
    """Decide whether the score exceeds alpha: return a proven bound on that side of it. The game is not over."""
    cells = search.cells
    opp = occupied ^ own
    playable_cells = playable(occupied, search.bottom, search.board, search.gravity)
    safe = playable_cells & ~wins_on(search, own)
    if safe == 0:
        return -((cells + 1 - ply) // 2)
    if ply == cells - 1:
        return 0
    low, high = -((cells - 1 - ply) // 2), (cells - ply) // 2
    if search.gravity and alpha >= -1:
        high = min(high, _follow_up(search, own, occupied, playable_cells))
    if low > alpha:
        return low
    if high <= alpha:
        return high
    own_key, opp_key = own, opp
    if ply < cells // 2:
        own_image, opp_image = mirror(own, search.columns, search.stride), mirror(opp, search.columns, search.stride)
        if own_image < own or (own_image == own and opp_image < opp):
            own_key, opp_key = own_image, opp_image
    known_low, known_high = probe(search, own_key, opp_key, ply)
    low, high = max(low, known_low), min(high, known_high)
    if low > alpha:
        return low
    if high <= alpha:
        return high
    moves, history = search.moves[ply], search.history[ply & 1]
    count = 0
    for cell in each_bit(safe):
        worth = history[lowest(cell)] - POISON * popcount(wins_on(search, own | cell) & ~(occupied | cell))
        insert(moves, count, worth, cell)
        count += 1
    best = try_moves(search, opp, occupied, ply, alpha, count, NOTHING, _search)
    if best == ABORTED:
        return ABORTED
    return conclude(search, own_key, opp_key, ply, low, high, alpha, best)


def _follow_up(search: FreeSearch, own: int, occupied: int, playable_cells: int) -> int:
    """Return an upper bound on the mover's score by following up; −NOTHING if it proves nothing."""
    claimed, stride = search.claimed, search.stride
    if popcount(playable_cells & claimed) & 1 == 1:
        return -NOTHING
    empty = search.board & ~occupied
    mine, theirs = own | (empty & ~claimed), (occupied ^ own) | (empty & claimed)
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        lines = _lines(search, theirs, step)
        if step == stride:
            lines &= ~(_lines(search, mine, step) << 1)
        if lines != 0:
            return -NOTHING
    return -1 if line_on(search, mine) else 0


def _lines(search: FreeSearch, stones: int, step: int) -> int:
    return runs(stones, step, search.k) if search.width == 0 else turned_runs(stones, step, search.k, search.width)


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    solve_misere(*smallest())
