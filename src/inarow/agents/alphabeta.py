"""minimax and alphabeta: depth-limited searches, their parameters, and the mind that runs the compiled search.

Alpha–beta is minimax with pruning; each improvement of it is a switch. The mind searches under a limit by iterative
deepening.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from inarow.agents.base import Agent, Decision, Mind, is_short
from inarow.agents.evaluators import Evaluator, Function, Learned, Windows, evaluator_field, new_setup
from inarow.agents.exact_end import TT_MB as SOLVER_MB
from inarow.agents.exact_end import ProvingMind
from inarow.agents.parameters import AgentError, Number, choice, integer, number, parameter, switch
from inarow.agents.ties import move_list, move_set, pick, ties_field
from inarow.formatting import say
from inarow.kernels import evaluate as kernel_setup
from inarow.kernels.alphabeta import Entry, Root, begin_search, deepen, new_search, warm_for
from inarow.kernels.evaluate import POINTS, WIN, Custom, SearchSetup
from inarow.kernels.lang.jit import interpreted
from inarow.kernels.lang.records import array_of, size_of
from inarow.kernels.ntuple import NetBoard
from inarow.limits import SHORTEST, Limit
from inarow.machine import check_memory, touched
from inarow.models.network import Network
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.solver.engine import table_mb
from inarow.stopping import Stop

FULL = 64
"""A depth beyond every board."""
UNLIMITED = 1 << 60
USUAL_DEPTH = 6
"""The default of both minimax and alphabeta, so that they choose the same moves."""


ORDERINGS = {
    "none": kernel_setup.NONE,
    "centre": kernel_setup.CENTRE,
    "threats": kernel_setup.THREATS,
    "history": kernel_setup.HISTORY,
}
ROOTS = {"proven": kernel_setup.PROVEN, "full": kernel_setup.FULL, "carried": kernel_setup.CARRIED}
ENTRY_BYTES = size_of(Entry)
ENTRIES_PER_SECOND = 1 << 24
"""Twice what a fast search stores: about the size at which it is fastest."""
PREVIEW = 6
PREVIEW_SHARE = 0.05
"""Plies, and share of the budget, of the short search before the solver runs."""


@dataclass(frozen=True)
class DepthKind(Number):
    """A number of plies; ``full`` searches to the end of the game."""

    @property
    def wanted(self) -> str:
        return f"an integer from 1 to {FULL - 1}, full, or auto"

    def read(self, text: str) -> Any:
        return FULL if text == "full" else super().read(text)

    def format(self, value: Any) -> str:
        return "full" if value == FULL else super().format(value)


def depth_field() -> Any:
    """Return a field for the depth of a search."""
    text = f"plies to look ahead; auto: {USUAL_DEPTH}, or as many as nodes or seconds allow when one of them is given"
    return parameter(DepthKind, None, help=text, low=1, high=FULL, none="auto")


@dataclass(frozen=True)
class Searcher(Agent):
    """A depth-limited search that evaluates its leaves."""

    variants = True
    depth: int | None = depth_field()
    nodes: int | None = integer(None, "maximum nodes per decision, with iterative deepening", low=1, none="unlimited")
    seconds: float | None = number(
        None, "maximum seconds per decision, with iterative deepening", low=0.001, high=86400, none="unlimited"
    )
    eval: Evaluator = evaluator_field(Windows(), "evaluator of the leaves")  # noqa: RUF009
    solver: str = choice(
        "auto",
        ("auto", "on", "off"),
        "ask the solver first, with 90 % of the nodes or seconds; the search gets the rest; auto: with a network and a "
        "limit in seconds",
    )
    ties: str = ties_field("first")

    # The fixed settings of plain minimax; AlphaBeta makes parameters of them.
    prune = False
    ordering = "none"
    tt = False
    tt_mb = 0
    iterative_deepening = False
    symmetry = False
    root = "full"

    @property
    def plies(self) -> int | None:
        """Maximum depth in plies; None if only the other limits apply."""
        if self.depth is None and self.nodes is None and self.seconds is None:
            return USUAL_DEPTH
        return self.depth

    @property
    def limit(self) -> Limit:
        """Its own limits."""
        return Limit(depth=self.plies, nodes=self.nodes, seconds=self.seconds)

    def in_use(self, name: str) -> Any:
        if name == "iterative_deepening":
            return self.deepens
        return self.plies if name == "depth" else super().in_use(name)

    @property
    def deepens(self) -> bool:
        """True if it searches 1, 2, … plies deep."""
        return self.iterative_deepening or self.nodes is not None or self.seconds is not None

    @property
    def asks_solver(self) -> bool:
        """True if the solver runs before the search."""
        return self.solver == "on" or (
            self.solver == "auto" and isinstance(self.eval, Learned) and self.seconds is not None
        )

    def check(self, game: Game) -> None:
        super().check(game)
        self.eval.check(game)

    def network_in(self, game: Game) -> Network | None:
        return self.eval.network(game)

    def memory_mb(self, game: Game) -> int:
        return (self.tt_mb if self.tt else 0) + (table_mb(game, SOLVER_MB) if self.asks_solver else 0)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return SearchMind(self, game, Stream(seed))

    @property
    def tt_entries(self) -> int:
        """Number of entries of the transposition table, a power of two."""
        return 1 << ((self.tt_mb << 20) // ENTRY_BYTES).bit_length() - 1 if self.tt else 1

    @property
    def best_first(self) -> bool:
        """True if each iteration begins with the best moves of the one before."""
        return self.iterative_deepening or self.root != "carried"

    def new_setup(self, game: Game, searcher: Player) -> SearchSetup:
        """Return the kernel's setup for a decision of this player."""
        setup = new_setup(game, self.eval, self.ordering != "none", searcher)
        setup.prune = self.prune
        setup.ordering = ORDERINGS[self.ordering]
        setup.use_tt = self.tt
        setup.use_symmetry = self.symmetry
        setup.root = ROOTS[self.root]
        return setup


