"""The solver inside a search: what it can prove of a decision with a part of the budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inarow.agents.oracle_pool import oracles
from inarow.limits import Limit
from inarow.rules import Game, Position
from inarow.solver import Oracle
from inarow.solver.analysis import Bounds
from inarow.stopping import Clock, Stop

TABLE_MB = 16
VERDICT_SHARE = 0.4
"""The part of a budget for the verdict of every move."""
SCORE_SHARE = 0.3
"""The part for exact scores, once the moves that keep the verdict are known."""
NODES = 100_000
"""Nodes for each of the two where neither nodes nor seconds are limited."""


@dataclass(frozen=True)
class Proof:
    """What is proven of the moves of a position."""

    verdicts: Mapping[int, Bounds]
    """Bounds of the verdict of every move: −1, 0, 1."""
    scores: Mapping[int, Bounds]
    """Bounds of the scores; none if they were not asked for."""
    nodes: int

    @property
    def candidates(self) -> list[int]:
        """The moves worth a search: the proven wins, of which none is proven to be quicker; without any, the moves than
        which no other is proven to be better."""
        wins = sorted(move for move, bounds in self.verdicts.items() if bounds.low > 0)
        keeping = wins or _undominated(self.verdicts)
        return _undominated({move: self.scores[move] for move in keeping}) if self.scores else keeping

    @property
    def safest(self) -> list[int]:
        """The candidates of which most is proven."""
        known = self.scores or self.verdicts
        most = max(known[move] for move in self.candidates)
        return [move for move in self.candidates if known[move] == most]

    @property
    def settled(self) -> bool:
        """Whether all candidates are proven equal, or there is only one."""
        found = self.candidates
        if len(found) == 1:
            return True
        known = self.scores or self.verdicts
        exact = bool(self.scores) or self.verdicts[found[0]] == (0, 0)
        return exact and all(known[move].solved for move in found)

    def values(self) -> dict[int, float]:
        """The verdict of every move for which it is proven."""
        return {move: float(bounds.low) for move, bounds in self.verdicts.items() if bounds.solved}


def _undominated(bounds: Mapping[int, Bounds]) -> list[int]:
    most = max(one.low for one in bounds.values())
    return sorted(move for move, one in bounds.items() if one.high >= most)


class ExactEnd:
    """A solver that a mind asks before it searches."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._oracle: Oracle | None = oracles.take(game, TABLE_MB)

    def ask(self, position: Position, limit: Limit, stop: Stop | None, clock: Clock) -> Proof:
        """What is proven with less than the whole of a limit in nodes or seconds: first which moves keep the verdict,
        then, if that is known and several do, their scores."""
        oracle = self._oracle = self._oracle or oracles.take(self.game, TABLE_MB)
        oracle.clock = clock
        verdicts = oracle.move_bounds(position, _part(limit, VERDICT_SHARE), stop=stop, weak=True)
        proof = Proof(verdicts, {}, oracle.nodes)
        keeping = proof.candidates
        spent = limit.nodes is not None and proof.nodes >= limit.nodes
        if spent or proof.settled or not all(verdicts[move].solved for move in keeping):
            return proof
        scores = oracle.move_bounds(position, _part(limit, SCORE_SHARE), stop=stop)
        return Proof(verdicts, scores, proof.nodes + oracle.nodes)

    def close(self) -> None:
        """Keep the table for the next mind."""
        if self._oracle is not None:
            oracles.give_back(self._oracle, TABLE_MB)
            self._oracle = None


def _part(limit: Limit, share: float) -> Limit:
    """A part of the nodes and seconds of a limit."""
    nodes = None if limit.nodes is None else max(1, int(share * limit.nodes))
    seconds = None if limit.seconds is None else share * limit.seconds
    return Limit(nodes=NODES if nodes is None and seconds is None else nodes, seconds=seconds)
