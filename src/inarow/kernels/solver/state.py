"""What the solver's kernels know of their game and keep while they search: one record."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.lang.records import Array, record, shape

STAGES = 8
STAGE_SHIFT = 3
"""A stage is 2**3 plies: what cuts off near the end says little about the opening."""
MOST_COLUMNS = 32
CELLS = PLIES = 64


class Limited(Protocol):
    """A search that counts its nodes and ends at a limit."""

    nodes: int
    look: int
    limit: int
    stopped: bool
    stop: NDArray[np.int64]


@record
class Move:
    """An entry of a list of moves."""

    worth: int
    """How early to try it."""
    move: int
    """The cell, as a bit; 0 once it is known not to be enough."""
    wins: int
    """The winning cells that it leaves its player."""


@record
class Search:
    """The state of one solver."""

    nodes: int
    look: int
    """The number of nodes at which to look at the limits again."""
    limit: int
    stopped: bool
    low: int
    """What is proven of the score: at least this …"""
    high: int
    """… and at most this."""

    columns: int
    stride: int
    board: int
    bottom: int
    cells: int
    k: int
    spare: int
    """The bit on top of each column."""
    claimed: int
    """The highest cell of each column and every second one below it."""

    tag_bits: int
    key_mask: int
    generation: int
    tt_until: int
    """From this number of stones on the transposition table is not used."""
    mirror_until: int
    """From this number of stones on a position no longer shares its entry with its mirror image."""

    tt: NDArray[np.int64]
    """The transposition table."""
    stop: NDArray[np.int64]
    """The flag that ends the search."""
    history: NDArray[np.int64] = shape(2 * STAGES, CELLS)
    """For each stage of the game and player, how much each cell has cut off."""
    moves: Array[Array[Move]] = shape(PLIES, MOST_COLUMNS)
    """For each ply, the list of moves in their order."""
