"""How the truth set is made: ``python -m inarow.truth.recipe FILE``, about half an hour on one core.

Positions come from matches in which each move is, with equal chance, a random legal one or that of a player who wins or
blocks when it can; no two are the same or mirror images. Every move of each is solved, without a book.
"""

from __future__ import annotations

import sys
from pathlib import Path

from inarow.agents import agent
from inarow.atomic import text_writer
from inarow.randomness import Stream, derive
from inarow.rules import CONNECT4, Game, Position
from inarow.solver import Oracle
from inarow.solver.solved import KnownPosition
from inarow.truth.truth_set import write_truth

PLIES = range(8, 38)
PER_PLY = 67
SEED = 1
PATIENCE = 2_000
"""Random matches in a row without a new position, after which there are taken to be no more."""


def sample(ply: int, count: int, seed: int, game: Game = CONNECT4) -> list[tuple[int, ...]]:
    """Moves to distinct positions of this ply that are not over; fewer than ``count`` if no more turn up."""
    stream = Stream(derive(seed, "truth set", ply))
    careful = agent("rules")
    found: dict[int, tuple[int, ...]] = {}
    in_vain = 0
    while len(found) < count and in_vain < PATIENCE:
        position = Position.start(game)
        moves: list[int] = []
        while len(moves) < ply and position.outcome() is None:
            if stream.below(2):
                move = careful.start(game, position.to_move, stream.number()).decide(position).move
            else:
                move = stream.choice(position.legal_moves())
            moves.append(move)
            position = position.play(move)
        in_vain += 1
        if len(moves) == ply and position.outcome() is None and (key := position.canonical_key()) not in found:
            found[key] = tuple(moves)
            in_vain = 0
    return list(found.values())


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
        write_truth(known, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
