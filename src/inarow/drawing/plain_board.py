"""A small board made of simple shapes, for pictures that hold more than a board."""

from __future__ import annotations

from inarow.drawing.board import Board, last_cell, stones
from inarow.drawing.palette import BLACK, Theme, mixed
from inarow.drawing.shapes import Box, Disc, Shape, Stroke


def board_shapes(board: Board, x: float, y: float, cell: float, theme: Theme, last: int | None = None) -> list[Shape]:
    """The board with its upper left corner at a place; ``cell`` is the side of a cell, ``last`` the last move."""
    game = board.game
    ground = theme.board if game.gravity else theme.line
    hole = theme.hole if game.gravity else theme.panel
    shapes: list[Shape] = [
        Box(x, y, game.columns * cell, game.rows * cell, cell / 6, ground, theme.board_edge if game.gravity else ground)
    ]

    def middle(place: int) -> tuple[float, float]:
        row, column = divmod(place, game.columns)
        return x + (column + 0.5) * cell, y + (row + 0.5) * cell

    for place in range(game.columns * game.rows):
        at = middle(place)
        if game.gravity:
            shapes.append(Disc(*at, 0.4 * cell, hole))
        else:
            side = 0.92 * cell
            shapes.append(Box(at[0] - side / 2, at[1] - side / 2, side, side, cell / 10, hole, hole, 0))
    line, newest = set(board.winning_cells()), last_cell(board, last)
    for place, player in stones(board):
        at, colour = middle(place), theme.stone(player)
        shapes.append(Disc(*at, 0.38 * cell, colour, mixed(colour, BLACK, 0.4), 0.04 * cell))
        reach, dark = 0.14 * cell, mixed(colour, BLACK, 0.5)
        if player:
            shapes.append(Disc(*at, reach, None, dark, 0.06 * cell))
        else:
            for up in (reach, -reach):
                ends = ((at[0] - reach, at[1] - up), (at[0] + reach, at[1] + up))
                shapes.append(Stroke(ends, dark, 0.06 * cell))
        if place in line or (place == newest and not line):
            shapes.append(Disc(*at, 0.42 * cell, None, theme.text, 0.06 * cell))
    return shapes
