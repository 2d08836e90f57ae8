"""Positions with the exact score of every move, as a file, to train other models on."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import IO

import numpy as np

from inarow.errors import InarowError
from inarow.limits import NO_LIMIT, Limit
from inarow.paths import binary_writer, text_writer
from inarow.rules import Game, Position, format_move, format_moves
from inarow.truth import KnownPosition
from inarow.truth.positions import Map, sample, solve_block

NO_SCORE = -128
"""Placeholder of illegal moves in arrays."""


def check_ending(path: Path) -> None:
    """Raise `InarowError` if the suffix of a file is not that of a format."""
    if path.suffix not in (".csv", ".npz"):
        raise InarowError(f"{path.name}: expected a file name that ends in .csv or .npz")


@dataclass(frozen=True)
class Dataset:
    """Solved positions of one game, distinct up to symmetry."""

    game: Game
    known: tuple[KnownPosition, ...]
    unsolved: int = 0
    """Number of positions that were skipped because they were not solved within the limit."""

    def write(self, path: Path) -> None:
        """Write a file in the format of its suffix: CSV, or NumPy's npz."""
        check_ending(path)
        if path.suffix == ".csv":
            with text_writer(path) as out:
                self.write_csv(out)
        else:
            with binary_writer(path) as file:
                np.savez_compressed(file, allow_pickle=False, **self.arrays())

    def write_csv(self, out: IO[str]) -> None:
        """Write one position per line: moves, ply, score, and the score of each move, empty if illegal."""
        writer = csv.writer(out, lineterminator="\n")
        kind = "column" if self.game.gravity else "cell"
        names = [f"{kind} {format_move(move)}" for move in range(self.game.moves)]
        writer.writerow(["moves", "ply", "score", *names])
        for one in self.known:
            scores = [one.scores.get(move, "") for move in range(self.game.moves)]
            text = format_moves(self.game, one.moves)
            writer.writerow([text, one.position.ply, max(one.scores.values()), *scores])

    def arrays(self) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.int8]]]:
        """Return the positions as int8 arrays, all for the side to move.

        ``boards`` (n, rows, columns): 1 for own stones, −1 for the opponent's; ``scores`` (n, moves): −128 for illegal
        moves; ``score`` (n,): the best; ``ply`` (n,).
        """
        game = self.game
        boards = np.zeros((len(self.known), game.rows, game.columns), np.int8)
        scores = np.full((len(self.known), game.moves), NO_SCORE, np.int8)
        for at, one in enumerate(self.known):
            for row, stones in enumerate(one.position.grid()):
                for column, stone in enumerate(stones):
                    if stone is not None:
                        boards[at, row, column] = 1 if stone is one.position.to_move else -1
            for move, score in one.scores.items():
                scores[at, move] = score
        ply = np.array([one.position.ply for one in self.known], np.int8)
        return {"boards": boards, "scores": scores, "score": scores.max(axis=1, initial=NO_SCORE), "ply": ply}


def make_dataset(
    game: Game,
    plies: Sequence[int],
    per_ply: int,
    *,
    seed: int = 0,
    limit: Limit = NO_LIMIT,
    on_position: Callable[[], None] = lambda: None,
    each: Map = map,
) -> Dataset:
    """Return random solved positions, at most ``per_ply`` per ply; unsolved ones are skipped.

    Half of the moves that lead to them are random, the others win or block when they can. ``on_position`` is called
    after every position; ``each`` maps the solver over positions, as `map` does.
    """
    if per_ply < 1:
        raise InarowError(f"the number of positions per ply must be positive, got {per_ply}")
    if not plies or min(plies) < 0 or max(plies) >= game.cells:
        raise InarowError(f"plies must be from 0 to {game.cells - 1} on {game}, got {_span(plies)}")
    drawn = [moves for ply in sorted(set(plies), reverse=True) for moves in sample(ply, per_ply, seed, game)]
    positions = [Position.start(game, moves) for moves in drawn]  # quick ones first
    solved = each(solve_block, repeat(game), ([one] for one in positions), repeat(limit))
    known: list[KnownPosition] = []
    for position, moves, (scores,) in zip(positions, drawn, solved, strict=True):
        if scores is not None:
            known.append(KnownPosition(position, moves, scores))
        on_position()
    known.sort(key=lambda one: (one.position.ply, one.moves))
    return Dataset(game, tuple(known), len(drawn) - len(known))


def _span(plies: Iterable[int]) -> str:
    numbers = sorted(plies)
    return f"{numbers[0]} to {numbers[-1]}" if numbers else "none"
