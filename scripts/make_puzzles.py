"""Make the puzzles of the page: positions of Connect 4 in which exactly one move wins, graded by the length of the win.

python scripts/make_puzzles.py [--each 80] [--seed 1]

Positions come from matches in which both sides win and block at once and else move at random. The exact solver proves
that one move wins and that no other does.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from inarow.limits import Limit
from inarow.play.insight import LEVELS, PUZZLES, Puzzle, write_puzzles
from inarow.randomness import Stream, derive
from inarow.rules import CONNECT4, Position
from inarow.solver import Oracle
from inarow.solver.analysis import plies_to_end

FIRST_PLY = 8
LAST_PLY = 36
NODES = 60_000


def main() -> None:
    """Search for puzzles until every level has enough."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=80, help="puzzles of each level")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=PUZZLES)
    given = parser.parse_args()
    oracle = Oracle(CONNECT4)
    found: dict[int, list[Puzzle]] = {level: [] for level in LEVELS}
    seen: set[int] = set()
    index = 0
    while any(len(puzzles) < given.each for puzzles in found.values()):
        stream = Stream(derive(given.seed, "puzzle", index))
        index += 1
        position = Position.start(CONNECT4)
        moves: list[int] = []
        last = FIRST_PLY + stream.below(LAST_PLY - FIRST_PLY)
        while len(moves) < last and position.outcome() is None:
            moves.append(_natural_move(position, stream))
            position = position.play(moves[-1])
        if position.outcome() is not None or position.key() in seen:
            continue
        seen.add(position.key())
        puzzle = _puzzle(oracle, position, tuple(moves))
        if puzzle is not None and len(found[puzzle.level]) < given.each:
            found[puzzle.level].append(puzzle)
            sys.stderr.write(f"\r{ {level: len(puzzles) for level, puzzles in found.items()} }")
    write_puzzles([puzzle for level in LEVELS for puzzle in found[level]], given.out)
    sys.stderr.write(f"\n{given.out}\n")


def _natural_move(position: Position, stream: Stream) -> int:
    """Win, else block, else move at random."""
    wins = position.winning_moves()
    moves = wins or position.winning_moves(position.to_move.other) or position.legal_moves()
    return moves[stream.below(len(moves))]


def _puzzle(oracle: Oracle, position: Position, moves: tuple[int, ...]) -> Puzzle | None:
    """Return the puzzle of a position, or None if it is none."""
    if position.winning_moves() or len(position.legal_moves()) < 4:
        return None
    found = oracle.analyse(position, Limit(nodes=NODES))
    if not found.solved or not all(bounds.decided for bounds in found.moves.values()):
        return None
    winning = [move for move, bounds in found.moves.items() if bounds.low > 0]
    if len(winning) != 1:
        return None
    return Puzzle(moves, winning[0], (plies_to_end(position, found.score) + 1) // 2)


if __name__ == "__main__":
    main()
