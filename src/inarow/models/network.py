"""An n-tuple network: its weights, its values of a position's moves, and the contributions to a value.

A value is the hyperbolic tangent of a sum of weights, after forced blocks are played. The kernel reports the weights
that it sums.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow import bits
from inarow.bits import lowest
from inarow.kernels import ntuple as kernel
from inarow.kernels.lang.records import write_fields
from inarow.kernels.ntuple import Net, NetworkRules, Work
from inarow.models.files import ModelError, ModelFile
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position

Cells = tuple[int, ...]
MAX_TUPLES = 1000
MAX_WEIGHT = 1e9
"""Maximum weight of a file. Learnt weights are far smaller, because the tangent saturates."""
MARGIN = 32


class Network:
    """Weights for both sides to move; values are for the side to move, discounted by ``gamma`` per ply.

    With ``tactics``, immediate wins, forced blocks and double threats are computed, not estimated.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        gamma: float = 1.0,
        tactics: bool = True,
        weights: NDArray[np.float32] | None = None,
    ) -> None:
        self.layout = layout
        self.game = layout.game
        self.gamma = gamma
        self.tactics = tactics
        self.weights = weights if weights is not None else np.zeros((2, layout.size), np.float32)

    @cached_property
    def rules(self) -> NetworkRules:
        """The game, the shape of the network and where its tables begin, as kernels read them."""
        game, layout = self.game, self.layout
        rules = NetworkRules()
        write_fields(
            rules, game.k, game.stride, game.board, game.bottom, game.gravity, self.tactics,
            layout.features, len(layout.units), layout.following.shape[1], *layout.touched.shape[1:],
            layout.size, layout.empty_content, len(layout.pairs), layout.codes, layout.memory,
            *map(int, layout.begins),
        )  # fmt: skip
        return rules

    @property
    def net(self) -> Net:
        """The network as kernels read it."""
        return Net(self.weights.reshape(-1), self.layout.tables, self.rules)

    def work(self, rows: int = 0) -> Work:
        """Return a work area for kernels with a log of this many rows; padding keeps threads off one cache line."""
        features, wide = self.layout.features, self.layout.wide_features
        return Work(
            index=np.zeros((2 + rows) * features + (1 + rows) * wide + MARGIN, np.int32),
            contents=np.zeros(2 * len(self.layout.units) + MARGIN, np.int64),
            forced=np.zeros(self.game.cells + 1 + MARGIN, np.int64),
            held=np.zeros(2 * features + MARGIN, np.float32),
        )

    @cached_property
    def whole(self) -> Net:
        """The network with weights in whole points, as searches read it. Computed once: don't train it afterwards."""
        most = np.iinfo(np.int32).max // kernel.SCALE
        weights = np.rint(np.clip(self.weights.astype(np.float64), -most, most) * kernel.SCALE)
        return Net(weights.astype(np.int32).reshape(-1), self.layout.tables, self.rules)

    def whole_work(self) -> Work:
        """Return a work area for kernels with integer weights."""
        return self.work()._replace(held=np.zeros(self.layout.features + MARGIN, np.int32))

    def set_up(self, work: Work, position: Position) -> None:
        """Set the position that kernels work on."""
        content = self.layout.contents(position)
        work.index[: self.layout.features] = self.layout.indices(content)
        work.contents[: content.size] = content

    def prepare(self) -> Net:
        """Fill the caches, so that no decision waits for them; return the network as searches read it."""
        self.set_up(self.whole_work(), Position.start(self.game))
        return self.whole

    def judge(self, position: Position) -> dict[int, float]:
        """Return the value of every legal move to the side to move."""
        work = self.work()
        self.set_up(work, position)
        values = np.zeros(self.game.moves)
        kernel.judge(self.net, work, position.own, position.opp, float(self.gamma), values)
        return {move: float(values[move]) for move in position.legal_moves()}

    def header(self) -> dict[str, Any]:
        """Return the header from which the network can be rebuilt."""
        layout = self.layout
        cells = [[cell + 1 for cell in tuple_] for tuple_ in layout.tuples]
        wide = {"threats": layout.threats, "memory": layout.memory}
        return {"tuples": cells, **wide, "gamma": self.gamma, "tactics": self.tactics}


