"""One seat of a game as a Gymnasium environment, against any agent of inarow; importing this registers its ids.

``gymnasium.make("inarow/Connect4-v1", opponent="alphabeta:depth=4")``
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.adapters.pictures import picture
from inarow.adapters.spaces import RENDER_MODES, board_spaces
from inarow.agents import Agent, Mind, agent
from inarow.agents.base import Disturbance
from inarow.errors import HostFailure, InarowError, Unsupported, unknown
from inarow.match.playing import failure, is_bug
from inarow.rules import FIRST, SECOND, Game, Player, Position, as_move, format_moves, parse_moves
from inarow.rules.game import game as game_of
from inarow.solver import Oracle
from inarow.truth import grade_move

try:
    import gymnasium
except ImportError:
    raise Unsupported("Gymnasium is not installed: pip install 'inarow[rl]'") from None

Observation = dict[str, NDArray[np.int8]]
SEATS = {"first": (FIRST,), "second": (SECOND,), "random": (FIRST, SECOND)}


class EnvError(InarowError):
    """An action or a setting that is not possible, or a call out of order."""


def _known(what: str, given: Any, known: Any) -> Any:
    if given not in known:
        raise EnvError(unknown(what, str(given), known))
    return given


class BoardEnv(gymnasium.Env[Any, Any]):
    """The caller plays one seat, an agent of inarow the other; ``seat``: first, second or random (for each reset).

    ``reward="outcome"``: 1 for a win, −1 for a loss, 0 for a draw, at the end. ``reward="regret"``: after every move,
    minus the score that it gave away by the exact solver. ``truth=True`` puts ``scores`` of all moves and the
    ``regret`` into info. An illegal move loses (reward −1, or the regret of a loss at once), or raises with
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
        for name in options:
            _known("option", name, ("seat", "moves"))
        seats = SEATS[_known("seat", options.get("seat", self.seat), SEATS)]
        opening = options.get("moves", "")
        if not isinstance(opening, str):
            raise EnvError(
                f'the option moves is {opening!r}; a text of moves counted from 1 is expected, such as "4453"'
            )
        self.moves = list(parse_moves(self.game, opening))
        self.position = Position.start(self.game, self.moves)
        if self.position.outcome() is not None:
            raise EnvError(f"the opening is a finished game ({self.position.result_text()}); give fewer moves")
        self._player = seats[int(self.np_random.integers(len(seats)))]
        self._end_mind()
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
        move = self._whole(action)
        truth = self._judge(move)
        fault = ""
        if move not in self.position.legal_moves():
            if self.illegal == "raise":
                legal = ", ".join(map(str, self.position.legal_moves()))
                raise EnvError(f"action {move} is not legal; legal: {legal}")
            self._over = True
            return self._observe(), self._price_of_illegal(), True, False, self._info("", illegal=True)
        self._play(move)
        if not self._over:
            fault = self._answer()
        reward = float(self._outcome(fault))
        if self.reward == "regret":
            reward = 0.0 - truth["regret"]
        if self.render_mode == "human":
            self.render()
        return self._observe(), reward, self._over, False, self._info(fault, **(truth if self.truth else {}))

    def _whole(self, action: Any) -> int:
        try:
            move = as_move(action)
        except TypeError:
            raise EnvError(
                f"action {action!r} is of type {type(action).__name__}; a whole number is expected"
            ) from None
        if not 0 <= move < self.game.moves:
            raise EnvError(f"action {move} is not a move of {self.game}; give a number from 0 to {self.game.moves - 1}")
        return move

    def _play(self, move: int) -> None:
        self.position = self.position.play(move)
        self.moves.append(move)
        self._over = self.position.outcome() is not None

    def _answer(self) -> str:
        """Let the opponent move. Return what went wrong if it fails, which ends the match in the caller's favour.

        A mistake in the code of this process is raised instead, and so is a failure of the machine.
        """
        assert self._mind is not None
        try:
            self._play(self._mind.decide(self.position).move)
        except Exception as error:
            self._over = True
            if isinstance(error, Disturbance | HostFailure) or is_bug(self.opponent, error):
                error.add_note(f"raised by the opponent {self.opponent.spec} in {self.position!r}")
                raise
            termination, words = failure(error)
            return f"{termination.value}: {words}" if words else termination.value
        return ""

    def _judge(self, move: int) -> dict[str, Any]:
        """The exact score of every move, and what this one gives away; nothing where it was not asked for."""
        if self._oracle is None or move not in self.position.legal_moves():
            return {}
        scores = self._oracle.scores(self.position)
        regret = grade_move(self.position, move, scores).regret
        return {"scores": scores, "regret": regret}

    def _price_of_illegal(self) -> float:
        """The reward of losing at once; as a regret never less than that of the worst legal move."""
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
        """The legal moves, by the name that Stable-Baselines3's MaskablePPO asks for."""
        return self._observe()["action_mask"].astype(np.bool_)

    def render(self) -> Any:
        """The board as text (``ansi``), printed (``human``), or as pixels (``rgb_array``)."""
        if self.render_mode == "rgb_array":
            return picture(self.position)
        if self.render_mode == "human":
            sys.stdout.write(f"{self.position}\n\n")
        return f"{self.position}\n" if self.render_mode == "ansi" else None

    def _end_mind(self) -> None:
        if self._mind is not None:
            self._mind.close()
            self._mind = None

    def close(self) -> None:
        """Release what the opponent holds."""
        self._end_mind()
        self._over = True


IDS = {"inarow/Connect4-v1": "connect4", "inarow/TicTacToe-v1": "tictactoe", "inarow/Board-v1": None}
"""The registered environments, and the game of each; ``Board`` takes any as ``game=``."""

for _name, _game in IDS.items():
    if _name not in gymnasium.registry:
        gymnasium.register(
            _name,
            entry_point="inarow.adapters.gymnasium:BoardEnv",
            vector_entry_point="inarow.adapters.vector:VectorBoardEnv",
            kwargs={"opponent": "random"} if _game is None else {"game": _game, "opponent": "random"},
        )
