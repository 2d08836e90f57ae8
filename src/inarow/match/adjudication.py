"""Adjudication: a match ends as soon as the solver proves its outcome with few nodes."""

from __future__ import annotations

from inarow.agents.oracle_pool import oracles
from inarow.limits import Limit
from inarow.rules import Game, Outcome, Position
from inarow.rules.position import DRAW, WON_BY
from inarow.solver import Unsolved

NODES = 1000
"""Nodes for each position. Without a book and with an empty table they prove the same positions everywhere."""
_TABLE_MB = 1


class Adjudicator:
    """The solver as the referee of one match."""

    def __init__(self, game: Game) -> None:
        self._oracle = oracles.take(game, _TABLE_MB, book=False)

    def outcome(self, position: Position) -> Outcome | None:
        """How the match ends with perfect play from here on; None if that is not proven."""
        try:
            verdict = self._oracle.verdict(position, Limit(nodes=NODES))
        except Unsolved:
            return None
        if not verdict:
            return DRAW
        return WON_BY[position.to_move if verdict > 0 else position.to_move.other]

    def close(self) -> None:
        """Give the solver's table back."""
        oracles.give_back(self._oracle, _TABLE_MB, book=False)
