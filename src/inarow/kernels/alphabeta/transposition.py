"""The transposition table: positions already searched, each stored in full, so that an entry never belongs to another
position.

An entry is valid only in the decision (generation) that wrote it and at equal depth (plies above the horizon); at
another depth it still says which move was best.
"""

from __future__ import annotations

from inarow.kernels.alphabeta.state import SearchState
from inarow.kernels.common.board import lowest, mix, plus, times
from inarow.kernels.common.setup import SearchSetup
from inarow.randomness import MIX_A

EXACT, LOWER, UPPER = 0, 1, 2
NO_MOVE = 63


def image_bit(setup: SearchSetup, image: int, cell: int) -> int:
    """Return the cell that a cell becomes under a symmetry."""
    bit: int = setup.images[image, lowest(cell)]
    return bit


def image_of(setup: SearchSetup, image: int, cells: int) -> int:
    """Return the cells that a set becomes under a symmetry."""
    found = 0
    while cells != 0:
        found |= image_bit(setup, image, cells)
        cells &= cells - 1
    return found


def canonical(setup: SearchSetup, own: int, opp: int) -> tuple[int, int, int]:
    """Return the stones of the symmetric image that stands for all, and which symmetry leads to it."""
    best_own, best_opp, best = own, opp, 0
    for image in range(1, setup.symmetries):
        a = image_of(setup, image, own)
        if a > best_own:
            continue
        b = image_of(setup, image, opp)
        if a < best_own or b < best_opp:
            best_own, best_opp, best = a, b, image
    return best_own, best_opp, best


def slot_of(search: SearchState, own: int, opp: int) -> int:
    """Return the index of a position's entry; the table has a power of two entries."""
    return mix(plus(times(own, MIX_A), opp)) & (len(search.tt) - 1)


def probe(search: SearchState, slot: int, own: int, opp: int, depth: int) -> tuple[bool, int, int, int]:
    """Return whether the value at this depth is known; the kind of bound; the value; the best move."""
    entry = search.tt[slot]
    if entry.own != own or entry.opp != opp or entry.generation != search.generation:
        return False, 0, 0, NO_MOVE
    return entry.depth == depth, entry.bound, entry.value, entry.tt_move


def tt_move_of(setup: SearchSetup, image: int, cell: int) -> int:
    """Return a best move as the table stores it: the bit index of its cell in the stored image; NO_MOVE for none."""
    return NO_MOVE if cell == 0 else lowest(image_bit(setup, image, cell))


def store(search: SearchState, slot: int, own: int, opp: int, depth: int, bound: int, value: int, tt_move: int) -> None:
    """Store the value of a position, and its best move."""
    entry = search.tt[slot]
    entry.own = own
    entry.opp = opp
    entry.value = value
    entry.generation = search.generation
    entry.depth = depth
    entry.bound = bound
    entry.tt_move = tt_move
