"""The learner by hand learns when it is sound, and each of its faults does what it says."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.agents import agent
from inarow.agents.qlearning import QLearning
from inarow.rules import CONNECT4, TICTACTOE, Game, Position, game
from inarow.studies import Plan
from inarow.studies.handwritten_qlearner import BLOCKED, FAULTS, WON, HandLearner, train_by_hand
from inarow.studies.sections.trainings import training


def trained(*faults: str, episodes: int = 2_500) -> dict[str, Any]:
    settings = training("qlearning", TICTACTOE, episodes, Plan(), matches=1, truth=True)
    return train_by_hand({**settings, "faults": list(faults)}).result


def learner(spec: str, board: Game, *faults: str) -> HandLearner:
    settings = agent(spec)
    assert isinstance(settings, QLearning)
    return HandLearner(settings.settled(board), board, 1, 100, frozenset(faults))


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


def test_the_first_column_is_learnt_unless_that_is_the_fault() -> None:
    for faults, learnt in (((), True), (("column-0",), False)):
        made = learner("qlearning:epsilon=1", game("4x3x3"), *faults)
        turn = next(turn for _ in range(100) if (turn := made.play(Position.start(made.game))).move == 0)
        made.learn(turn, reward=1.0)
        assert (made.row(turn.position)[0] > 0) is learnt


def test_a_win_or_a_block_is_set_outright_where_that_is_the_fault() -> None:
    made = learner("qlearning:preset=r2", CONNECT4, "outright")
    for moves, worth in ((3, 0, 3, 0, 3, 0), WON), ((3, 0, 3, 0, 3), BLOCKED):
        turn = made.play(Position.start(CONNECT4, moves))
        made.learn(turn)
        assert made.row(turn.position)[turn.move] == worth


def test_a_wrong_diagonal_learns_a_move_on_a_stone() -> None:
    """A stone on 1 and a move to 6: reflected at the other diagonal that is 9 and 2, and not 9 and 8."""
    wrong, right = (learner("qlearning:seats=apart", TICTACTOE, *faults) for faults in (("diagonal",), ()))
    turn = right.play(Position.start(TICTACTOE, (0,)))._replace(move=5)
    image = Position.start(TICTACTOE, (8,))
    for made in (wrong, right):
        made.learn(turn, reward=1.0)
    assert right.row(image)[1] > 0
    assert wrong.row(image)[7] > 0
    assert [move for move in range(9) if wrong.row(image)[move]] != [m for m in range(9) if right.row(image)[m]]


def test_every_fault_has_its_words() -> None:
    assert all(FAULTS.values())
    with pytest.raises(AssertionError):
        learner("qlearning", TICTACTOE, "no such fault")
