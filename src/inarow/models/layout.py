"""The layout of an n-tuple network: which cells its tuples look at, how contents become table indices, and threats.

The tables are laid out so that only contents that can occur have an entry: where stones fall, a tuple's cells within
one column have few joint contents, and their rank is the digit of that column in a mixed-radix number.

Threats: where stones fall, the columns fill up in the end and the sides take turns: the first player comes to the cells
of odd rows (counted from 1 at the bottom), the second to those of even rows. So what matters of a side's winning cells
in a column is the lowest in an odd and the lowest in an even row, below the first cell that would win for both. Nothing
says what they are worth: that is learnt.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from inarow import bits
from inarow.models.files import ModelError
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position

Cells = tuple[int, ...]
LARGEST_TABLE = 1 << 18
"""Shapes whose cells have more contents are left out."""


def random_walks(game: Game, count: int, length: int, stream: Stream) -> tuple[tuple[int, ...], ...]:
    """Tuples of cells, each from a random walk over neighbouring cells; no two look at the same cells."""
    length = min(length, game.cells)
    found: dict[frozenset[int], tuple[int, ...]] = {}
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
    """Every line; every line with the cells below it, where stones fall; every row, every pair of columns, and every
    block of 2 × k, 2 × (k + 1) and (k − 1) × (k − 1) cells. Of a shape and its mirror images there is one."""
    found: dict[Cells, None] = {}
    for cells in itertools.chain(
        lines(game), _supported(game), *(_blocks(game, *size) for size in _sizes(game)), _columns(game)
    ):
        images = {tuple(sorted(image[cell] for cell in cells)) for image in game.cell_symmetries}
        if _contents(game, cells) <= LARGEST_TABLE and not images & found.keys():
            found[tuple(sorted(cells))] = None
    return tuple(found)


def _sizes(game: Game) -> list[tuple[int, int]]:
    """The rows and columns of the blocks."""
    k = game.k
    return [(2, k), (2, k + 1), (k - 1, k - 1), (1, game.columns)]


def lines(game: Game) -> Iterator[list[int]]:
    for row, column in itertools.product(range(game.rows), range(game.columns)):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            ends = row + down * (game.k - 1), column + right * (game.k - 1)
            if 0 <= ends[0] < game.rows and 0 <= ends[1] < game.columns:
                yield [(row + down * i) * game.columns + column + right * i for i in range(game.k)]


def _supported(game: Game) -> Iterator[list[int]]:
    """Lines that are not upright, with the cells below them."""
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
    """About how many contents these cells can have; where stones fall a column is filled from below."""
    if not game.gravity:
        return int(3 ** len(list(cells)))
    product = 1
    for _, column in itertools.groupby(sorted(cells, key=lambda cell: cell % game.columns), lambda c: c % game.columns):
        product *= 2 ** (len(list(column)) + 1) - 1
    return product


def code_count(rows: int) -> int:
    """The number of codes of a column with this many rows."""
    return int(code_table(rows).max()) + 1


def code_table(rows: int) -> NDArray[np.int32]:
    """The code of every set of winning cells of a column: bits of the first player's, from the bottom, then of the
    second's."""
    odd, even = range(2, rows, 2), range(1, rows, 2)  # the bottom cell is taken before anything is won there
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
    """All pairs of columns: the number of its table, and the two in the order of its digits. A pair and its mirror
    image share a table."""
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
    """How many entries the memory of a network has: fewer on boards with few positions."""
    return min(MAX_MEMORY, 1 << (game.cells // 2))


@dataclass(frozen=True)
class Layout:
    """How a position becomes table indices (see `kernels.ntuple`): by the cells of each tuple, with ``threats`` by the
    winning cells of each pair of columns (see `models.layout`), and by itself in a ``memory`` of that many entries."""

    game: Game
    tuples: tuple[tuple[int, ...], ...]
    threats: bool = False
    memory: int = 0

    def __post_init__(self) -> None:
        game = self.game
        if game.gravity and game.rows > MAX_FALLING_ROWS:
            raise ModelError(
                f"an n-tuple network needs columns of at most {MAX_FALLING_ROWS} rows where stones fall, because it "
                f"has a table of all contents of a column, which doubles with every row; {game} has {game.rows}"
            )
        if not self.tuples:
            raise ModelError("an n-tuple network needs at least one tuple")
        if (self.threats or self.memory) and not game.gravity:
            raise ModelError(f"threats and memory are for boards where stones fall, not for {game}")
        if self.memory and (self.memory.bit_count() != 1 or not 0 < self.memory <= MAX_MEMORY):
            raise ModelError(
                f"the number of memory entries must be a power of two, at most {MAX_MEMORY}, not {self.memory}"
            )
        for cells in self.tuples:
            if not cells or len(set(cells)) < len(cells) or not all(0 <= cell < game.cells for cell in cells):
                raise ModelError(
                    f"a tuple is a list of different cells from 1 to {game.cells}; "
                    f"{'-'.join(str(cell + 1) for cell in cells) or 'nothing'} was given"
                )
        if self.size > MAX_ENTRIES:
            raise ModelError(f"these tuples need {self.size} table entries; the limit is {MAX_ENTRIES}")

    @cached_property
    def units(self) -> tuple[tuple[int, ...], ...]:
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
            guard = 1 << (content.bit_length() - 1)
            table[0, content] = content + guard
            table[1, content] = content + 2 * guard
        return table

    @cached_property
    def cell_values(self) -> NDArray[np.int64]:
        """(contents, cells of a unit): what each cell holds. 0 and 1 the players' stones, 2 empty and playable,
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
        return [
            [self._ranks(tuple(at for at, cell in enumerate(unit) if cell in cells)) for unit in self.units]
            for cells in self.tuples
        ]

    def _ranks(self, inside: tuple[int, ...]) -> tuple[NDArray[np.int64], int]:
        """Every content's rank among the joint contents of these cells of a unit, and their number; made once."""
        if inside not in self._known_ranks:
            ranks: dict[tuple[int, ...], int] = {}
            rank = np.zeros(self.following.shape[1], np.int64)
            values = self.cell_values[:, inside].tolist()
            for content in range(self.empty_content, len(values)):
                rank[content] = ranks.setdefault(tuple(values[content]), len(ranks))
            self._known_ranks[inside] = rank, len(ranks)
        return self._known_ranks[inside]

    @cached_property
    def _known_ranks(self) -> dict[tuple[int, ...], tuple[NDArray[np.int64], int]]:
        return {}

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
        """The number of entries that a value sums apart from the tuples'."""
        return len(self.pairs) + bool(self.memory)

    @cached_property
    def codes(self) -> int:
        """How many codes the threats of a column have."""
        return code_count(self.game.rows) if self.threats else 1

    @cached_property
    def pairs(self) -> tuple[tuple[int, int, int, int], ...]:
        """Each pair of columns: where its table begins, the two, and 1 if they mirror each other."""
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
    def parts(self) -> NDArray[np.int64]:
        """(units, contents, features): what each unit adds to each index. The images of a tuple under the symmetries
        share its table."""
        game = self.game
        table = np.zeros((len(self.units), self.following.shape[1], self.features), np.int64)
        offsets = np.cumsum([0, *self.sizes[:-1]])
        for number, image in enumerate(game.cell_symmetries):
            # The image of a unit is a unit: a column goes to a column, bottom to bottom.
            goes_to = [next(u for u, cells in enumerate(self.units) if image[unit[0]] in cells) for unit in self.units]
            for t, row in enumerate(self._digits):
                feature = number * len(self.tuples) + t
                scale = 1
                for unit, (rank, radix) in enumerate(row):
                    table[goes_to[unit], :, feature] += rank * scale
                    scale *= radix
                table[0, :, feature] += offsets[t]
        return table

    @cached_property
    def start(self) -> NDArray[np.int32]:
        """The indices of the empty board."""
        return np.asarray(self.parts[:, self.empty_content].sum(axis=0), np.int32)

    @cached_property
    def heights(self) -> NDArray[np.int64]:
        """How many stones each content has, on boards where they fall; else 0."""
        contents = self.following.shape[1]
        return np.array([max(content.bit_length() - 1, 0) if self.game.gravity else 0 for content in range(contents)])

    @cached_property
    def _changes(self) -> NDArray[np.int64]:
        """(units, contents, 2, features): how every index moves when a stone of each player falls on a content."""
        return np.stack([self.parts[:, after] - self.parts for after in self.following], axis=2)

    @cached_property
    def _touched(self) -> list[list[NDArray[np.int64]]]:
        """The features whose index a stone on a unit of some height can move: those that look at the cell it lands
        on, or at the one above, which becomes playable."""
        levels = self.heights.max() + 1
        moved = [np.asarray(self._changes[:, self.heights == level].any(axis=(1, 2))) for level in range(levels)]
        return [[np.flatnonzero(moved[level][unit]) for level in range(levels)] for unit in range(len(self.units))]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(units, heights): how many features a stone touches."""
        return np.array([[features.size for features in row] for row in self._touched])

    @cached_property
    def touched(self) -> NDArray[np.int32]:
        """(units, heights, most): the features that a stone touches; only the first ``counts`` are meant."""
        table = np.zeros((*self.counts.shape, self.counts.max()), np.int32)
        for unit, row in enumerate(self._touched):
            for level, features in enumerate(row):
                table[unit, level, : features.size] = features
        return table

    @cached_property
    def steps(self) -> NDArray[np.int32]:
        """(units, contents, 2, most): how the index of each touched feature moves for a stone of each player."""
        table = np.zeros((*self._changes.shape[:3], self.counts.max()), np.int32)
        for unit, row in enumerate(self._touched):
            for content, level in enumerate(self.heights):
                table[unit, content, :, : row[level].size] = self._changes[unit, content][:, row[level]]
        return table

    @cached_property
    def unit_of_bit(self) -> NDArray[np.int64]:
        """The unit, which is the move, of each bit of the board."""
        game = self.game
        return np.array([game.move_of_bit(bit) if game.board >> bit & 1 else 0 for bit in range(bits.MAX_BITS)])

    @cached_property
    def _parts(self) -> list[NDArray[np.int32]]:
        """All that kernels look up, in the order of `kernels.ntuple`."""
        tables = (
            self.touched, self.counts, self.steps, self.heights, self.following, self.unit_of_bit, self.start,
            code_table(self.game.rows) if self.threats else np.zeros(0), np.array(self.pairs),
        )  # fmt: skip
        return [table.astype(np.int32).reshape(-1) for table in tables]

    @cached_property
    def tables(self) -> NDArray[np.int32]:
        """All that kernels look up, in one array."""
        return np.concatenate(self._parts)

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """Where each table begins in that array."""
        return np.cumsum([0, *(part.size for part in self._parts[:-1])])

    def contents(self, position: Position) -> NDArray[np.int64]:
        """The content of every unit of a position."""
        content = np.full(len(self.units), self.empty_content)
        for unit, cells in enumerate(self.units):
            for cell in cells:
                for player in Player:
                    if (position.first, position.second)[player] & self.game.cell_bits[cell]:
                        content[unit] = self.following[player, content[unit]]
        return content

    def indices(self, content: NDArray[np.int64]) -> NDArray[np.int32]:
        """The indices of the contents of all units."""
        return np.asarray(self.parts[np.arange(len(self.units)), content].sum(axis=0), np.int32)
