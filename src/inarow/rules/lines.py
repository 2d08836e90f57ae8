"""Every line of k cells of a board, as bits."""

from __future__ import annotations

from functools import lru_cache

from inarow.rules.game import Game

HORIZONTAL, VERTICAL, RISING, FALLING = (0, 1), (1, 0), (-1, 1), (1, 1)
"""Steps of a line: rows down and columns right."""


@lru_cache(maxsize=256)
def lines_along(game: Game, down: int, right: int) -> tuple[int, ...]:
    """The lines in one direction, by their first cell: row by row from the top, each row from the left."""
    found = []
    for row in range(game.rows):
        for column in range(game.columns):
            last_row, last_column = row + (game.k - 1) * down, column + (game.k - 1) * right
            if 0 <= last_row < game.rows and (0 <= last_column < game.columns or game.cylinder):
                cells = ((row + i * down) * game.columns + (column + i * right) % game.columns for i in range(game.k))
                found.append(sum(game.cell_bits[cell] for cell in cells))
    return tuple(found)


@lru_cache(maxsize=64)
def lines_of(game: Game) -> tuple[int, ...]:
    """All lines: horizontals, verticals, rising diagonals, falling ones."""
    directions = (HORIZONTAL, VERTICAL, RISING, FALLING)
    return tuple(dict.fromkeys(line for direction in directions for line in lines_along(game, *direction)))
