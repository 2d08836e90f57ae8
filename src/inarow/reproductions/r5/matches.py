"""R5's four matches between MCTS and alpha–beta, as printed: with its board, its loop, and players told nothing.

The board is a list of lists: a column of −1 is the last one, and a disc in a full column overwrites the one on top.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.bits import has_line, playable
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.reproductions.r5.program import (
    BOARD,
    BOTTOM,
    RATE,
    STRIDE,
    R5AlphaBeta,
    R5Mcts,
    TreeMind,
    search_match_root,
)
from inarow.rules import CONNECT4, Position
from inarow.stopping import SYSTEM_CLOCK

MCTS, ALPHABETA = "MCTS", "alpha–beta"
SECONDS = {2: 1, 3: 3, 4: 3}
"""Of MCTS for each move; at the report's speed `RATE` roll-outs each."""
DEPTHS = {2: 6, 3: 8}
ENDLESS = 200
"""Discs after which a match of players that overwrite full columns is broken off, without a winner."""
DEEPENING = 3.0
"""Seconds after which alpha–beta of match 4 begins no further depth."""


class Printed(NamedTuple):
    """How a match went."""

    columns: tuple[int, ...]
    """What was played, as the players gave it."""
    winner: str | None


def play_as_printed(number: int, seed: int = 0, *, rollouts: int | None = None, depth: int | None = None) -> Printed:
    """Play match 1, 2, 3 or 4.

    ``rollouts`` of MCTS per move, by default those of its seconds at the report's speed; ``depth`` of alpha–beta, by
    default the match's own; in match 4 that is as deep as three seconds allow, which depends on the machine.
    """
    if number == 1:  # its board is filled with the string "0", which is no empty cell: no column is legal
        return Printed((), None)
    mcts = TreeMind(R5Mcts(told=False), Stream(seed))
    alphabeta = R5AlphaBeta(threes="diagonals" if number == 4 else "row")
    limit = Limit(simulations=rollouts or RATE * SECONDS[number])
    if number == 4:
        mcts.decide(Position.start(CONNECT4), limit)
    stones, columns = [0, 0], list[int]()
    while len(columns) < ENDLESS:
        side = len(columns) % 2
        if side == 0:
            column = mcts.decide(Position.start(CONNECT4), limit).move
        else:
            column = _scored(alphabeta, stones, DEPTHS.get(number) if depth is None else depth)
        columns.append(column)
        drop(stones, side, column)
        if has_line(stones[side], 4, STRIDE):
            return Printed(tuple(columns), (MCTS, ALPHABETA)[side])
        if stones[0] | stones[1] == BOARD:
            break
    return Printed(tuple(columns), None)


def _scored(agent: R5AlphaBeta, stones: list[int], depth: int | None) -> int:
    """Return the score of alpha–beta's search, which it plays as a column; None: deepen for `DEEPENING` seconds."""
    legal = playable(stones[0] | stones[1], BOTTOM, BOARD, True)
    cells = np.array([legal & mask for mask in CONNECT4.move_masks if legal & mask])
    values, begun = np.zeros(len(cells), np.int64), SYSTEM_CLOCK.now()
    search = agent.setup(CONNECT4)
    for plies in (depth,) if depth is not None else range(1, CONNECT4.cells + 1):
        search_match_root(search, stones[0], stones[1], plies, False, agent.threes == "diagonals", cells, values)
        if SYSTEM_CLOCK.now() - begun > DEEPENING:
            break
    return -int(values.max())


def drop(stones: list[int], side: int, column: int) -> None:
    """Put a disc into a column as Python's lists do."""
    mask = CONNECT4.move_masks[column]
    free = playable(stones[0] | stones[1], BOTTOM, BOARD, True) & mask
    cell = free or 1 << mask.bit_length() - 1  # the top cell of a full column
    stones[side] |= cell
    stones[1 - side] &= ~cell
