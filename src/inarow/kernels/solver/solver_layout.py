"""Where the solver's kernels find the constants of their game and keep what they count: one array of integers."""

from __future__ import annotations

# What is counted, and the limits.
NODES = 0
LOOK = 1
"""The number of nodes at which to look at the limits again."""
LIMIT = 2
STOPPED = 3
LOW = 4
"""What is proven of the score: at least this …"""
HIGH = 5
"""… and at most this."""

# The game.
COLUMNS = 6
STRIDE = 7
BOARD = 8
BOTTOM = 9
CELLS = 10
K = 11
SPARE = 12
"""The bit on top of each column."""
CLAIMED = 13
"""The highest cell of each column and every second one below it."""

# The table.
TAG_BITS = 14
KEY_MASK = 15
GENERATION = 16

# At which number of stones the search does what.
TABLE_UNTIL = 17
MIRROR_UNTIL = 18
PARITY_FROM = 19

LIST = 20
"""Words of one list of moves: an entry per column."""
# An entry of a list of moves: how early to try it, the move as a bit, the winning cells that it leaves its player.
WORTH, MOVE, WINS = range(3)
ENTRY = 3

# For each stage of the game, player and cell, how much it has cut off; for each ply, the list of moves in their order.
HISTORY = 32
STAGES = 8
STAGE_SHIFT = 3
"""A stage is 2**3 plies: what cuts off near the end says little about the opening."""
CELL_WORDS = 64
LISTS = HISTORY + STAGES * 2 * CELL_WORDS
SIZE = LISTS + 64 * 64
