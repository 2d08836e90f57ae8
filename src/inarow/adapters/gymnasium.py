"""Gymnasium environments: one seat of a game against an agent, or thousands of boards at a time.

Importing this module registers the ids:

``gymnasium.make("inarow/Connect4-v1", opponent="alphabeta:depth=4")``
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.adapters.batch import Batch, BatchError, Opponent, Seat
from inarow.adapters.pictures import picture
from inarow.agents import Agent, Mind, agent
from inarow.errors import InarowError, Unsupported, check_instance, unknown
from inarow.match.playing import failure, host_problem, is_bug
from inarow.rules import FIRST, SECOND, Game, Player, Position, as_move, format_moves, parse_moves
from inarow.rules.game import game as game_of
from inarow.solver import Oracle
from inarow.truth import grade_move

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise Unsupported("Gymnasium 1.1 or newer is not installed: pip install 'inarow[rl]'") from None

Observation = dict[str, NDArray[np.int8]]
RENDER_MODES = ["human", "ansi", "rgb_array"]
"""``human`` prints the board to the terminal; no display is needed."""
SEATS = {"first": (FIRST,), "second": (SECOND,), "random": (FIRST, SECOND)}


def board_spaces(game: Game) -> tuple[spaces.Dict, spaces.Discrete]:
    """Return the spaces of observations (own and opponent's stones, mask of legal moves) and actions (moves from 0)."""
    observation = spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (game.rows, game.columns, 2), np.int8),
            "action_mask": spaces.Box(0, 1, (game.moves,), np.int8),
        }
    )
    return observation, spaces.Discrete(game.moves)


class EnvError(InarowError):
    """The action or setting is invalid, or a call is out of order."""


def _known(what: str, given: Any, known: Any) -> Any:
    if not isinstance(given, str) or given not in known:
        raise EnvError(unknown(what, str(given), known))
    return given


