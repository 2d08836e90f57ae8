"""Slow, obvious twins of the evaluators: they walk over a grid of rows, and share no code with inarow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Grid = list[list[str]]


def windows(grid: Grid, k: int, directions: str = "hvdu") -> Iterator[list[tuple[int, int]]]:
    """The cells (row, column) of every window: from left to right, vertical ones from the bottom up."""
    rows, columns = len(grid), len(grid[0])
    steps = {"h": (0, 1), "v": (-1, 0), "d": (1, 1), "u": (-1, 1)}
    for row in range(rows):
        for column in range(columns):
            for direction in directions:
                down, right = steps[direction]
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


def landing(grid: Grid, gravity: bool) -> list[tuple[int, int]]:
    """The cells where a stone may go."""
    empty = [(r, c) for r, row in enumerate(grid) for c, cell in enumerate(row) if cell == "."]
    return [(r, c) for r, c in empty if not gravity or r + 1 == len(grid) or grid[r + 1][c] != "."]


def wins_at_once(grid: Grid, k: int, gravity: bool, own: str) -> int:
    """How many cells there are where an own stone would be the last of a new line."""
    return sum(
        any(cell in cells and all(c == cell or grid[c[0]][c[1]] == own for c in cells) for cells in windows(grid, k))
        for cell in landing(grid, gravity)
    )


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
                total += w["centre"] * {"plain": 1, "lower": row + 1, "upper": rows - row}[w["rows"]]
    for cells in windows(grid, k, "v"):
        if [grid[r][c] for r, c in cells] == [own] * (k - 1) + ["."]:
            total += w["stacked"]
    if wins_at_once(grid, k, gravity, own) > 1:
        total += w["double"]
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


def eval_runs(grid: Grid, k: int, gravity: bool, own: str, w: dict[str, Any]) -> float:
    total = 0.0
    steps = {"right": "hvdu", "down": "hd"}[w["towards"]]
    found = ["".join(grid[r][c] for r, c in cells) for cells in windows(grid, k, steps)]
    if w["towards"] == "down":  # the same windows from their upper end
        found += ["".join(grid[r][c] for r, c in reversed(list(cells))) for cells in windows(grid, k, "vu")]
    for text in found:
        worth = {0: w["four"], 1: w["three"], 2: w["two"]}.get(text.count("."), 0)
        first = text[0]
        if first == "." or len(set(text) - {"."}) > 1 or (k == 2 and text.count(".") == 2):
            continue
        total += worth if first == own else -w["share"] * worth
    return total


def eval_open(grid: Grid, k: int, gravity: bool, own: str, w: dict[str, Any]) -> float:
    total = 0.0
    for text in texts(grid, k):
        mine, _, theirs = counts(text, own)
        if mine == k and w["four"] is not None:
            total += w["four"]
        elif theirs == k and w["other_four"] is not None:
            total += w["other_four"]
        elif not theirs:
            total += w["stone"] * mine
        elif not mine:
            total -= w["share"] * w["stone"] * theirs
    return total


def eval_threes(grid: Grid, k: int, gravity: bool, own: str, w: dict[str, Any]) -> float:
    other = "O" if own == "X" else "X"
    total = 0.0
    for cells in windows(grid, k, "h" if w["lines"] == "flat" else "hvdu"):
        text = "".join(grid[r][c] for r, c in cells)
        for side, sign in ((own, 1), (other, -w["share"])):
            ends = [side * (k - 1) + "."] + ["." + side * (k - 1)] * (w["ends"] == "both")
            total += sign * w["three"] * (text in ends)
    return total


def eval_zero(grid: Grid, k: int, gravity: bool, own: str, w: dict[str, Any]) -> float:
    return 0.0


TWINS = {
    "zero": eval_zero,
    "windows": eval_windows,
    "lines": eval_lines,
    "runs": eval_runs,
    "open": eval_open,
    "threes": eval_threes,
}
