"""What the Q-learning kernels take: records of what they change, named tuples of what they read.

Arrays are flat.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.lang.records import record

Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Floats = NDArray[np.float32]
Reals = NDArray[np.float64]
Array = Any
"""A flat array, of what the field says."""


class Board(NamedTuple):
    """A game: its rules as bits, its symmetries, and where its centre and corners are."""

    k: int
    stride: int
    cells: int
    """Every cell, as a set of bits."""
    bottom: int
    """The lowest cell of every column."""
    gravity: bool
    centre: int
    corners: int
    moves: int
    symmetries: int
    bits: int
    """Bits of a board in the arrays."""
    bit_images: Array
    """int64 (symmetries, bits): the cell that each bit becomes, as a bit."""
    move_images: Array
    """int64 (symmetries, moves): the move that each move becomes."""
    move_of_bit: Array
    """int64 (bits): the move that fills each bit."""
    centre_weights: Array
    """int64 (bits): how much weight each bit has for an opponent that prefers the centre."""


@record
class Table:
    """A hash table of Q-values with a row for each position up to symmetry."""

    rows: int
    """Room for this many, a power of two."""
    moves: int
    start: float
    """The value of a move not yet tried."""
    used: int
    """Rows in use."""
    most: int
    """The most rows that may be in use."""
    keys: Ints
    """(rows, 2): own stones and the opponent's; −1 where a row is free."""
    values: Floats
    """(rows, moves)."""
    visits: Counts
    """(rows, moves): how often each value was updated."""


class Graph(NamedTuple):
    """The positions of a small game that are not over, up to symmetry, as numbered nodes (see `qgraph`)."""

    moves: int
    """Elements per node in the arrays that say so."""
    legal: Array
    """int32 (nodes): how many legal moves a node has."""
    choices: Array
    """int32 (nodes): how many moves that differ by more than a symmetry."""
    choice_of_move: Array
    """int32 (nodes, moves): the choice that each legal move belongs to."""
    slots: Array
    """int32 (nodes, moves): the slot of each choice in the row of a table."""
    following: Array
    """int32 (nodes, moves): the node that each choice leads to; `qgraph.WON` or `qgraph.FULL` at the end."""
    values: Array
    """float32 (nodes, moves): the Q-value of each choice."""
    visits: Array
    """int32 (nodes, moves): how often each value was updated."""


class Guide(NamedTuple):
    """What chooses together with the table (see `guides`)."""

    kind: int
    share: float
    """The heuristic's share in the value of a move."""


class Rate(NamedTuple):
    """A rate that changes during training (see `rates`)."""

    kind: float
    start: float
    pace: float
    """The factor per step of a decay, or the number of steps of a line."""
    end: float
    by_move: float
    """1 if a step is a move, 0 if it is an episode."""


class Exploration(NamedTuple):
    """How a learner leaves the greedy path."""

    epsilon: Rate
    """The probability of a random move."""
    longest_opening: int
    """An episode starts with up to this many random plies."""


class Learning(NamedTuple):
    """What a learner learns from an episode."""

    alpha: Rate
    """How far a value moves to its target."""
    gamma: float
    win: float
    draw: float
    loss: float
    per_move: float
    together: bool
    """Whether a move is worth minus the opponent's best reply; else each seat learns from its own turns only."""
    backward: bool
    """Whether an episode's moves are learnt from the last one first."""


@record
class Progress:
    """What changes from episode to episode besides the values."""

    episodes: int
    moves: int
    """Moves of the learner."""
    random: int
    """The state of the random stream."""
    wins: float
    """Sums over the episodes since they were last read, from here on."""
    draws: float
    losses: float
    plies: float
    rewards: float
    errors: float
    """The sum of the sizes of errors."""
    updates: float


class Episode(NamedTuple):
    """Room for one episode: int64, an element per ply."""

    stones: Array
    """The move, as a bit."""
    rows: Array
    """The row of the position in the table; negative if it has none."""
    slots: Array
    """The move's slot in that row."""
    legal: Array
    """The slots of all legal moves, as a set of bits."""
