"""Record an agent's search: run the kernel's source as Python and turn its events into a trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inarow.agents.alphabeta import Searcher, SearchMind
from inarow.agents.base import Agent, Mind
from inarow.agents.mcts import Mcts, MctsMind
from inarow.bits import line_on, lowest
from inarow.errors import InarowError, check_integer
from inarow.formatting import say
from inarow.kernels.alphabeta import EXACT, INFINITE, LOWER, UPPER, deepen
from inarow.kernels.evaluate import FULL, PROVEN, SearchSetup
from inarow.kernels.lang.jit import source_of
from inarow.kernels.lang.trace import recording
from inarow.kernels.mcts import Nodes, result_of, simulate
from inarow.limits import MAX_EVENTS, NO_LIMIT, USUAL_EVENTS, Limit
from inarow.rules import Game, IllegalMove, Position
from inarow.stopping import Stop
from inarow.tracing.trace import NONE, Detail, EventKind, Recorder, Trace, TraceFull


class Untraceable(InarowError):
    """An agent whose search can't be recorded; the message says why."""


def trace(
    position: Position,
    agent: Agent,
    *,
    limit: Limit = NO_LIMIT,
    events: int = USUAL_EVENTS,
    seed: int = 0,
    stop: Stop | None = None,
) -> Trace:
    """Record an agent's search in a position: every node in order, and the decision.

    ``limit`` bounds the decision, ``events`` the trace; the search stops after the last event. Raises
    `Untraceable` for an agent that does not search a tree, uses the clock, or is not part of inarow.
    """
    events = check_integer("events", events, 1, MAX_EVENTS)
    if position.outcome() is not None:
        raise IllegalMove(say("nothing_to", "decide", result=position.result_text()))
    agent.check(position.game)
    check_traceable(agent, limit)
    recorder = Recorder(events)
    mind, kernel_events = _traced_mind(agent, position, seed, recorder)
    decision, truncated = None, ""
    try:
        with recording(kernel_events):
            decision = mind.decide(position, limit, stop)
    except TraceFull as full:
        truncated = str(full)
    finally:
        mind.close()
    if stop is not None and stop.is_set():
        decision, truncated = None, truncated or f"{len(recorder.kinds):,} events"
    if decision is not None:
        recorder.add(EventKind.DECIDE, recorder.root, decision.points or 0, moves=(decision.move,))
    return Trace(position, agent.spec, seed, isinstance(agent, Mcts), recorder, decision, truncated)


def check_traceable(agent: Agent, limit: Limit = NO_LIMIT) -> None:
    """Raise `Untraceable` if the search of this agent can't be recorded."""
    why = ""
    if agent.foreign:
        why = "foreign"
    elif not isinstance(agent, (Searcher, Mcts)):
        why = "no_tree"
    elif agent.seconds is not None or limit.seconds is not None:
        why = "clock"
    elif agent.asks_solver if isinstance(agent, Searcher) else agent.solver:
        why = "solver"
    elif isinstance(agent, Mcts) and agent.network is not None:
        why = "judged"
    if why:
        raise Untraceable(say("untraceable", why, spec=agent.spec))


def _traced_mind(agent: Agent, position: Position, seed: int, record: Recorder) -> tuple[Mind, Any]:
    """Return the agent's own mind with its kernel uncompiled, and the recorder of the kernel's events."""
    mind = agent.start(position.game, position.to_move, seed)
    if isinstance(mind, SearchMind):
        mind.search_depths = source_of(deepen)
        return mind, SearchEvents(position.game, record)
    assert isinstance(mind, MctsMind)
    mind.simulate = source_of(simulate)
    return mind, TreeEvents(position.game, record)


@dataclass
class _Open:
    """A position on the search path: stones, window, and results of its moves so far."""

    node: int
    own: int
    opp: int
    alpha: int
    beta: int
    tried: int = 0
    """Cells."""
    best: int = -INFINITE


_BOUNDS = {EXACT: Detail.EXACT, LOWER: Detail.AT_LEAST, UPPER: Detail.AT_MOST}
_OPPOSITE = {Detail.AT_LEAST: Detail.AT_MOST, Detail.AT_MOST: Detail.AT_LEAST}
"""The bound of the negated value."""