@dataclass(frozen=True)
class Minimax(Searcher):
    """Full-width search without pruning: the exact value of every root move."""

    name = "minimax"
    summary = "full-width search to a fixed depth"

    @property
    def description(self) -> str:
        return "full-width search, one ply deeper at a time" if self.deepens else self.summary


@dataclass(frozen=True)
class AlphaBeta(Searcher):
    """Minimax with pruning; each improvement is a switch, and none changes the value or the set of best moves."""

    name = "alphabeta"
    summary = "minimax with alpha–beta pruning"
    prune = True
    ordering: str = choice(
        "centre",
        tuple(ORDERINGS),
        "move ordering: ascending; nearest the centre first; wins, blocks and new threats first; history heuristic",
    )
    tt: bool = switch(False, "use a transposition table")
    tt_mb: int = integer(32, "size of the transposition table in MB", low=1, high=1 << 20)
    iterative_deepening: bool = switch(False, "search 1, 2, … plies deep, the best moves so far first")
    symmetry: bool = switch(False, "let symmetric positions share an entry of the transposition table")
    root: str = choice(
        "proven",
        tuple(ROOTS),
        "root moves that get an exact value: proven: the best ones, each tie proven; full: all; carried: as in "
        "textbooks, those better than all before them, so that the first of equal moves is played",
    )

    def check(self, game: Game) -> None:
        super().check(game)
        if self.root == "carried" and self.ties in ("centre", "random"):
            raise AgentError(say("unfit", "carried", ties=self.ties))
        if self.symmetry and not self.tt:
            raise AgentError(say("unfit", "symmetry"))
        if self.tt:
            check_memory("agent alphabeta", "tt_mb", self.tt_mb, AgentError)


