"""The bound by parity never lies: compared with a full search in *every* position of small boards."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from inarow.kernels.common.board import winning_cells
from inarow.kernels.compiler.jit import primitive
from inarow.kernels.compiler.pointers import handle
from inarow.kernels.solver.parity_bound import NO_BOUND, follow_up_bound
from inarow.rules import Position, game
from inarow.solver.engine import Engine
from support.naive_solver import naive_score

Ints = NDArray[np.int64]


@primitive
def _bounds(work: Ints, stones: Ints, occupied: Ints, k: int, stride: int, board: int, bottom: int, out: Ints) -> None:
    """The bound of every position in which the side to move can't win with its next stone; else NO_BOUND."""
    for i in range(len(stones)):
        direct = (occupied[i] + bottom) & board
        mine = winning_cells(stones[i], k, stride, board) & ~occupied[i]
        theirs = winning_cells(occupied[i] ^ stones[i], k, stride, board) & ~occupied[i]
        out[i] = NO_BOUND
        if mine & direct == 0:
            out[i] = follow_up_bound(handle(work), stones[i], occupied[i], direct, theirs)


@pytest.mark.parametrize("name", ["4x4x4", "4x4x3", "3x5x3", "5x3x3", "3x6x3", "6x2x3"])
def test_it_is_at_least_the_score_in_every_position(name: str) -> None:
    board = game(name)
    known: dict[tuple[int, int], int] = {}
    naive_score(Position.start(board), known)
    pairs = [(Position(board, *key).mover, key[0] | key[1]) for key in known]
    stones, occupied = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    found = np.empty(len(pairs), dtype=np.int64)
    work = Engine(board, table_mb=1)._works[0]
    _bounds(work, stones, occupied, board.k, board.stride, board.board, board.bottom, found)
    scores = np.array(list(known.values()))
    proven = found < NO_BOUND
    assert proven.sum() > len(pairs) // 50, "it says something of a fair share of positions"
    wrong = np.flatnonzero(proven & (found < scores))
    assert not len(wrong), [(repr(Position(board, *list(known)[i])), int(found[i]), int(scores[i])) for i in wrong[:3]]
