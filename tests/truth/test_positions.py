"""Positions to grade on are complete or random, and worth grading."""

from __future__ import annotations

from inarow.rules import TICTACTOE, game
from inarow.truth import SolvedPositions
from inarow.truth.positions import all_positions, quick_ply, random_positions
from support.exact_truth import Truth as Plain


def test_all_positions_of_a_small_game_are_found_and_their_verdicts_are_right() -> None:
    plain, solved = Plain(TICTACTOE), SolvedPositions(TICTACTOE)
    positions = all_positions(TICTACTOE)
    assert positions is not None
    assert len(positions) == 4520
    for position in positions[::7]:
        for move in position.legal_moves():
            graded = solved.grade(position, move)
            assert graded is not None
            assert graded.keeps_verdict == plain.keeps(position, move)
    assert all_positions(game("connect4")) is None


def test_a_sample_has_positions_whose_moves_differ() -> None:
    board = game("5x4x4")
    solved = SolvedPositions(board)
    positions = random_positions(solved, 40, seed=2, first_ply=4)
    assert len({position.key() for position in positions}) == 40
    assert all(position.ply >= 4 and not solved.is_trivial(position) for position in positions)
    assert positions == random_positions(solved, 40, seed=2, first_ply=4)


def test_late_positions_are_those_with_30_cells_left() -> None:
    assert [quick_ply(game(name)) for name in ("tictactoe", "connect4", "9x6x4")] == [0, 12, 24]
