"""Training matches by tree search: what is logged, what is learnt, and a copy that follows."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.agents import agent
from inarow.agents.ntuple import NTuple
from inarow.agents.parameters import AgentError
from inarow.kernels.ntuple import points, self_play
from inarow.rules import Position, game
from inarow.solver import Oracle
from inarow.stopping import Stop
from inarow.training import Stage, new_learner
from inarow.training.network_learner import NTupleLearner
from inarow.training.tree_play import TreePlay, result_of

SPEC = "ntuple:tuples=6,length=4,simulations=8,epsilon=0.3"


def trained(spec: str, board: str, episodes: int) -> NTupleLearner:
    learner = new_learner(agent(spec), game(board), 1, 100)
    assert isinstance(learner, NTupleLearner)
    assert learner.run(Stage(("self",)), episodes, Stop()) == episodes
    return learner


@pytest.mark.parametrize("board", ["5x4x4", "tictactoe"])
def test_the_copy_that_plays_follows_every_weight_that_is_learnt(board: str) -> None:
    learner = trained(SPEC, board, 12)
    tree = learner._tree
    assert isinstance(tree, TreePlay)
    expected = np.rint(learner.network.weights.astype(np.float64) * points.SCALE).astype(np.int32)
    assert np.count_nonzero(expected) > 100
    assert (tree.copy.whole.weights == expected.reshape(-1)).all()


def test_positions_of_the_match_are_logged_with_discounted_results() -> None:
    learner = trained("ntuple:tuples=6,length=4,simulations=8,trace=1,epsilon=0,openings=0,alpha=0.000001", "4x4x3", 1)
    log, tally = learner._logs[0].log, learner.tally()
    rows = int(np.count_nonzero(log.targets))
    assert rows > 1
    assert sum(tally[name] for name in ("wins", "draws", "losses")) == 1
    assert (
        np.sign(log.targets[:rows]) == np.where(log.sides[:rows] == log.sides[0], 1, -1) * np.sign(log.targets[0])
    ).all()
    assert (np.diff(np.abs(log.targets[:rows])) > 0).all(), "the nearer to the end, the surer"


def test_a_won_game_is_learnt_to_be_won() -> None:
    board = game("4x4x3")
    assert Oracle(board).verdict(Position.start(board)) == 1
    few, more = (trained("ntuple:simulations=10,openings=0.3", "4x4x3", episodes) for episodes in (1, 200))
    values = [max(one.mind(1).decide(Position.start(board)).values.values()) for one in (few, more)]
    assert values[1] > 0.6 > values[0]


@pytest.mark.parametrize(
    ("plies", "final", "result"),
    [
        (7, -1.0, self_play.FIRST_WINS),
        (8, -1.0, self_play.SECOND_WINS),
        (6, 0.99, self_play.FIRST_WINS),
        (9, 0.99, self_play.SECOND_WINS),
        (16, 0.0, self_play.DRAWS),
    ],
)
def test_who_won_is_told_by_the_side_to_move(plies: int, final: float, result: int) -> None:
    assert result_of(plies, final) == result


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ntuple:search=2,simulations=5", "search and simulations both choose"),
        ("ntuple:learn=leaf", "learn=leaf needs a search of several plies; give search=2"),
        ("ntuple:learn=tree,search=3", "learn=tree is for search=2, not 3"),
        ("ntuple:search=2,gamma=0", "needs a gamma above 0"),
        ("ntuple:search=5", "a whole number from 1 to 4"),
    ],
)
def test_contradicting_settings_are_refused(spec: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        agent(spec)


def test_a_tree_search_trains_on_one_thread() -> None:
    settings = agent("ntuple:simulations=4")
    assert isinstance(settings, NTuple)
    assert NTupleLearner(settings, game("tictactoe"), 1, 10, workers=3).workers is None
