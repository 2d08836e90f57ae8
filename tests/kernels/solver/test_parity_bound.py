"""The bound by parity never lies: compared with a full search in *every* position of small boards."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.kernels.solver.solve import NO_BOUND
from inarow.rules import Position, game
from support.naive_solver import naive_score
from support.parity_kernel import kernel_bounds


@pytest.mark.parametrize("name", ["4x4x4", "4x4x3", "3x5x3", "5x3x3", "3x6x3", "6x2x3"])
def test_it_is_at_least_the_score_in_every_position(name: str) -> None:
    board = game(name)
    known: dict[tuple[int, int], int] = {}
    naive_score(Position.start(board), known)
    found = kernel_bounds([Position(board, *key) for key in known])
    scores = np.array(list(known.values()))
    proven = found < NO_BOUND
    assert proven.sum() > len(known) // 50, "it says something of a fair share of positions"
    wrong = np.flatnonzero(proven & (found < scores))
    assert not len(wrong), [(repr(Position(board, *list(known)[i])), int(found[i]), int(scores[i])) for i in wrong[:3]]