class SearchEvents:
    """Turn the events of `kernels.alphabeta`, with values for the side to move, into a trace, with values for MAX."""

    def __init__(self, game: Game, record: Recorder) -> None:
        self.game, self.record = game, record

    def begin(self, setup: SearchSetup, own: int, opp: int, depth: int) -> None:
        """Begin a search of this depth with a new root."""
        self.setup = setup
        self.narrow = setup.prune and setup.root != FULL
        root = self.record.node(NONE, NONE)
        self.path = [_Open(root, own, opp, -INFINITE, INFINITE)]
        self.answer = Detail.NOTHING
        self.record.add(EventKind.BEGIN, root, depth)

    def enter(self, own: int, opp: int, depth: int, alpha: int, beta: int) -> None:
        """Enter a child of the current position."""
        above = self.path[-1]
        node = self.record.node(above.node, self._move(opp & ~above.own))
        self.path.append(_Open(node, own, opp, alpha, beta))
        self.record.add(EventKind.ENTER, node, depth, *self._for_max(len(self.path) - 1, alpha, beta))

    def known(self, bound: int) -> None:
        """Record a transposition-table hit; the child is not entered."""
        self.answer = _BOUNDS[bound]

    def backup(self, below: int, cell: int, value: int, best: int) -> None:
        """Return a move's value to its position, this many plies below the root, which had ``best`` so far."""
        here = self.path[below]
        if len(self.path) > below + 1:
            child = self.path.pop()
            node, kind = child.node, EventKind.RETURN
            bound = UPPER if -value <= child.alpha else LOWER if -value >= child.beta else EXACT
            detail = _OPPOSITE.get(_BOUNDS[bound], Detail.EXACT)
        else:
            node = self.record.node(here.node, self._move(cell))
            kind = EventKind.KNOWN if self.answer else EventKind.LEAF
            detail = _OPPOSITE.get(self.answer, self.answer) or self._end(here, cell)
        self.answer = Detail.NOTHING
        here.tried |= cell
        here.best = max(best, value)
        sign = -1 if below % 2 else 1
        detail = _OPPOSITE.get(detail, detail) if below % 2 else detail
        low, high = self._for_max(below, *self._window(below))
        self.record.add(kind, node, sign * value, low, high, sign * here.best, detail, value > best)

    def cutoff(self, below: int, *cells: int) -> None:
        """Record pruned moves, as sets of cells in move order."""
        here, sign = self.path[below], -1 if below % 2 else 1
        masks = self.setup.order[: self.setup.moves].tolist()
        left = [part & mask for part in cells for mask in masks if part & mask & ~here.tried]
        low, high = self._for_max(below, *self._window(below))
        floor = self._window(0)[0]
        elsewhere = high if sign > 0 else self.path[0].best if low == floor else low
        self.record.add(
            EventKind.CUT, here.node, sign * here.best, low, high, elsewhere, moves=[*map(self._move, left)]
        )

    def _window(self, below: int) -> tuple[int, int]:
        """Return the window of a position on the path for the side to move; the root's starts at its best value."""
        here = self.path[below]
        if not self.setup.prune:
            return -INFINITE, INFINITE
        if below > 0:
            return max(here.alpha, here.best), here.beta
        margin = 1 if self.setup.root == PROVEN else 0
        return here.best - margin if self.narrow and here.best > -INFINITE else -INFINITE, INFINITE

    def _for_max(self, below: int, low: int, high: int) -> tuple[int, int]:
        return (-high, -low) if below % 2 else (low, high)

    def _move(self, cell: int) -> int:
        return self.game.move_of_bit(lowest(cell))

    def _end(self, here: _Open, cell: int) -> Detail:
        """Return why the search ends at a move."""
        game = self.game
        if line_on(game, here.own | cell):
            return Detail.LINE
        return Detail.FULL if here.own | here.opp | cell == game.board else Detail.HORIZON


class TreeEvents:
    """Turn the events of `kernels.mcts` into a trace. A node's number is its index in the kernel's pool."""

    def __init__(self, game: Game, record: Recorder) -> None:
        self.game, self.record = game, record
        self.proven = list[tuple[int, int]]()
        self.simulation = 0
        self._next()

    def _next(self) -> None:
        """Begin the next simulation."""
        self.path, self.played = [0], list[int]()
        self.simulation += 1
        self.selected = 0

    def begin(self) -> None:
        """Begin with the root. After a full pool was pruned, nodes have new indices."""
        if len(self.record.kinds):
            raise TraceFull(f"{len(self.record.parents):,} nodes")
        self.record.add(EventKind.BEGIN, self.record.node(NONE, NONE), 0)

    def select(self, child: int) -> None:
        """Descend to a child."""
        self.path.append(child)

    def expand(self, nodes: Nodes, node: int) -> None:
        """Add the children of a node."""
        self._reach()
        first, count = nodes[node].first, nodes[node].count
        for child in range(first, first + count):
            self.record.node(node, self.game.move_of_bit(nodes[child].cell))
        self.record.add(EventKind.EXPAND, node, count, first)
        for child, status in self.proven:
            self.record.add(EventKind.PROVE, child, self._for_max(len(self.path), result_of(status)))
        self.proven.clear()

    def prove(self, node: int, status: int) -> None:
        """Record a proven result of a node on the path, or of a child being added to its last node."""
        self._reach()
        if node in self.path:
            self.record.add(EventKind.PROVE, node, self._for_max(self.path.index(node), result_of(status)))
        else:
            self.proven.append((node, status))

    def play(self, cell: int) -> None:
        """Record a move of a rollout."""
        self.played.append(self.game.move_of_bit(lowest(cell)))

    def known(self, result: float) -> None:
        """End a simulation where the result is proven."""
        self._end(EventKind.KNOWN, result, Detail.EXACT)

    def rollout(self, result: float) -> None:
        """End a simulation by a rollout."""
        self._end(EventKind.ROLLOUT, result)

    def evaluate(self, value: float) -> None:
        """End a simulation by the value of an evaluator."""
        self._end(EventKind.LEAF, value)

    def _end(self, kind: EventKind, result: float, detail: Detail = Detail.NOTHING) -> None:
        self._reach()
        value = self._for_max(len(self.path) - 1, result)
        self.record.add(kind, self.path[-1], value, detail=detail, moves=self.played)

    def backup(self, result: float) -> None:
        """Count the simulation along its path."""
        for_max = self._for_max(len(self.path) - 1, result)
        self.record.add(EventKind.BACKUP, self.path[-1], 0, 1 + for_max, 1 - for_max)
        self._next()

    def _reach(self) -> None:
        """Record once that the simulation has reached the current node."""
        if self.path[-1] != self.selected:
            self.selected = self.path[-1]
            self.record.add(EventKind.SELECT, self.selected, self.simulation)

    def _for_max(self, depth: int, result: float) -> float:
        """Convert a result for the side to move at this depth to one for MAX."""
        return -result if depth % 2 else result
