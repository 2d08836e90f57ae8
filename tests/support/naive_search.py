"""Minimax as the textbook has it, on positions: slow and obvious. Shares no code with the compiled search."""

from __future__ import annotations

from dataclasses import dataclass, field

from inarow.agents.evaluators import Evaluator
from inarow.rules import Player, Position


@dataclass
class NaiveMinimax:
    """All values are points for the player who searches. ``faster``: faster wins are preferred."""

    evaluator: Evaluator
    searcher: Player
    win: int = 1_000_000
    faster: bool = True
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
            size = 100 * (self.win - position.ply * self.faster)
            return 0 if outcome.winner is None else size if outcome.winner is self.searcher else -size
        if depth == 0:
            return self.evaluator.points(position, self.searcher)
        values = [self.value(position.play(move), depth - 1, ply + 1) for move in position.legal_moves()]
        return max(values) if position.to_move is self.searcher else min(values)
