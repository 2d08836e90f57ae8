"""Solved positions in a file: moves, and the exact score of every move after them.

The openings that ship with inarow are such a file (`scripts/make_openings.py` makes it), and so is the truth set.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import IO, NamedTuple

import numpy as np

from inarow.errors import InarowError
from inarow.kernels.solver.analyse import BookTable, new_book
from inarow.rules import Game, Position, format_moves, parse_moves
from inarow.solver.analysis import Verdict
from inarow.solver.book import folded_key

OPENING_PLIES = 12
"""Number of stones in the shipped openings."""


class KnownPosition(NamedTuple):
    """A position, the moves that led to it, and the score of each legal move for the side that makes it."""

    position: Position
    moves: tuple[int, ...]
    scores: Mapping[int, int]

    @property
    def trivial(self) -> bool:
        """Return True if all moves have the same verdict, so that no mistake is possible."""
        return is_trivial(self.scores)


def is_trivial(scores: Mapping[int, int]) -> bool:
    """Return True if all moves have the same verdict."""
    return len({Verdict.of(score) for score in scores.values()}) == 1


def read_solved(board: Game, file: IO[str], name: str) -> Iterator[KnownPosition]:
    """Read the positions of a file, one per line below its header; errors name the file and the line."""
    number = 0
    try:
        for number, row in enumerate(csv.reader(file), start=1):
            if number > 1:
                yield _solved(board, row, f"line {number} of {name}")
    except (csv.Error, UnicodeDecodeError) as error:
        raise InarowError(f"{name} can't be read after position {max(0, number - 1)}: {error}") from None


def write_solved(board: Game, known: Iterable[KnownPosition], out: IO[str]) -> None:
    """Write one position of a game with gravity per line: moves, and the score of each column, empty if it is full."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["moves", *(f"column {column + 1}" for column in range(board.columns))])
    for one in known:
        scores = [one.scores.get(column, "") for column in range(board.columns)]
        writer.writerow([format_moves(board, one.moves), *scores])


def _solved(board: Game, row: list[str], line: str) -> KnownPosition:
    try:
        moves = parse_moves(board, row[0])
        position = Position.start(board, moves)
        scores = {column: int(text) for column, text in enumerate(row[1:]) if text}
    except (ValueError, IndexError) as error:
        raise InarowError(f"{line} can't be read: {error}") from None
    if tuple(scores) != position.legal_moves():
        raise InarowError(f"{line} must have a score for each legal move and no other")
    most = (board.cells + 1) // 2
    if any(abs(score) > most for score in scores.values()):
        raise InarowError(f"{line} has a score beyond ±{most}, which {board.title} can't have")
    return KnownPosition(position, moves, scores)


@lru_cache(maxsize=4)
def balanced_openings(board: Game) -> tuple[KnownPosition, ...]:
    """Return the drawn openings that ship with inarow for this game; empty if there are none."""
    path = resources.files("inarow").joinpath(f"data/openings/{board.name}.csv")
    if not path.is_file():
        return ()
    with path.open(encoding="utf-8") as file:
        return tuple(read_solved(board, file, f"the openings of {board.name}"))


@lru_cache(maxsize=4)
def opening_scores(board: Game) -> BookTable:
    """Return the scores of the positions after every move in a balanced opening, as kernels read them."""
    children = [
        (one.position.play(move), score) for one in balanced_openings(board) for move, score in one.scores.items()
    ]
    found = {folded_key(child): 128 - score for child, score in children if child.outcome() is None}
    keys = sorted(found)
    values = np.array([found[key] for key in keys], np.uint8)
    return new_book(np.array(keys, np.int64), values, OPENING_PLIES + 1, OPENING_PLIES + 1)
