"""Where the kernels of a batch of boards find their game: one array of integers, the *setup*."""

from __future__ import annotations

import numpy as np

K, STRIDE, BOARD, BOTTOM, GRAVITY, MOVES, COLUMNS, ROWS, OPPONENT, SEAT = range(10)
MASKS = 10
"""From here on the cells that each move may fill: its column with gravity, else its cell."""

# Who answers the caller's moves.
NOBODY, RANDOM, RULES = range(3)
"""Nobody: the caller moves for both sides in turn."""

# The caller's seat, where somebody answers.
FIRST, SECOND, EITHER = range(3)

# A cell of an observation is two bytes, own and other stone, and a kernel moves both as one word.
OWN = int(np.array([1, 0], np.int8).view(np.uint16)[0])
OTHER = int(np.array([0, 1], np.int8).view(np.uint16)[0])