class BoardEnv(gymnasium.Env[Any, Any]):
    """The caller plays one seat, an agent the other; ``seat``: first, second or random (for each reset).

    ``reward="outcome"``: 1 for a win, −1 for a loss, 0 for a draw, at the end. ``reward="regret"``: after every move,
    minus the score that it gave away by the exact solver. ``truth=True`` puts ``scores`` of all moves and the
    ``regret`` into info. An illegal move loses (reward −1, or the regret of an immediate loss), or raises with
    ``illegal="raise"``.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str = "connect4",
        opponent: Agent | str = "random",
        *,
        seat: str = "random",
        reward: str = "outcome",
        truth: bool = False,
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        self.game = game_of(game)
        self.opponent = agent(opponent)
        self.opponent.check(self.game)
        self.seat = _known("seat", seat, SEATS)
        self.reward = _known("reward", reward, ("outcome", "regret"))
        self.illegal = _known("rule for illegal moves", illegal, ("lose", "raise"))
        self.render_mode = render_mode if render_mode is None else _known("render mode", render_mode, RENDER_MODES)
        self.truth = truth
        self.observation_space, self.action_space = board_spaces(self.game)
        self.position = Position.start(self.game)
        self.moves: list[int] = []
        self._oracle = Oracle(self.game) if truth or reward == "regret" else None
        self._mind: Mind | None = None
        self._player: Player = FIRST
        self._over = True
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a match. Options: ``seat``, and ``moves``, an opening such as ``"4453"``."""
        super().reset(seed=seed)
        options = options or {}
        check_instance("options", options, dict, "a dictionary", EnvError)
        for name in options:
            _known("option", name, ("seat", "moves"))
        seats = SEATS[_known("seat", options.get("seat", self.seat), SEATS)]
        opening = options.get("moves", "")
        if not isinstance(opening, str):
            raise EnvError(
                f'the option moves must be a string of moves counted from 1, such as "4453", got {opening!r}'
            )
        self.moves = list(parse_moves(self.game, opening))
        self.position = Position.start(self.game, self.moves)
        if self.position.outcome() is not None:
            raise EnvError(f"the opening is a finished game ({self.position.result_text()}); give fewer moves")
        self._player = seats[int(self.np_random.integers(len(seats)))]
        self.close()
        self._mind = self.opponent.start(self.game, self._player.other, int(self.np_random.integers(1 << 62)))
        self._over, self._begun = False, True
        fault = self._answer() if self.position.to_move is not self._player else ""
        if self._over:
            ended = f"the opponent failed ({fault})" if fault else "the opponent's first move ends the match"
            raise EnvError(
                f"{ended}, so there is nothing to play after moves={opening!r}; give another opening or seat"
            )
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play a move from 0, and let the opponent answer."""
        if self._over:
            raise EnvError("the match is over; call reset()" if self._begun else "call reset() before step()")
        move = self._checked_move(action)
        truth = self._judge(move)
        fault = ""
        if move not in self.position.legal_moves():
            if self.illegal == "raise":
                legal = ", ".join(map(str, self.position.legal_moves()))
                raise EnvError(f"action {move} is not legal; legal: {legal}")
            self._over = True
            return self._observe(), self._illegal_reward(), True, False, self._info("", illegal=True)
        self._play(move)
        if not self._over:
            fault = self._answer()
        reward = float(self._outcome(fault))
        if self.reward == "regret":
            reward = 0.0 - truth["regret"]
        if self.render_mode == "human":
            self.render()
        return self._observe(), reward, self._over, False, self._info(fault, **(truth if self.truth else {}))

    def _checked_move(self, action: Any) -> int:
        try:
            move = as_move(action)
        except TypeError:
            raise EnvError(f"action {action!r} is of type {type(action).__name__}; expected an integer") from None
        if not 0 <= move < self.game.moves:
            raise EnvError(f"action {move} is not a move of {self.game}; give a number from 0 to {self.game.moves - 1}")
        return move

    def _play(self, move: int) -> None:
        self.position = self.position.play(move)
        self.moves.append(move)
        self._over = self.position.outcome() is not None

    def _answer(self) -> str:
        """Let the opponent move. Return its fault if it fails, which ends the match in the caller's favour.

        An exception of an agent in this process is raised instead, and so is a failure of the machine.
        """
        assert self._mind is not None
        try:
            self._play(self._mind.decide(self.position).move)
        except Exception as error:
            self._over = True
            if host_problem(error) is not None or is_bug(self.opponent, error):
                error.add_note(f"raised by the opponent {self.opponent.spec} in {self.position!r}")
                raise
            termination, words = failure(error)
            return f"{termination.value}: {words}" if words else termination.value
        return ""

    def _judge(self, move: int) -> dict[str, Any]:
        """Return the exact scores and the regret of a move for ``info``, if requested."""
        if self._oracle is None or move not in self.position.legal_moves():
            return {}
        scores = self._oracle.scores(self.position)
        regret = grade_move(self.position, move, scores).regret
        return {"scores": scores, "regret": regret}

    def _illegal_reward(self) -> float:
        """Return the reward of an illegal move; as a regret, at least that of the worst legal move."""
        if self._oracle is None or self.reward == "outcome":
            return -1.0
        lost = -((self.game.cells - self.position.ply) // 2)
        return float(lost - max(self._oracle.scores(self.position).values()))

    def _outcome(self, fault: str) -> int:
        outcome = self.position.outcome()
        if outcome is None or outcome.winner is None:
            return int(bool(fault))
        return 1 if outcome.winner is self._player else -1

    def _observe(self) -> Observation:
        position = self.position
        game = self.game
        observation = np.zeros((game.rows, game.columns, 2), np.int8)
        for row, stones in enumerate(position.grid()):
            for column, stone in enumerate(stones):
                if stone is not None:
                    observation[row, column, int(stone is not self._player)] = 1
        mask = np.zeros(game.moves, np.int8)
        if not self._over:
            mask[list(position.legal_moves())] = 1
        return {"observation": observation, "action_mask": mask}

    def _info(self, fault: str = "", **more: Any) -> dict[str, Any]:
        info = {"moves": format_moves(self.game, self.moves), "seat": self._player.name.lower(), **more}
        return {**info, "fault": fault} if fault else info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal moves; the name is what MaskablePPO of Stable-Baselines3 expects."""
        return self._observe()["action_mask"].astype(np.bool_)

    def render(self) -> Any:
        """Return the board as a string (``ansi``) or pixels (``rgb_array``), or print it (``human``)."""
        if self.render_mode == "rgb_array":
            return picture(self.position)
        if self.render_mode == "human":
            sys.stdout.write(f"{self.position}\n\n")
        return f"{self.position}\n" if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Release the opponent's resources."""
        if self._mind is not None:
            self._mind.close()
            self._mind = None
        self._over = True


