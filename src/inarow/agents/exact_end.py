"""The solver inside a search: what it can prove of a decision with a part of the budget."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from inarow.agents.base import Decision
from inarow.agents.ties import centre_first, pick
from inarow.kernels.decisions import proven_choice
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Game, Position
from inarow.solver import Oracle
from inarow.solver.analysis import Bounds
from inarow.solver.oracle import PREPARED_MB
from inarow.stopping import Clock, Stop

TT_MB = 16
SHARE = 0.9
"""The part of a budget for the solver: for the verdict of every move, then for the scores of those that keep it."""
EACH = 0.5
"""The part of what is left that the first question about a move may take."""
NODES = 100_000
"""Nodes for each of the two where neither nodes nor seconds are limited."""


class _Oracles:
    """Oracles of minds that have closed, for later minds: their tables have memory already.

    The system gives a new table its memory page by page as it is written to. Where that is slow, decisions overran a
    limit of 0.1 s by 0.2 s. The next mind gets the table empty.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[tuple[tuple[Game, int, bool], Oracle]] = []

    def take(self, game: Game, tt_mb: int, book: bool = True) -> Oracle:
        """An oracle with an empty table."""
        with self._lock:
            for index, (key, oracle) in enumerate(self._free):
                if key == (game, tt_mb, book):
                    del self._free[index]
                    return oracle
        return Oracle(game, tt_mb=tt_mb, book=book)

    def give_back(self, oracle: Oracle, tt_mb: int, book: bool = True) -> None:
        """Keep an oracle for a later mind; only the last few are kept, and only small ones."""
        if tt_mb <= PREPARED_MB:
            oracle.forget()
            with self._lock:
                self._free = [((oracle.game, tt_mb, book), oracle), *self._free][:3]


oracles = _Oracles()


@dataclass(frozen=True)
class Proof:
    """What is proven of the moves of a position."""

    verdicts: Mapping[int, Bounds]
    """Bounds of the verdict of every move: −1, 0, 1."""
    scores: Mapping[int, Bounds]
    """Bounds of the scores; none if they were not asked for."""
    nodes: int
    own: int | None = None
    """The verdict of the position itself, if it was known beforehand."""

    @cached_property
    def _choice(self) -> tuple[int, int, bool, bool]:
        moves = sum(1 << move for move in self.verdicts)
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
        """The candidates of which most is proven."""
        return self._among(self._choice[1])

    @property
    def keeps_verdict(self) -> bool:
        """Whether every candidate is proven to be worth as much as the position, or there is only one."""
        return self._choice[2]

    @property
    def settled(self) -> bool:
        """Whether all candidates are proven equal, or there is only one."""
        return self._choice[3]

    def _among(self, moves: int) -> list[int]:
        return [move for move in sorted(self.verdicts) if moves >> move & 1]

    def values(self) -> dict[int, float]:
        """The verdict of every move for which it is proven."""
        return {move: float(bounds.low) for move, bounds in self.verdicts.items() if bounds.solved}

    def added_to(self, found: Decision, nodes: int) -> Decision:
        """The decision of a search, with what is proven in place of its values, and the nodes used before it."""
        values = {**found.values, **self.values()}
        return found._replace(
            value=values.get(found.move, found.value),
            values=dict(sorted(values.items())),
            nodes=found.nodes + nodes,
            details={**found.details, "solved": False},
        )

    def decision(self, game: Game, ties: str, stream: Stream, nodes: int) -> Decision:
        """The decision by the solver alone, after this number of nodes."""
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
    """Lower and upper bounds, indexed by move."""
    known = [bounds.get(move, Bounds(0, 0)) for move in range(max(bounds) + 1)]
    return [one.low for one in known], [one.high for one in known]


class ExactEnd:
    """A solver that a mind asks before it searches."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._taken: Oracle | None = oracles.take(game, TT_MB)

    def prepare(self, position: Position) -> None:
        """Compile the solver, if it may be needed here."""
        self._oracle().prepare(position)

    def ask(
        self, position: Position, limit: Limit, stop: Stop | None, clock: Clock, order: Sequence[int] = ()
    ) -> Proof:
        """What is proven with less than the whole of a limit in nodes or seconds: first which moves keep the verdict,
        then, if that is known and several do, their scores. Moves in ``order`` are asked about first."""
        oracle = self._oracle()
        oracle.clock = clock
        rest = [move for move in centre_first(self.game, position.legal_moves()) if move not in order]
        budget = _Budget(limit, clock)
        own = oracle.known_verdict(position)
        verdicts = _verdicts(oracle, position, [*order, *rest], own, budget, stop)
        proof = Proof(verdicts, {}, budget.used, own)
        left = budget.left()
        if left is None or proof.settled or not all(verdicts[move].solved for move in proof.candidates):
            return proof
        scores = oracle.move_bounds(position, left, stop=stop)
        return Proof(verdicts, scores, proof.nodes + oracle.nodes, own)

    def close(self) -> None:
        """Keep the table for the next mind."""
        if self._taken is not None:
            oracles.give_back(self._taken, TT_MB)
            self._taken = None

    def _oracle(self) -> Oracle:
        if self._taken is None:
            self._taken = oracles.take(self.game, TT_MB)
        return self._taken


class _Budget:
    """The solver's part of a limit in nodes or seconds, and the nodes used of it."""

    def __init__(self, limit: Limit, clock: Clock) -> None:
        bounded = limit.nodes is not None or limit.seconds is not None
        self.used = 0
        self._nodes = max(1, int(SHARE * limit.nodes)) if limit.nodes is not None else None if bounded else NODES
        self._until = None if limit.seconds is None else clock.now() + SHARE * limit.seconds
        self._clock = clock

    def left(self, part: float = 1.0) -> Limit | None:
        """A part of what is left; None if nothing is."""
        nodes = None if self._nodes is None else int(part * (self._nodes - self.used))
        seconds = None if self._until is None else part * (self._until - self._clock.now())
        if (nodes is not None and nodes <= 0) or (seconds is not None and seconds <= 0):
            return None
        return Limit(nodes=nodes, seconds=seconds)


def _verdicts(
    oracle: Oracle, position: Position, moves: Sequence[int], own: int | None, budget: _Budget, stop: Stop | None
) -> dict[int, Bounds]:
    """What is proven of every move's verdict. What needs no search comes first; then each question in turn has half of
    what is left, and what remains is shared by those without an answer. No more questions are asked once a move is
    proven to keep the position's verdict, if that is known."""
    found = {move: _at_sight(oracle, position, move, own) for move in sorted(moves)}
    for again in (False, True):
        open_moves = [move for move in moves if not found[move].solved]
        for place, move in enumerate(open_moves):
            part = budget.left(1 / (len(open_moves) - place) if again else EACH)
            kept = own is not None and any(bounds.low >= own for bounds in found.values())
            if part is not None and not kept:
                low, high = oracle.analyse(position.play(move), part, stop=stop, moves=False, weak=True).bounds
                found[move] = Bounds(max(found[move].low, -high), min(found[move].high, -low))
                budget.used += oracle.nodes
    return found


def _at_sight(oracle: Oracle, position: Position, move: int, own: int | None) -> Bounds:
    """What is known of a move's verdict without a search; ``own`` is the position's, if that is known."""
    child = position.play(move)
    outcome = child.outcome()
    if outcome is not None:
        score = 0 if outcome.winner is None else -1 if position.game.misere else 1
        return Bounds(score, score)
    verdict = oracle.known_verdict(child)
    return Bounds(-1, 1 if own is None else own) if verdict is None else Bounds(-verdict, -verdict)
