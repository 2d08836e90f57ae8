"""A table of positions already searched, each stored in full, so that an answer never belongs to another position.

An entry is four words: the stones of the side to move, those of the other, the value, and the rest packed. It is valid
only in the decision (generation) that wrote it and at equal draft (plies above the horizon); at another draft it
still hints at the best move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS
from inarow.kernels.common import search_layout
from inarow.kernels.common.board import lowest, mix, plus, times
from inarow.randomness import MIX_A

Ints = NDArray[np.int64]

WORDS = 4
EXACT, LOWER, UPPER = 0, 1, 2
NO_HINT = 63


def image_bit(setup: Ints, image: int, cell: int) -> int:
    """The cell that one cell becomes under a symmetry."""
    bit: int = setup[search_layout.IMAGES + image * MAX_BITS + lowest(cell)]
    return bit


def image_of(setup: Ints, image: int, cells: int) -> int:
    """The cells that a set becomes under a symmetry."""
    found = 0
    while cells != 0:
        found |= image_bit(setup, image, cells)
        cells &= cells - 1
    return found


def canonical(setup: Ints, mover: int, waiter: int) -> tuple[int, int, int]:
    """The stones of the symmetric image that stands for all, and which symmetry leads to it."""
    best_mover, best_waiter, best = mover, waiter, 0
    for image in range(1, setup[search_layout.SYMMETRIES]):
        a = image_of(setup, image, mover)
        if a > best_mover:
            continue
        b = image_of(setup, image, waiter)
        if a < best_mover or b < best_waiter:
            best_mover, best_waiter, best = a, b, image
    return best_mover, best_waiter, best


def place(table: Ints, mover: int, waiter: int) -> int:
    """Where the entry of a position is; the table has a power of two entries."""
    return (mix(plus(times(mover, MIX_A), waiter)) & (len(table) // WORDS - 1)) * WORDS


def recall(table: Ints, slot: int, mover: int, waiter: int, generation: int, draft: int) -> tuple[bool, int, int, int]:
    """Whether the table knows the value at this draft; the kind of bound; the value; the hint."""
    rest = table[slot + 3]
    if table[slot] != mover or table[slot + 1] != waiter or rest >> 16 != generation:
        return False, 0, 0, NO_HINT
    return (rest >> 8) & 0xFF == draft, (rest >> 6) & 3, table[slot + 2], rest & 63


def hint_of(setup: Ints, image: int, cell: int) -> int:
    """A best move as the table keeps it: the bit index of its cell in the stored image; NO_HINT for none."""
    return NO_HINT if cell == 0 else lowest(image_bit(setup, image, cell))


def store(
    table: Ints, slot: int, mover: int, waiter: int, generation: int, draft: int, bound: int, value: int, hint: int
) -> None:
    """Keep the value of a position, and its best move as a hint."""
    table[slot] = mover
    table[slot + 1] = waiter
    table[slot + 2] = value
    table[slot + 3] = (generation << 16) | (draft << 8) | (bound << 6) | hint
