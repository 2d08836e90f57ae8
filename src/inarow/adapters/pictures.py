"""A position as an array of pixels, drawn with NumPy alone: for environments that render without a screen."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from inarow.drawing.board import BLACK, DARK, WHITE, Colour, mixed
from inarow.rules import Position

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

CELL = 48
"""Pixels across a cell."""


def picture(position: Position) -> Pixels:
    """Return the board as (height, width, 3) pixels; winning cells have a white edge."""
    game = position.game
    line = set(position.winning_cells())
    codes = np.zeros((game.rows, game.columns), np.int64)
    for row, stones in enumerate(position.grid()):
        for column, stone in enumerate(stones):
            won = row * game.columns + column in line
            codes[row, column] = 0 if stone is None else 1 + int(stone) + 2 * won
    tiles = _tiles()[codes]  # (rows, columns, CELL, CELL, 3)
    return np.ascontiguousarray(tiles.transpose(0, 2, 1, 3, 4).reshape(game.rows * CELL, game.columns * CELL, 3))


@cache
def _tiles() -> Pixels:
    """Return the five tiles: empty, first, second, and both in a winning line."""
    across = (np.arange(CELL) + 0.5) / CELL * 2 - 1
    y, x = np.meshgrid(across, across, indexing="ij")
    distance = np.hypot(x, y)
    cross = np.minimum(np.abs(x - y), np.abs(x + y)) / np.sqrt(2)
    empty = _over(np.full((CELL, CELL, 3), DARK.board, np.float64), 0.84 - distance, DARK.hole)
    looks = [empty]
    for won in (False, True):
        for player in range(2):
            colour = DARK.stone(player)
            look = _over(empty, 0.84 - distance, WHITE) if won else empty
            look = _over(look, 0.74 - distance, colour)
            mark = np.minimum(0.09 - cross, 0.45 - distance) if player == 0 else 0.09 - np.abs(distance - 0.38)
            looks.append(_over(look, mark, mixed(colour, BLACK, 0.5)))
    return np.round(np.stack(looks)).astype(np.uint8)


def _over(look: Floats, inside: Floats, colour: Colour) -> Floats:
    """Paint a shape, given by each pixel's distance inside its edge, with a soft edge of one pixel."""
    share = np.clip(inside * CELL / 2 + 0.5, 0, 1)[..., None]
    return np.asarray(look * (1 - share) + np.array(colour) * share)
