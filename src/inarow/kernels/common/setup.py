"""What a search reads of a game and an evaluator, written to its record.

Plain functions like those of `kernels.rules`.
"""

from __future__ import annotations

from inarow.bits import BitLayout, column_mask, popcount
from inarow.kernels.common.evaluate import (
    CENTRE_MASK,
    CENTRE_OPP,
    CENTRE_OWN,
    FILLED,
    POINTS,
    WINDOWS,
    SearchSetup,
)
from inarow.kernels.decisions import distance_from_centre
from inarow.kernels.rules import image_of, stone_of, symmetries

WIN = 1_000_000
"""Units of a win, less one for each stone on the board, so that faster wins are preferred."""


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
