"""Shared by all drawings: the protocol of a board, its proportions relative to a cell, and the palette.

The window, SVG pictures and web pages use the same proportions. `inarow.rules.Position` is a `Board`; nothing is
imported from `rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
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


class Drawable(Protocol):
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


def stones(board: Drawable) -> list[tuple[int, int]]:
    """Return every stone as its cell and its player."""
    flat = [player for row in board.grid() for player in row]
    return [(cell, player) for cell, player in enumerate(flat) if player is not None]


def last_cell(board: Drawable, move: int | None) -> int | None:
    """Return the cell that the last move filled: with gravity, the highest stone of its column."""
    if move is None or not board.game.gravity:
        return move
    grid, columns = board.grid(), board.game.columns
    return next((row * columns + move for row, line in enumerate(grid) if line[move] is not None), None)


def landing_cell(board: Drawable, move: int) -> int | None:
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
"""Gap between two boxes."""
BOX_CORNER = 1 / 10
"""Radius of a box's corners."""
BOX_EDGE = 1 / 40
"""Width of a box's edge."""
BOX_NUMBER, BOX_NUMBER_LEFT, BOX_NUMBER_UP = 0.16, 0.4, 0.38
"""Height of a cell's number, and where it begins, left of and above the middle."""
BOX_LABEL = 0.26
"""Height of a label in a cell."""
BOX_LAST_DOT, BOX_LAST_OFF = 1 / 12, 0.36
"""Diameter of the dot that marks the last stone, and its offset to the right and up."""

# A stone, as shares of its diameter.
STONE_BANDS = (("dark", 0.5), ("plain", 0.465), ("light", 0.40), ("plain", 0.365))
"""The discs that make a stone, from the largest: shade and radius."""
MARK_REACH, MARK_WIDTH = 0.17, 0.075
"""The cross or ring on a stone: its reach from the middle, and the width of its line."""
LETTER_REACH, LETTER_WIDTH = 0.36, 0.135
"""The same on boards without gravity, where the cross or ring is the stone."""


def pixels(cell: int, share: float) -> int:
    """Return a share of a cell in whole pixels, rounded down."""
    return int(cell * share + 1e-9)


Colour = tuple[int, int, int]
"""Red, green and blue, from 0 to 255."""
BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)


@dataclass(frozen=True)
class Theme:
    """The colours of everything that is drawn."""

    name: str
    back: Colour
    panel: Colour
    raised: Colour
    line: Colour
    text: Colour
    faint: Colour
    accent: Colour
    on_accent: Colour
    board: Colour
    board_edge: Colour
    hole: Colour
    first: Colour
    second: Colour
    good: Colour
    bad: Colour
    even: Colour

    def stone(self, player: int) -> Colour:
        """Return the colour of a player's stones."""
        return self.second if player else self.first


DARK = Theme(
    name="dark",
    back=(19, 23, 31),
    panel=(29, 35, 46),
    raised=(43, 51, 66),
    line=(64, 75, 95),
    text=(236, 239, 244),
    faint=(148, 160, 180),
    accent=(88, 148, 255),
    on_accent=(10, 16, 28),
    board=(37, 84, 168),
    board_edge=(28, 64, 132),
    hole=(14, 18, 25),
    first=(226, 62, 62),
    second=(255, 205, 66),
    good=(94, 200, 140),
    bad=(240, 120, 120),
    even=(170, 178, 192),
)

LIGHT = Theme(
    name="light",
    back=(244, 243, 239),
    panel=(255, 255, 255),
    raised=(233, 232, 227),
    line=(205, 203, 196),
    text=(28, 32, 40),
    faint=(96, 101, 113),
    accent=(28, 94, 214),
    on_accent=(255, 255, 255),
    board=(45, 104, 205),
    board_edge=(34, 82, 166),
    hole=(225, 231, 242),
    first=(206, 42, 42),
    second=(250, 190, 30),
    good=(18, 128, 74),
    bad=(196, 40, 40),
    even=(100, 106, 118),
)

THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


def mixed(a: Colour, b: Colour, share: float) -> Colour:
    """Mix two colours, with this share of the second."""
    return (
        round(a[0] + (b[0] - a[0]) * share),
        round(a[1] + (b[1] - a[1]) * share),
        round(a[2] + (b[2] - a[2]) * share),
    )


def shade(colour: Colour, name: str) -> Colour:
    """Return a stone's own colour (``plain``), or that of its rim (``dark``) or bevel (``light``)."""
    if name == "plain":
        return colour
    return mixed(colour, BLACK, 0.22) if name == "dark" else mixed(colour, WHITE, 0.16)


def dimmed(colour: Colour, ground: Colour) -> Colour:
    """Return the colour of a stone that is not part of the winning line."""
    return mixed(colour, ground, 0.55)


def hexadecimal(colour: Colour) -> str:
    """Return a colour in hexadecimal, such as ``#2d68cd``."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


_NAMES = [field.name for field in fields(Theme) if field.name != "name"]


def theme_css() -> str:
    """Return a style sheet with both themes as variables; the system chooses unless the page sets ``data-theme``."""
    return "\n".join(
        [
            f":root {{ color-scheme: light; {_variables(LIGHT)} }}",
            "@media (prefers-color-scheme: dark) {",
            f"  :root:not([data-theme]) {{ color-scheme: dark; {_variables(DARK)} }}",
            "}",
            f':root[data-theme="dark"] {{ color-scheme: dark; {_variables(DARK)} }}',
            "",
        ]
    )


def _variables(theme: Theme) -> str:
    return " ".join(f"--{name.replace('_', '-')}: {hexadecimal(getattr(theme, name))};" for name in _NAMES)
