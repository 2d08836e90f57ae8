"""Minimax as the textbook has it, on positions: slow and obvious. Shares no code with the compiled search."""

from __future__ import annotations

from dataclasses import dataclass, field

from inarow.agents.evaluators import Evaluator
from inarow.rules import Player, Position


@dataclass
class NaiveMinimax:
    """All values are points for the player who searches."""

    evaluator: Evaluator
    searcher: Player
    view: str = "searcher"
    win: float | None = 1_000_000
    loss: float | None = None
    sooner: bool = True
    nodes: int = 0
    leaves: int = 0
    by_ply: dict[int, int] = field(default_factory=dict)

    def root(self, position: Position, depth: int) -> dict[int, int]:
        """The points of every move."""
        return {move: self.value(position.play(move), depth - 1, 1) for move in position.legal_moves()}

    def value(self, position: Position, depth: int, ply: int) -> int:
        self.nodes += 1
        self.by_ply[ply] = self.by_ply.get(ply, 0) + 1
        outcome = position.outcome()
        if outcome is not None or depth == 0:
            self.leaves += 1
        if outcome is not None:
            return 0 if outcome.winner is None else self.finished(position, outcome.winner)
        if depth == 0:
            return self.leaf(position)
        values = [self.value(position.play(move), depth - 1, ply + 1) for move in position.legal_moves()]
        return max(values) if position.to_move is self.searcher else min(values)

    def finished(self, position: Position, winner: Player) -> int:
        if self.win is None:
            size = 100.0 * (len(position._open_moves()) + 1)
        else:
            size = self.win if winner is self.searcher or self.loss is None else self.loss
            size = 100 * (size - position.ply if self.sooner else size)
        return round(size if winner is self.searcher else -size)

    def leaf(self, position: Position) -> int:
        if self.view == "searcher":
            return self.evaluator.points(position, self.searcher)
        points = self.evaluator.points(position, position.to_move)
        players = {"mover": position.to_move, "first": Player.FIRST, "second": Player.SECOND, "own": self.searcher}
        counted_for = players[self.view]
        return points if counted_for is self.searcher else -points
