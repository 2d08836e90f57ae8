"""What a drawing needs of a position, and the proportions of a board, as shares of the side of a cell.

The window, SVG pictures and web pages use the same proportions. `inarow.rules.Position` is a `Board`; nothing is
imported from `rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Grid(Protocol):
    """The board of a game."""

    @property
    def columns(self) -> int:
        """Cells from left to right."""

    @property
    def rows(self) -> int:
        """Cells from top to bottom."""

    @property
    def gravity(self) -> bool:
        """True if stones fall: a move is then a column, else a cell."""

    @property
    def moves(self) -> int:
        """Moves on the empty board."""

    @property
    def title(self) -> str:
        """The name of the game, for display."""


class Board(Protocol):
    """A position to draw. Cells count row by row from the top left, players are 0 and 1."""

    @property
    def game(self) -> Grid:
        """Its board."""

    def grid(self) -> Sequence[Sequence[int | None]]:
        """Return the rows from the top; each cell is the player whose stone it holds, or None."""

    def winning_cells(self) -> Sequence[int]:
        """Return the cells of completed lines."""

    def describe(self) -> str:
        """Return a short description: the game, the number of stones, and who is to move or has won."""


def stones(board: Board) -> list[tuple[int, int]]:
    """Return every stone as its cell and its player."""
    flat = [player for row in board.grid() for player in row]
    return [(cell, player) for cell, player in enumerate(flat) if player is not None]


def last_cell(board: Board, move: int | None) -> int | None:
    """Return the cell that the last move filled: with gravity, the highest stone of its column."""
    if move is None or not board.game.gravity:
        return move
    grid, columns = board.grid(), board.game.columns
    return next((row * columns + move for row, line in enumerate(grid) if line[move] is not None), None)


def landing_cell(board: Board, move: int) -> int | None:
    """Return the cell that a move would fill; None if it is taken or the column is full."""
    grid, columns = board.grid(), board.game.columns
    if not board.game.gravity:
        row, column = divmod(move, columns)
        return move if grid[row][column] is None else None
    free = [row for row, line in enumerate(grid) if line[move] is None]
    return free[-1] * columns + move if free else None


# A board with gravity: a frame with round holes, stones behind it.
FRAME = 1 / 7
"""Width of the frame around the cells."""
FRAME_CORNER = 2 * FRAME
"""Radius of the frame's corners."""
HOLE = 0.405
"""Radius of a hole."""
HOLE_EDGE = 0.435
"""Radius of a hole with its rim."""
STONE = 0.86
"""Diameter of a stone."""
LINE_RING, LINE_RING_WIDTH = 0.88, 0.06
"""Diameter and width of the ring around a stone of the winning line."""
HINT_RING, HINT_RING_WIDTH = 0.8, 0.07
"""Diameter and width of the ring that marks a move."""
LAST_DOT = 1 / 8
"""Diameter of the dot on the last stone."""
NUMBER_TEXT, NUMBER_BELOW = 0.3, 0.2
"""Height of a column's number, and its distance below the frame."""
LABEL_TEXT, LABEL_ABOVE = 0.34, 0.2
"""Height of a move's label, and its distance above the frame."""

# A board without gravity: boxes with large crosses and rings.
BOX_GAP = 1 / 24
"""Between two boxes."""
BOX_CORNER = 1 / 10
"""Radius of a box's corners."""
BOX_EDGE = 1 / 40
"""Width of a box's edge."""
BOX_NUMBER, BOX_NUMBER_LEFT, BOX_NUMBER_UP = 0.16, 0.4, 0.38
"""Height of a cell's number, and where it begins, left of and above the middle."""
BOX_LABEL = 0.26
"""Height of a label in a cell."""
BOX_LAST_DOT, BOX_LAST_OFF = 1 / 12, 0.36
"""Diameter of the dot beside the last stone, and its distance to the right of the middle and above it."""

# A stone, as shares of its diameter.
STONE_BANDS = (("dark", 0.5), ("plain", 0.465), ("light", 0.40), ("plain", 0.365))
"""The discs that make a stone, from the largest: shade and radius."""
MARK_REACH, MARK_WIDTH = 0.17, 0.075
"""The cross or ring on a stone: its reach from the middle, and the width of its line."""
LETTER_REACH, LETTER_WIDTH = 0.36, 0.135
"""The same where the cross or ring is the stone."""


def pixels(cell: int, share: float) -> int:
    """Return a share of a cell in whole pixels, rounded down."""
    return int(cell * share + 1e-9)
