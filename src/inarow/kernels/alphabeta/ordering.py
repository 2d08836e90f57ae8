"""In which order a search tries moves: the better the first ones, the more is cut off."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.alphabeta import counting
from inarow.kernels.alphabeta.transposition import NO_HINT, image_bit
from inarow.kernels.common import search_layout
from inarow.kernels.common.board import lowest, popcount, winning_cells

Ints = NDArray[np.int64]

HISTORY = counting.END
"""Where ``work`` keeps, for each player and cell, how often it has cut off, weighted by depth."""

HINT = 1 << 50
WIN = 1 << 48
BLOCK = 1 << 46
UNSAFE = 1 << 44


def put_in_order(
    setup: Ints,
    work: Ints,
    at: int,
    scores: int,
    mover: int,
    waiter: int,
    legal: int,
    wins: int,
    hint: int,
    image: int,
    seat: int,
) -> int:
    """Write the legal cells to ``work[at…]``, the most promising first; returns how many.

    ``hint`` is the cell that was best here before, as its bit in the table's image of the position.
    """
    ordering = setup[search_layout.ORDERING]
    plain = ordering == search_layout.NONE or (ordering == search_layout.CENTRE and hint == NO_HINT)
    threats = 0
    if ordering == search_layout.THREATS:
        threats = winning_cells(waiter, setup[search_layout.K], setup[search_layout.STRIDE], setup[search_layout.BOARD])
    count = 0
    for i in range(setup[search_layout.MOVES]):
        cell = legal & setup[search_layout.ORDER + i]
        if cell == 0:
            continue
        if plain:
            work[at + count] = cell
            count += 1
            continue
        score = 0
        if ordering == search_layout.THREATS:
            score = _promise(setup, mover, waiter, cell, wins, threats)
        elif ordering == search_layout.HISTORY:
            score = work[HISTORY + 64 * seat + lowest(cell)]
        if hint != NO_HINT and image_bit(setup, image, cell) == 1 << hint:
            score += HINT
        place = count
        while place > 0 and work[scores + place - 1] < score:
            work[scores + place] = work[scores + place - 1]
            work[at + place] = work[at + place - 1]
            place -= 1
        work[scores + place] = score
        work[at + place] = cell
        count += 1
    return count


def _promise(setup: Ints, mover: int, waiter: int, cell: int, wins: int, threats: int) -> int:
    """Wins first, then blocks, then the most winning cells; last, moves that let the opponent win on the cell above."""
    if cell & wins != 0:
        return WIN
    board = setup[search_layout.BOARD]
    mine = mover | cell
    free = board & ~(mine | waiter)
    score = popcount(winning_cells(mine, setup[search_layout.K], setup[search_layout.STRIDE], board) & free)
    if cell & threats != 0:
        score += BLOCK
    if setup[search_layout.GRAVITY] != 0 and (cell << 1) & threats != 0:
        score -= UNSAFE
    return score


def remember_cutoff(setup: Ints, work: Ints, cell: int, depth: int, seat: int) -> None:
    """This move cut off a search ``depth`` plies above the horizon: try it sooner elsewhere."""
    if setup[search_layout.ORDERING] == search_layout.HISTORY:
        work[HISTORY + 64 * seat + lowest(cell)] += depth * depth
