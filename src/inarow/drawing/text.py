"""Draw positions in a terminal, in colour where supported."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.text import Text

from inarow.drawing.board import Drawable, Grid, last_cell

STYLES = ("bold red", "bold yellow")
"""The first player's stones, the second's; their shapes tell them apart without colour."""
LETTERS = "XO"
DISCS = "●○"
"""The stones where the terminal has Unicode."""


_SCREEN = 80
"""Maximum width of a board in characters: numbers move closer together, and longer rows are split."""


class Caption(NamedTuple):
    """Lines about a move, shown below its column or cell."""

    words: tuple[str, ...]
    style: str = ""


def cell_width(game: Grid, captions: Mapping[int, Caption]) -> int:
    """Return the width of a cell in characters: room for the number or a stone with its marks, and for captions."""
    words = [len(word) + 1 for caption in captions.values() for word in caption.words]
    width = len(str(game.moves)) + 2
    return max(3 if width * game.columns > _SCREEN else width, *words, 0)


def draw(
    board: Drawable,
    last: int | None = None,
    captions: Mapping[int, Caption] | None = None,
    *,
    stones: str = LETTERS,
    spacing: int = 0,
    screen: int = _SCREEN,
    base: int = 1,
) -> Text:
    """Draw the board with its numbers: columns below a board with gravity, cells in the empty cells of a free one.

    The winning line is in brackets, the last move (an int, if given) in parentheses. Captions stand below the columns,
    or below the cells of a free board. A cell is at least ``spacing`` wide. Columns that don't fit into ``screen``
    characters follow below the others. Numbers count from ``base``.
    """
    captions = captions or {}
    columns = board.game.columns
    width = max(cell_width(board.game, captions), spacing)
    most = max(1, screen // width)
    text = Text()
    for first in range(0, columns, most):
        _append_columns(text, board, range(first, min(first + most, columns)), last, captions, stones, width, base)
    return text


def _append_columns(
    text: Text,
    board: Drawable,
    columns: range,
    last: int | None,
    captions: Mapping[int, Caption],
    stones: str,
    width: int,
    base: int,
) -> None:
    """Append some columns of the board, from the top row to the numbers and captions."""
    game = board.game
    narrow = width == cell_width(game, {})
    line, marked = set(board.winning_cells()), last_cell(board, last)
    for row, row_stones in enumerate(board.grid()):
        for column in columns:
            stone, cell = row_stones[column], row * game.columns + column
            if stone is None:
                empty = ("." if stones == LETTERS else "·") if game.gravity else str(cell + base)
                text.append(_placed(f"{empty} ", width, narrow), style="dim")
            else:
                left, right = "[]" if cell in line else "()" if cell == marked else "  "
                _append_stone(
                    text, _placed(f"{left}{stones[stone]}{right}", width, narrow), STYLES[stone], cell == marked
                )
        text.append("\n")
        if not game.gravity:
            _append_captions(text, [row * game.columns + column for column in columns], captions, width)
    if game.gravity:
        text.append("".join(_placed(f"{column + base} ", width, narrow) for column in columns), style="dim")
        text.append("\n")
        _append_captions(text, columns, captions, width)


def _placed(content: str, width: int, narrow: bool) -> str:
    """Pad the content of a cell so that numbers and stones are aligned, and centred in a wide cell."""
    return content.rjust(width if narrow else (width + 3) // 2).ljust(width)


def _append_stone(text: Text, content: str, style: str, last: bool) -> None:
    """Append a stone in its colour; the marks around it are not coloured."""
    at = max(content.find(stone) for stone in LETTERS + DISCS)
    text.append(content[:at]).append(content[at], style=f"{style} underline" if last else style).append(
        content[at + 1 :]
    )


def _append_captions(text: Text, moves: Sequence[int], captions: Mapping[int, Caption], width: int) -> None:
    shown = [captions.get(move, Caption(())) for move in moves]
    for words in itertools.zip_longest(*(caption.words for caption in shown), fillvalue=""):
        if any(words):
            for word, caption in zip(words, shown, strict=True):
                text.append(word.center(width), style=caption.style)
            text.append("\n")
