"""The solver scores every position of every board up to 4×4 as the complete table does, which needs no search."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from inarow.bits import BitLayout, line_on, popcount
from inarow.kernels.lang.jit import kernel
from inarow.kernels.solver.analyse import UNLIMITED, WIDEST
from inarow.kernels.solver.misere import solve_misere
from inarow.kernels.solver.retrograde import decode
from inarow.kernels.solver.solve import Search, solve
from inarow.kernels.solver.solve_free import FreeSearch, solve_free
from inarow.rules import Game, game
from inarow.solver.engine import Engine
from inarow.solver.tables import build_table

SIZES = [(c, r, k) for c in range(1, 5) for r in range(1, 5) for k in (3, 4) if k <= max(c, r)]
VARIANTS = [
    "3x3x3-cylinder", "4x3x3-cylinder", "4x4x3-cylinder", "4x4x4-cylinder", "5x3x4-cylinder", "4x3x3-free-cylinder",
    "3x3x3-misere", "3x4x3-misere", "4x3x3-misere", "4x4x3-misere", "4x4x4-misere", "5x3x3-misere", "2x6x3-misere",
    "3x3x3-free-misere", "4x3x3-free-misere", "4x4x3-cylinder-misere", "4x4x4-cylinder-misere",
    "4x3x4-free-cylinder-misere",
]  # fmt: skip

Keys = NDArray[np.int64]
Scores = NDArray[np.int8]


@kernel
def wrong_with_gravity(search: Search, layout: BitLayout, keys: Keys, scores: Scores) -> int:
    wrong = 0
    for i in range(len(keys)):
        own, opp = decode(keys[i], layout)
        if not line_on(layout, opp) and own | opp != layout.board:
            search.nodes = search.look = 0
            solve(search, own, own | opp, popcount(own | opp), -WIDEST, WIDEST)
            wrong += 0 if search.low == scores[i] and search.high == scores[i] else 1
    return wrong


@kernel
def wrong_without(search: FreeSearch, layout: BitLayout, keys: Keys, scores: Scores) -> int:
    wrong = 0
    for i in range(len(keys)):
        own, opp = decode(keys[i], layout)
        if not line_on(layout, opp) and own | opp != layout.board:
            search.nodes = search.look = 0
            solve_free(search, own, own | opp, popcount(own | opp), -WIDEST, WIDEST)
            wrong += 0 if search.low == scores[i] and search.high == scores[i] else 1
    return wrong


@kernel
def wrong_in_misere(search: FreeSearch, layout: BitLayout, keys: Keys, scores: Scores) -> int:
    wrong = 0
    for i in range(len(keys)):
        own, opp = decode(keys[i], layout)
        if not line_on(layout, opp) and own | opp != layout.board:
            search.nodes = search.look = 0
            solve_misere(search, own, own | opp, popcount(own | opp), -WIDEST, WIDEST)
            wrong += 0 if search.low == scores[i] and search.high == scores[i] else 1
    return wrong


def wrong_scores(board: Game) -> int:
    """Return how many positions the solver scores differently from the complete table."""
    table, search = build_table(board), Engine(board, tt_mb=16).searches[0]
    search.limit = UNLIMITED
    wrong = 0
    for ply in table.plies:
        keys = ply.keys(table._shift)
        if isinstance(search, Search):
            wrong += wrong_with_gravity(search, board.layout, keys, ply.scores)
        elif board.misere:
            wrong += wrong_in_misere(search, board.layout, keys, ply.scores)
        else:
            wrong += wrong_without(search, board.layout, keys, ply.scores)
    return wrong


def test_every_position_of_every_board_up_to_4_x_4_with_gravity() -> None:
    assert {size: wrong_scores(Game(*size, gravity=True)) for size in SIZES} == dict.fromkeys(SIZES, 0)


def test_every_position_of_every_board_up_to_4_x_4_without_gravity() -> None:
    assert {size: wrong_scores(Game(*size, gravity=False)) for size in SIZES} == dict.fromkeys(SIZES, 0)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_position_of_small_variants(name: str) -> None:
    assert wrong_scores(game(name)) == 0
