"""A recorded search: the nodes of its tree and the events that made it, as columns of integers.

All values are for the side to move at the root, *MAX*; the other side is *MIN*. Nodes are numbered in the order in
which they were made. A search that deepens has one root for each depth. `Kind` says what the columns of an event hold.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from inarow.agents.base import Decision
from inarow.kernels.common.evaluate import POINTS
from inarow.kernels.common.setup import WIN
from inarow.rules import Position

NODES_PER_EVENT = 8
"""A trace ends, too, when it has this many nodes for each event that it may have: memory is bounded."""

NONE = -1
"""The parent of a root, and the move that leads to it."""


class EventKind(IntEnum):
    """What happened at a node.

    Of minimax and alpha–beta: BEGIN (a search of ``value`` plies from a new root), ENTER (with the node's window),
    LEAF, KNOWN (the table answers), RETURN (an inner node is finished), CUT (its ``moves`` need not be tried: the other
    side has ``best`` elsewhere), DECIDE. With LEAF, KNOWN and RETURN ``best``, ``low`` and ``high`` are the parent's:
    what it has now, and its window.

    Of MCTS: SELECT (simulation ``value`` reaches the node), EXPAND (it gets ``value`` children, the first is number
    ``low``), PROVE (``value`` is proven of it), KNOWN (no roll-out is needed), ROLLOUT (its result, and the ``moves``),
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
    """Why a leaf is one, and how exact a value is."""

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
    """Whether the parent has a better value now."""
    moves: tuple[int, ...]


class TraceFull(Exception):
    """The trace may not be longer; the message says how long it is."""


class Recorder:
    """A trace under way: columns for nodes and for events."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.parents, self.nodes = array("i"), array("i")
        self.moves, self.kinds, self.details, self.improved = array("b"), array("b"), array("b"), array("b")
        self.values, self.lows, self.highs, self.bests = array("d"), array("d"), array("d"), array("q")
        self.lists: dict[int, tuple[int, ...]] = {}
        """The moves of events that have some, by the event's number."""
        self.root = NONE
        """The root made last."""

    def node(self, parent: int, move: int) -> int:
        """A new node; its number."""
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
        """Record an event; raises `TraceFull` when there is no room for it."""
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
    """Return an int if it is one: all numbers are but those of evaluators in MCTS."""
    return int(value) if value.is_integer() else value


@dataclass(frozen=True)
class Trace:
    """A recorded search. Moves count from 0."""

    position: Position
    agent: str
    """The spec."""
    seed: int
    simulated: bool
    """Whether it is one of MCTS."""
    record: Recorder
    decision: Decision | None
    """What the search decided; None if it was truncated or stopped."""
    truncated: str
    """Such as ``100,000 events``, if the search went on after that; else empty."""

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
        """Points from which on the value of a search is a win for either side."""
        return (WIN - self.position.game.cells) * POINTS

    @property
    def nodes(self) -> int:
        """How many nodes the tree has, roots included."""
        return len(self.record.parents)

    def path(self, node: int) -> tuple[int, ...]:
        """The moves from the root to a node."""
        moves: list[int] = []
        while self.record.parents[node] != NONE:
            moves.append(self.record.moves[node])
            node = self.record.parents[node]
        return tuple(reversed(moves))

    def max_to_move(self, node: int) -> bool:
        """Whether MAX is to move at a node."""
        return len(self.path(node)) % 2 == 0
