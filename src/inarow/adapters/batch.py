"""Step thousands of boards together as plain arrays: the basis of the vector environment.

The arrays are NumPy's; other libraries can share their memory without a copy: ``torch.from_numpy(array)``,
``jax.dlpack.from_dlpack(array)``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.errors import InarowError, check_instance, check_integer, unknown
from inarow.kernels import batch as kernels
from inarow.randomness import derive
from inarow.rules import Game, Position
from inarow.rules.game import game as game_of

Ints = NDArray[np.int64]


class BatchError(InarowError):
    """The batch can't be made, or the actions can't be played."""


class Opponent(IntEnum):
    """The player that answers the caller's moves."""

    NONE = kernels.NOBODY
    RANDOM = kernels.RANDOM
    RULES = kernels.RULES


class Seat(IntEnum):
    """The caller's seat against an opponent."""

    FIRST = kernels.FIRST
    SECOND = kernels.SECOND
    RANDOM = kernels.EITHER


def _choice(kind: type[Any], what: str, given: str | IntEnum, hint: str = "") -> Any:
    if isinstance(given, kind):
        return given
    names = {member.name.lower(): member for member in kind}
    if not isinstance(given, str) or given not in names:
        raise BatchError(unknown(what, str(given), names, hint))
    return names[str(given)]


class Batch:
    """``count`` boards of one game; ``step`` plays one action on each of them, in place.

    Without an opponent the caller moves for both sides in turn: observations are for the side to move next, rewards
    for the side that has just moved. With one (``random``, or ``rules``: wins or blocks when it can), the opponent
    answers within the step, and everything is for the caller.
    """

    observations: NDArray[np.int8]
    """(count, rows, columns, 2): own stones, the other side's stones; rows from the top."""
    masks: NDArray[np.int8]
    """(count, moves): 1 for a legal move."""
    rewards: NDArray[np.float32]
    """(count,): rewards of the last step: 1 for a win, −1 for a loss, else 0."""
    ended: NDArray[np.bool_]
    """(count,): 1 if the game ended in the last step; the board has already started the next one."""
    final: NDArray[np.int8]
    """The last observation of the most recently finished game on each board, shaped like ``observations``."""
    stones: Ints
    """(count, 2): bitboards of the side to move and of the other (of the caller and its opponent)."""

    def __init__(
        self,
        game: Game | str,
        count: int,
        *,
        seed: int = 0,
        opponent: Opponent | str = "none",
        seat: Seat | str = "random",
    ) -> None:
        self.game = game_of(game)
        self.game.check_usual("a batch of boards")
        self.count = count = check_integer("the number of boards", count, 1, error=BatchError)
        hint = 'Any agent plays in the one-seat environment: make_vec(…, vectorization_mode="sync").'
        self.opponent: Opponent = _choice(Opponent, "opponent", opponent, hint)
        self.seat: Seat = _choice(Seat, "seat", seat)
        kernels.warm()
        shape = (count, self.game.rows, self.game.columns, 2)
        self.observations, self.final = np.zeros(shape, np.int8), np.zeros(shape, np.int8)
        self.masks = np.zeros((count, self.game.moves), np.int8)
        self.rewards, self.ended = np.zeros(count, np.float32), np.zeros(count, np.bool_)
        self.stones, self._states = np.zeros((count, 2), np.int64), np.zeros(count, np.int64)
        self._cells, self._final_cells = (self._words(array) for array in (self.observations, self.final))
        own = self.game
        self._setup = kernels.new_setup(
            k=own.k, stride=own.stride, board=own.board, bottom=own.bottom, gravity=own.gravity, moves=own.moves,
            columns=own.columns, rows=own.rows, opponent=self.opponent, seat=self.seat, masks=own.move_masks,
        )  # fmt: skip
        self.reset(seed)

    def _words(self, array: NDArray[np.int8]) -> NDArray[np.uint16]:
        return array.reshape(self.count, -1).view(np.uint16)

    def reset(self, seed: int | None = None) -> None:
        """Start a new match on every board; a seed restarts all random streams."""
        if seed is not None:
            seed = check_integer("seed", seed, error=BatchError)
            self._states[:] = [derive(seed, "board", number) for number in range(self.count)]
        self.rewards.fill(0)
        self.ended.fill(False)
        kernels.clear_all(self.stones, self._states, self._cells, self.masks, self._setup)

    def random_actions(self, out: Ints | None = None) -> Ints:
        """Return a uniformly random legal action for every board, in ``out`` if it is given."""
        actions = np.empty(self.count, np.int64) if out is None else out
        check_instance("out", actions, np.ndarray, f"an array of {self.count} int64", BatchError)
        if actions.shape != (self.count,) or actions.dtype != np.int64 or not actions.flags.carray:
            raise BatchError(
                f"out has shape {actions.shape} and type {actions.dtype}; "
                f"expected a contiguous array of {self.count} int64"
            )
        kernels.random_actions(self.masks, self._states, actions)
        return actions

    def step(self, actions: Any, *, hold: NDArray[np.bool_] | None = None) -> None:
        """Play one action on every board. Nothing is played if any of them is illegal.

        Boards marked in ``hold`` stay as they are, whatever their action is: reward 0, not ended.
        """
        given = self._whole_numbers(actions)
        check_instance("hold", hold, np.ndarray | None, f"an array of {self.count} booleans or None", BatchError)
        played = np.ascontiguousarray(given, np.int64)
        if hold is not None and hold.any():
            held = np.flatnonzero(hold)
            changing = (self.stones, self._states, self.observations, self.masks, self.final)
            before = [(array, array[held]) for array in changing]
            played = played.copy()
            played[held] = self.masks[held].argmax(axis=1)  # a legal move, taken back below
            self._play(given, played)
            for array, rows in before:
                array[held] = rows
            self.rewards[held] = 0
            self.ended[held] = False
        else:
            self._play(given, played)

    def _play(self, array: NDArray[Any], played: Ints) -> None:
        board = kernels.first_illegal(self.masks, played)
        if board >= 0:
            legal = ", ".join(map(str, np.flatnonzero(self.masks[board])))
            raise BatchError(f"action {array[board]} on board {board} is not legal; legal there: {legal}")
        kernels.step(
            self.stones, self._states, self._cells, self.masks, played, self.rewards, self.ended, self._final_cells,
            self._setup,
        )  # fmt: skip

    def _whole_numbers(self, actions: Any) -> NDArray[Any]:
        try:
            array = np.asarray(actions)
        except ValueError:  # lists of different lengths
            raise BatchError(f"expected {self.count} integers, one per board, got {actions!r:.60}") from None
        if array.shape != (self.count,) or array.dtype.kind not in "iu":
            raise BatchError(
                f"expected {self.count} integers, one per board, got shape {array.shape} and type {array.dtype}"
            )
        return array

    def position(self, board: int) -> Position:
        """Return the position on one board."""
        board = check_integer("board", board, 0, self.count - 1, BatchError)
        mine, other = (int(stones) for stones in self.stones[board])
        position = Position(self.game, mine, other)
        turned = position.ply % 2 == 1 if self.opponent is Opponent.NONE else mine.bit_count() != other.bit_count()
        return Position(self.game, other, mine) if turned else position
