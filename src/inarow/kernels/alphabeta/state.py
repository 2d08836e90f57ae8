"""What a search writes: its counters, its move lists, the expected play, and the transposition table.

- A *node* is a position visited below the root, counted once per visit, at the moment a move leads to it.
- A *leaf* is a node where the search looks no further: the game is over there, or it is the horizon. Leaves are nodes.
- A node that the transposition table answers is a node, not a leaf.
- A *cut-off* is a position some of whose moves were not tried.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.board import lowest, raised
from inarow.kernels.lang.records import Array, Int8, Int32, record, shape

CELLS = PLIES = 64
INTERVAL = 1000
"""Nodes between two looks at the stop flag."""


@record
class Entry:
    """A position, by the stones of the side to move and of the opponent, and what is known of it."""

    own: int
    opp: int
    value: int
    generation: Int32
    depth: Int8
    bound: Int8
    """EXACT, or LOWER or UPPER where the value is a bound (see `transposition`)."""
    tt_move: Int8
    """The best move: the index of its cell's bit, or NO_MOVE."""


@record
class RankedMove:
    """An entry of a list of moves."""

    cell: int
    """The cell, as a bit."""
    score: int
    """How early to try it."""


@record
class SearchState:
    """The state of one search."""

    nodes: int
    leaves: int
    cutoffs: int
    limit: int
    """The most nodes."""
    look: int
    """The number of nodes at which to look at the limits again."""
    stopped: bool
    root_ply: int
    generation: int
    """The number of this decision: entries of the transposition table are valid in the decision that wrote them."""
    tt: Array[Entry]
    stop: NDArray[np.int64]
    """The flag that ends the search."""
    visits: NDArray[np.int64] = shape(PLIES)
    """Nodes by plies below the root."""
    history: NDArray[np.int64] = shape(2, CELLS)
    """For each player and cell, how often it has cut off, weighted by depth."""
    lengths: NDArray[np.int64] = shape(PLIES + 1)
    lines: NDArray[np.int64] = shape(PLIES + 1, CELLS)
    """For each ply below the root the expected play from there, as indices of bits; ``lengths`` long."""
    moves: Array[Array[RankedMove]] = shape(PLIES, CELLS)
    """For each ply below the root the moves there, in the order in which they are tried."""

    def begin(self, limit: int, stop: NDArray[np.int64]) -> None:
        """Begin a new decision: no more nodes than the limit, and an end as soon as the flag is raised."""
        self.nodes = self.leaves = self.cutoffs = self.look = 0
        self.stopped = False
        self.limit, self.stop = limit, stop
        self.generation += 1
        self.visits[:] = 0
        self.history[:] = 0


def visit(search: SearchState, below: int) -> bool:
    """Count a node at this distance below the root; False, and nothing counted, if the search must stop."""
    nodes = search.nodes
    if nodes >= search.look:
        if nodes >= search.limit or raised(search.stop) != 0:
            search.stopped = True
            return False
        search.look = min(search.limit, nodes + INTERVAL)
    search.nodes = nodes + 1
    search.visits[below] += 1
    return True


def update_line(search: SearchState, below: int, cell: int) -> None:
    """Set the expected play from here to this move and what is expected after it."""
    line, rest = search.lines[below], search.lines[below + 1]
    line[0] = lowest(cell)
    length = search.lengths[below + 1]
    for i in range(length):
        line[i + 1] = rest[i]
    search.lengths[below] = length + 1


def write_line(search: SearchState, cell: int, lines: NDArray[np.int64], row: int) -> None:
    """Write the expected play from the root through this cell, as bit indices ended by −1."""
    update_line(search, 0, cell)
    length = search.lengths[0]
    for i in range(length):
        lines[row, i] = search.lines[0, i]
    lines[row, length] = -1
