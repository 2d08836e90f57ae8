"""A small game as a graph of its positions up to symmetry: Q-learning without look-ups (`kernels.qlearning.graph`)."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.qlearning import graph as kernels
from inarow.kernels.qlearning.graph import Graph as GraphArrays
from inarow.models.files import ModelError
from inarow.models.qtable import QTable

MOST_NODES = 20_000
Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class Graph:
    """The positions that are not over, by their keys in a table, where their moves lead, and their values and visits.

    Arrays are (nodes, moves) unless they have one number per node.
    """

    nodes: NDArray[np.int64]
    """(nodes, 2): their keys."""
    legal: Numbers
    choices: Numbers
    choice_of_move: Numbers
    slots: Numbers
    following: Numbers
    values: NDArray[np.float32]
    visits: Numbers

    @property
    def arrays(self) -> GraphArrays:
        """The graph as kernels read it."""
        per_move = (self.choice_of_move, self.slots, self.following, self.values, self.visits)
        return GraphArrays(self.values.shape[1], self.legal, self.choices, *(array.reshape(-1) for array in per_move))

    @property
    def _used(self) -> NDArray[np.bool_]:
        """(nodes, moves): which places belong to a choice."""
        return np.asarray(np.arange(self.values.shape[1]) < self.choices[:, None])

    def read(self, table: QTable) -> None:
        """Take the values and visits of a table."""
        self.values[:] = table.start
        self.visits[:] = 0
        number = {(int(own), int(other)): node for node, (own, other) in enumerate(self.nodes)}
        for key, values, visits in zip(*table.rows(), strict=True):
            node = number.get((int(key[0]), int(key[1])))
            if node is None:
                raise ModelError(f"the table has a key that is not a position of {table.game}; start again without it")
            inside = self.slots[node, : self.choices[node]]
            self.values[node, : inside.size] = values[inside]
            self.visits[node, : inside.size] = visits[inside]

    def write(self, table: QTable) -> None:
        """Give the values and visits of all positions met to a table."""
        met = np.flatnonzero((self.visits > 0).any(axis=1))
        values = np.full((met.size, self.values.shape[1]), table.start, np.float32)
        visits = np.zeros(values.shape, np.int32)
        rows, places = np.nonzero(self._used[met])
        slots = self.slots[met][rows, places]
        values[rows, slots] = self.values[met][rows, places]
        visits[rows, slots] = self.visits[met][rows, places]
        table.fill(self.nodes[met], values, visits)


def list_graph(table: QTable, most: int = MOST_NODES) -> Graph | None:
    """The graph of a table's game; None if it has more positions than ``most`` or the table may hold."""
    most = min(most, table.most)
    moves = table.game.moves
    room = 1 << (2 * most).bit_length()
    graph = Graph(
        nodes=np.zeros((most, 2), np.int64),
        legal=np.zeros(most, np.int32),
        choices=np.zeros(most, np.int32),
        choice_of_move=np.zeros((most, moves), np.int32),
        slots=np.zeros((most, moves), np.int32),
        following=np.zeros((most, moves), np.int32),
        values=np.full((most, moves), table.start, np.float32),
        visits=np.zeros((most, moves), np.int32),
    )
    keys, node_of_row = np.full(2 * room, -1), np.zeros(room, np.int32)
    count = kernels.list_positions(table.board, graph.arrays, graph.nodes, keys, node_of_row)
    if count == kernels.TOO_MANY:
        return None
    return Graph(**{field.name: getattr(graph, field.name)[:count].copy() for field in fields(graph)})
