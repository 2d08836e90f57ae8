"""Indices of the ``rules`` of a network: the game, the shape of the network, and where each of its tables begins."""

from __future__ import annotations

K, STRIDE, BOARD, BOTTOM, GRAVITY, TACTICS = range(6)
FEATURES, UNITS, CONTENTS, LEVELS, MOST, SIZE, EMPTY, PAIRS, CODES, MEMORY = range(6, 16)
TOUCHED, COUNTS, STEPS, HEIGHTS, FOLLOWING, UNIT_OF_BIT, START, CODE_OF, PAIR_OF = range(16, 25)
RULES = 25

# A pair of columns in the table PAIR_OF: where its own table begins, the two columns, 1 if they mirror each other.
PAIR_BEGIN, PAIR_LEFT, PAIR_RIGHT, PAIR_MIRRORED = range(4)
PAIR = 4
