"""The truth set: Connect 4 positions from ply 8 to 37, the same number of each, with the exact score of every move.

It ships with the package, so that an agent can be graded on many positions without solving any.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import IO

from inarow.rules import CONNECT4, format_moves
from inarow.solver.solved import KnownPosition, read_solved


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
    return tuple(read_solved(CONNECT4, file, "the truth set"))
