"""Choosing among moves that are equally good."""

from __future__ import annotations

from collections.abc import Sequence

from inarow.agents.parameters import choice
from inarow.randomness import Stream
from inarow.rules import Game

TIES = ("first", "centre", "random")
TIES_HELP = "among equally good moves: the first, the one nearest the centre, or any"


def ties_field(default: str) -> str:
    """A field for how ties are broken."""
    field: str = choice(default, TIES, TIES_HELP)
    return field


def distance_from_centre(game: Game, move: int) -> int:
    """Twice the distance of a move from the middle column, or from the middle of a board without gravity."""
    row, column = divmod(move, game.columns)
    across = abs(2 * column - (game.columns - 1))
    return across if game.gravity else max(across, abs(2 * row - (game.rows - 1)))


def centre_first(game: Game, moves: Sequence[int]) -> list[int]:
    """The moves, those nearest the centre first, else in ascending order."""
    return sorted(moves, key=lambda move: (distance_from_centre(game, move), move))


def pick(game: Game, moves: Sequence[int], ties: str, stream: Stream) -> int:
    """One of the moves, which are in ascending order and equally good."""
    if ties == "random":
        return stream.choice(moves)
    return moves[0] if ties == "first" else centre_first(game, moves)[0]
