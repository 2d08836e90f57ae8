"""Solved positions: the exact score of every move, each position solved once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inarow.limits import NO_LIMIT, Limit
from inarow.match import MatchRecord
from inarow.rules import CONNECT4, Game, Position
from inarow.solver import Oracle, Unsolved
from inarow.solver.solved import is_trivial
from inarow.solver.tables import CompleteTable
from inarow.truth.accuracy import GradedMove, grade_move
from inarow.truth.truth_set import truth_set


class SolvedPositions:
    """The exact scores of the moves of any position of a game. Those of the truth set need no solving."""

    def __init__(
        self,
        game: Game,
        limit: Limit = NO_LIMIT,
        *,
        oracle: Oracle | None = None,
        table: CompleteTable | None = None,
    ) -> None:
        """``limit`` is for each position; with a complete table nothing is solved."""
        self.game = game
        self._limit = limit
        self._oracle = oracle or Oracle(game)
        self.table = table
        self._known: dict[int, Mapping[int, int] | None] = {}
        if game == CONNECT4:
            self._known.update((one.position.key(), one.scores) for one in truth_set())

    def scores(self, position: Position) -> Mapping[int, int] | None:
        """The score of every legal move, for the side that makes it; None if not solved within the limit."""
        if self.table is not None:
            return self.table.scores(position)
        key = position.key()
        if key not in self._known:
            try:
                self._known[key] = self._oracle.scores(position, self._limit)
            except Unsolved:
                self._oracle.forget()  # a table full of this position's questions is of little use to others
                self._known[key] = None
        return self._known[key]

    def grade(self, position: Position, move: int) -> GradedMove | None:
        """A move graded; None if its position is not solved within the limit."""
        scores = self.scores(position)
        return None if scores is None else grade_move(position, move, scores)

    def is_trivial(self, position: Position) -> bool:
        """Whether all moves have the same verdict, as far as is known."""
        scores = self.scores(position)
        return scores is None or is_trivial(scores)

    def grade_record(self, record: MatchRecord, from_ply: int = 0) -> Iterator[tuple[str, GradedMove | None]]:
        """The moves of a match after its opening, each with the agent that played it; None where not solved.

        Positions with fewer than ``from_ply`` stones are skipped: the earlier, the longer they take to solve.
        """
        position = Position.start(record.game, record.opening)
        agents = (record.first, record.second)
        for move in record.moves:
            if position.ply >= from_ply:
                yield agents[position.to_move], self.grade(position, move)
            position = position.play(move)
