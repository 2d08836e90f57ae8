"""Make the balanced Connect 4 openings that ship with inarow: drawn with perfect play, and still to be played.

Random lines are solved until there are enough whose position is drawn, where at least two moves keep the draw and at
least one loses it. Two that are mirror images count as one. The file has the exact score of every move, so that nobody
has to solve an opening again. The same seed makes the same file:

    python scripts/make_openings.py src/inarow/data/openings/connect4.csv
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from inarow.match import draw_openings
from inarow.randomness import derive
from inarow.rules import CONNECT4, Position
from inarow.solver import Oracle
from inarow.solver.book import folded_key
from inarow.solver.solved import KnownPosition, write_solved


def candidates(plies: int, seed: int) -> Iterator[tuple[int, ...]]:
    """Random lines without end, no two of a batch to the same position."""
    batch = 0
    while True:
        yield from draw_openings(CONNECT4, plies, 1000, derive(seed, "batch", batch))
        batch += 1


def balanced(plies: int, count: int, seed: int) -> Iterator[KnownPosition]:
    """The openings, as they are found."""
    oracle = Oracle(CONNECT4)
    seen: set[int] = set()
    for line in candidates(plies, seed):
        position = Position.start(CONNECT4, line)
        key = folded_key(position)
        if key in seen:
            continue
        seen.add(key)
        if oracle.verdict(position) != 0:
            continue
        scores = oracle.scores(position)
        kept = sum(score == 0 for score in scores.values())
        if 2 <= kept < len(scores):
            yield KnownPosition(position, line, scores)
            count -= 1
            if count == 0:
                return


def main() -> None:
    """Write the file."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--plies", type=int, default=12, help="stones on the board")
    arguments.add_argument("--count", type=int, default=200, help="how many openings")
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    found = []
    for known in balanced(given.plies, given.count, given.seed):
        found.append(known)
    with given.file.open("w", encoding="utf-8", newline="") as out:
        write_solved(CONNECT4, sorted(found, key=lambda known: known.moves), out)


if __name__ == "__main__":
    main()
