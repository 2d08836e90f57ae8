"""Slow, obvious twins of the evaluators: they walk over a grid of rows, and share no code with inarow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Grid = list[list[str]]


def windows(grid: Grid, k: int) -> Iterator[list[tuple[int, int]]]:
    """The cells (row, column) of every window: from left to right, vertical ones from the bottom up."""
    rows, columns = len(grid), len(grid[0])
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (-1, 0), (1, 1), (-1, 1)):
                cells = [(row + i * down, column + i * right) for i in range(k)]
                if all(0 <= r < rows and 0 <= c < columns for r, c in cells):
                    yield cells


def texts(grid: Grid, k: int) -> list[str]:
    """What stands in every window."""
    return ["".join(grid[r][c] for r, c in cells) for cells in windows(grid, k)]


def counts(text: str, own: str) -> tuple[int, int, int]:
    """Own stones, empty cells, stones of the other side."""
    mine, empty = text.count(own), text.count(".")
    return mine, empty, len(text) - mine - empty


def side_windows(grid: Grid, k: int, gravity: bool, own: str, w: dict[str, Any]) -> float:
    """What one side sees, the opponent's share left out."""
    columns, rows = len(grid[0]), len(grid)
    total = 0.0
    for text in texts(grid, k):
        mine, empty, theirs = counts(text, own)
        if mine == k:
            total += w["four"]
        elif mine == k - 1 and empty == 1:
            total += w["three"]
        elif mine == k - 2 > 0 and empty == 2:
            total += w["two"]
        elif theirs == k - 1 and empty == 1:
            total += w["other_three"]
        elif theirs == k - 2 > 0 and empty == 2:
            total += w["other_two"]
    for row in range(rows):
        for column in range(columns):
            middle = 2 * abs(column - (columns - 1) / 2) <= 1
            if not gravity:
                middle = middle and 2 * abs(row - (rows - 1) / 2) <= 1
            if middle and grid[row][column] == own:
                total += w["centre"]
    return total


def eval_windows(grid: Grid, k: int, gravity: bool, own: str, w: dict[str, Any]) -> float:
    other = "O" if own == "X" else "X"
    theirs = side_windows(grid, k, gravity, other, w)
    return side_windows(grid, k, gravity, own, w) - float(w["share"]) * theirs


def eval_lines(grid: Grid, k: int, gravity: bool, own: str, w: dict[str, Any]) -> float:
    total = 0.0
    for text in texts(grid, k):
        mine, empty, theirs = counts(text, own)
        worth = {1: w["one"], 2: w["two"]}.get(empty, 0)
        if mine and not theirs:
            total += worth
        elif theirs and not mine:
            total -= w["share"] * worth
    return total


def eval_zero(grid: Grid, k: int, gravity: bool, own: str, w: dict[str, Any]) -> float:
    return 0.0


TWINS = {
    "zero": eval_zero,
    "windows": eval_windows,
    "lines": eval_lines,
}
