"""The evaluators, compiled: points of a position for one side, by an integer code and an array of weights.

Windows (k cells in a row) are counted all at once, one bit for each window's first cell. ``none``, ``one`` and ``two``
are the windows with that number of empty cells and all others own; they grow by a cell or two at a time, and a
window with a stone of the opponent, or beyond the edge, is in none of them.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS
from inarow.kernels.common.board import playable, popcount, runs, winning_cells
from inarow.kernels.common.setup import OPEN, RUNS, THREES, WINDOWS, SearchSetup
from inarow.kernels.lang.jit import kernel

Ints = NDArray[np.int64]

# Indices of the weights of `windows`.
FILLED = 0
"""Six: own windows that lack 0, 1 and 2 stones, then the opponent's."""
OWN_STACK, OPP_STACK = FILLED + 6, FILLED + 7
OWN_DOUBLE, OPP_DOUBLE = FILLED + 8, FILLED + 9
GROUPS = FILLED + 10
"""How many groups of cells follow, each with a mask, an own stone's weight in it, and one of the opponent's."""
GROUP_MASK, GROUP_OWN, GROUP_OPP, GROUP_SIZE = FILLED + 11, FILLED + 12, FILLED + 13, 3

# Of `runs`: three of own windows, three of the opponent's, then this switch.
RUNS_DOWN = 6

# Of `open`.
OPEN_OWN, OPEN_OPP, FULL_OWN, FULL_OPP = range(4)

# Of `threes`.
THREES_OWN, THREES_OPP, THREES_LEVEL, THREES_AFTER = range(4)


def evaluate(setup: SearchSetup, own: int, opp: int) -> int:
    """Points of a position for the side whose stones are ``own``, whichever side is to move."""
    evaluator = setup.evaluator
    if evaluator == WINDOWS:
        return _windows(setup, own, opp)
    if evaluator == RUNS:
        return _runs(setup, own, opp)
    if evaluator == OPEN:
        return _open(setup, own, opp)
    if evaluator == THREES:
        return _threes(setup, own, opp)
    return 0


def _windows(setup: SearchSetup, own: int, opp: int) -> int:
    """Weights: own windows by missing stones 0, 1, 2; the opponent's; stacks; double threats; masks of cells."""
    k, stride, board, weights = setup.k, setup.stride, setup.board, setup.weights
    counts = 0
    for direction in range(4):
        counts += _filled(board, own, opp, k, 1 if direction == 0 else stride - 2 + direction)
    points: int = 0
    for i in range(6):
        points += weights[FILLED + i] * ((counts >> (10 * i)) & 1023)
    for group in range(weights[GROUPS]):
        at = GROUP_SIZE * group
        mask = weights[GROUP_MASK + at]
        points += weights[GROUP_OWN + at] * popcount(own & mask)
        points += weights[GROUP_OPP + at] * popcount(opp & mask)
    if weights[OWN_STACK] != 0 or weights[OPP_STACK] != 0:
        empty = board & ~(own | opp)
        points += weights[OWN_STACK] * popcount(runs(own, 1, k - 1) & (empty >> (k - 1)))
        points += weights[OPP_STACK] * popcount(runs(opp, 1, k - 1) & (empty >> (k - 1)))
    if weights[OWN_DOUBLE] != 0 or weights[OPP_DOUBLE] != 0:
        cells = playable(own | opp, setup.bottom, board, setup.gravity)
        points += weights[OWN_DOUBLE] * (popcount(winning_cells(own, k, stride, board) & cells) > 1)
        points += weights[OPP_DOUBLE] * (popcount(winning_cells(opp, k, stride, board) & cells) > 1)
    return points


def _filled(board: int, own: int, opp: int, k: int, step: int) -> int:
    """How many windows in one direction have 0, 1 and 2 empty cells: own ones, then the opponent's; ten bits each."""
    empty = board & ~(own | opp)
    shift = min(step, MAX_BITS)
    own_next, opp_next, empty_next = own >> shift, opp >> shift, empty >> shift
    # Pairs of cells; then further pairs, and one more cell if k is odd.
    own_none, opp_none = own & own_next, opp & opp_next
    own_one, opp_one = (own & empty_next) | (empty & own_next), (opp & empty_next) | (empty & opp_next)
    two = empty & empty_next
    a_none, a_one, b_none, b_one = own_none, own_one, opp_none, opp_one
    own_two = opp_two = two
    have = 2
    while have + 2 <= k:
        shift = min(have * step, MAX_BITS)
        a0, a1, b0, b1, both = a_none >> shift, a_one >> shift, b_none >> shift, b_one >> shift, two >> shift
        own_two = (own_two & a0) | (own_one & a1) | (own_none & both)
        own_one = (own_one & a0) | (own_none & a1)
        own_none &= a0
        opp_two = (opp_two & b0) | (opp_one & b1) | (opp_none & both)
        opp_one = (opp_one & b0) | (opp_none & b1)
        opp_none &= b0
        have += 2
    if have < k:
        shift = min(have * step, MAX_BITS)
        a0, b0, both = own >> shift, opp >> shift, empty >> shift
        own_two = (own_two & a0) | (own_one & both)
        own_one = (own_one & a0) | (own_none & both)
        own_none &= a0
        opp_two = (opp_two & b0) | (opp_one & both)
        opp_one = (opp_one & b0) | (opp_none & both)
        opp_none &= b0
    return (
        popcount(own_none)
        | popcount(own_one) << 10
        | popcount(own_two) << 20
        | popcount(opp_none) << 30
        | popcount(opp_one) << 40
        | popcount(opp_two) << 50
    )


