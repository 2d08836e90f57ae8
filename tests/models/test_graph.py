"""Small games as graphs: every position once, and the same learnt as by looking positions up."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.models.qtable import QTable, list_graph
from inarow.rules import CONNECT4, TICTACTOE, game
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from inarow.training.qlearning import QLearner


def learner(spec: str, board: str = "tictactoe", seed: int = 1) -> QLearner:
    made = trainer(spec).learner(game(board), seed, 100_000)
    assert isinstance(made, QLearner)
    return made


def test_a_graph_has_every_position_that_is_not_over_once() -> None:
    folded, apart = list_graph(QTable(TICTACTOE)), list_graph(QTable(TICTACTOE, symmetries=False))
    assert folded is not None
    assert apart is not None
    assert (len(folded.nodes), len(apart.nodes)) == (627, 4520)
    assert folded.legal[0] == 9
    assert folded.choices[0] == 3  # a corner, an edge, the centre
    assert np.bincount(folded.choice_of_move[0]).tolist() in ([4, 4, 1], [4, 1, 4], [1, 4, 4])
    assert len({tuple(key) for key in folded.nodes.tolist()}) == 627


def test_a_game_with_more_positions_than_fit_has_no_graph() -> None:
    assert list_graph(QTable(CONNECT4)) is None
    assert list_graph(QTable(TICTACTOE), most=626) is None
    assert list_graph(QTable(TICTACTOE, most=626)) is None


@pytest.mark.parametrize("board", ["tictactoe", "3x3x3", "3x2x2-free"])
@pytest.mark.parametrize("settings", ["alpha=1", "alpha=1,sweep=forward,symmetry=off,initial=0.5,move=0"])
def test_a_graph_learns_what_the_table_alone_does(board: str, settings: str) -> None:
    """With a rate of 1 the values settle at the exact ones, whatever the order of episodes."""
    quick, slow = learner(f"qlearning:epsilon=1,{settings}", board), learner(f"qlearning:epsilon=1,{settings}", board)
    assert quick.graph is not None
    slow.__dict__["graph"] = None
    for one in (quick, slow):
        assert one.run(Stage(("self",)), 400_000, Stop()) == 400_000
    for name in ("keys", "values"):
        assert np.allclose(quick.arrays()[name], slow.arrays()[name], atol=1e-6)
    assert quick.tally()["plies"] == pytest.approx(slow.tally()["plies"], rel=0.02)


def test_what_was_learnt_otherwise_is_gone_on_with() -> None:
    one = learner("qlearning")
    met = []
    for opponent in ("self", "rules", "self"):
        one.run(Stage((opponent,)), 200, Stop())
        met.append(int(one.table.visits.sum()))
    assert met[0] < met[1] < met[2]
    again = learner("qlearning")
    again.run(Stage(("self",)), 200, Stop())
    again.run(Stage(("rules",)), 200, Stop())
    before = again.arrays()["visits"].copy()
    assert again.graph is not None
    again.graph.read(again.table)
    again.graph.write(again.table)
    assert (again.arrays()["visits"] == before).all()


def test_settings_that_a_graph_is_not_for_use_the_table() -> None:
    for spec in ("qlearning:backup=own", "qlearning:guide=rules"):
        assert learner(spec).graph is None
