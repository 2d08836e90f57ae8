"""A small game as a graph of its positions up to symmetry, where Q-learning needs no look-up (see `kernels.qgraph`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.qlearning import qgraph
from inarow.models.qtable import QTable

MOST_NODES = 20_000
Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class Graph:
    """The positions not over, by their keys in a table, and where their moves lead; and room for values and visits."""

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
    def _used(self) -> NDArray[np.bool_]:
        """(nodes, moves): which places belong to a choice."""
        return np.asarray(np.arange(self.values.shape[1]) < self.choices[:, None])

    def read(self, table: QTable) -> None:
        """Take the values and visits of a table."""
        self.values[:] = table.start
        self.visits[:] = 0
        number = {(int(a), int(b)): node for node, (a, b) in enumerate(self.nodes)}
        for key, values, visits in zip(*table.rows(), strict=True):
            node = number[int(key[0]), int(key[1])]
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
    most = min(most, int(table.used[1]))
    moves, folding = table.game.moves, table.folding
    room = 1 << (2 * most).bit_length()
    keys, node_of_row = np.full((room, 2), -1), np.zeros(room, np.int32)
    nodes = np.zeros((most, 2), np.int64)
    legal, choices = np.zeros(most, np.int32), np.zeros(most, np.int32)
    of, slots, to = (np.zeros(most * moves, np.int32) for _ in range(3))
    count = qgraph.list_positions(
        table.rules(), folding.bit_images, folding.move_images, folding.move_of_bit,
        keys, node_of_row, nodes, legal, choices, of, slots, to,
    )  # fmt: skip
    if count < 0:
        return None
    of, slots, to = (part.reshape(most, moves)[:count].copy() for part in (of, slots, to))
    values, visits = np.full((count, moves), table.start, np.float32), np.zeros((count, moves), np.int32)
    return Graph(nodes[:count].copy(), legal[:count].copy(), choices[:count].copy(), of, slots, to, values, visits)