def read_network(file: ModelFile, game: Game) -> Network:
    """Return the network of a model file for this game."""
    made = file.header.get("model")
    try:
        if not isinstance(made, dict) or not isinstance(made["tuples"], list) or len(made["tuples"]) > MAX_TUPLES:
            raise TypeError("its tuples are missing or too many")
        tuples = tuple(tuple(int(cell) - 1 for cell in cells) for cells in made["tuples"])
        gamma, tactics = float(made["gamma"]), bool(made["tactics"])
        threats, memory = bool(made.get("threats", False)), int(made.get("memory", 0))
        if not 0 <= gamma <= 1:
            raise ValueError(f"a gamma of {gamma}")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{file.path}: the header does not describe an n-tuple network ({error})") from None
    try:
        layout = Layout(game, tuples, threats, memory)
    except ModelError as error:
        raise ModelError(f"{file.path}: {error}") from None
    weights = read_weights(file, "half" if file.has("half") else "weights", layout)
    return Network(layout, gamma=gamma, tactics=tactics, weights=weights)


def read_weights(file: ModelFile, name: str, layout: Layout) -> NDArray[np.float32]:
    """Return the weights of this name in a model file; weights named ``half`` are stored at half precision."""
    kind = np.float16 if name == "half" else np.float32
    weights = file.array(name, kind, (2, layout.size)).astype(np.float32)
    # Kernels compare sums of weights, so no sum may overflow.
    if not (np.abs(weights) <= MAX_WEIGHT).all():
        raise ModelError(f"{file.path}: some weights are not numbers, or too large")
    return weights


_TINY_SUM = 1e-9


class Part(StrEnum):
    """The kinds of features."""

    TUPLE = "tuple"
    THREATS = "threats"
    MEMORY = "memory"


@dataclass(frozen=True)
class Contribution:
    """A feature's contribution to a value, positive if it favours the move."""

    part: Part
    cells: tuple[int, ...]
    """The cells of a tuple, row by row from the top left; for threats the winning cells; empty for the memory, which
    depends on the whole position."""
    owners: tuple[Player, ...]
    """For threats, the player whose winning cell each of ``cells`` is."""
    columns: tuple[int, ...]
    """For threats, the two columns; else empty."""
    weight: float
    """Its contribution to the sum whose tangent is the value."""
    share: float
    """Its share of the value: all shares add up to it."""


@dataclass(frozen=True)
class Explanation:
    """The value of a move and its parts, for the side that makes the move."""

    move: int
    value: float
    """The value that `Network.judge` returns."""
    blocks: tuple[int, ...]
    """Forced blocks after the move; the contributions are those of the position after them."""
    settled: str
    """``win``, ``draw`` or ``loss`` if the end of the game or tactics decide; then there are no contributions."""
    discount: float
    """Discount: gamma for every ply up to the evaluated position."""
    contributions: tuple[Contribution, ...]
    """Sorted by magnitude, largest first."""

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return sum(one.weight for one in self.contributions)


def contributions(network: Network, position: Position, move: int) -> Explanation:
    """Return the contributions to the network's value of a legal move."""
    game, layout = network.game, network.layout
    value = network.judge(position)[move]
    work = network.work()
    network.set_up(work, position)
    count = layout.features + layout.wide_features
    parts = kernel.Parts(np.zeros(count), *(np.zeros(size, np.int64) for size in (count, count, game.cells + 1)))
    stone = position.play(move).occupied ^ position.occupied
    estimated, forced = kernel.take_apart(network.net, work, position.own, position.opp, stone, parts)
    blocks = tuple(game.move_of_bit(lowest(int(cell))) for cell in parts.blocks[:forced])
    discount = network.gamma ** (1 + len(blocks))
    if not estimated:
        verdict = "draw" if value == 0 else "win" if value > 0 else "loss"
        return Explanation(move, value, blocks, verdict, discount, ())
    total = float(parts.weights.sum())
    scale = value / total if abs(total) > _TINY_SUM else discount
    merged: dict[Look, float] = {}
    for key, weight in zip(_feature_inputs(layout, parts), parts.weights.tolist(), strict=True):
        merged[key] = merged.get(key, 0.0) + weight
    found = [Contribution(*key, weight, weight * scale) for key, weight in merged.items() if weight]
    found.sort(key=lambda one: -abs(one.share))
    return Explanation(move, value, blocks, "", discount, tuple(found))


