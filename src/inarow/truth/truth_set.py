"""The truth set: Connect 4 positions from ply 8 to 37, the same number of each, with the exact score of every move.

It ships with the package, so that an agent can be graded on many positions without solving any.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from typing import IO, NamedTuple

from inarow.errors import InarowError
from inarow.rules import CONNECT4, Position, format_moves, parse_moves
from inarow.truth.accuracy import is_trivial


class KnownPosition(NamedTuple):
    """A position, the moves that led to it, and the score of each legal move for the side that makes it."""

    position: Position
    moves: tuple[int, ...]
    scores: Mapping[int, int]

    @property
    def trivial(self) -> bool:
        """Whether all moves have the same verdict, so that it can't be lost."""
        return is_trivial(self.scores)


@lru_cache(maxsize=1)
def truth_set() -> tuple[KnownPosition, ...]:
    """The positions that ship with the package, ordered by ply."""
    with resources.files("inarow").joinpath("data/truth/connect4.csv").open(encoding="utf-8") as file:
        return read_truth(file)


def write_truth(known: Iterable[KnownPosition], out: IO[str]) -> None:
    """One position per line: its moves, and the score of each column, empty where the column is full."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["moves", *(f"column {column + 1}" for column in range(CONNECT4.columns))])
    for one in known:
        scores = [one.scores.get(column, "") for column in range(CONNECT4.columns)]
        writer.writerow([format_moves(CONNECT4, one.moves), *scores])


def read_truth(file: IO[str]) -> tuple[KnownPosition, ...]:
    """The positions of such a file; the error for a damaged line names it."""
    found: list[KnownPosition] = []
    try:
        for number, row in enumerate(csv.reader(file), start=1):
            if number > 1:
                found.append(_known(number, row))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InarowError(f"the truth set can't be read after position {len(found)}: {error}") from None
    return tuple(found)


def _known(number: int, row: list[str]) -> KnownPosition:
    try:
        moves = parse_moves(CONNECT4, row[0])
        position = Position.start(CONNECT4, moves)
        scores = {column: int(text) for column, text in enumerate(row[1:]) if text}
    except (ValueError, IndexError) as error:
        raise InarowError(f"line {number} of the truth set can't be read: {error}") from None
    if tuple(scores) != position.legal_moves():
        raise InarowError(f"line {number} of the truth set must have a score for each legal move and no other")
    most = (CONNECT4.cells + 1) // 2
    if any(abs(score) > most for score in scores.values()):
        raise InarowError(f"line {number} of the truth set has a score beyond ±{most}, which Connect 4 can't have")
    return KnownPosition(position, moves, scores)
