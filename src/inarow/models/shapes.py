"""Which cells the tuples of a network look at: shapes that matter in games of k in a row, or random walks."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from inarow.randomness import Stream
from inarow.rules import Game

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
