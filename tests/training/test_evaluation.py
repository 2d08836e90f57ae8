"""An evaluation counts matches by seat, and its measure of truth is a share of kept verdicts."""

from __future__ import annotations

import pytest

from inarow.agents import agent
from inarow.rules import FIRST, TICTACTOE, game
from inarow.training.training import BEST, KEPT, SKILL, Evaluation, merit, truth_measure


@pytest.mark.parametrize("board", ["tictactoe", "4x4x4"])
def test_a_perfect_player_is_right_in_every_measure_of_a_training(board: str) -> None:
    played = game(board)
    found = truth_measure(played)(lambda seed: agent("perfect").mind(played, FIRST, seed))
    assert (found[KEPT], found[BEST], found[SKILL]) == (1.0, 1.0, 1.0)


def test_nothing_is_said_of_the_values_of_a_learner_without_any() -> None:
    found = truth_measure(TICTACTOE)(lambda seed: agent("random").mind(TICTACTOE, FIRST, seed))
    assert set(found) == {KEPT, BEST}
    assert found[BEST] <= found[KEPT] < 0.9


def test_matches_are_counted_by_opponent_and_seat() -> None:
    perfect = agent("perfect")
    found = Evaluation(["random"], matches=3).measure(TICTACTOE, lambda seed: perfect.mind(TICTACTOE, FIRST, seed), 1)
    assert [sum(seat.values()) for seat in found["matches"]["random"].values()] == [3, 3]
    assert all(seat["losses"] == 0 for seat in found["matches"]["random"].values())
    assert "truth" not in found


def test_evaluations_compare_by_truth_or_else_by_the_mean_score() -> None:
    seats = {"first": {"wins": 2, "draws": 1, "losses": 1}, "second": {"wins": 0, "draws": 4, "losses": 0}}
    assert merit({"matches": {"random": seats}}) == (2.5 / 4 + 0.5) / 2
    assert merit({"matches": {"random": seats}, "truth": {KEPT: 0.25, SKILL: 0.7}}) == 0.25
    assert merit({"matches": {}}) == 0
