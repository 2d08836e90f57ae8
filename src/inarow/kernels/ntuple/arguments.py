"""What the n-tuple kernels take: named tuples that group the arrays and numbers that belong together.

Arrays are flat.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.lang.records import record

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Reals = NDArray[np.float64]
Array = Any
"""A flat array, of what the field says."""


@record
class Rules:
    """The game, the shape of a network, and where each of its tables begins (see `network` and `whole_board`)."""

    k: int
    stride: int
    board: int
    bottom: int
    gravity: bool
    tactics: bool
    """Whether forced blocks are followed."""

    features: int
    units: int
    contents: int
    """How many contents a unit may have."""
    levels: int
    """How many heights a unit may have."""
    most: int
    """The most features that a stone touches."""
    size: int
    """Weights for each side to move."""
    empty: int
    """The content of an empty unit."""
    pairs: int
    codes: int
    memory: int

    touched: int
    counts: int
    steps: int
    heights: int
    following: int
    unit_of_bit: int
    start: int
    code_of: int
    pair_of: int


class Net(NamedTuple):
    """A network: its weights, the tables that say which of them a position sums, and the game (see `network`)."""

    weights: Array
    """float32: those of positions with the first player to move, then those with the second."""
    tables: Array
    """int32."""
    rules: Rules


class Work(NamedTuple):
    """Working memory: the board that is played on, and a second one for looking ahead."""

    index: Array
    """int32: the features' indices of the board, of the second board, the second's wide ones; then rows of a log."""
    contents: Array
    """int64: the content of every unit of both boards."""
    forced: Array
    """int64 (cells + 1): forced moves of a look ahead; also codes of columns."""
    held: Array
    """float32 (2, features): the board's weights with the first and the second player to move."""


class Stones(NamedTuple):
    """The stones and winning cells of the player to move and of the other one."""

    mine: int
    other: int
    mine_wins: int
    other_wins: int


class Settings(NamedTuple):
    """How self-play explores and what is learnt from it."""

    alpha: float
    epsilon: float
    gamma: float
    trace: float
    """λ: the weight of what happened afterwards in the target of a position."""
    openings: float
    """The share of matches that start with random plies."""
    longest_opening: int
    coherent: bool
    """Whether weights whose steps cancel out learn more slowly."""
    final: bool
    """Whether the last position learns too."""
    search: int
    """Plies that each move looks ahead."""
    learnt: int
    """What learns from a search of several plies (see `look_ahead`)."""


class Log(NamedTuple):
    """Positions to learn from: rows of indices behind the boards of a `Work`, and a target for each."""

    index: Array
    """int32: the same array as that of the work."""
    targets: Reals
    """What each position should be worth to the side to move."""
    sides: Ints
    """Which side that is."""


class Coherence(NamedTuple):
    """Temporal coherence: what weights have learnt so far, and what that makes of the learning rate."""

    traces: Array
    """float32 (2, size, 2): the sum of each weight's steps and that of their sizes, both from one tiny number on."""
    rates: Array
    """float32 (STEP_LEVELS): the factor of the learning rate by the ratio of the two."""
