"""The truth about the match on the board: the verdict of every move, and the mistakes that were made."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from inarow.limits import Limit
from inarow.play.insight import Blunder, MoveBounds, blunders
from inarow.rules import Game, Position
from inarow.stopping import SYSTEM_CLOCK

if TYPE_CHECKING:
    from inarow.solver import Bounds, Oracle

MOVE_SECONDS = 5.0
"""For the verdicts of one position."""
REVIEW_SECONDS = 30.0
"""For all positions of a match."""


class Truth:
    """The solver for one game; it is loaded when it is first asked."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @functools.cached_property
    def _oracle(self) -> Oracle:
        from inarow.solver import Oracle

        return Oracle(self._game)

    def verdicts(self, position: Position, seconds: float = MOVE_SECONDS) -> dict[int, Bounds]:
        """What is proven of every move within this time."""
        return self._oracle.move_bounds(position, Limit(seconds=seconds))

    def mistakes(self, opening: Sequence[int], moves: Sequence[int]) -> tuple[list[Blunder], int]:
        """The moves that gave away a win or a draw, and how many positions were not solved in time."""
        unsolved = 0
        end = SYSTEM_CLOCK.now() + REVIEW_SECONDS

        def known(position: Position) -> MoveBounds | None:
            nonlocal unsolved
            left = min(MOVE_SECONDS, end - SYSTEM_CLOCK.now())
            found = self.verdicts(position, left) if left > 0 else None
            if found is not None and all(bounds.solved for bounds in found.values()):
                return found
            unsolved += 1
            return None

        return blunders(self._game, opening, moves, known), unsolved
