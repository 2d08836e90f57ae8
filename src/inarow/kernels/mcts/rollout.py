"""Roll-outs: a position played to its end at random, or by win-now-else-block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common import search_layout
from inarow.kernels.common.board import advance, has_line, mix, playable, popcount, winning_cells

Ints = NDArray[np.int64]

DRAW_BITS = 21
"""Bits of a random number that one draw takes; a number of 63 bits is enough for three."""


def roll_out(mover: int, waiter: int, setup: Ints, rules: bool, state: int) -> tuple[int, int, int]:
    """Play on: 1 if the side to move wins, −1 if it loses, 0 for a draw; the plies played; the new random state."""
    k, stride = setup[search_layout.K], setup[search_layout.STRIDE]
    board, bottom, gravity = setup[search_layout.BOARD], setup[search_layout.BOTTOM], setup[search_layout.GRAVITY] != 0
    moves = setup[search_layout.MOVES]
    side, plies = 1, 0
    lineless = 2 * k - 2 - popcount(mover | waiter)  # plies that can't make a line yet
    numbers, left = 0, 0
    while True:
        choices = playable(mover | waiter, bottom, board, gravity)
        if choices == 0:
            return 0, plies, state
        if rules:
            if winning_cells(mover, k, stride, board) & choices != 0:
                return side, plies + 1, state
            blocks = winning_cells(waiter, k, stride, board) & choices
            choices = blocks if blocks != 0 else choices
        cell = 0
        while cell == 0:  # draw until the move is among the choices, so that it is uniform
            if left == 0:
                state = advance(state)
                numbers, left = mix(state), 3
            number = numbers & ((1 << DRAW_BITS) - 1)
            numbers >>= DRAW_BITS
            left -= 1
            cell = choices & setup[search_layout.ORDER + ((number * moves) >> DRAW_BITS)]
        plies += 1
        mine = mover | cell
        if not rules and plies > lineless and has_line(mine, k, stride):
            return side, plies, state
        mover, waiter = waiter, mine
        side = -side


def start_of(choices: int, number: int) -> int:
    """A uniformly random index into the moves of a set, to start with."""
    return ((number & ((1 << DRAW_BITS) - 1)) * popcount(choices)) >> DRAW_BITS
