"""What the solver can prove of positions, and mistakes, for an interface to show; computed in the background.

The solver is imported where it is used, because loading it takes time, and a window opens before that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from inarow.limits import Limit
from inarow.play.background import Background, Question
from inarow.rules import FIRST, Game, Outcome, Position
from inarow.stopping import Stop

if TYPE_CHECKING:
    from inarow.solver import Bounds

PATIENCE = 2.0
"""Seconds for one position; after that, what has been proven so far is shown."""

MoveBounds: TypeAlias = "Mapping[int, Bounds]"
"""What is proven of the score of each legal move, for the side to move."""

Judge: TypeAlias = "Callable[[Position, Stop], MoveBounds | None]"
"""Finds out what can be proven of a position; None if it can't, or was stopped."""


@dataclass(frozen=True)
class Blunder:
    """A move that gave away a win or a draw."""

    index: int
    """The number of the move in the match, from 0."""
    position: Position
    """Before the move."""
    move: int
    before: int
    """The best score that is proven of any move, for the side that moved."""
    after: int
    """The best score that is possible after the move."""
    best: tuple[int, ...]
    """The moves that would have kept the verdict."""


def moves_to_end(position: Position, score: int) -> int:
    """How many moves of its own the winner still needs; the score is for the side to move, and not 0."""
    from inarow.solver.analysis import moves_to_end as count

    return count(position, score)


def describe(position: Position, score: int) -> str:
    """A score in words."""
    if score == 0:
        return "draw"
    return f"{'win' if score > 0 else 'loss'} in {moves_to_end(position, score)}"


def whole(truth: MoveBounds) -> tuple[int, int]:
    """The bounds of a position's score, from those of its moves."""
    return max(bounds.low for bounds in truth.values()), max(bounds.high for bounds in truth.values())


def blunders(
    game: Game, opening: Sequence[int], moves: Sequence[int], known: Callable[[Position], MoveBounds | None]
) -> list[Blunder]:
    """The moves of a match that certainly gave away a win or a draw, as far as the truth is known."""
    from inarow.truth import grade_move

    found = []
    position = Position.start(game, opening)
    for index, move in enumerate(moves):
        truth = known(position)
        if truth:  # the best that can be said for the move, the worst for the others: equal where all is solved
            scores = {other: bounds.high if other == move else bounds.low for other, bounds in truth.items()}
            graded = grade_move(position, move, scores)
            if graded.blunder:
                keep = tuple(other for other in scores if grade_move(position, other, scores).keeps_verdict)
                found.append(Blunder(index, position, move, graded.best, graded.score, keep))
        position = position.play(move)
    return found


def final_score(position: Position, outcome: Outcome) -> int:
    """1, 0 or −1: the sign of the score of a finished game, for the first player."""
    if outcome.winner is None:
        return 0
    return 1 if outcome.winner is FIRST else -1


class Insight:
    """Has the wanted positions judged, one after the other, and keeps what was found."""

    def __init__(self, judge: Judge, background: Background) -> None:
        self._judge = judge
        self._background = background
        self._known: dict[Position, MoveBounds | None] = {}
        self._wanted: list[Position] = []
        self._asked: tuple[Question, Position] | None = None

    def known(self, position: Position) -> MoveBounds | None:
        """What is known of a position by now."""
        return self._known.get(position)

    def failed(self, position: Position) -> bool:
        """Whether the judge was asked and had no answer."""
        return position in self._known and self._known[position] is None

    @property
    def count(self) -> int:
        """How many positions have been judged."""
        return len(self._known)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._asked is not None

    def want(self, positions: Sequence[Position]) -> None:
        """Judge these positions, in this order, instead of those wanted before."""
        self._wanted = [one for one in positions if one not in self._known and one.outcome() is None]
        if self._asked is not None and self._asked[1] not in self._wanted:
            self._asked[0].cancel()
            self._asked = None
        self._next()

    def update(self) -> bool:
        """Collect new answers; returns whether there are any."""
        news = False
        for answer in self._background.collect():
            if self._asked is not None and answer.ticket == self._asked[0].ticket:
                self._known[self._asked[1]] = None if isinstance(answer.result, Exception) else answer.result
                self._asked = None
                news = True
        self._next()
        return news

    def close(self, seconds: float = 0.5) -> None:
        """Stop asking."""
        self.want([])
        self._background.join(seconds)

    def _next(self) -> None:
        self._wanted = [one for one in self._wanted if one not in self._known]
        if self._asked is None and self._wanted:
            position = self._wanted[0]
            self._asked = self._background.ask(lambda stop: self._judge(position, stop)), position


def find_judge(game: Game, patience: float = PATIENCE) -> Judge:
    """The solver as the judge of a game's positions: at most ``patience`` seconds for one, and it can be stopped."""
    from inarow.solver import Oracle

    oracle = Oracle(game)
    lock = threading.Lock()  # one question at a time; a stopped one ends soon

    def judge(position: Position, stop: Stop) -> MoveBounds | None:
        with lock:
            found = oracle.analyse(position, Limit(seconds=patience), stop=stop)
        return None if stop.is_set() else found.moves

    return judge
