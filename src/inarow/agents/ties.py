"""Move orders, tie-breaking, and sets of moves as kernels store them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inarow.agents.parameters import choice
from inarow.kernels.decisions import CENTRE, FIRST, choose, distance_from_centre
from inarow.randomness import Stream
from inarow.rules import Game

TIES = ("first", "centre", "random")
TIES_HELP = "among equally good moves: the first, the one nearest the centre, or any"


def ties_field(default: str) -> str:
    """Return a field for tie-breaking."""
    field: str = choice(default, TIES, TIES_HELP)
    return field


def centre_first(game: Game, moves: Sequence[int]) -> list[int]:
    """Return the moves, those nearest the centre first, else in ascending order."""
    return sorted(moves, key=lambda move: (distance_from_centre(game.layout, move), move))


def pick(game: Game, moves: Sequence[int], ties: str, stream: Stream) -> int:
    """Return one of the moves, which are in ascending order and equally good."""
    if ties == "random":
        return stream.choice(moves)
    return choose(game.layout, move_set(moves), FIRST if ties == "first" else CENTRE, 0)[0]


def move_set(moves: Iterable[int]) -> int:
    """Return a set of moves as a bit mask: bit m for move m."""
    return sum(1 << move for move in moves)


def move_list(moves: int) -> list[int]:
    """Return the moves of such a set in ascending order."""
    return [move for move in range(moves.bit_length()) if moves >> move & 1]
