"""The Gymnasium environments pass Gymnasium's own checks, and say what is wrong with what they are given."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import FlattenObservation, RecordEpisodeStatistics

import inarow.adapters.gymnasium as adapter
from inarow.adapters.batch import Opponent
from inarow.adapters.gymnasium import BoardEnv, EnvError, VectorBoardEnv
from inarow.agents import AgentError
from inarow.agents.base import Agent, Mind, Resignation
from inarow.errors import InarowError
from inarow.limits import Limit
from inarow.rules import Game, Player, Position
from inarow.solver import Oracle
from inarow.stopping import Stop


@pytest.mark.parametrize("name", ["inarow/Connect4-v1", "inarow/TicTacToe-v1"])
@pytest.mark.parametrize("opponent", ["random", "alphabeta:depth=2"])
def test_gymnasiums_own_check_passes(name: str, opponent: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert name in adapter.IDS
    check_env(gymnasium.make(name, opponent=opponent).unwrapped)


def play(env: BoardEnv, seed: int) -> list[Any]:
    """A match with random legal moves, as a list of all that was returned."""
    found: list[Any] = []
    seen, info = env.reset(seed=seed)
    chance = np.random.default_rng(seed)
    over = False
    while not over:
        found.append((seen["observation"].tolist(), seen["action_mask"].tolist(), info))
        action = chance.choice(np.flatnonzero(seen["action_mask"]))
        seen, reward, over, truncated, info = env.step(action)
        found.append((reward, truncated))
    return [*found, info]


def test_seeds_repeat_a_match_and_seats_vary() -> None:
    env = BoardEnv("connect4", "random")
    assert play(env, 1) == play(env, 1)
    assert {play(env, seed)[-1]["seat"] for seed in range(8)} == {"first", "second"}
    assert {play(BoardEnv(seat="second"), seed)[-1]["seat"] for seed in range(4)} == {"second"}


def test_rewards_go_to_the_caller() -> None:
    env = BoardEnv("tictactoe", "random")
    for seed in range(30):
        match = play(env, seed)
        outcome = env.position.outcome()
        assert outcome is not None
        mine = Player[match[-1]["seat"].upper()]
        assert match[-2][0] == (0 if outcome.winner is None else 1 if outcome.winner is mine else -1)
        assert all(reward == 0 for reward, _ in match[1:-3:2])


def test_an_opening_and_a_seat_can_be_asked_for() -> None:
    env = BoardEnv("connect4", "random")
    seen, info = env.reset(seed=0, options={"seat": "first", "moves": "4455"})
    assert info == {"moves": "4455", "seat": "first"}
    assert seen["observation"][5, 3, 0] == 1
    _, info = env.reset(seed=0, options={"seat": "second", "moves": "44"})
    assert len(info["moves"]) == 3
    with pytest.raises(EnvError, match="the opening is a finished game"):
        env.reset(options={"moves": "1212121"})


def test_truth_is_in_info_and_in_the_reward() -> None:
    env = BoardEnv("tictactoe", "random", seat="first", truth=True, reward="regret")
    env.reset(seed=3)
    _, reward, _, _, info = env.step(1)
    scores = Oracle(env.game).scores(Position.start(env.game))
    assert info["scores"] == scores
    assert info["regret"] == max(scores.values()) - scores[1]
    assert reward == -info["regret"]
    env.reset(seed=3, options={"moves": "1245"})
    _, reward, _, _, info = env.step(8)  # wins nothing, and lets 3 go
    assert reward == -info["regret"] < 0


def test_bad_actions_are_named() -> None:
    env = BoardEnv("tictactoe", "random", seat="first", illegal="raise")
    with pytest.raises(EnvError, match=r"call reset\(\) before step\(\)"):
        env.step(0)
    env.reset(seed=1)
    bad: list[tuple[Any, str]] = [
        ("0", "of type str"),
        (1.0, "of type float"),
        (True, "of type bool"),
        (9, "from 0 to 8"),
    ]
    for action, words in bad:
        with pytest.raises(EnvError, match=words):
            env.step(action)
    env.step(0)
    with pytest.raises(EnvError, match="action 0 is not legal; legal: "):
        env.step(0)
    env.close()
    with pytest.raises(EnvError, match="the match is over"):
        env.step(5)


def test_an_illegal_move_loses_unless_it_shall_raise() -> None:
    env = BoardEnv("tictactoe", "random", seat="first")
    env.reset(seed=1)
    env.step(0)
    seen, reward, over, truncated, info = env.step(0)
    assert (reward, over, truncated, info["illegal"]) == (-1.0, True, False, True)
    assert seen["action_mask"].sum() == 0


def test_an_illegal_move_costs_no_less_regret_than_the_worst_legal_one() -> None:
    env = BoardEnv("tictactoe", "random", reward="regret")
    for moves in ("12", "1253", "125"):
        env.reset(seed=1, options={"moves": moves, "seat": "second" if len(moves) % 2 else "first"})
        scores = Oracle(env.game).scores(env.position)
        reward = env.step(0)[1]
        assert reward <= min(scores.values()) - max(scores.values())
    env.reset(seed=1, options={"moves": "1253", "seat": "first"})
    assert env.step(0)[1] == -(3 + 2)  # it could win with the next stone, and loses instead


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"opponent": "alhpabeta"}, "unknown agent 'alhpabeta'; did you mean alphabeta"),
        ({"seat": "left"}, "unknown seat 'left'"),
        ({"reward": "points"}, "unknown reward 'points'"),
        ({"illegal": "ignore"}, "unknown rule for illegal moves"),
        ({"render_mode": "window"}, "unknown render mode"),
        ({"game": "connect5"}, "unknown game 'connect5'"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InarowError, match=words):
        BoardEnv(**settings)
    assert issubclass(AgentError, InarowError)


class Quitter(Agent):
    """Gives up at once."""

    name = "quitter"
    summary = "gives up"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        class Tired(Mind):
            def think(self, position: Position, limit: Limit, stop: Stop | None) -> Any:
                raise Resignation

        return Tired()


def test_an_opponent_that_fails_loses() -> None:
    env = BoardEnv("connect4", Quitter(), seat="first")
    env.reset(seed=0)
    _, reward, over, _, info = env.step(3)
    assert (reward, over, info["fault"]) == (1.0, True, "resignation")


class Broken(Agent):
    """Divides by zero."""

    name = "broken"
    summary = "has a bug"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        class Bug(Mind):
            def think(self, position: Position, limit: Limit, stop: Stop | None) -> Any:
                raise ZeroDivisionError("a bug of mine")

        return Bug()


def test_a_mistake_in_the_code_of_an_opponent_is_raised() -> None:
    env = BoardEnv("connect4", Broken(), seat="first")
    env.reset(seed=0)
    with pytest.raises(ZeroDivisionError, match="a bug of mine") as caught:
        env.step(3)
    assert "raised by the opponent broken in" in caught.value.__notes__[0]


def test_a_match_that_is_over_before_the_caller_moves_is_refused() -> None:
    env = BoardEnv("connect4", "rules", seat="second")
    with pytest.raises(EnvError, match="the opponent's first move ends the match, so there is nothing to play after"):
        env.reset(seed=0, options={"moves": "121212"})
    with pytest.raises(EnvError, match=r"the opponent failed \(resignation\)"):
        BoardEnv("connect4", Quitter(), seat="second").reset(seed=0)
    seen, _ = env.reset(seed=0)
    assert seen["action_mask"].any()


def test_the_vector_environment_equals_its_boards() -> None:
    envs = gymnasium.make_vec("inarow/Connect4-v1", num_envs=32, opponent="random")
    assert isinstance(envs, VectorBoardEnv)
    seen, info = envs.reset(seed=7)
    assert info == {}
    total = 0.0
    for _ in range(60):
        actions = envs.random_actions()
        assert actions in envs.action_space
        before = seen
        seen, rewards, ended, truncated, info = envs.step(actions)
        assert seen in envs.observation_space
        assert not truncated.any()
        assert (before["action_mask"][np.arange(32), actions] == 1).all()
        if ended.any():
            assert (info["_final_obs"] == ended).all()
            final = info["final_obs"]
            assert [one is not None for one in final] == ended.tolist()
            for board in np.flatnonzero(ended):
                assert final[board] in envs.single_observation_space
                assert final[board]["observation"].sum() >= 7
                assert final[board]["action_mask"].sum() == 0
                assert (final.boards[board] == final[board]["observation"]).all()
        total += float(abs(rewards).sum())
    assert total > 0
    first, _ = envs.reset(seed=7)
    again, _ = envs.reset(seed=7)
    assert (first["observation"] == again["observation"]).all()


def test_a_board_that_ended_waits_for_the_next_step_if_asked_to() -> None:
    envs = VectorBoardEnv("tictactoe", 8, autoreset_mode="NextStep")
    seen, _ = envs.reset(seed=3)
    positions = [Position.start(envs.game)] * 8
    over = np.zeros(8, np.bool_)
    ends = 0
    for _ in range(60):
        actions = envs.random_actions()
        actions[over] = -5  # not looked at
        seen, rewards, ended, _, info = envs.step(actions)
        assert info == {}
        for board, action in enumerate(actions.tolist()):
            position = Position.start(envs.game) if over[board] else positions[board].play(action)
            outcome = position.outcome()
            assert ended[board] == (outcome is not None)
            assert rewards[board] == (0 if outcome is None or outcome.winner is None else 1)
            assert seen["action_mask"][board].sum() == (0 if ended[board] else len(position.legal_moves()))
            assert seen["observation"][board].sum(axis=(0, 1)).tolist() == [position.ply // 2, (position.ply + 1) // 2]
            positions[board] = position
        over = ended
        ends += int(ended.sum())
    assert ends > 16
    with pytest.raises(InarowError, match="copy=False needs boards that start again"):
        VectorBoardEnv("tictactoe", 8, autoreset_mode=AutoresetMode.NEXT_STEP, copy=False)
    with pytest.raises(InarowError, match="unknown autoreset mode 'Disabled'; known: NextStep, SameStep"):
        VectorBoardEnv("tictactoe", 8, autoreset_mode=AutoresetMode.DISABLED)


def test_gymnasiums_vector_wrappers_fit() -> None:
    made: Any = gymnasium.make_vec("inarow/TicTacToe-v1", num_envs=8, autoreset_mode="NextStep")
    envs = RecordEpisodeStatistics(FlattenObservation(made))
    seen, _ = envs.reset(seed=1)
    assert seen.shape == (8, 27)
    lengths: list[int] = []
    for _ in range(30):
        _, _, _, _, info = envs.step(made.random_actions())
        if "episode" in info:
            lengths += info["episode"]["l"][info["_episode"]].tolist()
    assert len(lengths) > 16
    assert {2, 3, 4, 5} >= set(lengths)
    made = gymnasium.make_vec("inarow/TicTacToe-v1", num_envs=8)
    envs = RecordEpisodeStatistics(made)
    envs.reset(seed=1)
    assert any("episode" in envs.step(made.random_actions())[-1] for _ in range(6))


def test_one_id_is_one_task_for_make_and_make_vec() -> None:
    for name in adapter.IDS:
        one, several = gymnasium.make(name).unwrapped, gymnasium.make_vec(name, num_envs=2)
        assert isinstance(one, BoardEnv)
        assert isinstance(several, VectorBoardEnv)
        assert one.opponent.spec == "random"
        assert several.batch.opponent is Opponent.RANDOM
    any_agent = gymnasium.make_vec(
        "inarow/TicTacToe-v1", num_envs=2, vectorization_mode="sync", opponent="perfect", seat="first", truth=True
    )
    any_agent.reset(seed=1)
    assert any_agent.step(np.array([0, 1]))[-1]["regret"].tolist() == [0, 0]
    with pytest.raises(InarowError, match=r'unknown opponent.*vectorization_mode="sync"'):
        gymnasium.make_vec("inarow/TicTacToe-v1", num_envs=2, opponent="perfect")


def test_bad_options_of_a_reset_are_named() -> None:
    env = BoardEnv("connect4")
    with pytest.raises(EnvError, match="unknown option 'move'; did you mean moves"):
        env.reset(options={"move": "44"})
    with pytest.raises(EnvError, match="the option moves must be a string of moves"):
        env.reset(options={"moves": 44})
    with pytest.raises(InarowError, match="has no options for reset, got reset_mask"):
        VectorBoardEnv("connect4", 2).reset(options={"reset_mask": np.array([True, False])})


def test_vector_results_are_copies_unless_asked_otherwise() -> None:
    for copy in (True, False):
        envs = VectorBoardEnv("tictactoe", 4, copy=copy, render_mode="ansi")
        first, _ = envs.reset(seed=0)
        second, *_ = envs.step(envs.random_actions())
        assert np.shares_memory(first["observation"], second["observation"]) is not copy
        shown = envs.render()
        assert shown is not None
        assert [text.count("X") for text in shown] == [1] * 4
    with pytest.raises(InarowError, match="must be 'ansi'"):
        VectorBoardEnv("tictactoe", 4, render_mode="rgb_array")
