"""The solver within a search agent: prove the values of moves with a part of the budget."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from inarow.agents.base import Decision, Mind, is_short
from inarow.agents.ties import move_list, move_set, pick
from inarow.kernels.decisions import proven_choice
from inarow.kernels.solver.prove import NOT_KNOWN, ProofState
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Game, Position
from inarow.solver import Oracle
from inarow.solver.analysis import Bounds
from inarow.stopping import Clock, Stop

TT_MB = 16
SHARE = 0.9
"""Shares of the budget for the solver: for the verdict of every move, then for the scores of the best moves."""
NODES = 100_000
"""Total nodes if neither nodes nor seconds are limited."""
KEPT_MB = 256
"""Maximum table size in MB to keep for later minds."""


class _Oracles:
    """A pool of oracles from closed minds, whose tables already have their memory.

    The system allocates a new table page by page on first write, which made decisions overrun a limit of 0.1 s by
    0.2 s. A table is cleared before it is reused.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[tuple[tuple[Game, int, bool], Oracle]] = []

    def take(self, game: Game, tt_mb: int, book: bool = True) -> Oracle:
        """Return an oracle with an empty table."""
        with self._lock:
            for index, (key, oracle) in enumerate(self._free):
                if key == (game, tt_mb, book):
                    del self._free[index]
                    return oracle
        return Oracle(game, tt_mb=tt_mb, book=book)

    def give_back(self, oracle: Oracle, tt_mb: int, book: bool = True) -> None:
        """Keep an oracle for a later mind; only the last few are kept, and only small ones."""
        if tt_mb <= KEPT_MB:
            oracle.forget()
            with self._lock:
                self._free = [((oracle.game, tt_mb, book), oracle), *self._free][:3]

    def clear(self) -> bool:
        """Empty the pool; return False if it was empty."""
        with self._lock:
            was_filled, self._free = bool(self._free), []
        return was_filled


oracles = _Oracles()


@dataclass(frozen=True)
class Proof:
    """Proven values of a position's moves."""

    verdicts: Mapping[int, Bounds]
    """Bounds of the verdict of every move: −1, 0, 1."""
    scores: Mapping[int, Bounds]
    """Bounds of the scores; empty if not requested."""
    nodes: int
    own: int | None = None
    """The verdict of the position itself, if already known."""

    @classmethod
    def of(cls, state: ProofState) -> Proof:
        """Read the result from the solver's record."""
        moves, bounds = move_list(state.legal), (state.low, state.high, state.score_low, state.score_high)
        low, high, score_low, score_high = (one.tolist() for one in bounds)
        verdicts = {move: Bounds(low[move], high[move]) for move in moves}
        scores = {move: Bounds(score_low[move], score_high[move]) for move in moves if state.scored}
        return cls(verdicts, scores, state.nodes, None if state.verdict == NOT_KNOWN else state.verdict)

    @cached_property
    def _choice(self) -> tuple[int, int, bool, bool]:
        moves = move_set(self.verdicts)
        verdict = 1 if self.own is None else self.own
        return proven_choice(
            moves, verdict, *_by_move(self.verdicts), bool(self.scores), *_by_move(self.scores or self.verdicts)
        )

    @property
    def candidates(self) -> list[int]:
        """The moves worth a search (see `proven_choice`)."""
        return self._among(self._choice[0])

    @property
    def safest(self) -> list[int]:
        """The candidates with the best proven bounds."""
        return self._among(self._choice[1])

    @property
    def keeps_verdict(self) -> bool:
        """True if every candidate is proven to keep the position's verdict, or only one is left."""
        return self._choice[2]

    @property
    def settled(self) -> bool:
        """True if all candidates are proven equal, or there is only one."""
        return self._choice[3]

    def _among(self, moves: int) -> list[int]:
        return [move for move in sorted(self.verdicts) if moves >> move & 1]

    def values(self) -> dict[int, float]:
        """Return the proven verdicts by move."""
        return {move: float(bounds.low) for move, bounds in self.verdicts.items() if bounds.solved}

    def added_to(self, found: Decision, nodes: int) -> Decision:
        """Return a search's decision with its values replaced by proven ones, and the solver's nodes added."""
        values = {**found.values, **self.values()}
        return found._replace(
            value=values.get(found.move, found.value),
            values=dict(sorted(values.items())),
            nodes=found.nodes + nodes,
            details={**found.details, "solved": False},
        )

    def decision(self, game: Game, ties: str, stream: Stream, nodes: int) -> Decision:
        """Return the decision by the solver alone, after this number of nodes."""
        best, values = self.safest, self.values()
        move = pick(game, best, ties, stream)
        scores = {move: bounds.low for move, bounds in self.scores.items() if bounds.solved}
        return Decision(
            move,
            value=values.get(move),
            values=values,
            by_move={"score": scores} if scores else {},
            nodes=nodes,
            line=(move,),
            details={"solved": self.settled, "best": [m + 1 for m in best]},
        )


