"""What a search reads and never writes: its game, its switches and its evaluator.

One record instead of thirty arguments keeps calls cheap and lets each kernel be compiled once for all games, evaluators
and switches.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS
from inarow.kernels.lang.records import record, shape

MAX_MOVES = MAX_BITS
"""No position of any game has more moves."""
MAX_WEIGHTS = 9
MAX_SYMMETRIES = 8

POINTS = 100
"""Points in one unit of a weight: evaluations are whole numbers of hundredths."""

# Evaluators.
ZERO, WINDOWS = range(2)

# Windows of root moves.
PROVEN, FULL, CARRIED = range(3)

# Orders in which moves are tried.
NONE, CENTRE, THREATS, HISTORY = range(4)


@record
class SearchSetup:
    """A game, a search and an evaluator."""

    k: int
    stride: int
    board: int
    bottom: int
    gravity: bool
    moves: int
    """How many masks there are in ``order``."""
    symmetries: int

    prune: bool
    """Whether alpha–beta cuts off; else the search is minimax."""
    ordering: int
    """NONE, CENTRE, THREATS or HISTORY."""
    use_tt: bool
    use_symmetry: bool
    """Whether symmetric positions share an entry of the transposition table."""
    root: int
    """With which window root moves are searched: PROVEN, FULL or CARRIED."""
    stone_cost: int
    """Points that a win loses with every stone on the board, so that faster wins are preferred."""
    win: int
    """Points of a win, before the stones are counted."""
    searcher: int
    """The seat of the side that searches: leaves are evaluated for it."""

    evaluator: int
    """ZERO or WINDOWS."""
    weights: NDArray[np.int64] = shape(MAX_WEIGHTS)
    """What the evaluator reads (see `evaluate`)."""
    order: NDArray[np.int64] = shape(MAX_MOVES)
    """The cells that each move may fill, in the order in which moves are tried."""
    images: NDArray[np.int64] = shape(MAX_SYMMETRIES, MAX_BITS)
    """For each symmetry, the cell that each bit becomes, as a bit."""