def forced_blocks(position: Position) -> tuple[bool, tuple[int, ...]]:
    """Return True if the position is undecided after the forced blocks, and those blocks as moves."""
    game = position.game
    found = np.zeros(game.cells + 1, np.int64)
    rules = game.k, game.stride, game.board, game.bottom, game.gravity
    status, count = kernel.settled(position.own, position.opp, *rules, found)
    return status == kernel.QUIET, tuple(game.move_of_bit(lowest(int(cell))) for cell in found[:count])


Look = tuple[Part, Cells, tuple[Player, ...], tuple[int, ...]]
"""The input of a feature: the first four fields of a `Contribution`."""


def _feature_inputs(layout: Layout, parts: kernel.Parts) -> Iterator[Look]:
    """Yield the input of each feature, in order."""
    for cells in layout.images:
        yield Part.TUPLE, cells, (), ()
    bits = layout.game.cell_bits
    for at, (_, one, two, _) in enumerate(layout.pairs, start=layout.features):
        sides = int(parts.first[at]), int(parts.second[at])
        both = [(cell, owner) for owner in Player for cell, bit in enumerate(bits) if sides[owner] & bit]
        cells, owners = tuple(cell for cell, _ in both), tuple(owner for _, owner in both)
        yield Part.THREATS, cells, owners, (min(one, two), max(one, two))
    if layout.memory:
        yield Part.MEMORY, (), (), ()


LARGEST_TABLE = 1 << 18
"""Shapes whose cells have more possible contents are omitted."""


def random_walks(game: Game, count: int, length: int, stream: Stream) -> tuple[Cells, ...]:
    """Return tuples of cells, each from a random walk over neighbouring cells; no two have the same cells."""
    length = min(length, game.cells)
    found: dict[frozenset[int], Cells] = {}
    for _ in range(count * 50):
        cells = [stream.below(game.cells)]
        at = cells[0]
        while len(cells) < length:
            row, column = divmod(at, game.columns)
            steps = [
                (row + down) * game.columns + column + right
                for down, right in itertools.product((-1, 0, 1), repeat=2)
                if (down or right) and 0 <= row + down < game.rows and 0 <= column + right < game.columns
            ]
            at = stream.choice(steps)
            if at not in cells:
                cells.append(at)
        images = [frozenset(image[cell] for cell in cells) for image in game.cell_symmetries]
        if not any(image in found for image in images):
            found[images[0]] = tuple(sorted(cells))
        if len(found) == count:
            break
    return tuple(found.values())


def shapes(game: Game) -> tuple[Cells, ...]:
    """Return every line; every line with the cells below it, where stones fall; every row, every pair of columns, and
    every block of 2 × k, 2 × (k + 1) and (k − 1) × (k − 1) cells. Mirror images are listed once."""
    k, found = game.k, dict[Cells, None]()
    blocks = [(2, k), (2, k + 1), (k - 1, k - 1), (1, game.columns)]
    for cells in itertools.chain(
        lines(game), _supported(game), *(_blocks(game, *size) for size in blocks), _columns(game)
    ):
        images = {tuple(sorted(image[cell] for cell in cells)) for image in game.cell_symmetries}
        if _contents(game, cells) <= LARGEST_TABLE and not images & found.keys():
            found[tuple(sorted(cells))] = None
    return tuple(found)


def lines(game: Game) -> Iterator[list[int]]:
    """Yield the cells of every line."""
    for row, column in itertools.product(range(game.rows), range(game.columns)):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            ends = row + down * (game.k - 1), column + right * (game.k - 1)
            if 0 <= ends[0] < game.rows and 0 <= ends[1] < game.columns:
                yield [(row + down * i) * game.columns + column + right * i for i in range(game.k)]


def _supported(game: Game) -> Iterator[list[int]]:
    """Yield lines that are not vertical, with the cells below them."""
    if game.gravity:
        for line in lines(game):
            below = {cell + game.columns for cell in line if cell + game.columns < game.cells}
            if line[1] - line[0] != game.columns:
                yield sorted({*line, *below})