Steps = tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class FinalObservations(Sequence[Observation | None]):
    """The last observations of games that have just ended, by board, as Gymnasium gives them; None for other boards.

    Each is created on access. ``boards`` holds them all as one array; entries of other boards are stale.
    """

    def __init__(self, boards: NDArray[np.int8], ended: NDArray[np.bool_], moves: int) -> None:
        self.boards = boards
        self._ended = ended
        self._moves = moves

    def __len__(self) -> int:
        return len(self.boards)

    def __getitem__(self, board: Any) -> Any:
        at = operator.index(board)
        if not self._ended[at]:
            return None
        return {"observation": self.boards[at], "action_mask": np.zeros(self._moves, np.int8)}


class VectorBoardEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """``num_envs`` boards; a board whose game ends starts the next one within the same step.

    ``opponent="none"``: the caller moves for both sides in turn (self-play). Observations are for the side to move,
    rewards for the side that has just moved. ``random`` or ``rules`` (wins or blocks when it can) answer within the
    step; then everything is for the caller, whose ``seat`` is first, second or random. With ``copy=False`` the arrays
    returned are the environment's own, and the next step overwrites them.

    With ``autoreset_mode="NextStep"``, the default of Gymnasium's own vector environments, a board that ended shows its
    last observation, and the next step starts its next game instead of playing the action given.
    """

    def __init__(
        self,
        game: Game | str = "connect4",
        num_envs: int = 1,
        *,
        opponent: Opponent | str = "none",
        seat: Seat | str = "random",
        copy: bool = True,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise BatchError(f"render_mode of a vector environment must be 'ansi', got {render_mode!r}")
        modes = {mode.value: mode for mode in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)}
        name = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        if name not in modes:
            raise BatchError(unknown("autoreset mode", str(name), modes))
        self._waits = modes[name] is AutoresetMode.NEXT_STEP
        if self._waits and not copy:
            raise BatchError("copy=False needs boards that start again within the step: autoreset_mode='SameStep'")
        self.batch = Batch(game, num_envs, opponent=opponent, seat=seat)
        self.game = self.batch.game
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {"autoreset_mode": modes[name], "render_modes": ["ansi"]}
        self.single_observation_space, self.single_action_space = board_spaces(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy = copy
        self._truncated = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game on every board; a seed restarts all random streams."""
        if options:
            raise BatchError(f"a vector environment has no options for reset, got {', '.join(map(str, options))}")
        super().reset(seed=seed)
        self.batch.reset(seed)
        return self._observe(), {}

    def step(self, actions: Any) -> Steps:
        """Play a legal action on every board.

        Where a game ended, ``info["final_obs"]`` has its last observation; ``info["_final_obs"]`` says where.
        """
        batch = self.batch
        batch.step(actions, hold=batch.ended if self._waits else None)
        ended = self._out(batch.ended)
        seen = self._observe()
        info: dict[str, Any] = {}
        if self._waits:
            seen["observation"][ended] = batch.final[ended]
            seen["action_mask"][ended] = 0
        elif batch.ended.any():
            final = FinalObservations(self._out(batch.final), ended, self.game.moves)
            info = {"final_obs": final, "_final_obs": ended}
        return seen, self._out(batch.rewards), ended, self._out(self._truncated), info

    def random_actions(self) -> NDArray[np.int64]:
        """Return a uniformly random legal action for every board."""
        return self.batch.random_actions()

    def position(self, board: int) -> Position:
        """Return the position on one board."""
        return self.batch.position(board)

    def render(self) -> tuple[str, ...] | None:
        """Return every board as a string."""
        if self.render_mode is None:
            return None
        return tuple(f"{self.position(board)}\n" for board in range(self.num_envs))

    def _observe(self) -> Observation:
        return {"observation": self._out(self.batch.observations), "action_mask": self._out(self.batch.masks)}

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array


IDS = {"inarow/Connect4-v1": "connect4", "inarow/TicTacToe-v1": "tictactoe", "inarow/Board-v1": None}
"""The registered environments, and the game of each; ``Board`` takes any as ``game=``."""

for _name, _game in IDS.items():
    if _name not in gymnasium.registry:
        gymnasium.register(
            _name,
            entry_point="inarow.adapters.gymnasium:BoardEnv",
            vector_entry_point="inarow.adapters.gymnasium:VectorBoardEnv",
            kwargs={"opponent": "random"} if _game is None else {"game": _game, "opponent": "random"},
        )
