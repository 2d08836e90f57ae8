"""Opponents that play inside a training kernel."""

from __future__ import annotations

from inarow.kernels.common.random_choice import pick, pick_weighted
from inarow.kernels.qlearning.arguments import Board
from inarow.kernels.rules import urgent_cells

# SELF: the learner itself; OUTSIDE: an agent that Python asks.
SELF, RANDOM, RULES_RANDOM, RULES_CENTRE, RULES_CORNERS, OUTSIDE = range(6)


def reply(kind: int, board: Board, mine: int, other: int, free: int, number: int) -> int:
    """The move of a compiled opponent, as a bit: random, or else a win, a block, or a move by its style."""
    if kind != RANDOM:
        urgent = urgent_cells(mine, other, free, board.k, board.stride, board.cells)
        if urgent:
            return pick(urgent, number)
        if kind == RULES_CENTRE:
            return pick_weighted(free, board.centre_weights, number)
        if kind == RULES_CORNERS:
            if free & board.centre:
                return pick(free & board.centre, number)
            if free & board.corners:
                return pick(free & board.corners, number)
    return pick(free, number)
