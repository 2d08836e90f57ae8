"""An analysis in steps: cut into slices, or answered from outside, it finds what an analysis in one go finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.kernels.solver import analyse
from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.solver import Oracle
from inarow.solver.book import read_book, shipped_book
from inarow.solver.engine import Engine
from support.naive_network import random_position
from support.naive_solver import naive_score, naive_score_of_move

ALL = 1 << analyse.SCORE | 1 << analyse.EACH_MOVE | 1 << analyse.LINE


def sliced(position: Position, engine: Engine, most: int) -> tuple[analyse.AnalysisState, int]:
    """Analyse a position with at most so many nodes in a call; returns the number of calls, too."""
    state, books, layout = analyse.AnalysisState(), analyse.no_books(), position.game.layout
    analyse.begin(state, layout, books, position.own, position.opp, analyse.UNLIMITED, False, ALL)
    advance: Any = analyse.advance_gravity if position.game.gravity else analyse.advance_free
    for calls in range(1, 10_000):
        code = advance(state, layout, engine.searches[0], books, most << min(calls // 20, 20))
        if code == analyse.DONE:
            return state, calls
        assert code == analyse.UNFINISHED
    raise AssertionError


@pytest.mark.parametrize("name", ["tictactoe", "4x4x3", "3x3x3", "4x3x3-free"])
def test_slices_find_the_naive_scores_and_a_line_that_keeps_them(name: str) -> None:
    board, known = game(name), dict[tuple[int, int], int]()
    stream, engine = Stream(3), Engine(board, tt_mb=1)
    for ply in range(board.cells - 1):
        position = random_position(board, stream, ply)
        if position.outcome() is not None:
            continue
        state, _ = sliced(position, engine, 1)
        score = naive_score(position, known)
        assert (state.low, state.high) == (score, score)
        for move in position.legal_moves():
            expected = naive_score_of_move(position, move, known)
            assert (state.move_low[move], state.move_high[move]) == (expected, expected)
        for move in state.line[: state.length].tolist():
            assert naive_score_of_move(position, move, known) == score
            position, score = position.play(move), -score
        assert position.outcome() is not None


@pytest.mark.parametrize(("name", "plies"), [("connect4", 16), ("5x5x4-free", 8)])
def test_slices_of_a_long_analysis_find_what_one_call_finds(name: str, plies: int) -> None:
    board, stream, calls = game(name), Stream(8), 0
    oracle, engine = Oracle(board, book=False), Engine(board, tt_mb=4)
    for _ in range(6):
        position = random_position(board, stream, plies)
        if position.outcome() is not None:
            continue
        whole = oracle.analyse(position)
        state, count = sliced(position, engine, 200)
        calls += count
        assert (state.low, state.high) == whole.bounds
        assert {m: (state.move_low[m], state.move_high[m]) for m in position.legal_moves()} == whole.moves
    assert calls > 20


def test_the_bytes_of_a_book_are_unpacked_to_its_keys() -> None:
    path = shipped_book(game("connect4"))
    assert path is not None
    keys = np.array(read_book(path).keys, np.int64)[:2000]
    steps = np.diff(keys, prepend=0).astype("<i8").view(np.uint8).reshape(-1, 8).T.copy().ravel()
    found = np.zeros(len(keys), np.int64)
    analyse.unpack_keys(steps.astype(np.int64), found)
    assert (found == keys).all()
