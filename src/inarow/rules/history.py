"""An order of moves that leads to a position, for positions that were set up by hand."""

from __future__ import annotations

from inarow import bits
from inarow.errors import InarowError
from inarow.rules.position import FIRST, Position

MOST = 20_000
"""Positions to look at before giving up. Boards of finished matches take less than a hundred; a board made to be
impossible can take millions."""


class SearchTooLong(InarowError):
    """The search for an order of moves was abandoned."""


def order_of_moves(position: Position) -> tuple[int, ...] | None:
    """Moves that lead to this position from the empty board, or None if no order of moves does.

    Raises `SearchTooLong` once it has looked at many positions.
    """
    search = _Search()
    return tuple(reversed(search.moves)) if search.take_back(position) else None


class _Search:
    """Takes stones off one by one, each time leaving a position where the game goes on, until the board is empty."""

    def __init__(self) -> None:
        self.moves: list[int] = []
        self._left = MOST
        self._failed: set[int] = set()

    def take_back(self, position: Position) -> bool:
        if position.occupied == 0:
            return True
        if position.key() in self._failed:
            return False
        self._left -= 1
        if self._left < 0:
            raise SearchTooLong("no order of moves to this position was found; give the moves instead of the stones")
        game = position.game
        last = position.to_move.other
        stones = (position.first, position.second)[last]
        for bit in game.cell_bits:
            if not stones & bit or (game.gravity and position.occupied & (bit << 1)):
                continue
            rest = stones & ~bit
            if bits.has_line(rest, game.k, game.stride):
                continue
            before = Position(game, rest, position.second) if last is FIRST else Position(game, position.first, rest)
            self.moves.append(game.move_of_bit(bit.bit_length() - 1))
            if self.take_back(before):
                return True
            self.moves.pop()
        self._failed.add(position.key())
        return False
