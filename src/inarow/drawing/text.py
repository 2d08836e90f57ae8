"""A position as text for a terminal, with colour where the terminal has it."""

from __future__ import annotations

from rich.text import Text

from inarow.drawing.board import Board, last_cell

STYLES = ("bold red", "bold yellow")
"""The first player's stones, the second's; their letters X and O tell them apart without colour."""


def draw(board: Board, last: int | None = None) -> Text:
    """The board with its numbers: columns below a board with gravity, cells in the empty cells of a free one.

    The winning line is in brackets, the last move (an int, if given) underlined.
    """
    game = board.game
    line = set(board.winning_cells())
    width = max(len(str(game.moves)), 1)
    marked = last_cell(board, last)
    text = Text()
    for row, stones in enumerate(board.grid()):
        for column, stone in enumerate(stones):
            cell = row * game.columns + column
            left, right = ("[", "]") if cell in line else (" ", " ")
            if stone is not None:
                style = STYLES[stone] + (" underline" if cell == marked else "")
                text.append(left + " " * (width - 1)).append("XO"[stone], style=style).append(right)
            else:
                empty = "." if game.gravity else str(cell + 1)
                text.append(f" {empty:>{width}} ", style="dim")
        text.append("\n")
    if game.gravity:
        text.append("".join(f" {column + 1:>{width}} " for column in range(game.columns)), style="dim")
        text.append("\n")
    return text
