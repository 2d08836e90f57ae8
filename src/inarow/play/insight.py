"""The truth of positions, found out in the background for an interface to show: exact scores, and blunders.

The solver's words are imported where they are used: by then it is there, and a window must open before that.
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
"""Finds the scores of a position; None if it can't, or was stopped."""


@dataclass(frozen=True)
class Blunder:
    """A move that gave away a win or a draw."""

    index: int
    """Which move of the game, from 0."""
    position: Position
    """Before the move."""
    move: int
    before: int
    """The score that could be had, for the side that moved."""
    after: int
    """The score that the move left it with."""
    best: tuple[int, ...]
    """The moves that would have kept the verdict best."""


def moves_to_end(position: Position, score: int) -> int:
    """How many moves of its own the winner needs, of a score that is not 0, for the side to move."""
    from inarow.solver import plies_to_end

    plies = plies_to_end(position, score)
    return (plies + 1) // 2 if score > 0 else plies // 2


def describe(position: Position, score: int) -> str:
    """A score in words."""
    if score == 0:
        return "draw"
    return f"{'win' if score > 0 else 'loss'} in {moves_to_end(position, score)}"


def blunders(
    game: Game, opening: Sequence[int], moves: Sequence[int], known: Callable[[Position], Scores | None]
) -> list[Blunder]:
    """The moves of a playing that changed the verdict to the worse, as far as the scores are known."""
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
    """The score of a position where the game is over, for the first player: its sign is all that counts."""
    if outcome.winner is None:
        return 0
    return 1 if outcome.winner is FIRST else -1


class Insight:
    """Asks a judge about the positions that are wanted, one after the other, and keeps what it said."""

    def __init__(self, judge: Judge, background: Background) -> None:
        self._judge = judge
        self._background = background
        self._known: dict[Position, Scores | None] = {}
        self._wanted: list[Position] = []
        self._asked: tuple[Question, Position] | None = None

    def known(self, position: Position) -> Scores | None:
        """The scores of a position, if they have been found."""
        return self._known.get(position)

    def failed(self, position: Position) -> bool:
        """Whether the judge was asked and did not know."""
        return position in self._known and self._known[position] is None

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._asked is not None

    def want(self, positions: Sequence[Position]) -> None:
        """Find these out, in this order, and forget about others that were wanted."""
        self._wanted = [one for one in positions if one not in self._known and one.outcome() is None]
        if self._asked is not None and self._asked[1] not in self._wanted:
            self._asked[0].cancel()
            self._asked = None
        self._next()

    def update(self) -> bool:
        """Take what has been found out; whether something has."""
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
    """The solver as the judge of a game's positions; it takes as long as it takes, unless it is stopped."""
    from inarow.solver import Oracle, Unsolved

    oracle = Oracle(game)
    lock = threading.Lock()  # one question at a time; one that was given up ends soon after it was stopped

    def judge(position: Position, stop: Stop) -> Scores | None:
        try:
            with lock:
                scores = oracle.scores(position, stop=stop)
        except Unsolved:
            return None
        return None if stop.is_set() else scores

    return judge
