"""An evaluation counts matches by seat, and its measure of truth is a share of kept verdicts."""

from __future__ import annotations

import pytest

from inarow.agents import Decision, Mind, agent
from inarow.limits import Limit
from inarow.rules import FIRST, TICTACTOE, IllegalMove, Position, game
from inarow.stopping import Stop
from inarow.training import Stage, trainer
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


class OneByOne(Mind):
    """A mind that answers position by position."""

    def __init__(self, mind: Mind) -> None:
        self.think = mind.think  # type: ignore[method-assign]

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("spec", "board", "sample"),
    [
        ("qlearning", "tictactoe", None),
        ("qlearning:symmetry=off", "4x3x3", None),
        ("qlearning:guide=heuristic", "connect4", 40),
        ("qlearning:guide=rules,initial=-2", "3x3x3-free", 25),
    ],
)
def test_a_table_is_graded_at_once_as_position_by_position(spec: str, board: str, sample: int | None) -> None:
    """Few episodes, so that most positions are unknown and their ties are broken at random."""
    played = game(board)
    learner = trainer(spec).learner(played, 1, 30)
    learner.run(Stage(), 30, Stop())
    measure = truth_measure(played, sample)
    assert measure(learner.mind) == measure(lambda seed: OneByOne(learner.mind(seed)))


def test_an_illegal_move_of_a_learner_is_named() -> None:
    class Stubborn(Mind):
        def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
            return Decision(0)

    with pytest.raises(IllegalMove, match="1"):
        truth_measure(TICTACTOE)(lambda seed: Stubborn())


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
