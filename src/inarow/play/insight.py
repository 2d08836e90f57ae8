"""Exact scores and blunders for an interface to show, computed in the background.

The solver is imported where it is used, because loading it takes time, and a window opens before that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from inarow.play.background import Background, Question
from inarow.rules import FIRST, Game, Outcome, Position
from inarow.stopping import Stop

Scores: TypeAlias = Mapping[int, int]
"""The exact score of each legal move, for the side to move."""

Judge: TypeAlias = Callable[[Position, Stop], Scores | None]
"""Computes the scores of a position; None if it can't, or was stopped."""


@dataclass(frozen=True)
class Blunder:
    """A move that gave away a win or a draw."""

    index: int
    """The number of the move in the match, from 0."""
    position: Position
    """Before the move."""
    move: int
    before: int
    """The best score of all moves, for the side that moved."""
    after: int
    """The score of the move."""
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


def blunders(
    game: Game, opening: Sequence[int], moves: Sequence[int], known: Callable[[Position], Scores | None]
) -> list[Blunder]:
    """The moves of a match that gave away a win or a draw, where the scores are known."""
    from inarow.truth import grade_move

    found = []
    position = Position.start(game, opening)
    for index, move in enumerate(moves):
        scores = known(position)
        if scores:
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
    """Has the wanted positions scored by a judge, one after the other, and keeps the scores."""

    def __init__(self, judge: Judge, background: Background) -> None:
        self._judge = judge
        self._background = background
        self._known: dict[Position, Scores | None] = {}
        self._wanted: list[Position] = []
        self._asked: tuple[Question, Position] | None = None

    def known(self, position: Position) -> Scores | None:
        """The scores of a position, if they are known by now."""
        return self._known.get(position)

    def failed(self, position: Position) -> bool:
        """Whether the judge was asked and gave no scores."""
        return position in self._known and self._known[position] is None

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._asked is not None

    def want(self, positions: Sequence[Position]) -> None:
        """Score these positions, in this order, instead of those wanted before."""
        self._wanted = [one for one in positions if one not in self._known and one.outcome() is None]
        if self._asked is not None and self._asked[1] not in self._wanted:
            self._asked[0].cancel()
            self._asked = None
        self._next()

    def update(self) -> bool:
        """Collect new scores; returns whether there are any."""
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


def find_judge(game: Game) -> Judge:
    """The solver as the judge of a game's positions; it has no limit, but can be stopped."""
    from inarow.solver import Oracle, Unsolved

    oracle = Oracle(game)
    lock = threading.Lock()  # one question at a time; a stopped one ends soon

    def judge(position: Position, stop: Stop) -> Scores | None:
        try:
            with lock:
                scores = oracle.scores(position, stop=stop)
        except Unsolved:
            return None
        return None if stop.is_set() else scores

    return judge
