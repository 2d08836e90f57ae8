"""Check a book of Connect 4 scores: published counts of a ply, and a sample against bitbully.

python scripts/check_book.py src/inarow/data/books/connect4.book --sample 2000
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from inarow.randomness import Stream
from inarow.rules import CONNECT4
from inarow.solver.book import read_book
from inarow.solver.building import early_positions, to_solve
from support.rival_solver import rival_score, rival_solver

PUBLISHED = {8: (124_624, 14_676, 44_975)}
"""Wins, draws and losses of the side to move at a ply, finished games included (arXiv 2507.05267)."""


def main() -> None:
    """Print what agrees; exit with 1 if something does not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("book", type=Path)
    parser.add_argument("--sample", type=int, default=2000, help="positions of the last ply to compare with bitbully")
    options = parser.parse_args()
    book = read_book(options.book)
    levels = early_positions(CONNECT4, book.plies)
    sys.stdout.write(f"{len(book.keys):,} positions of up to {book.plies} plies\n")
    wrong = 0
    for ply, published in PUBLISHED.items():
        if ply <= book.plies:
            counts: Counter[int] = Counter()
            for position in levels[ply].values():
                score = 1 if position.winning_moves() else book.get(position)
                assert score is not None, f"{position!r} is not in the book"
                counts[(score > 0) - (score < 0)] += 2 - (position == position.mirrored())
            ended = {
                child
                for parent in levels[ply - 1].values()
                for one in (parent, parent.mirrored())
                for child in map(one.play, one.legal_moves())
                if child.outcome() is not None
            }
            found = counts[1], counts[0], counts[-1] + len(ended)
            sys.stdout.write(f"ply {ply}: wins, draws, losses {found}; published {published}\n")
            wrong += found != published
    quiet, rival = to_solve(levels), rival_solver(book=True)
    Stream(1).shuffle(quiet)
    differ = sum(book.get(position) != rival_score(position, rival) for position in quiet[: options.sample])
    sys.stdout.write(
        f"{min(options.sample, len(quiet)):,} positions of ply {book.plies} against bitbully: {differ} differ\n"
    )
    raise SystemExit(1 if wrong or differ else 0)


if __name__ == "__main__":
    main()
