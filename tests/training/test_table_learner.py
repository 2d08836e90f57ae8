"""What a table learner shows of its updates is what it does, and its rates can be changed on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.rules import Position, game
from inarow.stopping import Stop
from inarow.training.opponents import Schedule, Stage, schedule
from inarow.training.qlearning import QLearner, QLearning
from inarow.training.trainer import Rates

SELF = Stage(("self",))


def learner(name: str, **settings: Any) -> QLearner:
    board = game(name)
    given: dict[str, Any] = {"alpha": schedule("0.25"), "epsilon": schedule("0.4"), "opening_plies": 0, **settings}
    return QLearning(**given).learner(board, 3, 10_000)


@pytest.mark.parametrize("name", ["tictactoe", "4x4x3", "connect4"])
@pytest.mark.parametrize("settings", [{}, {"initial": 0.5, "symmetry": False}, {"move": -0.01, "gamma": 0.9}])
def test_every_update_goes_by_alpha_from_the_old_value_to_the_target(name: str, settings: dict[str, object]) -> None:
    one = learner(name, **settings)
    for _ in range(40):
        updates = one.observe()
        assert updates[0].position.play(updates[0].move).outcome() is not None
        assert [update.position.ply for update in updates] == list(reversed(range(len(updates))))
        for update in updates:
            assert update.new == pytest.approx(update.old + 0.25 * (update.target - update.old), abs=1e-6)
            assert Position.start(one.game, update.moves) == update.position
        shown = {update.position.ply: update for update in updates}
        for ply, update in shown.items():
            assert one.table.judge(update.position)[0][update.move] == pytest.approx(update.new, abs=1e-6)
            if ply + 1 in shown:  # minus the best reply, as it is known by then
                best = max(one.table.judge(shown[ply + 1].position)[0].values())
                assert update.target == pytest.approx(one.learning.per_move - one.learning.gamma * best, abs=1e-6)
    assert one.episodes == 40


def test_observed_and_other_episodes_learn_into_the_same_table() -> None:
    one = learner("tictactoe")
    one.run(SELF, 500, Stop())
    known = len(one.table)
    before = one.table.judge(Position.start(one.game))[0]
    updates = one.observe()
    assert updates[-1].old == pytest.approx(before[updates[-1].move], abs=1e-6)
    one.run(SELF, 500, Stop())
    assert one.episodes == 1001
    assert len(one.table) >= known


def test_rates_can_be_changed_on_the_way() -> None:
    one = learner("tictactoe")
    one.observe()
    one.set_rates(Rates(Schedule("constant", 1.0), Schedule("constant", 0.0), 1))
    assert all(update.new == pytest.approx(update.target, abs=1e-6) for update in one.observe())
    one.run(SELF, 50, Stop())
    lines = {tuple(update.move for update in one.observe()) for _ in range(3)}
    one.set_rates(Rates(Schedule("constant", 0.0), Schedule("constant", 0.0), 1))
    assert all(update.new == update.old for update in one.observe())
    assert lines


@pytest.mark.parametrize("settings", [{}, {"sweep": "forward"}, {"backup": "own"}])
def test_observing_learns_what_the_compiled_kernel_learns(settings: dict[str, object]) -> None:
    watched, compiled = learner("connect4", **settings), learner("connect4", **settings)
    for _ in range(30):
        watched.observe()
        compiled.run(SELF, 1, Stop())
    for name, array in compiled.arrays().items():
        assert np.array_equal(watched.arrays()[name], array), name
