"""What a search counts, defined once for every search and game.

- A *node* is a position visited below the root, counted once per visit, at the moment a move leads to it.
- A *leaf* is a node where the search looks no further: the game is over there, or it is the horizon. Leaves are nodes.
- A node that a table answers is a node, not a leaf. A *cut-off* is a position some of whose moves were not tried.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.board import raised

Ints = NDArray[np.int64]

# Where the counters are in a search's ``work``.
NODES = 0
LEAVES = 1
CUTOFFS = 2
LOOK = 3
"""The number of nodes at which to look at the limits again."""
LIMIT = 4
STOPPED = 5
VISITS = 16
"""Nodes by plies below the root."""
END = VISITS + 64

INTERVAL = 1000
"""Nodes between two looks at the stop flag."""


def visit(work: Ints, flag: Ints, below: int) -> bool:
    """Count a node at this distance below the root; False, and nothing counted, if the search must stop."""
    nodes = work[NODES]
    if nodes >= work[LOOK]:
        if nodes >= work[LIMIT] or raised(flag) != 0:
            work[STOPPED] = 1
            return False
        work[LOOK] = min(work[LIMIT], nodes + INTERVAL)
    work[NODES] = nodes + 1
    work[VISITS + below] += 1
    return True


def count_leaf(work: Ints) -> None:
    """The node just visited is a leaf."""
    work[LEAVES] += 1


def count_cutoff(work: Ints) -> None:
    """The moves left here need not be tried."""
    work[CUTOFFS] += 1
