"""Roll-outs: a position played to its end at random, or by win-now-else-block."""

from __future__ import annotations

from inarow.kernels.common.board import advance, has_line, mix, playable, popcount, winning_cells
from inarow.kernels.common.setup import SearchSetup

DRAW_BITS = 21
"""Bits of a random number that one draw takes; a number of 63 bits is enough for three."""


def roll_out(setup: SearchSetup, own: int, opp: int, rules: bool, state: int) -> tuple[int, int, int]:
    """Play on: 1 if the side to move wins, −1 if it loses, 0 for a draw; the plies played; the new random state."""
    k, stride = setup.k, setup.stride
    board, bottom, gravity = setup.board, setup.bottom, setup.gravity
    moves = setup.moves
    side, plies = 1, 0
    lineless = 2 * k - 2 - popcount(own | opp)  # plies that can't make a line yet
    numbers, left = 0, 0
    while True:
        choices = playable(own | opp, bottom, board, gravity)
        if choices == 0:
            return 0, plies, state
        if rules:
            if winning_cells(own, k, stride, board) & choices != 0:
                return side, plies + 1, state
            blocks = winning_cells(opp, k, stride, board) & choices
            choices = blocks if blocks != 0 else choices
        cell = 0
        while cell == 0:  # draw until the move is among the choices, so that it is uniform
            if left == 0:
                state = advance(state)
                numbers, left = mix(state), 3
            number = numbers & ((1 << DRAW_BITS) - 1)
            numbers >>= DRAW_BITS
            left -= 1
            cell = choices & setup.order[(number * moves) >> DRAW_BITS]
        plies += 1
        own |= cell
        if not rules and plies > lineless and has_line(own, k, stride):
            return side, plies, state
        own, opp = opp, own
        side = -side


def start_of(choices: int, number: int) -> int:
    """A uniformly random index into the moves of a set, to start with."""
    return ((number & ((1 << DRAW_BITS) - 1)) * popcount(choices)) >> DRAW_BITS
