"""Choose a move for `rules`, `perfect` and `best`, and break ties.

Plain functions like those of `kernels.rules`. A set of moves has bit m for move m; what is known of each move is a
list by move (an array in a kernel). ``number`` is a random number in [0, 2**63).
"""

from __future__ import annotations

from typing import Any

from inarow.bits import BitLayout, each_index, lowest, popcount
from inarow.kernels.arithmetic import exp
from inarow.kernels.rules import moves_to, open_cells, urgent_cells
from inarow.randomness import below

Numbers = Any
"""A list in Python, an array in a kernel."""
# How one of several moves is chosen.
FIRST, CENTRE, ANY, WEIGHTED, CORNERS = range(5)
"""The first; the one nearest the centre; any; any, more likely near the centre; the centre, else a corner, else any."""


def distance_from_centre(layout: BitLayout, move: int) -> int:
    """Return twice the distance of a move from the middle column, or from the middle of a board without gravity."""
    across = abs(2 * (move % layout.columns) - (layout.columns - 1))
    return across if layout.gravity else max(across, abs(2 * (move // layout.columns) - (layout.rows - 1)))


def centre_weight(layout: BitLayout, move: int) -> int:
    """Return twice (columns − distance from the middle column): 8, 10, 12, 14, 12, 10, 8 in Connect 4."""
    return 2 * layout.columns - abs(2 * (move % layout.columns) - (layout.columns - 1))


def choose(layout: BitLayout, moves: int, how: int, number: int) -> tuple[int, int]:
    """Return one of the moves, and among how many possibilities the random number decided."""
    if how == CORNERS:
        moves = in_centre_or_corner(layout, moves)
    if how == FIRST:
        return lowest(moves), 1
    if how == CENTRE:
        best = lowest(moves)
        for move in each_index(moves):
            if distance_from_centre(layout, move) < distance_from_centre(layout, best):
                best = move
        return best, 1
    if how != WEIGHTED or moves & (moves - 1) == 0:
        total = popcount(moves)
        for _ in range(below(number, total)):
            moves &= moves - 1
        return lowest(moves), total
    total = 0
    for move in each_index(moves):
        total += centre_weight(layout, move)
    at = below(number, total)
    while True:
        at -= centre_weight(layout, lowest(moves))
        if at < 0:
            return lowest(moves), total
        moves &= moves - 1


def in_centre_or_corner(layout: BitLayout, moves: int) -> int:
    """Return the centre of a board without gravity if it is among these moves, else the corners, else all of them."""
    columns, rows = layout.columns, layout.rows
    centre = 1 << (columns * rows // 2) if columns % 2 == 1 and rows % 2 == 1 else 0
    corners = 1 | 1 << (columns - 1) | 1 << (columns * (rows - 1)) | 1 << (columns * rows - 1)
    if moves & centre != 0:
        return moves & centre
    return moves & corners if moves & corners != 0 else moves


def rules_move(layout: BitLayout, own: int, opp: int, style: int, number: int) -> tuple[int, int]:
    """Return the move of `rules` (a win, else a block, else by style), and among how many the number decided."""
    free = open_cells(layout, own | opp)
    urgent = urgent_cells(own, opp, free, layout.k, layout.stride, layout.board)
    return choose(layout, moves_to(layout, urgent if urgent != 0 else free), ANY if urgent != 0 else style, number)


def undominated(moves: int, low: Numbers, high: Numbers) -> int:
    """Return the moves of this set of which no other is proven to be at least as good, and may be better."""
    found = moves
    for one in each_index(moves):
        for other in each_index(moves):
            if low[other] >= high[one] and high[other] > high[one]:
                found &= ~(1 << one)
    return found


def most_proven(moves: int, low: Numbers, high: Numbers) -> int:
    """Return the moves with the highest lower bound and, of these, the highest upper bound."""
    best, found = lowest(moves), 0
    for one in each_index(moves):
        if low[one] > low[best] or (low[one] == low[best] and high[one] > high[best]):
            best, found = one, 0
        if low[one] == low[best] and high[one] == high[best]:
            found |= 1 << one
    return found


def solved(moves: int, low: Numbers, high: Numbers) -> bool:
    """Return True if both bounds of every move of this set are equal."""
    unsolved = 0
    for move in each_index(moves):
        unsolved += low[move] != high[move]
    return unsolved == 0


def proven_choice(
    moves: int,
    verdict: int,
    low: Numbers,
    high: Numbers,
    scored: bool,
    score_low: Numbers,
    score_high: Numbers,
) -> tuple[int, int, bool, bool]:
    """Choose by what the solver has proven of a position's moves: bounds of verdicts (−1, 0, 1) and, if ``scored``, of
    scores. ``verdict`` is the position's own, or 1 if it is not known.

    Returns the candidates (proven to keep the verdict, else not dominated; of these, those whose scores are not
    dominated), those of them of which most is proven, whether each is proven to be worth as much as the position, and
    whether all are proven equal.
    """
    found = 0
    for move in each_index(moves):
        if verdict >= 0 and low[move] >= verdict:
            found |= 1 << move
    if found == 0:
        found = undominated(moves, low, high)
    if scored:
        found = undominated(found, score_low, score_high)
    safest = most_proven(found, score_low, score_high) if scored else most_proven(found, low, high)
    if popcount(found) == 1:
        return found, safest, True, True
    keeps = solved(found, low, high)
    drawn = low[lowest(found)] == 0 and high[lowest(found)] == 0
    settled = solved(found, score_low, score_high) if scored else drawn and keeps
    return found, safest, keeps, settled


def highest(moves: int, values: Numbers) -> int:
    """Return the moves of this set with the highest value; values are by move."""
    found, best = 0, values[lowest(moves)]
    for move in each_index(moves):
        if values[move] > best:
            best, found = values[move], 0
        if values[move] == best:
            found |= 1 << move
    return found


def drawn_by_value(values: Numbers, temperature: float, uniform: float) -> int:
    """Draw an index by the softmax of the values at this temperature.

    ``uniform`` is a random number in [0, 1). Returns −1 if rounding leaves none.
    """
    most = values[0]
    for i in range(len(values)):
        most = max(most, values[i])
    total = 0.0
    for i in range(len(values)):
        total += exp((values[i] - most) / temperature)
    rest = uniform * total
    for i in range(len(values)):
        rest -= exp((values[i] - most) / temperature)
        if rest < 0.0:
            return i
    return -1
