"""The PettingZoo environments pass PettingZoo's own tests, and equal its own two games step by step."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic.connect_four import connect_four
from pettingzoo.classic.tictactoe import tictactoe
from pettingzoo.utils.env_logger import EnvLogger

from inarow.adapters.pettingzoo import ActionError, env
from inarow.errors import InarowError

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's tests use its old way of making environments
    from pettingzoo.test import api_test, render_test, seed_test

# PettingZoo knows by name which of its own environments have observations with masks, and warns of any other.
masked = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably:UserWarning",
    "ignore:Observation numpy array is all zeros:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
)
GAMES = ["connect4", "tictactoe", "5x4x3"]


@masked
@pytest.mark.parametrize("game", GAMES)
def test_pettingzoos_own_tests_pass(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(env(game), num_cycles=200)
    seed_test(lambda: env(game), num_cycles=50)
    render_test(lambda render_mode: env(game, render_mode=render_mode))


def facts(environment: Any) -> dict[str, Any]:
    """Everything that the interface shows."""
    agents = environment.possible_agents
    return {
        "agents": list(environment.agents),
        "turn": environment.agent_selection if environment.agents else None,
        "rewards": dict(environment.rewards),
        "terminations": dict(environment.terminations),
        "truncations": dict(environment.truncations),
        "infos": dict(environment.infos),
        "seen": {name: _plain(environment.observe(name)) for name in agents},
        "last": [_plain(part) for part in environment.last()] if environment.agents else None,
    }


def _plain(part: Any) -> Any:
    """With an array's type and shape; numbers keep their own type."""
    if isinstance(part, dict):
        return {key: (value.dtype, value.shape, value.tobytes()) for key, value in part.items()}
    return type(part), part


@pytest.mark.parametrize(("game", "theirs"), [("connect4", connect_four), ("tictactoe", tictactoe)])
def test_every_step_equals_pettingzoos(game: str, theirs: Any) -> None:
    ours, other = env(game), theirs.env()
    assert ours.possible_agents == other.possible_agents
    for name in ours.possible_agents:
        assert ours.observation_space(name) == other.observation_space(name)
        assert ours.action_space(name) == other.action_space(name)
    chance = random.Random(1)
    EnvLogger.suppress_output()
    steps = 0
    while steps < 10_000:
        ours.reset()
        other.reset()
        while other.agents:
            shown = facts(other)
            assert facts(ours) == shown
            seen, _, terminated, truncated, _ = other.last()
            legal = np.flatnonzero(seen["action_mask"]).tolist()
            action = None if terminated or truncated else chance.choice(legal)
            if action is not None and chance.random() < 0.01:
                action = chance.randrange(ours.game.moves)  # now and then an illegal one
            ours.step(action)
            other.step(action)
            steps += 1
        assert facts(ours) == facts(other)
    EnvLogger.unsuppress_output()
    EnvLogger.flush()


def test_an_illegal_move_loses_and_says_so() -> None:
    board = env("tictactoe")
    board.reset()
    board.step(0)
    EnvLogger.flush()
    board.step(0)
    assert "Illegal move" in EnvLogger.mqueue[-1]
    assert board.rewards == {"player_1": 0, "player_2": -1.0}
    assert all(board.terminations.values())
    EnvLogger.flush()


def test_calls_out_of_order_are_refused() -> None:
    board = env()
    for call in (lambda: board.step(0), lambda: board.observe("player_0"), board.agent_iter, board.render):
        with pytest.raises(AssertionError, match=r"reset\(\) needs to be called"):
            call()
    for name in ("agents", "num_agents", "rewards"):
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
            getattr(board, name)
    board.reset()
    with pytest.raises(ActionError, match=r"need to call step\(\)"):
        for _ in board.agent_iter():
            pass


@pytest.mark.parametrize("action", [7, -1, "3", 3.0, None, True])
def test_an_action_outside_the_space_is_named(action: Any) -> None:
    board = env()
    board.reset()
    with pytest.raises(ActionError, match=f"action {action!r} is not in action space"):
        board.step(action)
    assert board.position.ply == 0


def test_after_the_end_only_none_may_be_played() -> None:
    board = env("tictactoe")
    board.reset()
    for action in (0, 3, 1, 4, 2):
        board.step(action)
    with pytest.raises(ValueError, match="only valid action is None"):
        board.step(5)
    board.step(None)
    board.step(None)
    EnvLogger.flush()
    board.step(None)
    assert "called after all agents are terminated" in EnvLogger.mqueue[-1]
    EnvLogger.flush()


def test_it_can_be_copied_and_pickled_in_the_middle_of_a_game() -> None:
    board = env()
    board.reset()
    board.step(3)
    for twin in (copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        twin.step(3)
        assert twin.position.ply == 2
        assert twin.observe("player_0")["observation"].sum() == 2
    assert board.position.ply == 1


def test_rendering_shows_the_board(capsys: pytest.CaptureFixture[str]) -> None:
    shown: dict[str, Any] = {}
    for mode in ("ansi", "rgb_array", "human"):
        board = env(render_mode=mode)
        board.reset()
        board.step(3)
        shown[mode] = board.render()
    assert shown["ansi"].splitlines()[-1] == ". . . X . . ."
    assert shown["rgb_array"].shape == (288, 336, 3)
    assert shown["rgb_array"][264, 168, 0] != shown["rgb_array"][264, 24, 0]
    assert capsys.readouterr().out.count("X") == 2
    with pytest.raises(InarowError, match="unknown render mode 'ascii'; did you mean ansi"):
        env(render_mode="ascii")
