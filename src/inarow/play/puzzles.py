"""Puzzles: positions of Connect 4 in which exactly one move wins, graded by how long the win takes.

`scripts/make_puzzles.py` makes the file that ships with inarow.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from inarow.atomic import write_text
from inarow.errors import InarowError
from inarow.rules import CONNECT4, Position, format_moves, parse_moves

PUZZLES = Path(str(files("inarow"))) / "data" / "puzzles" / "connect4.csv"

LEVELS = {1: (2, 2), 2: (3, 3), 3: (4, 5), 4: (6, 8), 5: (9, 21)}
"""The fewest and the most own moves until the win, for each level."""


class PuzzleError(InarowError):
    """A file of puzzles that can't be read."""


class Puzzle(NamedTuple):
    """A position with one winning move."""

    moves: tuple[int, ...]
    answer: int
    length: int
    """Own moves until the win, against the longest resistance."""

    @property
    def level(self) -> int:
        """How hard it is, from 1 to 5."""
        return next(level for level, (least, most) in LEVELS.items() if least <= self.length <= most)

    @property
    def position(self) -> Position:
        """The position to solve."""
        return Position.start(CONNECT4, self.moves)


@functools.cache
def shipped_puzzles() -> tuple[Puzzle, ...]:
    """Return the puzzles that ship with inarow."""
    return tuple(read_puzzles(PUZZLES))


def read_puzzles(path: Path) -> list[Puzzle]:
    """Read a file of puzzles. Raises PuzzleError, with the line, if one is damaged."""
    puzzles = []
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                puzzle = Puzzle(parse_moves(CONNECT4, row["moves"]), int(row["answer"]) - 1, int(row["length"]))
                if puzzle.answer not in puzzle.position.legal_moves():
                    raise ValueError
            except (KeyError, TypeError, ValueError, InarowError):
                raise PuzzleError(f"{path}, line {number}: expected moves, a legal answer and a length") from None
            puzzles.append(puzzle)
    return puzzles


def write_puzzles(puzzles: Sequence[Puzzle], path: Path) -> None:
    """Write puzzles as CSV; moves count from 1 there, as people write them."""
    rows = [f"{format_moves(CONNECT4, one.moves)},{one.answer + 1},{one.length}" for one in puzzles]
    write_text(path, "\n".join(["moves,answer,length", *rows, ""]))
