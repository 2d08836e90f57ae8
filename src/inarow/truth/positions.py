"""Positions to grade agents on: all of a small game, or a random sample."""

from __future__ import annotations

from inarow.randomness import Stream, derive
from inarow.rules import CONNECT4, Game, Position
from inarow.truth.solved import SolvedPositions
from inarow.truth.truth_set import truth_set

ENUMERABLE = 20_000
"""Games with at most this many positions are graded in all of them."""


def quick_ply(game: Game) -> int:
    """The earliest ply at which positions are solved in an instant: 30 cells are left, on any board with gravity."""
    return max(0, game.cells - 30)


def all_positions(game: Game, most: int = ENUMERABLE) -> list[Position] | None:
    """All positions of a game that are not over; None if there are more than ``most``."""
    found = {Position.start(game)}
    level = [Position.start(game)]
    while level:
        after = {child for position in level for child in map(position.play, position.legal_moves())}
        level = [position for position in after if position.outcome() is None]
        found.update(level)
        if len(found) > most:
            return None
    return sorted(found, key=_by_ply)


def random_positions(solved: SolvedPositions, count: int, seed: int, first_ply: int = 0) -> list[Position]:
    """Random positions from ``first_ply`` on, spread over the plies, in which moves differ in verdict.

    Those of Connect 4 are drawn from the truth set.
    """
    game = solved.game
    stream = Stream(derive(seed, "positions"))
    if game == CONNECT4:
        drawn = [one.position for one in truth_set() if not one.trivial and one.position.ply >= first_ply]
        stream.shuffle(drawn)
        return sorted(drawn[:count], key=_by_ply)
    found: dict[int, Position] = {}
    plies = range(first_ply, game.cells - 1)
    for number in range(count * 20):
        position = Position.start(game)
        for _ in range(plies[number % len(plies)]):
            if position.outcome() is not None:
                break
            position = position.play(stream.choice(position.legal_moves()))
        if position.outcome() is None and position.key() not in found and not solved.is_trivial(position):
            found[position.key()] = position
        if len(found) == count:
            break
    return sorted(found.values(), key=_by_ply)


def _by_ply(position: Position) -> tuple[int, int]:
    return position.ply, position.key()
