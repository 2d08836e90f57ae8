"""Openings: the first plies of a pair of matches, fixed or drawn from a seed."""

from __future__ import annotations

from inarow.errors import InarowError
from inarow.randomness import Stream, derive
from inarow.rules import Game, Position


class OpeningError(InarowError):
    """Openings that can't be had on this board."""


def draw_openings(game: Game, plies: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """Random openings of that many plies, every legal move as likely, none finished.

    No opening is drawn again while others are left: the positions reached are distinct for as long as there are some.
    """
    if not 0 <= plies < game.cells:
        raise OpeningError(f"openings of {plies} plies can't be on {game}; give 0 to {game.cells - 1}")
    stream = Stream(derive(seed, "openings"))
    drawn: list[tuple[int, ...]] = []
    seen: set[int] = set()
    misses = 0
    while len(drawn) < count:
        found = _random_line(game, plies, stream)
        if found is None:
            misses += 1
            if misses > 10_000:
                raise OpeningError(f"no opening of {plies} plies on {game} leaves the game open; give fewer plies")
            continue
        line, key = found
        if key in seen and misses < 100 + 10 * len(seen):
            misses += 1
            continue
        if key in seen:
            seen.clear()  # all that there are have been drawn: begin another round
        misses = 0
        seen.add(key)
        drawn.append(line)
    return drawn


def _random_line(game: Game, plies: int, stream: Stream) -> tuple[tuple[int, ...], int] | None:
    """A random line and the key of its position; None if it ended the game."""
    position = Position.start(game)
    line = []
    for _ in range(plies):
        line.append(stream.choice(position.legal_moves()))
        position = position.play(line[-1])
        if position.outcome() is not None:
            return None
    return tuple(line), position.key()
