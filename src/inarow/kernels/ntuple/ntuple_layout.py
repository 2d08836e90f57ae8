"""Where things stand in the ``rules`` of a network: the game, the shape of the network, where its tables begin."""

from __future__ import annotations

K, STRIDE, BOARD, BOTTOM, GRAVITY, TACTICS = range(6)
FEATURES, UNITS, CONTENTS, LEVELS, MOST, SIZE, EMPTY, PAIRS, CODES, MEMORY = range(6, 16)
TOUCHED, COUNTS, STEPS, HEIGHTS, FOLLOWING, UNIT_OF_BIT, START, CODE_OF, PAIR_OF = range(16, 25)
RULES = 25
