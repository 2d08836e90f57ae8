"""The orders in which a search tries moves."""

from __future__ import annotations

from inarow import bits
from inarow.agents.ties import centre_first
from inarow.rules import Game, Position

ORDERS = ("none", "columns", "tallest")
"""Plain orders: ascending; column by column; by landing cell, the top row first."""
ORDERS_HELP = (
    "in ascending order; column by column (cells of free boards from the top down); or by landing cell, the tallest "
    "column first"
)


def move_masks(game: Game, order: str) -> list[int]:
    """Masks of cells in the order of moves: the next move is the landing cell in the next mask that has one."""
    if order == "none":
        return list(game.move_masks)
    if order == "columns":
        across = sorted(range(game.moves), key=lambda move: (move % game.columns, move))
        return [game.move_masks[move] for move in across]
    if order == "tallest":
        return list(game.cell_bits)
    return [game.move_masks[move] for move in centre_first(game, range(game.moves))]


def ordered_moves(position: Position, order: str) -> list[int]:
    """The legal moves in this order."""
    game = position.game
    cells = bits.playable(position.occupied, game.bottom, game.board, game.gravity)
    landing = (cells & mask for mask in move_masks(game, order))
    return [game.move_of_bit(bits.lowest(cell)) for cell in landing if cell]
