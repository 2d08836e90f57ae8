"""An order of moves that leads to a position, for positions that were set up by hand."""

from __future__ import annotations

from inarow import bits
from inarow.rules.position import FIRST, SECOND, Position


def order_of_moves(position: Position) -> tuple[int, ...] | None:
    """Moves that lead to this position from the empty board, or None if no order of moves does."""
    failed: set[tuple[int, int]] = set()
    moves: list[int] = []
    if _take_back(position, moves, failed):
        return tuple(reversed(moves))
    return None


def _take_back(position: Position, moves: list[int], failed: set[tuple[int, int]]) -> bool:
    """Take stones off one by one, each time leaving a position where the game goes on, until the board is empty."""
    if position.occupied == 0:
        return True
    key = (position.first, position.second)
    if key in failed:
        return False
    game = position.game
    last = SECOND if position.first.bit_count() == position.second.bit_count() else FIRST
    stones = (position.first, position.second)[last]
    for cell, bit in enumerate(game.cell_bits):
        if not stones & bit or (game.gravity and position.occupied & (bit << 1)):
            continue
        rest = stones & ~bit
        if bits.has_line(rest, game.k, game.stride):
            continue
        before = Position(game, rest, position.second) if last is FIRST else Position(game, position.first, rest)
        moves.append(cell % game.columns if game.gravity else cell)
        if _take_back(before, moves, failed):
            return True
        moves.pop()
    failed.add(key)
    return False
