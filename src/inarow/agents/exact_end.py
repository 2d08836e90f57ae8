"""The solver inside a search: what it can prove of a decision with a part of the budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inarow.agents.oracle_pool import oracles
from inarow.agents.ties import centre_first
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
    """The moves than which no other is proven to be as good at least, and perhaps better."""

    def dominated(one: Bounds) -> bool:
        return any(other.low >= one.high and other.high > one.high for other in bounds.values())

    return sorted(move for move, one in bounds.items() if not dominated(one))


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
        verdicts, nodes = _verdicts(oracle, position, _part(limit, VERDICT_SHARE), stop)
        proof = Proof(verdicts, {}, nodes)
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


def _verdicts(oracle: Oracle, position: Position, limit: Limit, stop: Stop | None) -> tuple[dict[int, Bounds], int]:
    """What is proven of every move's verdict, and the nodes it took. Each question has an equal part of what is left,
    so that a hard one leaves something to the others; what then remains goes to those without an answer."""
    found, nodes, begun = dict[int, Bounds](), 0, oracle.clock.now()
    for _ in range(2):
        moves = centre_first(position.game, position.legal_moves())
        open_moves = [move for move in moves if move not in found or not found[move].solved]
        for place, move in enumerate(open_moves):
            share = 1 / (len(open_moves) - place)
            seconds = None if limit.seconds is None else limit.seconds - (oracle.clock.now() - begun)
            left = None if limit.nodes is None else int((limit.nodes - nodes) * share)
            child = position.play(move)
            outcome = child.outcome()
            if outcome is not None:
                score = 0 if outcome.winner is None else 1
                found[move] = Bounds(score, score)
            elif (seconds is not None and seconds <= 0) or left == 0:
                found.setdefault(move, Bounds(-1, 1))
            else:
                part = Limit(nodes=left, seconds=None if seconds is None else seconds * share)
                low, high = oracle.analyse(child, part, stop=stop, moves=False, weak=True).bounds
                found[move] = Bounds(-high, -low)
                nodes += oracle.nodes
    return found, nodes


def _part(limit: Limit, share: float) -> Limit:
    """A part of the nodes and seconds of a limit."""
    nodes = None if limit.nodes is None else max(1, int(share * limit.nodes))
    seconds = None if limit.seconds is None else share * limit.seconds
    return Limit(nodes=NODES if nodes is None and seconds is None else nodes, seconds=seconds)
