"""The tree of a Monte Carlo tree search, as Python sees it; kernels grow it."""

from __future__ import annotations

from typing import Any

from inarow.kernels.common.setup import MAX_MOVES
from inarow.kernels.lang.records import array_of
from inarow.kernels.mcts import search
from inarow.rules import Position
from inarow.stopping import Stop

FARTHEST = 8
"""Plies from a root to a position within which the tree is searched for it."""


class Tree:
    """A pool of nodes; node 0 is the root (see `kernels.mcts`)."""

    def __init__(self, room: int, random: int, node: type[Any] = search.Node) -> None:
        self.state = search.TreeState()
        self.state.random = random
        self.node = node
        self.nodes = array_of(node, room)
        self.root: Position | None = None
        self.prunings = 0
        """How often the tree was pruned in this decision."""

    @property
    def used(self) -> int:
        """How many nodes there are."""
        return self.state.used

    def restart(self, position: Position) -> None:
        """Start a new tree with this position as the root."""
        self.root = position
        self.state.used = 1
        self.state.deepest = position.ply
        self.nodes[0] = 0

    def children(self, node: int) -> range:
        """The children of a node."""
        first = int(self.nodes[node].first)
        return range(first, first + int(self.nodes[node].count))

    def cell(self, node: int) -> int:
        """The stone of the move that leads to a node, as a bit."""
        return 1 << int(self.nodes[node].cell)

    def status(self, node: int) -> int:
        """What is proven of a node, for the side to move there."""
        return int(self.nodes[node].status)

    def find(self, position: Position) -> int | None:
        """The node of a position that descends from the root, if it is in the tree."""
        if self.root is None or self.root.game != position.game or position.ply - self.root.ply > FARTHEST:
            return None
        target = (position.first, position.second)
        return self._find(0, self.root.first, self.root.second, target)

    def _find(self, node: int, first: int, second: int, target: tuple[int, int]) -> int | None:
        if (first, second) == target:
            return node
        if first & ~target[0] or second & ~target[1]:
            return None
        moves_second = (first | second).bit_count() & 1
        for child in self.children(node):
            cell = self.cell(child)
            if cell & target[moves_second]:
                after = (first, second | cell) if moves_second else (first | cell, second)
                found = self._find(child, *after, target)
                if found is not None:
                    return found
        return None

    def move_to(self, position: Position) -> None:
        """Make the node of this position the root and keep what is below it; start a new tree if it is not there."""
        node = self.find(position)
        if node is None:
            self.restart(position)
        elif node > 0:
            self._keep(node, position, 0, Stop())

    @property
    def is_full(self) -> bool:
        """Whether the pool may lack room for the children of one more node."""
        return self.used + MAX_MOVES > len(self.nodes)

    def prune(self, stop: Stop) -> bool:
        """Free half of the pool: nodes with few visits lose their children and become leaves again.

        Returns False, and leaves the tree as it is, if it was stopped.
        """
        assert self.root is not None
        least = search.least_visits(self.state, self.nodes, len(self.nodes) // 2, stop.flag)
        pruned = self._keep(0, self.root, least, stop)
        self.prunings += pruned
        return pruned

    def _keep(self, node: int, position: Position, least: int, stop: Stop) -> bool:
        copy = array_of(self.node, len(self.nodes))
        if not search.keep_below(self.state, self.nodes, copy, node, position.ply, least, stop.flag):
            return False
        self.nodes, self.root = copy, position
        return True
