"""Connect 4 positions in six classes by stage and difficulty, 1,000 of each, with the exact score of every move.

Stage is the number of stones: *begin* up to 14, *middle* 15 to 28, *end* more. Difficulty is the number of moves that
remain under perfect play: *easy* fewer than 14, *medium* 14 to 27, *hard* 28 or more. Solvers are usually timed on such
classes. ``scripts/make_position_classes.py`` draws the positions by random play.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from importlib import resources

from inarow.rules import CONNECT4, Position
from inarow.solver.analysis import plies_to_end
from inarow.solver.solved import KnownPosition, read_solved

FILE = "data/truth/connect4-classes.csv.gz"
STAGES = {"begin": range(15), "middle": range(15, 29), "end": range(29, CONNECT4.cells)}
"""Numbers of stones."""
DIFFICULTIES = {"easy": range(14), "medium": range(14, 28), "hard": range(28, CONNECT4.cells + 1)}
"""Moves that remain under perfect play."""


class PositionClass(StrEnum):
    """A stage and a difficulty. The other three are impossible: a game has at most 42 moves."""

    END_EASY = "end-easy"
    MIDDLE_EASY = "middle-easy"
    MIDDLE_MEDIUM = "middle-medium"
    BEGIN_EASY = "begin-easy"
    BEGIN_MEDIUM = "begin-medium"
    BEGIN_HARD = "begin-hard"


def class_of(position: Position, score: int) -> PositionClass:
    """Return the class of a position, given its exact score for the side to move."""
    remaining = plies_to_end(position, score)
    stage = next(name for name, stones in STAGES.items() if position.ply in stones)
    difficulty = next(name for name, moves in DIFFICULTIES.items() if remaining in moves)
    return PositionClass(f"{stage}-{difficulty}")


@lru_cache(maxsize=1)
def position_classes() -> Mapping[PositionClass, tuple[KnownPosition, ...]]:
    """Return the positions that ship with the package by class, each class in the order in which it was drawn."""
    found: dict[PositionClass, list[KnownPosition]] = {one: [] for one in PositionClass}
    with (
        resources.files("inarow").joinpath(FILE).open("rb") as packed,
        gzip.open(packed, "rt", encoding="utf-8", newline="") as file,
    ):
        for known in read_solved(CONNECT4, file, "the classes of positions"):
            found[class_of(known.position, max(known.scores.values()))].append(known)
    return {name: tuple(positions) for name, positions in found.items()}