def _blocks(game: Game, rows: int, columns: int) -> Iterator[list[int]]:
    for top, left in itertools.product(range(game.rows - rows + 1), range(game.columns - columns + 1)):
        yield [(top + i) * game.columns + left + j for i in range(rows) for j in range(columns)]


def _columns(game: Game) -> Iterator[list[int]]:
    for pair in itertools.combinations(range(game.columns), 2):
        yield [row * game.columns + column for row in range(game.rows) for column in pair]


def _contents(game: Game, cells: Iterable[int]) -> int:
    """Return about how many contents these cells can have; with gravity, columns fill from the bottom."""
    if not game.gravity:
        return int(3 ** len(list(cells)))
    product = 1
    for _, column in itertools.groupby(sorted(cells, key=lambda cell: cell % game.columns), lambda c: c % game.columns):
        product *= 2 ** (len(list(column)) + 1) - 1
    return product


def code_table(rows: int) -> NDArray[np.int32]:
    """Return the code of every set of winning cells of a column: bits of the first player's, from the bottom, then of
    the second's."""
    odd, even = range(2, rows, 2), range(1, rows, 2)  # a winning cell at the bottom would already be played
    masks = np.arange(1 << rows)
    lowest = masks & -masks
    odd_rank, even_rank = (np.zeros(masks.size, np.int32) for _ in range(2))
    for rank, rows_of_kind in ((odd_rank, odd), (even_rank, even)):
        for place, row in reversed(list(enumerate(rows_of_kind, 1))):
            rank[masks >> row & 1 == 1] = place
    first, second = np.tile(masks, masks.size), np.repeat(masks, masks.size)
    both = lowest[first & second]
    reach = np.where(both > 0, 2 * both - 1, masks.size - 1)
    code = np.zeros(first.size, np.int32)
    for cells in (first & reach, second & reach):
        code = (code * (len(odd) + 1) + odd_rank[cells]) * (len(even) + 1) + even_rank[cells]
    return code


def column_pairs(columns: int) -> list[tuple[int, int, int]]:
    """Return all pairs of columns: the number of its table, and the two in the order of its digits. A pair and its
    mirror image share a table."""
    tables: dict[tuple[int, int], int] = {}
    pairs = []
    for left, right in itertools.combinations(range(columns), 2):
        image = (columns - 1 - right, columns - 1 - left)
        if (left, right) <= image:
            pairs.append((tables.setdefault((left, right), len(tables)), left, right))
        else:
            pairs.append((tables[image], right, left))
    return pairs


MAX_FALLING_ROWS = 10
MAX_ENTRIES = 1 << 27
MAX_MEMORY = 1 << 21