def _runs(setup: SearchSetup, own: int, opp: int) -> int:
    """Weights: windows that begin with an own stone by missing stones 0, 1, 2; then the opponent's; 1 for windows that
    run down from their first stone rather than up or to the right."""
    k, stride, weights = setup.k, setup.stride, setup.weights
    down = weights[RUNS_DOWN] != 0
    points = 0
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        back = down and direction % 3 == 0
        for side in range(2):
            mine, theirs = (own, opp) if side == 0 else (opp, own)
            points += _begun(setup, mine, theirs, k, step, back, 3 * side)
    return points


def _begun(setup: SearchSetup, own: int, opp: int, k: int, step: int, back: bool, at: int) -> int:
    empty, weights = setup.board & ~(own | opp), setup.weights
    none, one, two = own, 0, 0
    for i in range(1, k):
        shift = min(i * step, MAX_BITS)
        own_next = (own << shift) & setup.board if back else own >> shift
        empty_next = (empty << shift) & setup.board if back else empty >> shift
        two = (two & own_next) | (one & empty_next)
        one = (one & own_next) | (none & empty_next)
        none &= own_next
    points: int = weights[at] * popcount(none) + weights[at + 1] * popcount(one) + weights[at + 2] * popcount(two)
    return points


def _open(setup: SearchSetup, own: int, opp: int) -> int:
    """Weights: an own stone in a window free of the opponent's; the opponent's in a window free of own; then what a
    window full of own stones is worth beyond them, and one full of the opponent's."""
    k, stride, weights = setup.k, setup.stride, setup.weights
    own_stones, opp_stones, own_full, opp_full = 0, 0, 0, 0
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        own_free = runs(setup.board & ~opp, step, k)
        opp_free = runs(setup.board & ~own, step, k)
        if weights[FULL_OWN] != 0 or weights[FULL_OPP] != 0:
            own_full += popcount(runs(own, step, k))
            opp_full += popcount(runs(opp, step, k))
        for i in range(k):
            shift = min(i * step, MAX_BITS)
            own_stones += popcount(own_free & (own >> shift))
            opp_stones += popcount(opp_free & (opp >> shift))
    points: int = weights[OPEN_OWN] * own_stones + weights[OPEN_OPP] * opp_stones
    points += weights[FULL_OWN] * own_full + weights[FULL_OPP] * opp_full
    return points


def _threes(setup: SearchSetup, own: int, opp: int) -> int:
    """Weights: k − 1 own stones side by side with a free cell at one end, for each such end; the opponent's; 1 for
    horizontal ones only; 1 for the end to the right (or above) only."""
    k, stride, weights = setup.k, setup.stride, setup.weights
    empty = setup.board & ~(own | opp)
    own_ends, opp_ends = 0, 0
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        if weights[THREES_LEVEL] != 0 and direction != 2:
            continue
        own_rows, opp_rows = runs(own, step, k - 1), runs(opp, step, k - 1)
        before, after = (empty << min(step, MAX_BITS)) & setup.board, empty >> min((k - 1) * step, MAX_BITS)
        if weights[THREES_AFTER] != 0:
            before &= 0
        own_ends += popcount(own_rows & before) + popcount(own_rows & after)
        opp_ends += popcount(opp_rows & before) + popcount(opp_rows & after)
    points: int = weights[THREES_OWN] * own_ends + weights[THREES_OPP] * opp_ends
    return points


@kernel
def points_after(setup: SearchSetup, own: int, opp: int, cells: Ints, points: Ints) -> None:
    """For each cell in ``cells``, the points for ``own`` once its stone is there, written to ``points``."""
    for i in range(len(cells)):
        points[i] = evaluate(setup, own | cells[i], opp)


def points_of(setup: SearchSetup, own: int, opp: int) -> int:
    """Points of a position for the side whose stones are ``own``, without a further stone."""
    points = np.zeros(1, dtype=np.int64)
    points_after(setup, own, opp, np.zeros(1, dtype=np.int64), points)
    return int(points[0])


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    one = np.ones(1, dtype=np.int64)
    points_after(SearchSetup(), 0, 0, one, one)
