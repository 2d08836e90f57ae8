"""The rules are proven by counts per ply that are known from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inarow.errors import InarowError
from inarow.rules import Position, game
from inarow.rules.counting import count_plies
from support.naive import NAMES, Naive

KNOWN = json.loads((Path(__file__).parents[1] / "data" / "perft.json").read_text())


def test_connect4_has_the_published_numbers_of_positions() -> None:
    plies = list(count_plies(game("connect4"), 10))
    assert [ply.positions for ply in plies] == KNOWN["connect4"]["positions"]
    assert [ply.sequences for ply in plies][:7] == KNOWN["connect4"]["sequences"]


def test_tictactoe_has_the_published_numbers_of_positions_and_playings() -> None:
    known = KNOWN["tictactoe"]
    plies = list(count_plies(game("tictactoe"), 9))
    assert [ply.positions for ply in plies] == known["positions"]
    assert sum(ply.positions for ply in plies) == known["positions_in_all"]
    for key in ("won_by_first", "won_by_second", "drawn"):
        assert sum(getattr(ply, key) for ply in plies) == known[key]


def _naive_sequences(board: Naive, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in board.legal():
        before = [row[:] for row in board.grid], board.turn
        board.play(move)
        total += _naive_sequences(board, depth - 1)
        board.grid, board.turn = [row[:] for row in before[0]], before[1]
    return total


@pytest.mark.parametrize("name", NAMES)
def test_sequences_agree_with_a_naive_walk(name: str) -> None:
    board = game(name)
    depth = 3 if board.moves > 9 else 4
    counted = [ply.sequences for ply in count_plies(board, depth)]
    naive = [_naive_sequences(Naive(board.columns, board.rows, board.k, board.gravity), d) for d in range(depth + 1)]
    assert counted == naive[: len(counted)]
    assert not any(naive[len(counted) :])


def test_counting_starts_from_any_position() -> None:
    board = game("connect4")
    start = Position.start(board, [3, 3, 4])
    below = list(count_plies(board, 3, start))
    assert below[3].sequences == 343
    assert below[1].positions == 7
    assert [p.ply for p in below] == [0, 1, 2, 3]


def test_a_finished_game_has_nothing_below_it() -> None:
    board = game("tictactoe")
    won = Position.start(board, [0, 3, 1, 4, 2])
    (only,) = count_plies(board, 3, won)
    assert (only.positions, only.won_by_first) == (1, 1)


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(InarowError, match="depth must be at least 0, got -1"):
        list(count_plies(game("connect4"), -1))
