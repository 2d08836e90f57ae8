"""The evaluators, compiled: points of a position for one side, by an integer code and an array of weights.

Windows (k cells in a row) are counted all at once, one bit for each window's first cell. ``none``, ``one`` and ``two``
are the windows with that number of empty cells and all others own; they grow by a cell or two at a time, and a
window with a stone of the other side, or beyond the edge, is in none of them.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS
from inarow.kernels.common import search_layout
from inarow.kernels.common.board import playable, popcount, runs, winning_cells
from inarow.kernels.lang.jit import kernel

Ints = NDArray[np.int64]

# Where the weights of `windows` are.
FILLED = search_layout.WEIGHTS
"""Six: own windows that lack 0, 1 and 2 stones, then the other's."""
OWN_STACK, OTHER_STACK = FILLED + 6, FILLED + 7
OWN_DOUBLE, OTHER_DOUBLE = FILLED + 8, FILLED + 9
GROUPS = FILLED + 10
"""How many groups of cells follow, each with a mask, an own stone's weight in it, and one of the other's."""
GROUP_MASK, GROUP_OWN, GROUP_OTHER, GROUP_SIZE = FILLED + 11, FILLED + 12, FILLED + 13, 3

# Of `runs`: three of own windows, three of the other's, then this switch.
RUNS_DOWN = search_layout.WEIGHTS + 6

# Of `open`.
OPEN_OWN, OPEN_OTHER, FULL_OWN, FULL_OTHER = range(search_layout.WEIGHTS, search_layout.WEIGHTS + 4)

# Of `threes`.
THREES_OWN, THREES_OTHER, THREES_LEVEL, THREES_AFTER = range(search_layout.WEIGHTS, search_layout.WEIGHTS + 4)


def evaluate(setup: Ints, own: int, other: int) -> int:
    """Points of a position for the side whose stones are ``own``, whichever side is to move."""
    code = setup[search_layout.CODE]
    if code == search_layout.WINDOWS:
        return _windows(setup, own, other)
    if code == search_layout.RUNS:
        return _runs(setup, own, other)
    if code == search_layout.OPEN:
        return _open(setup, own, other)
    if code == search_layout.THREES:
        return _threes(setup, own, other)
    return 0


def _windows(setup: Ints, own: int, other: int) -> int:
    """Weights: own windows by missing stones 0, 1, 2; the other's; stacks; double threats; masks of cells."""
    k = setup[search_layout.K]
    stride = setup[search_layout.STRIDE]
    board = setup[search_layout.BOARD]
    counts = 0
    for direction in range(4):
        counts += _filled(board, own, other, k, 1 if direction == 0 else stride - 2 + direction)
    points: int = 0
    for i in range(6):
        points += setup[FILLED + i] * ((counts >> (10 * i)) & 1023)
    for group in range(setup[GROUPS]):
        at = GROUP_SIZE * group
        mask = setup[GROUP_MASK + at]
        points += setup[GROUP_OWN + at] * popcount(own & mask)
        points += setup[GROUP_OTHER + at] * popcount(other & mask)
    if setup[OWN_STACK] != 0 or setup[OTHER_STACK] != 0:
        empty = board & ~(own | other)
        points += setup[OWN_STACK] * popcount(runs(own, 1, k - 1) & (empty >> (k - 1)))
        points += setup[OTHER_STACK] * popcount(runs(other, 1, k - 1) & (empty >> (k - 1)))
    if setup[OWN_DOUBLE] != 0 or setup[OTHER_DOUBLE] != 0:
        cells = playable(own | other, setup[search_layout.BOTTOM], board, setup[search_layout.GRAVITY] != 0)
        points += setup[OWN_DOUBLE] * (popcount(winning_cells(own, k, stride, board) & cells) > 1)
        points += setup[OTHER_DOUBLE] * (popcount(winning_cells(other, k, stride, board) & cells) > 1)
    return points


def _filled(board: int, own: int, other: int, k: int, step: int) -> int:
    """How many windows in one direction have 0, 1 and 2 empty cells: own ones, then the other side's; ten bits each."""
    empty = board & ~(own | other)
    shift = min(step, MAX_BITS)
    own_next, other_next, empty_next = own >> shift, other >> shift, empty >> shift
    # Pairs of cells; then further pairs, and one more cell if k is odd.
    own_none, other_none = own & own_next, other & other_next
    own_one, other_one = (own & empty_next) | (empty & own_next), (other & empty_next) | (empty & other_next)
    two = empty & empty_next
    a_none, a_one, b_none, b_one = own_none, own_one, other_none, other_one
    own_two = other_two = two
    have = 2
    while have + 2 <= k:
        shift = min(have * step, MAX_BITS)
        a0, a1, b0, b1, both = a_none >> shift, a_one >> shift, b_none >> shift, b_one >> shift, two >> shift
        own_two = (own_two & a0) | (own_one & a1) | (own_none & both)
        own_one = (own_one & a0) | (own_none & a1)
        own_none &= a0
        other_two = (other_two & b0) | (other_one & b1) | (other_none & both)
        other_one = (other_one & b0) | (other_none & b1)
        other_none &= b0
        have += 2
    if have < k:
        shift = min(have * step, MAX_BITS)
        a0, b0, both = own >> shift, other >> shift, empty >> shift
        own_two = (own_two & a0) | (own_one & both)
        own_one = (own_one & a0) | (own_none & both)
        own_none &= a0
        other_two = (other_two & b0) | (other_one & both)
        other_one = (other_one & b0) | (other_none & both)
        other_none &= b0
    return (
        popcount(own_none)
        | popcount(own_one) << 10
        | popcount(own_two) << 20
        | popcount(other_none) << 30
        | popcount(other_one) << 40
        | popcount(other_two) << 50
    )


