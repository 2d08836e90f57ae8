"""Where a search kernel finds the constants of its game and evaluator: one array of integers, the *setup*.

One array instead of thirty arguments keeps calls cheap and lets each kernel be compiled once for all games,
evaluators and switches. Agents write the setup; kernels only read it.
"""

from __future__ import annotations

from inarow.bits import MAX_BITS

# The game.
K = 0
STRIDE = 1
BOARD = 2
BOTTOM = 3
GRAVITY = 4
MOVES = 5
SYMMETRIES = 6

# What a search does. The two numbers at SWAP, SIGN and WIN belong to the first and the second player.
PRUNE = 7
ORDERING = 8
TABLE = 9
SYMMETRY = 10
ROOT = 11
"""With which window root moves are searched: PROVEN, FULL or CARRIED."""
SOONER = 12
"""Points that a win loses with every stone on the board."""
SWAP = 13
"""1: a leaf where this player is to move is evaluated for the other one."""
SIGN = 15
"""1 or −1: how a leaf's evaluation counts for this player, who is to move there."""
WIN = 17
"""Points of a win by this player; 0: the number of moves still open, plus one, times POINTS."""
ENDS = 19
"""How the end of a game is scored: SCORED, EVALUATED or BY_POINTS."""
OVER = 21
"""With BY_POINTS: a position with more points than this, for either side, is searched no further."""
FULL_IS_ZERO = 22
"""1: with BY_POINTS a full board is worth 0, whatever the points."""

# The evaluator.
CODE = 20
WEIGHTS = 24
MAX_WEIGHTS = 3 * MAX_BITS + 16

# The masks of the moves in the order in which a search tries them, and for each symmetry the bit that each bit becomes.
ORDER = WEIGHTS + MAX_WEIGHTS
IMAGES = ORDER + MAX_BITS
SIZE = IMAGES + 8 * MAX_BITS

MAX_MOVES = MAX_BITS
"""No position of any game has more moves."""

POINTS = 100
"""Points in one unit of a weight: evaluations are whole numbers of hundredths."""

# Codes of the evaluators.
ZERO, WINDOWS, RUNS, OPEN, THREES = range(5)

# Codes of the windows of root moves.
PROVEN, FULL, CARRIED = range(3)

# Codes of what the end of a game is worth.
SCORED, EVALUATED, BY_POINTS = range(3)

# Codes of the orderings.
NONE, CENTRE, THREATS, HISTORY = range(4)
