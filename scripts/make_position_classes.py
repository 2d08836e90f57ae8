"""Make the classes of Connect 4 positions that ship with inarow (`inarow.truth.positions` defines them).

A number of stones of the stage is drawn, then so many random legal moves; games that end earlier are dropped, and so
are positions of ply 0, of a class that is full, and those drawn before, mirror images included. Every move of the
others is solved. The same seed makes the same positions:

    python scripts/make_position_classes.py [--each 1000] [--seed 1] [--out FILE]
"""

from __future__ import annotations

import argparse
import gzip
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import inarow
from inarow.randomness import Stream, derive
from inarow.rules import CONNECT4, Position
from inarow.solver import Oracle
from inarow.solver.solved import KnownPosition, write_solved
from inarow.truth.positions import FILE, STAGES, PositionClass, class_of


def random_lines(stage: str, seed: int) -> Iterator[tuple[Position, tuple[int, ...]]]:
    """Yield distinct positions of a stage by random play, without end."""
    stream = Stream(derive(seed, "position classes", stage))
    plies = [ply for ply in STAGES[stage] if ply]
    seen: set[int] = set()
    while True:
        position, moves = Position.start(CONNECT4), list[int]()
        wanted = stream.choice(plies)
        while len(moves) < wanted and position.outcome() is None:
            moves.append(stream.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if position.outcome() is None and (key := position.canonical_key()) not in seen:
            seen.add(key)
            yield position, tuple(moves)


def fill(stage: str, each: int, seed: int) -> dict[PositionClass, list[KnownPosition]]:
    """Draw positions of a stage until each of its classes has enough."""
    oracle, begun = Oracle(CONNECT4), time.monotonic()
    found: dict[PositionClass, list[KnownPosition]] = {one: [] for one in PositionClass if one.startswith(f"{stage}-")}
    for position, moves in random_lines(stage, seed):
        wanted = class_of(position, oracle.score(position))
        if len(found[wanted]) < each:
            found[wanted].append(KnownPosition(position, moves, oracle.scores(position)))
        if all(len(positions) == each for positions in found.values()):
            break
    sys.stderr.write(f"{', '.join(found)}: {time.monotonic() - begun:.0f} s\n")
    return found


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=1000, help="positions of each class")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(inarow.__file__).parent / FILE)
    given = parser.parse_args()
    found: dict[PositionClass, list[KnownPosition]] = {}
    for stage in reversed(STAGES):
        found |= fill(stage, given.each, given.seed)
    text = io.StringIO()
    write_solved(CONNECT4, [known for name in PositionClass for known in found[name]], text)
    given.out.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


if __name__ == "__main__":
    main()