class SearchMind(ProvingMind):
    """The state of the search: the kernel's records, and a random stream for ties."""

    search_depths: Callable[..., None] = staticmethod(deepen)

    def __init__(self, agent: Searcher, game: Game, stream: Stream) -> None:
        if isinstance(agent.eval, Function) and not agent.eval.is_kernel:
            self.search_depths = interpreted(deepen)
        super().__init__(game, stream, agent.limit, agent.asks_solver)
        self.agent, self.ties = agent, agent.ties
        self.setups: dict[Player, SearchSetup] = {}
        self.state = new_search(agent.tt_entries)
        self.ready = 0
        """Entries of the transposition table, if it was made for a short limit."""
        self.root = Root()
        self.network = agent.eval.network(game)
        self.board = None if self.network is None else NetBoard(self.network.prepare(), self.network.whole_work())
        """Work area of the network."""
        if not isinstance(agent.eval, Function):
            warm_for(self.network is not None)

    def prepare(self, position: Position, limit: Limit) -> None:
        super().prepare(position, limit)
        whole = self.agent.tt_entries
        if is_short(self.limit, limit):
            limit = self.limit.tightened(limit)
            # A limit in counts keeps the size, on which the number of nodes depends.
            counted = limit.nodes is not None or (limit.depth or FULL) < FULL
            fillable = 1 << int(ENTRIES_PER_SECOND * max(limit.seconds or 0, SHORTEST)).bit_length()
            entries = whole if counted else min(whole, fillable)
            if self.ready < entries:
                table = self.state.tt if len(self.state.tt) == entries else array_of(Entry, entries)
                self.state.tt, self.ready = touched(table), entries
        elif self.ready and self.ready < whole:
            self.state.tt, self.ready = array_of(Entry, whole), 0

    def preview(self, position: Position, limit: Limit, stop: Stop | None) -> tuple[list[int], int]:
        """Return the move that a short search prefers, and its nodes."""
        nodes = limit.nodes and int(PREVIEW_SHARE * limit.nodes)
        if nodes == 0:
            return [], 0
        short = Limit(depth=PREVIEW, nodes=nodes, seconds=limit.seconds and PREVIEW_SHARE * limit.seconds)
        found = self.search(position, short, stop, position.legal_moves())
        return [found.move], found.nodes

    def search(self, position: Position, limit: Limit, stop: Stop | None, moves: Sequence[int]) -> Decision:
        """Search these moves by iterative deepening within the limit."""
        deepest = min(limit.depth or FULL, self.game.cells - position.ply)
        deepens = self.agent.iterative_deepening or limit.nodes is not None or limit.seconds is not None
        player, own_stop = position.to_move, Stop(within=stop)
        if player not in self.setups:
            self.setups[player] = self.agent.new_setup(self.game, player)
        search, root, setup, function = self.state, self.root, self.setups[player], self.agent.eval
        evaluator = function.custom(self.game, player) if isinstance(function, Function) else self.board
        search.stop = own_stop.flag
        begin_search(search, root, move_set(moves), limit.nodes or UNLIMITED)
        if self.network is not None and self.board is not None:
            self.network.set_up(self.board.board, position)
        start = setup, search, root, self.game.layout, position.own, position.opp
        begun = self.clock.now()
        with self.clock.alarm(limit.seconds, own_stop):
            depths = range(1 if deepens else deepest, deepest + 1)
            step = len(depths) if self.watcher is None and limit.seconds is None else 1
            for first in depths[::step]:
                last = first + step - 1
                self.search_depths(*start, first, last, self.agent.best_first, evaluator)
                if self.watcher is not None and root.depth == last:
                    self.watcher(self._decision(copy(self.stream)))
                late = limit.seconds is not None and self.clock.now() >= begun + limit.seconds
                if late or search.stopped:
                    break
        if isinstance(function, Function) and isinstance(evaluator, Custom):
            function.check_answers(evaluator)
        return self._decision(self.stream)

    def _decision(self, stream: Stream) -> Decision:
        search, root, ties = self.state, self.root, self.ties
        if not root.best:  # stopped before the first move was searched
            return Decision(pick(self.game, move_list(root.candidates), "centre", stream), nodes=search.nodes, depth=0)
        best = move_list(root.best)
        move = pick(self.game, best, ties, stream)
        points_of = root.points.tolist()
        points = {move: points_of[move] for move in move_list(root.exact)}
        by_move: dict[str, dict[int, float]] = {"points": points}
        if self.agent.root == "full" and root.depth > 0 and root.exact != root.candidates:
            unreached = move_list(root.candidates & ~root.exact)
            by_move["earlier"] = {move: self._value(points_of[move]) for move in unreached}
        line = root.lines[root.rows[move]].tolist()
        visits = search.visits[1:]
        return Decision(
            move,
            value=self._value(points[move]),
            points=points[move],
            values={m: self._value(p) for m, p in points.items()},
            by_move=by_move,
            nodes=search.nodes,
            depth=root.depth,
            line=tuple(map(self.game.move_of_bit, line[: line.index(-1)])),
            details={
                "leaves": search.leaves,
                "cutoffs": search.cutoffs,
                "visits_by_ply": visits[: int(np.count_nonzero(visits))].tolist(),
                "best": [m + 1 for m in best],
            },
        )

    def _value(self, points: int) -> float:
        """Convert points to a value; any proven win is ±1."""
        if abs(points) >= (WIN - self.game.cells) * POINTS:
            return 1.0 if points > 0 else -1.0
        return self.agent.eval.value(points)