def _runs(setup: Ints, own: int, other: int) -> int:
    """Weights: windows that begin with an own stone by missing stones 0, 1, 2; then the other's; 1 for windows that
    run down from their first stone rather than up or to the right."""
    k = setup[search_layout.K]
    stride = setup[search_layout.STRIDE]
    down = setup[RUNS_DOWN] != 0
    points = 0
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        back = down and direction % 3 == 0
        for side in range(2):
            mine, theirs = (own, other) if side == 0 else (other, own)
            points += _begun(setup, mine, theirs, k, step, back, search_layout.WEIGHTS + 3 * side)
    return points


def _begun(setup: Ints, own: int, other: int, k: int, step: int, back: bool, at: int) -> int:
    empty = setup[search_layout.BOARD] & ~(own | other)
    none, one, two = own, 0, 0
    for i in range(1, k):
        shift = min(i * step, MAX_BITS)
        own_next = own << shift if back else own >> shift
        empty_next = empty << shift if back else empty >> shift
        two = (two & own_next) | (one & empty_next)
        one = (one & own_next) | (none & empty_next)
        none &= own_next
    points: int = setup[at] * popcount(none) + setup[at + 1] * popcount(one) + setup[at + 2] * popcount(two)
    return points


def _open(setup: Ints, own: int, other: int) -> int:
    """Weights: an own stone in a window free of the other's; the other's in a window free of own; then what a window
    full of own stones is worth beyond them, and one full of the other's."""
    k = setup[search_layout.K]
    stride = setup[search_layout.STRIDE]
    own_stones, other_stones, own_full, other_full = 0, 0, 0, 0
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        own_free = runs(setup[search_layout.BOARD] & ~other, step, k)
        other_free = runs(setup[search_layout.BOARD] & ~own, step, k)
        if setup[FULL_OWN] != 0 or setup[FULL_OTHER] != 0:
            own_full += popcount(runs(own, step, k))
            other_full += popcount(runs(other, step, k))
        for i in range(k):
            shift = min(i * step, MAX_BITS)
            own_stones += popcount(own_free & (own >> shift))
            other_stones += popcount(other_free & (other >> shift))
    points: int = setup[OPEN_OWN] * own_stones + setup[OPEN_OTHER] * other_stones
    points += setup[FULL_OWN] * own_full + setup[FULL_OTHER] * other_full
    return points


def _threes(setup: Ints, own: int, other: int) -> int:
    """Weights: k − 1 own stones side by side with a free cell at one end, for each such end; the other's; 1 for
    horizontal ones only; 1 for the end to the right (or above) only."""
    k = setup[search_layout.K]
    stride = setup[search_layout.STRIDE]
    empty = setup[search_layout.BOARD] & ~(own | other)
    own_ends, other_ends = 0, 0
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        if setup[THREES_LEVEL] != 0 and direction != 2:
            continue
        own_rows, other_rows = runs(own, step, k - 1), runs(other, step, k - 1)
        before, after = empty << min(step, MAX_BITS), empty >> min((k - 1) * step, MAX_BITS)
        if setup[THREES_AFTER] != 0:
            before &= 0
        own_ends += popcount(own_rows & before) + popcount(own_rows & after)
        other_ends += popcount(other_rows & before) + popcount(other_rows & after)
    points: int = setup[THREES_OWN] * own_ends + setup[THREES_OTHER] * other_ends
    return points


@kernel
def points_after(setup: Ints, own: int, other: int, cells: Ints, points: Ints) -> None:
    """For each cell in ``cells``, the points for ``own`` once its stone is there, written to ``points``."""
    for i in range(len(cells)):
        points[i] = evaluate(setup, own | cells[i], other)


def points_of(setup: Ints, own: int, other: int) -> int:
    """Points of a position for the side whose stones are ``own``, without a further stone."""
    points = np.zeros(1, dtype=np.int64)
    points_after(setup, own, other, np.zeros(1, dtype=np.int64), points)
    return int(points[0])


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    one = np.ones(1, dtype=np.int64)
    points_after(np.zeros(search_layout.SIZE, dtype=np.int64), 0, 0, one, one)
