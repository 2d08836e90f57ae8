"""Games: board size, stones in a row to win, gravity and variants."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from inarow import bits
from inarow.errors import InarowError, check_flags, check_integer, unknown
from inarow.formatting import say
from inarow.kernels.rules import image_of, layout_of, symmetries

_PATTERN = re.compile(r"(\d+)x(\d+)x(\d+)(-free)?")
_VARIANT = re.compile(r"(.*?)(-cylinder)?(-misere)?")


class UnknownGame(InarowError):
    """No game has this name, or its board is invalid."""


@dataclass(frozen=True)
class Game:
    """The rules of k in a row on ``columns × rows`` cells; with gravity a stone falls to the lowest free cell.

    A move is an int from 0: the column with gravity, else the cell, row by row from the top left. Two variants: on a
    ``cylinder`` the last column is adjacent to the first; in ``misere`` the player who completes a line loses.
    """

    columns: int
    rows: int
    k: int
    gravity: bool
    cylinder: bool = False
    misere: bool = False

    def __post_init__(self) -> None:
        for name in ("columns", "rows", "k"):
            object.__setattr__(self, name, check_integer(name, getattr(self, name), error=UnknownGame))
        check_flags(gravity=self.gravity, cylinder=self.cylinder, misere=self.misere)
        bits_used, longest = self.columns * (self.rows + 1), max(self.columns, self.rows)
        wrong = (
            "no_cells" if self.columns < 1 or self.rows < 1
            else "too_small" if longest < 2
            else "too_large" if bits_used > bits.MAX_BITS
            else "does_not_fit" if not 2 <= self.k <= longest
            else "cylinder" if self.cylinder and self.k > self.columns
            else ""
        )  # fmt: skip
        if wrong:
            values = {"columns": self.columns, "rows": self.rows, "k": self.k, "longest": longest}
            raise UnknownGame(say("board", wrong, **values, bits=bits_used, most=bits.MAX_BITS))

    @cached_property
    def name(self) -> str:
        """The name that `game` understands."""
        for name, known in GAMES.items():
            if known == self:
                return name
        variant = ("-cylinder" if self.cylinder else "") + ("-misere" if self.misere else "")
        return f"{self.columns}x{self.rows}x{self.k}" + ("" if self.gravity else "-free") + variant

    def check_usual(self, what: str) -> None:
        """Raise `UnknownGame` if this is a variant, for code that supports only the standard rules."""
        if self.cylinder or self.misere:
            raise UnknownGame(
                f"{what} does not support {'misère' if self.misere else 'cylinder'} games such as {self.name}"
            )

    @cached_property
    def title(self) -> str:
        """The human-readable name."""
        return {"tictactoe": "Tic Tac Toe", "connect4": "Connect 4"}.get(self.name, self.name)

    def __str__(self) -> str:
        return self.name

    @cached_property
    def cells(self) -> int:
        """The number of cells."""
        return self.columns * self.rows

    @cached_property
    def moves(self) -> int:
        """The number of moves on the empty board: 0 … moves − 1."""
        return self.columns if self.gravity else self.cells

    @cached_property
    def stride(self) -> int:
        """Bits from one column to the next: the rows and a spare bit."""
        return self.rows + 1

    @cached_property
    def width(self) -> int:
        """On a cylinder the bits of all columns, else 0."""
        return self.columns * self.stride if self.cylinder else 0

    @cached_property
    def board(self) -> int:
        """All cells, as bits."""
        return bits.board_mask(self.columns, self.rows)

    @cached_property
    def bottom(self) -> int:
        """The lowest cell of each column, as bits."""
        return bits.bottom_mask(self.columns, self.rows)

    @cached_property
    def layout(self) -> bits.BitLayout:
        """The game for the functions of `kernels.rules`."""
        usual = layout_of(self.columns, self.rows, self.k, self.gravity)
        return usual._replace(width=self.width, misere=self.misere)

    @cached_property
    def cell_bits(self) -> tuple[int, ...]:
        """The bit of each cell, row by row from the top left."""
        return tuple(
            1 << (column * self.stride + self.rows - 1 - row)
            for row in range(self.rows)
            for column in range(self.columns)
        )

    @cached_property
    def move_masks(self) -> tuple[int, ...]:
        """For each move the cells that it may fill: its column with gravity, else its cell."""
        if self.gravity:
            return tuple(bits.column_mask(column, self.stride) for column in range(self.columns))
        return self.cell_bits

    @cached_property
    def cell_symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Every symmetry as a permutation of the cells (row by row from the top left). The first is the identity.

        The rotations of a cylinder are not included.
        """
        cells = {bit: cell for cell, bit in enumerate(self.cell_bits)}
        return tuple(
            tuple(cells[image_of(self.layout, which, bits.lowest(bit))] for bit in self.cell_bits)
            for which in range(symmetries(self.layout))
        )

    def move_of_cell(self, cell: int) -> int:
        """Return the move that fills this cell (row by row from the top left)."""
        cell = check_integer("cell", cell, 0, self.cells - 1)
        return cell % self.columns if self.gravity else cell

    def move_of_bit(self, index: int) -> int:
        """Return the move that fills the cell of this bit index."""
        column, height = divmod(check_integer("index", index, 0, bits.MAX_BITS - 1), self.stride)
        return column if self.gravity else (self.rows - 1 - height) * self.columns + column


TICTACTOE = Game(columns=3, rows=3, k=3, gravity=False)
CONNECT4 = Game(columns=7, rows=6, k=4, gravity=True)
GAMES = {"tictactoe": TICTACTOE, "connect4": CONNECT4}


def game(name: Game | str) -> Game:
    """Return the game of a name: ``connect4``, ``tictactoe``, ``5x4x4`` (columns, rows, k; stones fall) or
    ``4x4x3-free``, and the variants ``5x4x4-cylinder``, ``5x4x4-misere``; a game is returned as it is."""
    if isinstance(name, Game):
        return name
    if not isinstance(name, str):
        raise UnknownGame(f"{name!r:.60} is not a game; give a name such as 'connect4', or a Game")
    return _parse(name)


@lru_cache(maxsize=256)
def _parse(text: str) -> Game:
    if text in GAMES:
        return GAMES[text]
    variant = _VARIANT.fullmatch(text)
    if variant and (variant[2] or variant[3]):
        usual = _parse(variant[1])
        return replace(usual, cylinder=variant[2] is not None, misere=variant[3] is not None)
    match = _PATTERN.fullmatch(text)
    if not match:
        raise UnknownGame(
            unknown("game", text, GAMES, "Other boards are written COLUMNSxROWSxK, such as 5x4x4, or 4x4x3-free.")
        )
    columns, rows, k = (int(number[:4]) for number in match.groups()[:3])
    return Game(columns, rows, k, gravity=match[4] is None)


HORIZONTAL, VERTICAL, RISING, FALLING = (0, 1), (1, 0), (-1, 1), (1, 1)
"""Steps of a line: rows down and columns right."""


@lru_cache(maxsize=256)
def lines_along(game: Game, down: int, right: int) -> tuple[int, ...]:
    """Return the lines in one direction, by their first cell: row by row from the top, each row from the left."""
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
    """Return all lines: horizontals, verticals, rising diagonals, falling ones."""
    directions = (HORIZONTAL, VERTICAL, RISING, FALLING)
    return tuple(dict.fromkeys(line for direction in directions for line in lines_along(game, *direction)))
