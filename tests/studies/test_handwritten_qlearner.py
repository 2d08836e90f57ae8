"""The learner by hand learns when it is sound, and each of its faults does what it says."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.agents import agent
from inarow.agents.qlearning import QLearning
from inarow.rules import TICTACTOE, Game, Position
from inarow.studies import Plan
from inarow.studies.handwritten_qlearner import FAULTS, HandLearner, train_by_hand
from inarow.studies.sections.trainings import training


def trained(*faults: str, episodes: int = 2_500) -> dict[str, Any]:
    settings = training("qlearning", TICTACTOE, episodes, Plan(), matches=1, truth=True)
    return train_by_hand({**settings, "faults": list(faults)}).result


def learner(spec: str, board: Game, *faults: str) -> HandLearner:
    settings = agent(spec)
    assert isinstance(settings, QLearning)
    return HandLearner(settings, board, 1, 100, frozenset(faults))


def test_sound_it_learns_and_the_same_seed_learns_the_same() -> None:
    found = trained()
    assert [entry["episodes"] for entry in found["history"]] == [0, 2_500]
    assert found["history"][0]["truth"]["keeps the verdict"] < 0.7
    assert found["history"][1]["truth"]["keeps the verdict"] > 0.97
    assert trained() == found


@pytest.mark.parametrize("fault", ["no-loss", "plus", "last-only", "explores"])
def test_a_fault_costs_verdicts(fault: str) -> None:
    assert trained(fault)["history"][-1]["truth"]["keeps the verdict"] < 0.95


def test_of_equal_moves_the_first_is_played_or_any() -> None:
    start = Position.start(TICTACTOE)
    assert {learner("qlearning", TICTACTOE, "first-tie").mind(seed).decide(start).move for seed in range(30)} == {0}
    assert len({learner("qlearning", TICTACTOE).mind(seed).decide(start).move for seed in range(60)}) == 9


def test_every_fault_has_its_words() -> None:
    assert all(FAULTS.values())
    with pytest.raises(AssertionError):
        learner("qlearning", TICTACTOE, "no such fault")
