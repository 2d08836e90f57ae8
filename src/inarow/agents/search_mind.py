"""The mind of minimax and alphabeta: it runs the compiled search under a limit, depth by depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inarow.agents.base import Decision, Mind
from inarow.agents.exact_end import ExactEnd
from inarow.agents.move_order import ordered_moves
from inarow.agents.searching import FULL, UNLIMITED, WIN, Searcher
from inarow.agents.ties import centre_first, pick
from inarow.bits import MAX_BITS
from inarow.kernels.alphabeta import Ints, new_search, search_root, warm_for
from inarow.kernels.common.evaluate import POINTS, SearchSetup
from inarow.kernels.ntuple.points import NetBoard
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop

PREVIEW = 6
PREVIEW_SHARE = 0.05
"""Plies, and the part of a budget, for the short search before the solver is asked."""


@dataclass
class RootResult:
    """The best known of the root moves at one depth."""

    depth: int
    """Plies that all moves were searched to; the moves in ``points`` may be one ply further."""
    points: dict[int, int]
    """By move, those whose points are exact."""
    best: list[int]
    """The moves with the most points, in the order of the search."""
    lines: dict[int, tuple[int, ...]]


class SearchMind(Mind):
    """The search at work: records that the kernel reads and writes, and a random stream for ties."""

    search_root: Callable[..., int] = staticmethod(search_root)

    def __init__(self, agent: Searcher, game: Game, stream: Stream) -> None:
        self.agent = agent
        self.game = game
        self.stream = stream
        self.setups: dict[Player, SearchSetup] = {}
        self.search = new_search(agent.tt_entries)
        self.network = agent.eval.network(game)
        self.board = None if self.network is None else NetBoard(self.network.prepare(), self.network.whole_work())
        """Where the network follows the search."""
        warm_for(self.network is not None)
        self.exact = ExactEnd(game) if agent.asks_solver else None
        self.moves: list[int] = []

    def prepare(self, position: Position) -> None:
        if self.exact is not None:
            self.exact.prepare(position)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        agent = self.agent
        limit = Limit(depth=agent.plies, nodes=agent.nodes, seconds=agent.seconds).tightened(limit)
        if self.exact is None:
            return self.deepen(position, limit, stop, position.legal_moves())
        begun = self.clock.now()
        order, nodes = self._preview(position, limit, stop)
        proof = self.exact.ask(position, limit.without(nodes, self.clock.now() - begun), stop, self.clock, order)
        nodes += proof.nodes
        if proof.settled or (limit.nodes is not None and nodes >= limit.nodes):
            return proof.decision(self.game, agent.ties, self.stream, nodes)
        found = self.deepen(position, limit.without(nodes, self.clock.now() - begun), stop, proof.candidates)
        return proof.added_to(found, nodes)

    def _preview(self, position: Position, limit: Limit, stop: Stop | None) -> tuple[list[int], int]:
        """The move that a short search prefers, for the solver to be asked about first; and the nodes it took."""
        nodes = limit.nodes and int(PREVIEW_SHARE * limit.nodes)
        if nodes == 0:
            return [], 0
        short = Limit(depth=PREVIEW, nodes=nodes, seconds=limit.seconds and PREVIEW_SHARE * limit.seconds)
        found = self.deepen(position, short, stop, position.legal_moves())
        return [found.move], found.nodes

    def close(self) -> None:
        if self.exact is not None:
            self.exact.close()

    def deepen(self, position: Position, limit: Limit, stop: Stop | None, moves: Sequence[int]) -> Decision:
        """Search these moves depth by depth within the limit."""
        deepest = min(limit.depth or FULL, self.game.cells - position.ply)
        deepens = self.agent.deepens or limit.nodes is not None or limit.seconds is not None
        own_stop = Stop(within=stop)
        search = self.search
        search.begin(limit.nodes or UNLIMITED, own_stop.flag)
        begun = self.clock.now()
        if self.network is not None and self.board is not None:
            self.network.set_up(self.board.board, position)
        self.moves = [move for move in ordered_moves(position, self.agent.order) if move in moves]
        found = None
        with self.clock.alarm(limit.seconds, own_stop):
            for depth in range(1 if deepens else deepest, deepest + 1):
                found = self._search(position, depth, found)
                if self.watcher is not None and found is not None and found.depth == depth:
                    self.watcher(self._decision(position, found, copy(self.stream)))
                late = limit.seconds is not None and self.clock.now() >= begun + limit.seconds
                if late or search.stopped:
                    break
        return self._decision(position, found, self.stream)

    def _search(self, position: Position, depth: int, before: RootResult | None) -> RootResult | None:
        """Search to one depth, the best of the depth before first; if stopped, the best of what is known."""
        moves = list(self.moves)
        if before is not None and (self.agent.deepens or not self._first_tried):
            moves.sort(key=lambda move: move not in before.best)
        cells = np.array([position.stone(move) for move in moves], dtype=np.int64)
        values = np.zeros(len(moves), dtype=np.int64)
        lines = np.zeros((len(moves), MAX_BITS + 1), dtype=np.int64)
        finished = self.search_root(
            self._setup(position.to_move), self.search, position.mover, position.waiter, depth, position.ply,
            cells, values, lines, self.board,
        )  # fmt: skip
        if finished == 0:
            return before
        values = values[:finished]
        points = {move: int(v) for move, v, sure in zip(moves, values, self._exact(values), strict=False) if sure}
        most = max(points.values())
        best = [move for move, value in points.items() if value == most]
        return RootResult(
            depth=depth if finished == len(moves) else depth - 1,
            points=points,
            best=best,
            lines={moves[i]: self._line(lines[i]) for i in range(finished)},
        )

    @property
    def _first_tried(self) -> bool:
        """Whether the first of equal moves in the order of the search is played, so that a limit must not change it."""
        return self.agent.proves == "carried"

    def _exact(self, values: Ints) -> NDArray[np.bool_]:
        """Which of the values of root moves, in the order of the search, are exact; the others are bounds."""
        if self.agent.proves == "full":
            return np.ones(len(values), dtype=np.bool_)
        most = np.maximum.accumulate(values)
        if self.agent.proves == "proven":
            return np.equal(values, most)
        return np.append(True, most[1:] > most[:-1])

    def _setup(self, player: Player) -> SearchSetup:
        """Return what the kernel reads."""
        if player not in self.setups:
            self.setups[player] = self.agent.new_setup(self.game, player)
        return self.setups[player]

    def _line(self, bits: Ints) -> tuple[int, ...]:
        moves = []
        for bit in bits.tolist():
            if bit < 0:
                break
            moves.append(self.game.move_of_bit(bit))
        return tuple(moves)

    def _decision(self, position: Position, found: RootResult | None, stream: Stream) -> Decision:
        search, agent = self.search, self.agent
        nodes = search.nodes
        if found is None:  # stopped before it could look at a single move
            return Decision(centre_first(self.game, self.moves)[0], nodes=nodes, depth=0)
        best = sorted(found.best)
        move = pick(self.game, best, agent.ties, stream)
        visits = search.visits[1:]
        points = dict(sorted(found.points.items()))
        return Decision(
            move,
            value=self._value(points[move]),
            points=points[move],
            values={m: self._value(p) for m, p in points.items()},
            by_move={"points": points},
            nodes=nodes,
            depth=found.depth,
            line=found.lines[move],
            details={
                "leaves": search.leaves,
                "cutoffs": search.cutoffs,
                "visits_by_ply": visits[: int(np.count_nonzero(visits))].tolist(),
                "best": [m + 1 for m in best],
            },
        )

    def _value(self, points: int) -> float:
        """Points as a value: ±1 from the least win on."""
        if abs(points) >= (WIN - self.game.cells) * POINTS:
            return 1.0 if points > 0 else -1.0
        return self.agent.eval.value(points)
