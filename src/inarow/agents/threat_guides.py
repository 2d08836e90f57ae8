"""What guides R1's Connect 4 learner before and beside its table: threats, double threats and a heuristic."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from inarow import bits
from inarow.rules import Game, Position
from inarow.rules.lines import VERTICAL, lines_along, lines_of

UPPER_ROWS, THREAT_LEFT = "upper-rows", "threat-left"
_WORTH = (0, 1, 3, 8, 0)
"""Tenths for a line, by its number of own stones, if the opponent has none in it."""


def guided_move(position: Position) -> int | None:
    """The move that completes an own line, else the opponent's, else makes two threats at once; None if none does."""
    own, other = position.mover, position.waiter
    for stones in (own, other):
        move = _threat(position.game, stones, own | other)
        if move is not None:
            return move
    for move in position.legal_moves():
        stone = position.stone(move)
        if threats(position.game, own | stone, own | other | stone).bit_count() > 1:
            return move
    return None


def threats(game: Game, stones: int, occupied: int) -> int:
    """The cells, playable now, where one side would complete a line."""
    found = bits.winning_cells(stones, game.k, game.stride, game.board)
    return found & bits.playable(occupied, game.bottom, game.board, game.gravity)


def _threat(game: Game, stones: int, occupied: int) -> int | None:
    """The move of the first line that lacks one playable stone: horizontals from the top, verticals, diagonals."""
    cells = threats(game, stones, occupied)
    if not cells:
        return None
    if cells.bit_count() > 1:
        cells = next(line & ~stones for line in lines_of(game) if line & ~stones & cells and _lacks_one(line, stones))
    return game.move_of_bit(cells.bit_length() - 1)


def _lacks_one(line: int, stones: int) -> bool:
    return (line & ~stones).bit_count() == 1


def heuristic(position: Position, faults: Collection[str]) -> dict[int, float]:
    """What the board after each move is worth to the mover."""
    game, own, other = position.game, position.mover, position.waiter
    through, centre = _lines_through(game), _centre_weights(game, UPPER_ROWS in faults)
    base = 4 * sum(weight for cell, weight in centre.items() if own & cell)
    base += sum(_WORTH[(line & own).bit_count()] for line in lines_of(game) if not line & other)
    vertical = lines_along(game, *VERTICAL)
    base += 5 * sum(not line & other and (line & own).bit_count() == game.k - 1 for line in vertical)
    found = {}
    for move in position.legal_moves():
        stone = position.stone(move)
        tenths = base + 4 * centre.get(stone, 0)
        for line, upright in through[stone]:
            if not line & other:
                count = (line & own).bit_count()
                tenths += _WORTH[count + 1] - _WORTH[count]
                tenths += 5 * upright * ((count + 1 == game.k - 1) - (count == game.k - 1))
        occupied = own | other | stone
        mine = threats(game, own | stone, occupied).bit_count()
        tenths += 20 * (mine > 0) + 30 * (mine > 1)
        left = bool(threats(game, other, occupied))
        tenths += 10 * (left if THREAT_LEFT in faults else not left)
        found[move] = tenths / 10
    return found


@lru_cache(maxsize=16)
def _lines_through(game: Game) -> dict[int, list[tuple[int, bool]]]:
    """The lines through each cell, and which of them are vertical."""
    upright = set(lines_along(game, *VERTICAL))
    return {cell: [(line, line in upright) for line in lines_of(game) if line & cell] for cell in game.cell_bits}


@lru_cache(maxsize=16)
def _centre_weights(game: Game, upper: bool) -> dict[int, int]:
    """The weight of each cell of the middle column: more for upper rows, or for lower ones."""
    cells = [game.cell_bits[row * game.columns + game.columns // 2] for row in range(game.rows)]
    return {cell: game.rows - row if upper else row + 1 for row, cell in enumerate(cells)}
