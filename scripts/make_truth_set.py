"""Make the truth set that ships with inarow, in about half an hour on one core:

    python scripts/make_truth_set.py src/inarow/data/truth/connect4.csv

Positions come from matches in which each move is, with equal chance, a random legal one or that of a player who wins or
blocks when it can; no two are the same or mirror images. Every move of each is solved, without a book.
"""

from __future__ import annotations

import sys
from pathlib import Path

from inarow.paths import text_writer
from inarow.rules import CONNECT4, Position
from inarow.solver import Oracle
from inarow.solver.solved import KnownPosition, write_solved
from inarow.truth.positions import PER_PLY, PLIES, SEED, sample


def main(path: Path) -> None:
    """Sample, solve and write; the late plies first, because they are quick."""
    oracle = Oracle(CONNECT4, book=False)
    known: list[KnownPosition] = []
    for ply in reversed(PLIES):
        for moves in sample(ply, PER_PLY, SEED):
            position = Position.start(CONNECT4, moves)
            known.append(KnownPosition(position, moves, oracle.scores(position)))
        sys.stderr.write(f"ply {ply}: {len(known)} of {len(PLIES) * PER_PLY} positions\n")
    known.sort(key=lambda one: (one.position.ply, one.moves))
    with text_writer(path) as out:
        write_solved(CONNECT4, known, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
