"""What the solver says: a score or its bounds, with what it cost; and a score in words."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from inarow.errors import InarowError
from inarow.rules import Position


class Verdict(IntEnum):
    """The sign of a score: what the side to move gets if both play perfectly."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    @classmethod
    def of(cls, score: int) -> Verdict:
        """The verdict of a score."""
        return cls((score > 0) - (score < 0))


class Unsolved(InarowError):
    """The limit was reached before the score was known; it lies between ``low`` and ``high``."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__(f"not solved within the limit: the score is from {low:+d} to {high:+d}")
        self.low = low
        self.high = high


class OverError(InarowError):
    """The game is over in this position: there is nothing to solve."""


class Solution(NamedTuple):
    """What is proven of a position's score: ``low`` ≤ score ≤ ``high``, for the side to move."""

    low: int
    high: int
    nodes: int = 0
    seconds: float = 0.0
    source: str = "search"
    """``search``, ``book`` or ``cache``."""

    @property
    def solved(self) -> bool:
        """Whether the score is known."""
        return self.low == self.high

    @property
    def score(self) -> int:
        """The score; raises `Unsolved` if only bounds are known."""
        if self.low != self.high:
            raise Unsolved(self.low, self.high)
        return self.low

    @property
    def verdict(self) -> Verdict:
        """Win, draw or loss; raises `Unsolved` if the bounds don't say."""
        if self.low > 0 or self.high < 0 or self.low == self.high:
            return Verdict.of(self.low + self.high)
        raise Unsolved(self.low, self.high)


def plies_to_end(position: Position, score: int) -> int:
    """How many stones follow until the end, if both play perfectly: quickest win, longest resistance."""
    cells = position.game.cells
    if score == 0:
        return cells - position.ply
    last = cells + 2 - 2 * abs(score)  # the number of the winning stone, or the one before it: the winner's
    winner = position.ply if score > 0 else position.ply + 1
    return last - (last - 1 - winner) % 2 - position.ply


def score_in_words(position: Position, score: int) -> str:
    """The score as a sentence: who wins, and with which of its stones."""
    if score == 0:
        return "a draw"
    stone = position.ply + plies_to_end(position, score)
    winner = position.to_move if score > 0 else position.to_move.other
    number = (stone + 1) // 2
    kind = "disc" if position.game.gravity else "stone"
    return f"{winner.name.lower()} player wins with its {number}{_ordinal(number)} {kind}"


def _ordinal(number: int) -> str:
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
