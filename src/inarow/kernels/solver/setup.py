"""What the solver needs of a game, written to its records: masks, lines, symmetries, the first order of moves.

The caller provides the arrays that records refer to: a transposition table of `table_words` words, a stop flag and,
without gravity, `image_words` words for the images of cells; all zeros. A table is emptied by a new generation.
"""

from __future__ import annotations

import numpy as np

from inarow.bits import BitLayout, popcount
from inarow.kernels.lang.jit import kernel
from inarow.kernels.rules import image_of, symmetries
from inarow.kernels.solver.solve import CELLS, VALUE_BITS, Search, reset_order
from inarow.kernels.solver.solve_free import WORDS, FreeSearch

FOLDED_PLIES = 10
"""Without gravity, positions with fewer stones than this share what is known of their images."""
FIRST_MB = 1
"""The size with which the table of a board with gravity starts."""
LINE = 24
"""The weight of a line through a cell in the order of moves; a cut-off in the history has weight 1."""


def index_bits(layout: BitLayout, tt_mb: int) -> int:
    """Return the bits of a key that choose the slot of the table, with gravity."""
    key_bits, bits = layout.columns * layout.stride, 16
    while tt_mb > 1:
        tt_mb >>= 1
        bits += 1
    least = max(0, key_bits - (63 - VALUE_BITS) + 1)  # so that an entry fits in a word
    return min(max(bits, least), key_bits)


def table_words(layout: BitLayout, tt_mb: int) -> int:
    """Return the length of a transposition table of about this size."""
    if layout.gravity and not layout.misere:
        return 2 << index_bits(layout, tt_mb)
    return (tt_mb << 20) // 8 // WORDS * WORDS


def line_at(layout: BitLayout, direction: int, place: int) -> int:
    """Return the line of k cells that begins at a cell and runs up, or to the right and level, up or down; 0 if it
    leaves the board. On a cylinder it does not leave it to the right."""
    k, stride, rows = layout.k, layout.stride, layout.rows
    column, row = place // rows, place % rows
    across, up = (0, 1) if direction == 0 else (1, (direction - 1) if direction < 3 else -1)
    last_column, last_row = column + (k - 1) * across, row + (k - 1) * up
    if (last_column >= layout.columns and layout.width == 0) or last_row < 0 or last_row >= rows:
        return 0
    line = 0
    for i in range(k):
        line |= 1 << ((column + i * across) % layout.columns * stride + row + i * up)
    return line


def set_up(search: Search, layout: BitLayout, tt_mb: int) -> None:
    """Prepare the solver of a board with gravity, whose table has the words for this size and starts small."""
    cells = popcount(layout.board)
    search.columns, search.stride, search.k, search.width = layout.columns, layout.stride, layout.k, layout.width
    search.board, search.bottom, search.cells = layout.board, layout.bottom, cells
    search.spare, search.claimed = layout.spare, layout.claimed
    search.tag_bits = layout.columns * layout.stride - index_bits(layout, FIRST_MB)
    search.least_tag_bits = layout.columns * layout.stride - index_bits(layout, tt_mb)
    search.key_mask = (1 << (layout.columns * layout.stride)) - 1
    search.tt_until = cells - 6
    search.mirror_until = cells // 2 - 5
    search.generation = 1
    for place in range(cells):
        for direction in range(4):
            line = line_at(layout, direction, place)
            for bit in range(CELLS):
                if (line >> bit) & 1 != 0:
                    search.first_order[bit] += LINE
    reset_order(search)


def image_words(layout: BitLayout) -> int:
    """Return the length of the table of images: 8 bytes of 256 values for every symmetry."""
    return symmetries(layout) << 11


@kernel
def set_up_free(search: FreeSearch, layout: BitLayout) -> None:
    """Prepare the solver of a board without gravity."""
    cells = popcount(layout.board)
    search.stride, search.k, search.width = layout.stride, layout.k, layout.width
    search.board, search.cells = layout.board, cells
    search.symmetries = symmetries(layout)
    search.fold_until = min(cells // 2, FOLDED_PLIES)
    search.generation = 1
    search.line_count = 0
    for place in range(cells):
        for direction in range(4):
            line = line_at(layout, direction, place)
            if line != 0:
                search.lines[search.line_count] = line
                search.line_count += 1
    for which in range(search.symmetries):
        for byte in range(8):
            for value in range(1, 256):
                image, rest, bit = search.images[(which << 3 | byte) << 8 | (value & (value - 1))], value, 8 * byte
                while rest & 1 == 0:
                    rest >>= 1
                    bit += 1
                if (layout.board >> bit) & 1 != 0:
                    image |= image_of(layout, which, bit)
                search.images[(which << 3 | byte) << 8 | value] = image


def warm() -> None:
    """Compile the kernels of this module, or load them."""
    board, search, free = BitLayout(1, 2, 1, 1, False, 1, 1, 2, 1, 0, False), Search(), FreeSearch()
    search.tt = search.stop = free.tt = free.stop = np.zeros(1, np.int64)
    free.images = np.zeros(image_words(board), np.int64)
    set_up_free(free, board)
