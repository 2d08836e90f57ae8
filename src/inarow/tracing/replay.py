"""A trace played again in Python: the tree as it is after each step."""

from __future__ import annotations

from collections import defaultdict

from inarow.tracing.trace import NONE, Kind, Trace
from inarow.tracing.words import SIGNS, said


class Replay:
    """The state of the tree after a step; `forward` applies the next one."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.step = -1
        self.children: defaultdict[int, list[int]] = defaultdict(list)
        self.cut: dict[int, tuple[int, ...]] = {}
        """The moves that were cut off, by node."""
        self.values: dict[int, int] = {}
        """Points for MAX, by node; of MCTS what is proven."""
        self.signs: dict[int, str] = {}
        """Of values that are only bounds, by node."""
        self.windows: dict[int, tuple[int, int]] = {}
        self.visits: defaultdict[int, int] = defaultdict(int)
        self.totals: defaultdict[int, int] = defaultdict(int)
        self._made = 0

    @property
    def node(self) -> int:
        """The node of the step."""
        return self.trace.record.nodes[self.step]

    def forward(self) -> None:
        """Apply the next event."""
        self.step += 1
        record, event = self.trace.record, self.trace[self.step]
        until = event.low + event.value if event.kind is Kind.EXPAND else event.node + 1
        while self._made < until:
            self.children[record.parents[self._made]].append(self._made)
            self._made += 1
        match event.kind:
            case Kind.ENTER:
                self.windows[event.node] = (event.low, event.high)
            case Kind.LEAF | Kind.RETURN | Kind.KNOWN if not self.trace.simulated:
                parent = record.parents[event.node]
                self.values[event.node], self.values[parent] = event.value, event.best
                self.signs[event.node] = SIGNS.get(said(self.trace, event), "")
                self.windows[parent] = (event.low, event.high)
            case Kind.CUT:
                self.cut[event.node] = event.moves
            case Kind.PROVE:
                self.values[event.node] = event.value
            case Kind.BACKUP:
                self.totals[event.node] += event.best
                for depth, node in enumerate(self.path(event.node)):
                    self.visits[node] += 1
                    self.totals[node] += 0 if depth == 0 else event.low if depth % 2 else event.high

    def path(self, node: int) -> list[int]:
        """The nodes from the root to a node."""
        found = [node]
        while (parent := self.trace.record.parents[found[0]]) != NONE:
            found.insert(0, parent)
        return found

    def mean(self, node: int, depth: int) -> float | None:
        """The mean result of a node's simulations for MAX, in [−1, 1]."""
        if not self.visits[node] or depth == 0:
            return None
        mean = self.totals[node] / self.visits[node] - 1
        return mean if depth % 2 else -mean
