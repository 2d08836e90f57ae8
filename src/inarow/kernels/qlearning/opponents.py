"""Opponents that play inside a training kernel."""

from __future__ import annotations

from inarow.kernels.common.board import winning_cells
from inarow.kernels.common.random_choice import pick, pick_weighted
from inarow.kernels.qlearning.arguments import Board

# SELF: the learner itself; OUTSIDE: an agent that Python asks.
SELF, RANDOM, RULES_RANDOM, RULES_CENTRE, RULES_CORNERS, OUTSIDE = range(6)


def reply(kind: int, board: Board, mine: int, other: int, free: int, number: int) -> int:
    """The move of a compiled opponent, as a bit: random, or else a win, a block, or a move by its style."""
    if kind != RANDOM:
        wins = winning_cells(mine, board.k, board.stride, board.cells) & free
        if wins:
            return pick(wins, number)
        blocks = winning_cells(other, board.k, board.stride, board.cells) & free
        if blocks:
            return pick(blocks, number)
        if kind == RULES_CENTRE:
            return pick_weighted(free, board.centre_weights, number)
        if kind == RULES_CORNERS:
            if free & board.centre:
                return pick(free & board.centre, number)
            if free & board.corners:
                return pick(free & board.corners, number)
    return pick(free, number)
