"""Each fault of the plain Q-learner in the study of learning does what it says."""

from __future__ import annotations

import pytest

from inarow.rules import FIRST, TICTACTOE, Position
from inarow.studies import Plan
from inarow.studies.learning import FAULTS, FaultyQLearner, train_plain, training
from inarow.training.plain.qlearning import Turn

WON = (0, 3, 1, 4, 2)
"""The first player fills the top row."""


def taught(fault: str) -> list[float]:
    """The values of the moves of a won game after it was learnt three times at a learning rate of 1."""
    learner = FaultyQLearner(TICTACTOE, alpha=1.0, gamma=0.9)
    learner.fault = fault
    turns: list[Turn] = [(Position.start(TICTACTOE, WON[:ply]), move) for ply, move in enumerate(WON)]
    for _ in range(3):
        learner.learn(turns, True, FIRST)
    return [round(learner.values(position)[move], 4) for position, move in turns]


@pytest.mark.parametrize(
    ("fault", "values"),
    [
        # Only the losing move itself is worth less than 0: its side had other replies, still worth 0.
        ("", [0.0, 0.0, 0.0, -0.9, 1.0]),
        ("no-loss", [0.0, 0.0, 0.0, 0.0, 1.0]),
        ("last-only", [0.0, 0.0, 0.0, 0.0, 1.0]),
        ("plus", [0.6561, 0.729, 0.81, 0.9, 1.0]),
    ],
)
def test_what_a_won_game_teaches(fault: str, values: list[float]) -> None:
    assert taught(fault) == pytest.approx(values)


def test_only_a_fault_takes_the_first_of_equal_moves_or_goes_on_exploring() -> None:
    def played(fault: str) -> set[int]:
        learner = FaultyQLearner(TICTACTOE, alpha=1.0)
        learner.fault = fault
        start = Position.start(TICTACTOE)
        if fault == "explores":
            learner.learn([(start, 4)], True, FIRST)
        return {learner.mind(seed).decide(start).move for seed in range(60)}

    assert played("") == set(range(9))
    assert played("first-tie") == {0}
    assert played("explores") == set(range(9))


def test_a_training_is_repeated_by_its_seed() -> None:
    settings = training("qlearning", TICTACTOE, 20, Plan(), every=10, matches=1, against=["rules"], truth=True)
    found = train_plain({**settings, "fault": ""}).result
    assert [entry["episodes"] for entry in found["history"]] == [0, 10, 20]
    assert train_plain({**settings, "fault": ""}).result == found
    assert all(FAULTS.values())
