"""A slow, obvious twin of the rules: a grid of lists, lines found by walking. Shares no code with inarow."""

from __future__ import annotations

from dataclasses import dataclass, field

NAMES = ("tictactoe", "connect4", "5x4x4", "4x4x3-free", "5x3x3-free", "4x5x3", "3x7x4", "8x6x5", "6x2x3-free", "9x1x3")
"""Games to test on: both kinds, square, wide, high and flat."""


@dataclass
class Naive:
    """A game in play on a grid, row 0 at the top."""

    columns: int
    rows: int
    k: int
    gravity: bool
    grid: list[list[str]] = field(default_factory=list)
    turn: int = 0

    def __post_init__(self) -> None:
        self.grid = [["."] * self.columns for _ in range(self.rows)]

    def legal(self) -> list[int]:
        if self.winner() is not None:
            return []
        if self.gravity:
            return [c for c in range(self.columns) if self.grid[0][c] == "."]
        return [i for i in range(self.columns * self.rows) if self.grid[i // self.columns][i % self.columns] == "."]

    def play(self, move: int) -> None:
        assert move in self.legal()
        if self.gravity:
            row = max(r for r in range(self.rows) if self.grid[r][move] == ".")
            self.grid[row][move] = "XO"[self.turn]
        else:
            self.grid[move // self.columns][move % self.columns] = "XO"[self.turn]
        self.turn = 1 - self.turn

    def line_cells(self) -> set[tuple[int, int]]:
        """All cells (row, column) of completed lines."""
        found: set[tuple[int, int]] = set()
        for r in range(self.rows):
            for c in range(self.columns):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    cells = [(r + i * dr, c + i * dc) for i in range(self.k)]
                    if all(0 <= y < self.rows and 0 <= x < self.columns for y, x in cells):
                        stones = {self.grid[y][x] for y, x in cells}
                        if stones in ({"X"}, {"O"}):
                            found.update(cells)
        return found

    def winner(self) -> str | None:
        """X, O, ``draw``, or None while it goes on."""
        cells = self.line_cells()
        if cells:
            y, x = next(iter(cells))
            return self.grid[y][x]
        return None if any("." in row for row in self.grid) else "draw"

    def threats(self, stone: str) -> set[int]:
        """The empty cells, row by row from the top left, in which this stone would complete a line."""
        return {
            row * self.columns + column
            for row in range(self.rows)
            for column in range(self.columns)
            if self.grid[row][column] == "."
            and any(
                1 + self._beside(row, column, dr, dc, stone) + self._beside(row, column, -dr, -dc, stone) >= self.k
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1))
            )
        }

    def _beside(self, row: int, column: int, down: int, right: int, stone: str) -> int:
        """How many of these stones follow a cell in one direction."""
        count = 0
        while 0 <= (row := row + down) < self.rows and 0 <= (column := column + right) < self.columns:
            if self.grid[row][column] != stone:
                break
            count += 1
        return count
