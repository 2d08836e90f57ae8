"""What a network's value of a move is made of: the part of every tuple, of every two columns' threats, of the memory.

The network sums weights and takes the hyperbolic tangent of the sum, once forced blocks are played. Which weights it
sums is read from its own kernel; here they are only put into words: which cells they look at, and for whom they speak.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from inarow import bits
from inarow.kernels.common import tactics
from inarow.kernels.ntuple import points
from inarow.kernels.ntuple.network import Net
from inarow.models.network import Network
from inarow.models.ntuple import Layout
from inarow.rules import Game, Player, Position

_TINY_SUM = 1e-9


class Part(StrEnum):
    """What a weight looks at."""

    TUPLE = "tuple"
    THREATS = "threats"
    MEMORY = "memory"


@dataclass(frozen=True)
class Contribution:
    """A part of a value, positive if it speaks for the move."""

    part: Part
    cells: tuple[int, ...]
    """The cells of a tuple, row by row from the top left; for threats the winning cells that count; none for the
    memory, which looks at the position as a whole."""
    owners: tuple[Player, ...]
    """For threats, whose winning cell each of ``cells`` is."""
    columns: tuple[int, ...]
    """For threats, the two columns; else none."""
    weight: float
    """What it adds to the sum whose tangent is the value."""
    share: float
    """Its share of the value: all shares add up to it."""


@dataclass(frozen=True)
class Explanation:
    """The value of a move, taken apart. All is for the side that makes the move."""

    move: int
    value: float
    """As `Network.judge` gives it."""
    blocks: tuple[int, ...]
    """Forced blocks after the move; the contributions are of the position behind them."""
    settled: str
    """``win``, ``draw`` or ``loss`` where the end of the game or tactics decide; there are no contributions then."""
    discount: float
    """What the tangent is multiplied by: gamma for every ply up to the position that is estimated."""
    contributions: tuple[Contribution, ...]
    """The largest share first, whichever its sign."""

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return sum(one.weight for one in self.contributions)


def contributions(network: Network, position: Position, move: int) -> Explanation:
    """What the network's value of a legal move is made of."""
    value = network.judge(position)[move]
    after = position.play(move)
    blocks: tuple[int, ...] = ()
    settled = after.outcome() is not None
    if network.tactics and not settled:
        quiet, blocks = forced_blocks(after)
        settled = not quiet
    discount = network.gamma ** (1 + len(blocks))
    if settled:
        verdict = "draw" if value == 0 else "win" if value > 0 else "loss"
        return Explanation(move, value, blocks, verdict, discount, ())
    for block in blocks:
        after = after.play(block)
    sign = 1 if after.to_move == position.to_move else -1
    weights = sign * network.weights[after.to_move][entries(network, after)].astype(np.float64)
    total = float(weights.sum())
    scale = value / total if abs(total) > _TINY_SUM else discount
    merged: dict[tuple[Part, tuple[int, ...], tuple[Player, ...], tuple[int, ...]], float] = {}
    for key, weight in zip(_looks(network.layout, after), weights.tolist(), strict=True):
        merged[key] = merged.get(key, 0.0) + weight
    parts = [Contribution(*key, weight, weight * scale) for key, weight in merged.items() if weight]
    parts.sort(key=lambda one: -abs(one.share))
    return Explanation(move, value, blocks, "", discount, tuple(parts))


def forced_blocks(position: Position) -> tuple[bool, tuple[int, ...]]:
    """Whether nothing is settled once the forced blocks are played, and those blocks as moves."""
    game = position.game
    found = np.zeros(game.cells + 1, np.int64)
    rules = game.k, game.stride, game.board, game.bottom, game.gravity
    status, count = tactics.settled(position.mover, position.waiter, *rules, found)
    return status == tactics.QUIET, tuple(game.move_of_bit(bits.lowest(int(cell))) for cell in found[:count])


def entries(network: Network, position: Position) -> NDArray[np.int32]:
    """The entries whose weights the network sums in a position where nothing is settled. Its kernel writes them down;
    it adds up zeros meanwhile, because a network that still learns has no weights in whole points."""
    work = network.whole_work()
    network.set_up(work, position)
    zeros = np.zeros(network.weights.size, np.int32)
    points.points_of(Net(zeros, network.layout.tables, network.rules), work, position.mover, position.waiter)
    features = network.layout.features
    return np.asarray(work.index[features : 2 * features + network.layout.wide_features], np.int32)


def _looks(
    layout: Layout, position: Position
) -> Iterator[tuple[Part, tuple[int, ...], tuple[Player, ...], tuple[int, ...]]]:
    """What every entry looks at, in the order of the entries."""
    for cells in _images(layout):
        yield Part.TUPLE, cells, (), ()
    if layout.pairs:
        columns = [_counted(position, column) for column in range(layout.game.columns)]
        for _, one, two, _ in layout.pairs:
            both = [*columns[one], *columns[two]]
            cells, owners = tuple(cell for cell, _ in both), tuple(owner for _, owner in both)
            yield Part.THREATS, cells, owners, (min(one, two), max(one, two))
    if layout.memory:
        yield Part.MEMORY, (), (), ()


@lru_cache(maxsize=8)
def _images_of(game: Game, tuples: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(sorted(image[cell] for cell in cells)) for image in game.cell_symmetries for cells in tuples)


def _images(layout: Layout) -> tuple[tuple[int, ...], ...]:
    """The cells that every feature looks at: the tuples under every symmetry."""
    return _images_of(layout.game, layout.tuples)


def _counted(position: Position, column: int) -> list[tuple[int, Player]]:
    """The winning cells of a column that count (see `models.threats`), and whose they are: of each player the lowest in
    an odd and in an even row, up to the first that wins for both."""
    game = position.game
    masks = []
    for stones in (position.first, position.second):
        wins = bits.winning_cells(stones, game.k, game.stride, game.board) & ~position.occupied
        masks.append(wins >> column * game.stride & (1 << game.rows) - 1)
    shared = masks[0] & masks[1]
    reach = 2 * (shared & -shared) - 1 if shared else -1
    found = []
    for player, mask in zip(Player, masks, strict=True):
        for first in (1, 2):  # the bottom cell is taken before anything is won there
            rows = [row for row in range(first, game.rows, 2) if mask & reach & 1 << row]
            found += [((game.rows - 1 - rows[0]) * game.columns + column, player)] if rows else []
    return found