def _by_move(bounds: Mapping[int, Bounds]) -> tuple[list[int], list[int]]:
    """Return lower and upper bounds, indexed by move."""
    known = [bounds.get(move, Bounds(0, 0)) for move in range(max(bounds) + 1)]
    return [one.low for one in known], [one.high for one in known]


class ExactEnd:
    """A solver that a mind runs before it searches, with an oracle of the pool until `close`."""

    def __init__(self, game: Game, tt_mb: int = TT_MB) -> None:
        self.game, self.tt_mb = game, tt_mb

    @cached_property
    def oracle(self) -> Oracle:
        """The oracle, taken from the pool on first use; `close` returns it."""
        return oracles.take(self.game, self.tt_mb)

    def ask(
        self, position: Position, limit: Limit, stop: Stop | None, clock: Clock, order: Sequence[int] = ()
    ) -> Proof:
        """Return the values proven within a part of the limit: the moves that keep the verdict, and if there are
        several, their scores. Moves in ``order`` are tried first."""
        self.oracle.clock = clock
        if limit.nodes is None and limit.seconds is None:
            limit = Limit(nodes=NODES)
        else:
            limit = Limit(nodes=limit.nodes, seconds=limit.seconds).part(SHARE)
        return Proof.of(self.oracle.prove(position, limit, stop=stop, favourite=order[0] if order else -1))

    def close(self) -> None:
        """Return the oracle to the pool."""
        if oracle := self.__dict__.pop("oracle", None):
            oracles.give_back(oracle, self.tt_mb)


class ProvingMind(Mind):
    """A mind that searches, and may ask the solver first."""

    ties = "random"
    """The rule that breaks ties between proven moves."""

    def __init__(self, game: Game, stream: Stream, limit: Limit, asks_solver: bool) -> None:
        self.game, self.stream, self.limit = game, stream, limit
        self.exact = ExactEnd(game) if asks_solver else None

    @abstractmethod
    def search(self, position: Position, limit: Limit, stop: Stop | None, moves: Sequence[int]) -> Decision:
        """Search these moves within the limit."""

    @abstractmethod
    def preview(self, position: Position, limit: Limit, stop: Stop | None) -> tuple[list[int], int]:
        """Return moves for the solver to try first, and the nodes used to find them."""

    def prepare(self, position: Position, limit: Limit) -> None:
        if self.exact is not None:
            self.exact.oracle.prepare(position, is_short(self.limit, limit))

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        limit = self.limit.tightened(limit)
        if self.exact is None:
            return self.search(position, limit, stop, position.legal_moves())
        begun = self.clock.now()
        order, nodes = self.preview(position, limit, stop)
        proof = self.exact.ask(position, limit.without(nodes, self.clock.now() - begun), stop, self.clock, order)
        nodes += proof.nodes
        if proof.settled or (limit.nodes is not None and nodes >= limit.nodes):
            return proof.decision(self.game, self.ties, self.stream, nodes)
        rest = limit.without(nodes, self.clock.now() - begun)
        return proof.added_to(self.search(position, rest, stop, proof.candidates), nodes)

    def close(self) -> None:
        if self.exact is not None:
            self.exact.close()
