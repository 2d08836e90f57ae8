"""Grades by the exact truth, checked by plain enumeration."""

from __future__ import annotations

import json

import pytest

from inarow.agents import agent
from inarow.rules import FIRST, TICTACTOE, Position, game
from inarow.truth.grading import (
    Truth,
    all_positions,
    count_lines,
    decider,
    grade_matches,
    grade_positions,
    random_positions,
)
from inarow.truth.greedy_measures import truth_measure
from support.commands import inarow
from support.exact_truth import Truth as Plain


def test_all_positions_of_a_small_game_are_found_and_their_verdicts_are_right() -> None:
    plain, truth = Plain(TICTACTOE), Truth(TICTACTOE)
    positions = all_positions(TICTACTOE)
    assert positions is not None
    assert len(positions) == 4520
    for position in positions[::7]:
        for move in position.legal_moves():
            assert truth.keeps(position, move) == plain.keeps(position, move)
    assert all_positions(game("connect4")) is None


def test_the_shipped_learners_of_tic_tac_toe_never_err() -> None:
    for spec in ("qlearning", "ntuple"):
        grade = grade_positions(agent(spec), TICTACTOE, count=1, seed=3)
        assert grade.whole
        found = grade.accuracy()
        assert found is not None
        assert found.estimate == 1
        assert grade.lines["as first"]["losses"] == grade.lines["as second"]["losses"] == 0


def test_a_poor_player_is_found_out() -> None:
    grade = grade_positions(agent("random"), TICTACTOE, count=1, seed=3)
    found = grade.accuracy()
    assert found is not None
    assert 0.5 < found.estimate < 0.9
    assert grade.lines["as second"]["losses"] > 0


def test_every_line_of_play_is_counted() -> None:
    """A player with a fixed order of cells against everything: by hand on a board of four cells."""
    board = game("2x2x2")
    lines = count_lines(board, FIRST, lambda position: position.legal_moves()[0])
    assert lines == {"wins": 2, "draws": 0, "losses": 0}  # two replies, then any second stone touches the first


def test_a_sample_has_positions_whose_moves_differ() -> None:
    board = game("5x4x4")
    truth = Truth(board)
    positions = random_positions(board, truth, 40, seed=2, first=4)
    assert len({position.key() for position in positions}) == 40
    assert all(position.ply >= 4 and not truth.is_trivial(position) for position in positions)
    assert positions == random_positions(board, truth, 40, seed=2, first=4)


def test_a_perfect_player_keeps_every_verdict_and_draws_with_itself() -> None:
    board = game("4x4x4")
    grade = grade_positions(agent("perfect"), board, count=30, seed=1, first=5)
    found = grade.accuracy()
    assert found is not None
    assert found.estimate == 1
    grade_matches(grade, {"random-perfect": agent("perfect:resist=any")}, games=3, seed=1)
    assert grade.against["as first against random-perfect"] == [0.5, 0.5, 0.5]
    assert grade.to_json()["against_perfect"]["as second against random-perfect"]["estimate"] == 0.5


def test_a_decider_decides_the_same_again() -> None:
    decide = decider(agent("random"), TICTACTOE, 5)
    start = Position.start(TICTACTOE)
    assert decide(start) == decide(start)


@pytest.mark.parametrize("board", ["tictactoe", "4x4x4"])
def test_the_measure_of_a_training_is_the_share_of_kept_verdicts(board: str) -> None:
    played = game(board)
    found = truth_measure(played)(lambda seed: agent("perfect").mind(played, FIRST, seed))
    assert found == {"keeps the verdict": 1.0}


def test_the_command_prints_a_grade() -> None:
    text = inarow("grade", "qlearning", "tictactoe").stdout
    assert "keeps the verdict in 100 % (99.9–100) of all positions" in text
    assert "Every line of play" in text
    found = json.loads(inarow("grade", "rules", "4x4x4", "--positions", "20", "--games", "2", "--json").stdout)
    assert found["accuracy"]["low"] < found["accuracy"]["estimate"] <= 1
    assert "as first against longest resistance" in found["against_perfect"]
    assert "unknown agent" in inarow("grade", "nobody", "tictactoe", code=2).stderr