def memory_entries(game: Game) -> int:
    """Return the number of entries in a network's memory: fewer on boards with few positions."""
    return min(MAX_MEMORY, 1 << (game.cells // 2))


@dataclass(frozen=True)
class Layout:
    """The map from positions to table indices (see `kernels.ntuple`): by the cells of each tuple, with ``threats`` by
    the winning cells of each pair of columns, and by the whole position in a ``memory`` of that many entries."""

    game: Game
    tuples: tuple[Cells, ...]
    threats: bool = False
    memory: int = 0

    def __post_init__(self) -> None:
        game = self.game
        if game.gravity and game.rows > MAX_FALLING_ROWS:
            raise ModelError(
                f"n-tuple networks support at most {MAX_FALLING_ROWS} rows with gravity; {game} has {game.rows}"
            )
        if not self.tuples:
            raise ModelError("an n-tuple network needs at least one tuple")
        if (self.threats or self.memory) and not game.gravity:
            raise ModelError(f"threats and memory are for boards where stones fall, not for {game}")
        if self.memory and (self.memory.bit_count() != 1 or not 0 < self.memory <= MAX_MEMORY):
            raise ModelError(
                f"the number of memory entries must be a power of two, at most {MAX_MEMORY}, got {self.memory}"
            )
        for cells in self.tuples:
            if not cells or len(set(cells)) < len(cells) or not all(0 <= cell < game.cells for cell in cells):
                raise ModelError(
                    f"a tuple is a list of distinct cells from 1 to {game.cells}, "
                    f"got {'-'.join(str(cell + 1) for cell in cells) or 'none'}"
                )
        if self.size > MAX_ENTRIES:
            raise ModelError(f"these tuples need {self.size} table entries; the limit is {MAX_ENTRIES}")

    @cached_property
    def units(self) -> tuple[Cells, ...]:
        """The cells of each unit, from the bottom: the columns where stones fall, else the cells one by one."""
        game = self.game
        if not game.gravity:
            return tuple((cell,) for cell in range(game.cells))
        return tuple(
            tuple(row * game.columns + column for row in reversed(range(game.rows))) for column in range(game.columns)
        )

    @cached_property
    def empty_content(self) -> int:
        """The content of a unit without stones."""
        return 1 if self.game.gravity else 0

    @cached_property
    def following(self) -> NDArray[np.int64]:
        """(2, contents): the content after a stone of each player. With gravity a content is the bits of the second
        player's stones below a 1 that stands on top; else 0 is empty, 1 and 2 the players' stones."""
        if not self.game.gravity:
            return np.array([[1, 1, 2], [2, 1, 2]])
        contents = 1 << (self.game.rows + 1)
        table = np.tile(np.arange(contents), (2, 1))
        for content in range(1, contents >> 1):
            top = 1 << (content.bit_length() - 1)
            table[0, content] = content + top
            table[1, content] = content + 2 * top
        return table

    @cached_property
    def cell_values(self) -> NDArray[np.int64]:
        """(contents, cells of a unit): the value of each cell. 0 and 1 the players' stones, 2 empty and playable,
        3 empty and not yet playable (with gravity)."""
        contents = self.following.shape[1]
        if not self.game.gravity:
            return np.array([[2], [0], [1]])
        values = np.full((contents, self.game.rows), 3)
        for content in range(1, contents):
            height = content.bit_length() - 1
            values[content, :height] = [(content >> row) & 1 for row in range(height)]
            if height < self.game.rows:
                values[content, height] = 2
        return values

    @cached_property
    def _digits(self) -> list[list[tuple[NDArray[np.int64], int]]]:
        """For each tuple and unit: every content's rank among the joint contents of its cells, and their number."""

        @cache
        def ranks(inside: Cells) -> tuple[NDArray[np.int64], int]:
            number: dict[Cells, int] = {}
            rank = np.zeros(self.following.shape[1], np.int64)
            values = self.cell_values[:, inside].tolist()
            for content in range(self.empty_content, len(values)):
                rank[content] = number.setdefault(tuple(values[content]), len(number))
            return rank, len(number)

        return [
            [ranks(tuple(at for at, cell in enumerate(unit) if cell in cells)) for unit in self.units]
            for cells in self.tuples
        ]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of entries of each tuple's table."""
        return tuple(math.prod(radix for _, radix in row) for row in self._digits)

    @cached_property
    def size(self) -> int:
        """The number of entries of all tables of one side to move."""
        tables = {begin for begin, *_ in self.pairs}
        return sum(self.sizes) + len(tables) * self.codes**2 + self.memory

    @property
    def wide_features(self) -> int:
        """The number of entries that a value sums besides the tuples'."""
        return len(self.pairs) + bool(self.memory)

    @cached_property
    def codes(self) -> int:
        """Number of codes of a column's threats."""
        return int(code_table(self.game.rows).max()) + 1 if self.threats else 1

    @cached_property
    def pairs(self) -> tuple[tuple[int, int, int, int], ...]:
        """Each pair of columns: the start of its table, the two columns, and 1 if they mirror each other."""
        if not self.threats:
            return ()
        begin = sum(self.sizes)
        return tuple(
            (begin + table * self.codes**2, left, right, int(left + right == self.game.columns - 1))
            for table, left, right in column_pairs(self.game.columns)
        )

    @cached_property
    def features(self) -> int:
        """The number of entries that a value sums: the tuples times the symmetries."""
        return len(self.tuples) * len(self.game.cell_symmetries)

    @cached_property
    def images(self) -> tuple[Cells, ...]:
        """The cells that each of these features reads: the tuples under every symmetry."""
        return tuple(
            tuple(sorted(image[cell] for cell in cells)) for image in self.game.cell_symmetries for cells in self.tuples
        )

    @cached_property
    def parts(self) -> NDArray[np.int64]:
        """(units, contents, features): the summand of each unit in each index. The images of a tuple under the
        symmetries share its table."""
        game = self.game
        table = np.zeros((len(self.units), self.following.shape[1], self.features), np.int64)
        offsets = np.cumsum([0, *self.sizes[:-1]])
        for number, image in enumerate(game.cell_symmetries):
            # The image of a unit is a unit: a column maps to a column, bottom to bottom.
            unit_images = [
                next(u for u, cells in enumerate(self.units) if image[unit[0]] in cells) for unit in self.units
            ]
            for t, row in enumerate(self._digits):
                feature = number * len(self.tuples) + t
                scale = 1
                for unit, (rank, radix) in enumerate(row):
                    table[unit_images[unit], :, feature] += rank * scale
                    scale *= radix
                table[0, :, feature] += offsets[t]
        return table

    @cached_property
    def start(self) -> NDArray[np.int32]:
        """The indices of the empty board."""
        return np.asarray(self.parts[:, self.empty_content].sum(axis=0), np.int32)

    @cached_property
    def heights(self) -> NDArray[np.int64]:
        """Number of stones of each content with gravity; else 0."""
        contents = self.following.shape[1]
        return np.array([max(content.bit_length() - 1, 0) if self.game.gravity else 0 for content in range(contents)])

    @cached_property
    def _changes(self) -> NDArray[np.int64]:
        """(units, contents, 2, features): change of every index when a player's stone is added to a content."""
        return np.stack([self.parts[:, after] - self.parts for after in self.following], axis=2)

    @cached_property
    def _moved(self) -> NDArray[np.bool_]:
        """(units, heights, features): True if a stone on a unit of this height can change the feature's index, because
        the feature reads its cell, or the cell above, which becomes playable."""
        levels = range(self.heights.max() + 1)
        return np.stack([self._changes[:, self.heights == level].any(axis=(1, 2)) for level in levels], axis=1)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(units, heights): number of features that a stone touches."""
        return np.asarray(self._moved.sum(axis=2))

    @cached_property
    def touched(self) -> NDArray[np.int64]:
        """(units, heights, most): the features that a stone touches; 0 from ``counts`` on."""
        features = np.argsort(~self._moved, axis=2, kind="stable")[:, :, : self.counts.max()]
        return np.where(np.arange(features.shape[2]) < self.counts[..., None], features, 0)

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        """(units, contents, 2, most): change of each touched feature's index for a stone of each player."""
        features, counts = self.touched[:, self.heights, None], self.counts[:, self.heights, None, None]
        changes = np.take_along_axis(self._changes, features, axis=3)
        return np.where(np.arange(features.shape[3]) < counts, changes, 0)

    @cached_property
    def unit_of_bit(self) -> NDArray[np.int64]:
        """The unit, which is the move, of each bit of the board."""
        game = self.game
        return np.array([game.move_of_bit(bit) if game.board >> bit & 1 else 0 for bit in range(bits.MAX_BITS)])

    @cached_property
    def _parts(self) -> list[NDArray[np.int32]]:
        """The lookup tables of the kernels, in the order of `kernels.ntuple`."""
        tables = (
            self.touched, self.counts, self.steps, self.heights, self.following, self.unit_of_bit, self.start,
            code_table(self.game.rows) if self.threats else np.zeros(0), np.array(self.pairs),
        )  # fmt: skip
        return [table.astype(np.int32).reshape(-1) for table in tables]

    @cached_property
    def tables(self) -> NDArray[np.int32]:
        """The lookup tables in one array."""
        return np.concatenate(self._parts)

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """Offset of each table in that array."""
        return np.cumsum([0, *(part.size for part in self._parts[:-1])])

    def contents(self, position: Position) -> NDArray[np.int64]:
        """Return the content of every unit of a position."""
        content = np.full(len(self.units), self.empty_content)
        for unit, cells in enumerate(self.units):
            for cell in cells:
                for player in Player:
                    if (position.first, position.second)[player] & self.game.cell_bits[cell]:
                        content[unit] = self.following[player, content[unit]]
        return content

    def indices(self, content: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the table indices of the contents of all units."""
        return np.asarray(self.parts[np.arange(len(self.units)), content].sum(axis=0), np.int32)
