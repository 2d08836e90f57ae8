"""Any game of inarow as a PettingZoo environment (AEC), a faster drop-in for ``connect_four_v3`` and ``tictactoe_v3``.

PettingZoo's standard wrappers are built in: calls out of order and actions outside the space raise, and an
illegal move ends the game with −1 for the player who made it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow import bits
from inarow.adapters.pictures import picture
from inarow.errors import InarowError, Unsupported, unknown
from inarow.rules import Game, Position, as_move
from inarow.rules.game import TICTACTOE
from inarow.rules.game import game as game_of

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.env_logger import EnvLogger
except ImportError as error:
    message = f"PettingZoo's environments need {error.name}, which is not installed: pip install 'inarow[rl]'"
    raise Unsupported(message) from None

from inarow.adapters.gymnasium import RENDER_MODES, board_spaces

Observation = dict[str, NDArray[np.int8]]
_AFTER_RESET = ("agents", "num_agents", "rewards", "terminations", "truncations", "infos", "agent_selection")


class ActionError(InarowError, AssertionError):
    """The action is not a move of the game, or a call is out of order."""


class AECBoardEnv(AECEnv[str, Observation, int | None]):
    """Two players in turn on one board.

    An observation has ``observation``, (rows, columns, 2) of own and other stones from the top row, and
    ``action_mask``, 1 for each legal move of the player whose turn it is. An action is a move from 0: the column, or
    the cell row by row.
    """

    def __init__(self, game: Game | str = "connect4", render_mode: str | None = None) -> None:
        super().__init__()
        self.game = game = game_of(game)
        game.check_usual("PettingZoo's environment")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InarowError(unknown("render mode", str(render_mode), RENDER_MODES))
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": RENDER_MODES,
            "name": f"inarow_{game.name}_v1",
            "is_parallelizable": False,
            "render_fps": 2,
        }
        first = 1 if game == TICTACTOE else 0  # PettingZoo's names of players
        self.possible_agents = [f"player_{first}", f"player_{first + 1}"]
        self._other = dict(zip(self.possible_agents, reversed(self.possible_agents), strict=True))
        each = {name: board_spaces(game) for name in self.possible_agents}
        self.observation_spaces = {name: pair[0] for name, pair in each.items()}
        self.action_spaces = {name: pair[1] for name, pair in each.items()}
        self._seats = {name: seat for seat, name in enumerate(self.possible_agents)}
        self._no_moves = np.zeros(game.moves, np.int8)
        self._last_cell = game.cells
        self._updated = False

    def __getattr__(self, name: str) -> Any:
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space of a player."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space of a player."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start with the empty board. Nothing is random; the seed is ignored."""
        game = self.game
        self.agents = agents = list(self.possible_agents)
        self.rewards: dict[str, float] = dict.fromkeys(agents, 0)
        self._cumulative_rewards = dict.fromkeys(agents, 0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in agents}
        self.agent_selection = agents[0]
        self._skip_agent_selection = None
        self._stones = [0, 0]
        self._ply = 0
        # By move: the row that the next stone goes to (−1 if it is full) and its bit.
        if game.gravity:
            self._rows = [game.rows - 1] * game.moves
            self._bits = [1 << column * game.stride for column in range(game.columns)]
        else:
            self._rows = [cell // game.columns for cell in range(game.cells)]
            self._bits = list(game.cell_bits)
        shape = (game.rows, game.columns, 2)
        self._views = (np.zeros(shape, np.int8), np.zeros(shape, np.int8))
        self._mask = np.ones(game.moves, np.int8)
        self._updated = True

    def observe(self, agent: str) -> Observation:
        """Return a player's observation; the mask is all zeros unless it is the player's turn."""
        if "_views" not in self.__dict__:
            EnvLogger.error_observe_before_reset()
        mask = self._mask if agent == self.agent_selection else self._no_moves
        return {"observation": self._views[self._seats[agent]].copy(), "action_mask": mask.copy()}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last turn, terminated, truncated and info of the player to move."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yield the player to move; call ``step`` after each."""
        if "agents" not in self.__dict__:
            EnvLogger.error_agent_iter_before_reset()
        return self._turns(max_iter)

    def _turns(self, most: int) -> Iterator[str]:
        while self.agents and most > 0:
            most -= 1
            if not self._updated:
                raise ActionError("need to call step() or reset() in a loop over `agent_iter`")
            self._updated = False
            yield self.agent_selection

    def step(self, action: Any) -> None:
        """Play the action of the player whose turn it is; None for one whose game is over."""
        if "agents" not in self.__dict__:
            EnvLogger.error_step_before_reset()
        self._updated = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        move = action if action.__class__ is int else self._checked_move(action)
        if not 0 <= move < len(self._rows):
            raise ActionError(f"action {move} is not in action space {self.action_space(agent)}")
        row: int = self._rows[move]
        if row < 0:
            self._end_by_illegal_move(agent)
            return
        self._play(agent, move, row)
        if self.render_mode == "human":
            self.render()

    def _play(self, agent: str, move: int, row: int) -> None:
        game = self.game
        seat = self._ply & 1
        stone = self._bits[move]
        if game.gravity:
            column = move
            self._bits[move] = stone << 1
            self._rows[move] = row - 1
        else:
            column = move - row * game.columns
            self._rows[move] = -1
        if self._rows[move] < 0:
            self._mask[move] = 0
        self._views[0][row, column, seat] = 1
        self._views[1][row, column, 1 - seat] = 1
        self._ply = ply = self._ply + 1
        stones = self._stones[seat] = self._stones[seat] | stone
        other = self._other[agent]
        won = ply + 1 >= 2 * game.k and bits.has_line(stones, game.k, game.stride)
        if won:
            self.rewards = {agent: 1, other: -1}
            self._cumulative_rewards[agent] += 1
            self._cumulative_rewards[other] -= 1
        if won or ply == self._last_cell:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = other

    def _checked_move(self, action: Any) -> int:
        try:
            return as_move(action)
        except TypeError:
            raise ActionError(f"action {action!r} is not in action space: expected an integer") from None

    def _end_by_illegal_move(self, agent: str) -> None:
        EnvLogger.warn_on_illegal_move()
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0)
        self.rewards[agent] = -1.0
        self._cumulative_rewards[agent] = 0
        self._accumulate_rewards()
        self._deads_step_first()

    @property
    def position(self) -> Position:
        """The position on the board, for inarow's own functions."""
        if "_stones" not in self.__dict__:
            EnvLogger.error_render_before_reset()
        return Position(self.game, *self._stones)

    def render(self) -> NDArray[np.uint8] | str | None:
        """Return the board as a string (``ansi``) or pixels (``rgb_array``), or print it (``human``)."""
        position = self.position
        if self.render_mode == "rgb_array":
            return picture(position)
        if self.render_mode == "ansi":
            return f"{position}\n"
        if self.render_mode == "human":
            sys.stdout.write(f"{position}\n\n")
            return None
        EnvLogger._generic_warning("render() without a render_mode; give one to env(): human, ansi or rgb_array")
        return None

    def close(self) -> None:
        """Do nothing; the environment holds no resources."""


def env(game: Game | str = "connect4", render_mode: str | None = None) -> AECBoardEnv:
    """Return the environment of a game: ``connect4``, ``tictactoe``, or any board such as ``5x4x4``."""
    return AECBoardEnv(game, render_mode)


raw_env = env
