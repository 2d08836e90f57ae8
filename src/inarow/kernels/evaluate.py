"""The setup of a search, and its evaluators, compiled: points of a position for one side.

One record of game, switches and weights, instead of thirty arguments, keeps calls cheap and lets
each kernel be compiled once for all games, evaluators and switches.

Windows (k cells in a row) are counted all at once, one bit for each window's first cell. ``none``, ``one`` and ``two``
are the windows with that number of empty cells and all others own; they grow by a cell or two at a time, and a
window with a stone of the opponent, or beyond the edge, is in none of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS, BitLayout, column_mask, popcount
from inarow.kernels.decisions import distance_from_centre
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import record, shape
from inarow.kernels.rules import image_of, stone_of, symmetries

Ints = NDArray[np.int64]

MAX_MOVES = MAX_BITS
"""No position of any game has more moves."""
MAX_WEIGHTS = 9
MAX_SYMMETRIES = 8

WIN = 1_000_000
"""Units of a win, less one for each stone on the board, so that faster wins are preferred."""
POINTS = 100
"""Points in one unit of a weight: evaluations are integers, in hundredths."""

EVEN_ODDS = 20 * POINTS
"""Points that are taken for a value of ½."""
MAX_POINTS = 50_000_000
"""The most that a function may return, in points: half of a win."""

# Evaluators.
ZERO, WINDOWS = range(2)

# Windows of root moves.
PROVEN, FULL, CARRIED = range(3)

# Orders in which moves are tried.
NONE, CENTRE, THREATS, HISTORY = range(4)

# Indices of the weights of `windows`.
FILLED = 0
"""Six: own windows that lack 0, 1 and 2 stones, then the opponent's."""
CENTRE_MASK, CENTRE_OWN, CENTRE_OPP = FILLED + 6, FILLED + 7, FILLED + 8
"""The cells of the centre, an own stone's weight there, and one of the opponent's."""


@record
class SearchSetup:
    """A game, a search and an evaluator."""

    k: int
    stride: int
    board: int
    bottom: int
    gravity: bool
    moves: int
    """The number of masks in ``order``."""
    symmetries: int

    prune: bool
    """True if alpha–beta cuts off; else the search is minimax."""
    ordering: int
    """NONE, CENTRE, THREATS or HISTORY."""
    use_tt: bool
    use_symmetry: bool
    """True if symmetric positions share an entry of the transposition table."""
    root: int
    """The window for root moves: PROVEN, FULL or CARRIED."""
    stone_cost: int
    """Points that a win loses with every stone on the board, so that faster wins are preferred."""
    win: int
    """Points of a win, before the stones are counted."""
    searcher: int
    """The seat of the side that searches: leaves are evaluated for it."""

    evaluator: int
    """ZERO or WINDOWS."""
    weights: NDArray[np.int64] = shape(MAX_WEIGHTS)
    """The weights of the evaluator."""
    order: NDArray[np.int64] = shape(MAX_MOVES)
    """The cells that each move may fill, in the order in which moves are tried."""
    images: NDArray[np.int64] = shape(MAX_SYMMETRIES, MAX_BITS)
    """For each symmetry, the cell that each bit becomes, as a bit."""
    width: int
    """On a cylinder the bits of all columns, else 0."""
    misere: bool
    """True if completing a line loses."""


class Custom(NamedTuple):
    """An evaluator that is a function of a game and the stones of two sides: the value of the position to the first.

    It returns units, which are rounded to points.
    """

    function: Callable[[BitLayout, int, int], float]
    layout: BitLayout
    wrong: Ints
    """One element: 1 once the function has returned NaN."""


def custom_points(custom: Custom, own: int, opp: int) -> int:
    """Return a function's points of a position for the side whose stones are ``own``."""
    points = POINTS * float(custom.function(custom.layout, own, opp))
    if points > MAX_POINTS:
        return MAX_POINTS
    if points < -MAX_POINTS:
        return -MAX_POINTS
    if points > 0.0:
        return int(points + 0.5)
    if points <= 0.0:
        return -int(0.5 - points)
    custom.wrong[0] = 1
    return 0


def estimate(points: int) -> float:
    """Return points as a value: an estimate strictly between −1 and 1, 0 for 0 points."""
    return points / (abs(points) + EVEN_ODDS)


def evaluate(setup: SearchSetup, own: int, opp: int) -> int:
    """Return the points of a position for the side whose stones are ``own``, whichever side is to move."""
    points = _windows(setup, own, opp) if setup.evaluator == WINDOWS else 0
    return -points if setup.misere else points


