"""Thousands of boards as one Gymnasium vector environment, stepped by compiled kernels on one core."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.adapters.batch import Batch, BatchError, Opponent, Seat
from inarow.adapters.spaces import board_spaces
from inarow.errors import Unsupported, unknown
from inarow.rules import Game, Position

try:
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise Unsupported("Gymnasium's vector environments need version 1.1 or newer: pip install 'inarow[rl]'") from None

Observation = dict[str, NDArray[np.int8]]
Steps = tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class FinalObservations(Sequence[Observation | None]):
    """The last observations of games that have just ended, by board, as Gymnasium gives them; None for other boards.

    Each is made when it is asked for. ``boards`` has them all as one array, with what was last there on other boards.
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

    ``opponent="nobody"``: the caller moves for both sides in turn (self-play). Observations are for the side to move,
    rewards for the side that has just moved. ``random`` or ``rules`` (wins or blocks when it can) answer within the
    step; then everything is for the caller, whose ``seat`` is first, second or random. With ``copy=False`` the arrays
    returned are the environment's own, and the next step writes over them.

    With ``autoreset_mode="NextStep"``, the default of Gymnasium's own vector environments, a board that ended shows its
    last observation, and the next step starts its next game instead of playing the action given.
    """

    def __init__(
        self,
        game: Game | str = "connect4",
        num_envs: int = 1,
        *,
        opponent: Opponent | str = "nobody",
        seat: Seat | str = "random",
        copy: bool = True,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise BatchError(f"a vector environment renders as text: render_mode='ansi', not {render_mode!r}")
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
            raise BatchError(f"a vector environment has no options for reset; {', '.join(map(str, options))} was given")
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
        """A uniformly random legal action for every board."""
        return self.batch.random_actions()

    def position(self, board: int) -> Position:
        """The position on one board."""
        return self.batch.position(board)

    def render(self) -> tuple[str, ...] | None:
        """Every board as text."""
        if self.render_mode is None:
            return None
        return tuple(f"{self.position(board)}\n" for board in range(self.num_envs))

    def _observe(self) -> Observation:
        return {"observation": self._out(self.batch.observations), "action_mask": self._out(self.batch.masks)}

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array
