"""Results of the solver: scores or bounds of a position and its moves, and scores as phrases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, NoReturn

from inarow.errors import InarowError, shown
from inarow.formatting import say, signed
from inarow.kernels import facts, rules
from inarow.rules import Position, format_moves

SCORE, MOVES, LINE = "score", "moves", "line"
"""The stages of an analysis, in order."""


class Verdict(IntEnum):
    """The sign of a score: the result for the side to move under perfect play."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise InarowError(f"a verdict must be −1, 0 or 1, got {shown(value)}")

    @classmethod
    def of(cls, score: int) -> Verdict:
        """Return the verdict of a score."""
        return cls((score > 0) - (score < 0))


class Unsolved(InarowError):
    """The limit was reached before the score was known; it lies between ``low`` and ``high``."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__(f"not solved within the limit: the score is from {signed(low)} to {signed(high)}")
        self.low = low
        self.high = high


class OverError(InarowError):
    """The game is over in this position: there is nothing to solve."""


class WrongGameError(InarowError):
    """The position belongs to a different game than the oracle."""


class Bounds(NamedTuple):
    """Proven bounds of a score: ``low`` ≤ score ≤ ``high``."""

    low: int
    high: int

    @property
    def solved(self) -> bool:
        """Return True if the score is known."""
        return self.low == self.high

    @property
    def decided(self) -> bool:
        """Return True if the verdict is known, even if the score is not."""
        return self.low > 0 or self.high < 0 or self.low == self.high

    @property
    def score(self) -> int:
        """The score; raises `Unsolved` if only bounds are known."""
        if self.low != self.high:
            raise Unsolved(self.low, self.high)
        return self.low

    @property
    def verdict(self) -> Verdict:
        """Win, draw or loss; raises `Unsolved` if the bounds leave it open."""
        low, high = self
        if low > 0 or high < 0 or low == high:
            return Verdict.of(low + high)
        raise Unsolved(low, high)


@dataclass(frozen=True)
class Analysis:
    """The proven scores or bounds of a position within a limit, for the side to move."""

    position: Position
    bounds: Bounds
    """Bounds of the position's score, or of its sign if ``weak``; equal if it is solved."""
    moves: Mapping[int, Bounds]
    """Bounds of every legal move, for the side that makes it; empty if not requested."""
    line: tuple[int, ...] | None
    """One perfect continuation to the end; None if not requested or not found within the limit."""
    nodes: int
    """Total nodes searched."""
    seconds: float
    source: str
    """Source of the position's score: ``search``, ``book`` or ``cache``; empty until it is found."""
    weak: bool = False
    """True if only win, draw or loss was requested."""
    looking_for: str = ""
    """Next stage (SCORE, MOVES or LINE) of an analysis in progress; empty at the end."""

    @property
    def solved(self) -> bool:
        """Return True if the score is known, or its sign if ``weak``."""
        return self.bounds.solved

    @property
    def score(self) -> int:
        """The score, or its sign if ``weak``; raises `Unsolved` if only bounds are known."""
        return self.bounds.score

    @property
    def verdict(self) -> Verdict:
        """Win, draw or loss; raises `Unsolved` if the bounds leave it open."""
        return self.bounds.verdict

    @property
    def words(self) -> str:
        """The result as a phrase: the winner, and its last stone if known; else the bounds."""
        low, high = self.bounds
        if not self.bounds.decided:
            return f"not solved within the limit: the score is from {signed(low)} to {signed(high)}"
        if self.weak or not self.solved:
            return f"{self.verdict.name.lower()} for the {self.position.to_move.name.lower()} player"
        return score_in_words(self.position, low)

    @property
    def scores(self) -> dict[int, int]:
        """The score of every move, for the side that makes it; raises `Unsolved` if only bounds are known for one."""
        return exact_scores(self.moves)

    @property
    def best_moves(self) -> tuple[int, ...]:
        """The moves with the best score: the quickest wins, or the longest resistance; raises `Unsolved` likewise."""
        return best_of(self.scores)

    def _repr_html_(self) -> str:
        """Render for a notebook: the board with the score of every move, the best moves marked, and best play."""
        from inarow.drawing.svg import Label, draw_svg, figure, tone_of

        labels = {
            move: Label(signed(b.low), tone_of(b.low)) if b.solved else Label(f"{signed(b.low)}…{signed(b.high)}")
            for move, b in self.moves.items()
        }
        known = bool(self.moves) and all(bounds.solved for bounds in self.moves.values())
        result = f"score {signed(self.score)}: {self.words}" if self.solved and not self.weak else self.words
        line = [f"best play: {format_moves(self.position.game, self.line)}"] if self.line else []
        picture = draw_svg(self.position, labels=labels, marked=self.best_moves if known else ())
        return figure(picture, result, *line)


def exact_scores(moves: Mapping[int, Bounds]) -> dict[int, int]:
    """Return the score of every move; raises `Unsolved` if only bounds are known for one."""
    if not all(bounds.solved for bounds in moves.values()):
        raise Unsolved(max(bounds.low for bounds in moves.values()), max(bounds.high for bounds in moves.values()))
    return {move: bounds.low for move, bounds in moves.items()}


def best_of(scores: Mapping[int, int]) -> tuple[int, ...]:
    """Return the moves with the highest score, in ascending order."""
    most = max(scores.values())
    return tuple(sorted(move for move, score in scores.items() if score == most))


def win_score(position: Position) -> int:
    """Return the score of a win with the next stone; in misère, the other side's score when that stone loses."""
    return (position.game.cells + 1 - position.ply) // 2


def plies_to_end(position: Position, score: int) -> int:
    """Return the number of stones until the end under perfect play (quickest win, longest resistance)."""
    return rules.plies_to_end(position.game.layout, position.ply, score)


def describe(position: Position, score: int) -> str:
    """Return a score as ``win in 4 moves``, ``draw`` or ``loss in 12 moves``, in moves of the winner."""
    number = rules.moves_to_end(position.game.layout, position.ply, score) if score else 0
    return say("score", facts.result(score), number=number)


def score_in_words(position: Position, score: int) -> str:
    """Return the score as a phrase: the winner and its last stone; in misère, the stone that loses."""
    if score == 0:
        return "a draw"
    stone = position.ply + plies_to_end(position, score)
    winner = position.to_move if score > 0 else position.to_move.other
    number = (stone + 1) // 2
    kind = "disc" if position.game.gravity else "stone"
    if position.game.misere:
        return f"{winner.other.name.lower()} player loses with its {number}{_ordinal(number)} {kind}"
    return f"{winner.name.lower()} player wins with its {number}{_ordinal(number)} {kind}"


def _ordinal(number: int) -> str:
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
