"""A recorded search: the nodes of its tree and the events that made it, as columns of integers.

All values are for the side to move at the root, *MAX*; the other side is *MIN*. Nodes are numbered in order of
creation. Iterative deepening has one root per depth. `EventKind` describes the columns of an event.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from inarow.agents.base import Decision
from inarow.formatting import MINUS, capitalised, listed, sentences
from inarow.kernels.alphabeta import INFINITE
from inarow.kernels.evaluate import POINTS, WIN
from inarow.rules import Position, format_move
from inarow.rules.position import draw_row

NODES_PER_EVENT = 8
"""Maximum nodes per permitted event, which bounds the memory of a trace."""

NONE = -1
"""The parent of a root, and the move that leads to it."""


class EventKind(IntEnum):
    """The type of an event.

    Of minimax and alpha–beta: BEGIN (a search of ``value`` plies from a new root), ENTER (with the node's window),
    LEAF, KNOWN (a table hit), RETURN (an inner node is finished), CUT (its ``moves`` are pruned because the other
    side has ``best`` elsewhere), DECIDE. For LEAF, KNOWN and RETURN, ``best``, ``low`` and ``high`` are the parent's
    value so far and its window.

    Of MCTS: SELECT (simulation ``value`` reaches the node), EXPAND (it gets ``value`` children, the first is number
    ``low``), PROVE (``value`` is proven of it), KNOWN (no rollout is needed), ROLLOUT (its result, and the ``moves``),
    LEAF (the value by an evaluator), BACKUP (every node of the path counts a visit; in half points, those that MAX
    moved into gain ``low``, the others ``high``), DECIDE.
    """

    BEGIN = 0
    ENTER = 1
    LEAF = 2
    KNOWN = 3
    RETURN = 4
    CUT = 5
    SELECT = 6
    EXPAND = 7
    PROVE = 8
    ROLLOUT = 9
    BACKUP = 10
    DECIDE = 11


class Detail(IntEnum):
    """The reason for a leaf, or the bound of a value."""

    NOTHING = 0
    HORIZON = 1
    LINE = 2
    FULL = 3
    EXACT = 4
    AT_LEAST = 5
    AT_MOST = 6


class Event(NamedTuple):
    """One step. ``low`` and ``high`` may be ∓`INFINITE`."""

    kind: EventKind
    node: int
    value: float
    low: float
    high: float
    best: int
    detail: Detail
    improved: bool
    """True if the event improved the parent's value."""
    moves: tuple[int, ...]


class TraceFull(Exception):
    """The trace has reached its maximum length, which the message states."""


class Recorder:
    """A trace being recorded: columns for nodes and for events."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.parents, self.nodes = array("i"), array("i")
        self.moves, self.kinds, self.details, self.improved = array("b"), array("b"), array("b"), array("b")
        self.values, self.lows, self.highs, self.bests = array("d"), array("d"), array("d"), array("q")
        self.lists: dict[int, tuple[int, ...]] = {}
        """Moves by event number, for events that have any."""
        self.root = NONE
        """The latest root."""

    def node(self, parent: int, move: int) -> int:
        """Add a node; return its number."""
        if len(self.parents) >= NODES_PER_EVENT * self.limit:
            raise TraceFull(f"{len(self.parents):,} nodes")
        self.parents.append(parent)
        self.moves.append(move)
        if parent == NONE:
            self.root = len(self.parents) - 1
        return len(self.parents) - 1

    def add(
        self,
        kind: EventKind,
        node: int,
        value: float,
        low: float = 0,
        high: float = 0,
        best: int = 0,
        detail: Detail = Detail.NOTHING,
        improved: bool = False,
        moves: Sequence[int] = (),
    ) -> None:
        """Record an event. Raises `TraceFull` if the trace is full."""
        if len(self.kinds) >= self.limit and kind is not EventKind.DECIDE:
            raise TraceFull(f"{self.limit:,} events")
        if moves:
            self.lists[len(self.kinds)] = tuple(moves)
        self.kinds.append(kind)
        self.nodes.append(node)
        self.values.append(value)
        self.lows.append(low)
        self.highs.append(high)
        self.bests.append(best)
        self.details.append(detail)
        self.improved.append(improved)


def _number(value: float) -> float:
    """Return an integral value as an int; only evaluators in MCTS give others."""
    return int(value) if value.is_integer() else value


@dataclass(frozen=True)
class Trace:
    """A recorded search. Moves count from 0."""

    position: Position
    agent: str
    """The spec."""
    seed: int
    simulated: bool
    """True if the search is MCTS."""
    record: Recorder
    decision: Decision | None
    """The decision; None if the search was truncated or stopped."""
    truncated: str
    """The length at which the trace was truncated, such as ``100,000 events``, or an empty string."""

    def __len__(self) -> int:
        return len(self.record.kinds)

    def __getitem__(self, index: int) -> Event:
        r = self.record
        index = range(len(self))[index]
        return Event(
            EventKind(r.kinds[index]),
            r.nodes[index],
            _number(r.values[index]),
            _number(r.lows[index]),
            _number(r.highs[index]),
            r.bests[index],
            Detail(r.details[index]),
            bool(r.improved[index]),
            r.lists.get(index, ()),
        )

    def __iter__(self) -> Iterator[Event]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        end = f", truncated after {self.truncated}" if self.truncated else ""
        return f"<Trace of {self.agent} on {self.position.describe()}: {len(self):,} events{end}>"

    @property
    def win(self) -> int:
        """Return the minimum points of a win."""
        return (WIN - self.position.game.cells) * POINTS

    @property
    def nodes(self) -> int:
        """Return the number of nodes of the tree, roots included."""
        return len(self.record.parents)

    def path(self, node: int) -> tuple[int, ...]:
        """Return the moves from the root to a node."""
        moves: list[int] = []
        while self.record.parents[node] != NONE:
            moves.append(self.record.moves[node])
            node = self.record.parents[node]
        return tuple(reversed(moves))

    def max_to_move(self, node: int) -> bool:
        """Return True if MAX is to move at a node."""
        return len(self.path(node)) % 2 == 0


Said = IntEnum(
    "Said",
    "DEPTH TREE OPEN WINDOW HORIZON LINE FULL KNOWN EXACT AT_LEAST AT_MOST MIN_CUTS MAX_CUTS MIN_DONE MAX_DONE DECIDES "
    "SELECTS EXPANDS PROVES SETTLED ROLLS_OUT BACKS_UP EVALUATES",
    start=0,
)
"""The templates of sentences."""
TEMPLATES = dict(zip(Said, sentences("trace"), strict=True))
SIGNS = {Said.AT_LEAST: "≥ ", Said.AT_MOST: "≤ "}
"""The sign before a value that is only a bound."""
EFFECTS = sentences("effect")
"""The effect of a value on the parent: no change, or the best so far."""
RESULTS = {1: "MAX wins", 0: "a draw", -1: "MIN wins"}

_OF_MCTS = {
    EventKind.SELECT: Said.SELECTS,
    EventKind.EXPAND: Said.EXPANDS,
    EventKind.PROVE: Said.PROVES,
    EventKind.KNOWN: Said.SETTLED,
    EventKind.ROLLOUT: Said.ROLLS_OUT,
    EventKind.LEAF: Said.EVALUATES,
    EventKind.BACKUP: Said.BACKS_UP,
    EventKind.BEGIN: Said.TREE,
    EventKind.DECIDE: Said.DECIDES,
}


def said(trace: Trace, event: Event) -> Said:
    """Return the template of an event."""
    if trace.simulated:
        return _OF_MCTS[event.kind]
    if event.kind in (EventKind.LEAF, EventKind.RETURN):
        return Said[event.detail.name]
    if event.kind is EventKind.ENTER:
        return Said.OPEN if event.high - event.low >= 2 * INFINITE else Said.WINDOW
    if event.kind is EventKind.CUT:
        if trace.max_to_move(event.node):
            return Said.MAX_CUTS if event.moves else Said.MAX_DONE
        return Said.MIN_CUTS if event.moves else Said.MIN_DONE
    return {EventKind.BEGIN: Said.DEPTH, EventKind.KNOWN: Said.KNOWN, EventKind.DECIDE: Said.DECIDES}[event.kind]


def result_text(value: float) -> str:
    """Format a result for MAX, or an evaluator's value."""
    return RESULTS[int(value)] if value in RESULTS else f"{round(value, 2) or 0:+.2f}".replace("-", MINUS)


def value_text(trace: Trace, points: float) -> str:
    """Format points for MAX: in the evaluator's unit, or who wins."""
    if abs(points) >= INFINITE:
        return "+∞" if points > 0 else "−∞"
    if abs(points) >= trace.win:
        return f"a win for {'MAX' if points > 0 else 'MIN'} with stone {int(WIN * POINTS - abs(points)) // POINTS}"
    units = abs(points) / POINTS
    return f"{'' if points == 0 else '+' if points > 0 else '−'}{units:.10g}"


def path_text(trace: Trace, node: int) -> str:
    """Format the path to a node as moves, counted from 1."""
    return " ".join(format_move(move) for move in trace.path(node)) or "the root"


def words(trace: Trace, index: int) -> str:
    """Describe an event in one or two sentences."""
    event = trace[index]
    sides = ("MAX", "MIN") if trace.max_to_move(event.node) else ("MIN", "MAX")
    counts = {EventKind.ROLLOUT: len(event.moves)}
    fields = {
        "path": path_text(trace, event.node),
        "side": sides[0],
        "parent": sides[1],
        "count": counts.get(event.kind, event.value),
        "moves": listed([format_move(move) for move in event.moves]),
        "result": result_text(event.value),
        **{name: value_text(trace, getattr(event, name)) for name in ("value", "low", "high", "best")},
    }
    fields["effect"] = EFFECTS[event.improved].format(**fields)
    text = TEMPLATES[said(trace, event)].format(**fields)
    return capitalised(text)


_REASONS = {Detail.HORIZON: "horizon", Detail.LINE: "line", Detail.FULL: "full board"}
_BOUNDS = {Detail.EXACT: "exact", Detail.AT_LEAST: "at least", Detail.AT_MOST: "at most"}


def json_lines(trace: Trace) -> Iterator[str]:
    """Yield JSON lines without line ends: one object that describes the trace, then one per event. Moves count
    from 0."""
    yield json.dumps(heading(trace), ensure_ascii=False)
    for index, event in enumerate(trace):
        yield json.dumps(event_json(trace, index, event), ensure_ascii=False)


def heading(trace: Trace) -> dict[str, Any]:
    """Return the JSON object that describes a trace."""
    position, decision = trace.position, trace.decision
    return {
        "game": position.game.name,
        "position": "/".join(draw_row(row) for row in position.grid()),
        "agent": trace.agent,
        "seed": trace.seed,
        "max": "XO"[position.to_move],
        "events": len(trace),
        "nodes": trace.nodes,
        "truncated": trace.truncated or None,
        "move": None if decision is None else decision.move,
    }


def event_json(trace: Trace, index: int, event: Event) -> dict[str, Any]:
    """Return an event for JSON: its node and the values of its kind."""
    parent = trace.record.parents[event.node]
    move = trace.record.moves[event.node]
    return {
        "step": index,
        "event": event.kind.name.lower(),
        "node": event.node,
        "parent": None if parent < 0 else parent,
        "move": None if move < 0 else move,
        **_figures(trace, event),
        "words": words(trace, index),
    }


def _figures(trace: Trace, event: Event) -> dict[str, Any]:
    moves = list(event.moves)
    window = {"low": _end(event.low), "high": _end(event.high)}
    match event.kind:
        case EventKind.BEGIN:
            return {} if trace.simulated else {"depth": event.value}
        case EventKind.ENTER:
            return {"depth": event.value, **window}
        case EventKind.LEAF | EventKind.RETURN | EventKind.KNOWN if not trace.simulated:
            leaf = event.kind is EventKind.LEAF
            kind = {"reason": _REASONS[event.detail]} if leaf else {"bound": _BOUNDS[event.detail]}
            return {"value": event.value, **kind, "best": event.best, "improved": event.improved, **window}
        case EventKind.CUT:
            return {"value": event.value, "elsewhere": event.best, **window, "moves": moves}
        case EventKind.SELECT:
            return {"simulation": event.value}
        case EventKind.EXPAND:
            return {"children": [int(event.low) + child for child in range(int(event.value))]}
        case EventKind.ROLLOUT:
            return {"value": event.value, "moves": moves}
        case EventKind.BACKUP:
            return {"max_gain": event.low, "min_gain": event.high}
        case EventKind.DECIDE:
            return {"value": None if trace.simulated else event.value, "moves": moves}
        case _:  # PROVE, and KNOWN and LEAF of MCTS
            return {"value": event.value}


def _end(value: float) -> float | None:
    """Return a bound of a window, or None if it is infinite."""
    return None if abs(value) >= INFINITE else value
