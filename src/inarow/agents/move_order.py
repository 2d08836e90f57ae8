"""The orders in which a search tries moves."""

from __future__ import annotations

from inarow import bits
from inarow.agents.ties import centre_first
from inarow.rules import Game, Position


def move_masks(game: Game, order: str) -> list[int]:
    """Return the cells of each move in this order: ``none`` for ascending, ``centre`` for the centre first."""
    if order == "none":
        return list(game.move_masks)
    return [game.move_masks[move] for move in centre_first(game, range(game.moves))]


def ordered_moves(position: Position, order: str) -> list[int]:
    """The legal moves in this order."""
    game = position.game
    cells = bits.playable(position.occupied, game.bottom, game.board, game.gravity)
    landing = (cells & mask for mask in move_masks(game, order))
    return [game.move_of_bit(bits.lowest(cell)) for cell in landing if cell]
