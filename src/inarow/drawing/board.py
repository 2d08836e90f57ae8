"""What a drawing needs to know of a position. `inarow.rules.Position` fits, without being imported here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Shape(Protocol):
    """The board of a game."""

    @property
    def columns(self) -> int:
        """Cells from left to right."""

    @property
    def rows(self) -> int:
        """Cells from top to bottom."""

    @property
    def gravity(self) -> bool:
        """Whether stones fall; a move is a column then, else a cell."""

    @property
    def moves(self) -> int:
        """Moves on the empty board."""

    @property
    def title(self) -> str:
        """The game's name for people to read."""


class Board(Protocol):
    """A position to be drawn. Cells count row by row from the top left, players are 0 and 1."""

    @property
    def game(self) -> Shape:
        """Its board."""

    def grid(self) -> Sequence[Sequence[int | None]]:
        """Rows from the top; each cell the player whose stone it holds, or None."""

    def winning_cells(self) -> Sequence[int]:
        """The cells of completed lines."""

    def describe(self) -> str:
        """Game, number of stones, and who is to move or who has won, in a few words."""


def stones(board: Board) -> list[tuple[int, int]]:
    """Every stone as its cell and its player."""
    flat = [player for row in board.grid() for player in row]
    return [(cell, player) for cell, player in enumerate(flat) if player is not None]


def last_cell(board: Board, move: int | None) -> int | None:
    """The cell that the last move filled: with gravity the highest stone of its column."""
    if move is None or not board.game.gravity:
        return move
    grid, columns = board.grid(), board.game.columns
    return next((row * columns + move for row, line in enumerate(grid) if line[move] is not None), None)


def landing_cell(board: Board, move: int) -> int | None:
    """The cell that a move would fill; None if there is no room."""
    grid, columns = board.grid(), board.game.columns
    if not board.game.gravity:
        row, column = divmod(move, columns)
        return move if grid[row][column] is None else None
    free = [row for row, line in enumerate(grid) if line[move] is None]
    return free[-1] * columns + move if free else None