def _windows(setup: SearchSetup, own: int, opp: int) -> int:
    """Sum the weights of own windows that lack 0, 1 or 2 stones, of the opponent's, and of stones in the centre."""
    k, stride, board, weights = setup.k, setup.stride, setup.board, setup.weights
    counts = 0
    for direction in range(4):
        counts += _filled(board, own, opp, k, 1 if direction == 0 else stride - 2 + direction)
    points: int = 0
    for i in range(6):
        points += weights[FILLED + i] * ((counts >> (10 * i)) & 1023)
    mask = weights[CENTRE_MASK]
    points += weights[CENTRE_OWN] * popcount(own & mask)
    points += weights[CENTRE_OPP] * popcount(opp & mask)
    return points


def _filled(board: int, own: int, opp: int, k: int, step: int) -> int:
    """Count the windows in one direction with 0, 1 and 2 empty cells: own ones, then the opponent's; ten bits each."""
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


@kernel
def points_after(setup: SearchSetup, own: int, opp: int, cells: Ints, points: Ints) -> None:
    """Write the points for ``own`` after a stone on each of ``cells`` to ``points``."""
    for i in range(len(cells)):
        points[i] = evaluate(setup, own | cells[i], opp)


def points_of(setup: SearchSetup, own: int, opp: int) -> int:
    """Return the points of a position for the side whose stones are ``own``, without a further stone."""
    points = np.zeros(1, dtype=np.int64)
    points_after(setup, own, opp, np.zeros(1, dtype=np.int64), points)
    return int(points[0])


def set_up(setup: SearchSetup, layout: BitLayout, centre: bool, searcher: int) -> None:
    """Write a game, with its moves in ascending order or those nearest the centre first, for a player who searches."""
    setup.k, setup.stride, setup.board, setup.bottom = layout.k, layout.stride, layout.board, layout.bottom
    setup.gravity, setup.width, setup.misere = layout.gravity, layout.width, layout.misere
    setup.moves = layout.columns if layout.gravity else popcount(layout.board)
    setup.win, setup.stone_cost, setup.searcher = WIN * POINTS, POINTS, searcher
    count = 0
    for distance in range(layout.columns + layout.rows):
        for move in range(setup.moves):
            if (distance_from_centre(layout, move) if centre else 0) == distance:
                setup.order[count] = column_mask(move, layout.stride) if layout.gravity else stone_of(layout, 0, move)
                count += 1
    setup.symmetries = symmetries(layout)
    for which in range(setup.symmetries):
        for bit in range(layout.columns * layout.stride):
            if layout.board & (1 << bit) != 0:
                setup.images[which, bit] = image_of(layout, which, bit)


def set_windows(
    setup: SearchSetup,
    layout: BitLayout,
    four: float,
    three: float,
    two: float,
    other_three: float,
    other_two: float,
    centre: float,
    share: float,
) -> None:
    """Write the weights of the evaluator windows, given in its units."""
    setup.evaluator = WINDOWS
    if layout.k == 2:
        two = other_two = 0.0
    _set_pair(setup, 0, four, 0.0, share)
    _set_pair(setup, 1, three, other_three, share)
    _set_pair(setup, 2, two, other_two, share)
    setup.weights[CENTRE_MASK] = centre_cells(layout)
    setup.weights[CENTRE_OWN] = points_of_units(centre)
    setup.weights[CENTRE_OPP] = points_of_units(-share * centre)


def set_lines(setup: SearchSetup, layout: BitLayout, one: float, two: float, share: float) -> None:
    """Write the weights of the evaluator lines, given in its units."""
    setup.evaluator = WINDOWS
    _set_pair(setup, 1, one, 0.0, share)
    _set_pair(setup, 2, two if layout.k > 2 else 0.0, 0.0, share)


def _set_pair(setup: SearchSetup, missing: int, own: float, opp: float, share: float) -> None:
    """Write the weights of windows that lack this many stones: own ones, and the opponent's."""
    setup.weights[FILLED + missing] = points_of_units(own - share * opp)
    setup.weights[FILLED + 3 + missing] = points_of_units(opp - share * own)


def points_of_units(units: float) -> int:
    """Return units of an evaluator as whole points, halves rounded to the even one."""
    points = abs(units * POINTS)
    whole = int(points)
    if points - whole > 0.5 or (points - whole == 0.5 and whole & 1 == 1):
        whole += 1
    return whole if units > 0.0 else -whole


def centre_cells(layout: BitLayout) -> int:
    """Return the cells of the centre: the middle columns; without gravity the middle of the board."""
    found = 0
    for column in range((layout.columns - 1) // 2, layout.columns // 2 + 1):
        low = 0 if layout.gravity else (layout.rows - 1) // 2
        high = layout.rows - 1 if layout.gravity else layout.rows // 2
        for row in range(low, high + 1):
            found |= 1 << (column * layout.stride + row)
    return found


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    one = np.ones(1, dtype=np.int64)
    points_after(SearchSetup(), 0, 0, one, one)
