"""Guides of a learner: moves that are played before its table is asked, and a preference mixed with its values."""

from __future__ import annotations

from inarow.bits import MAX_BITS
from inarow.kernels.common.board import playable, popcount, runs, winning_cells
from inarow.kernels.qlearning.arguments import Board

NONE, RULES, THREATS, HEURISTIC = range(4)


def guided(kind: int, board: Board, mine: int, other: int) -> int:
    """The cells that the guide demands to choose from, or none: wins, else blocks, else (from THREATS on) double
    threats, else (HEURISTIC) those that give the opponent neither a win nor a double threat, if others would."""
    if kind == NONE:
        return 0
    free = playable(mine | other, board.bottom, board.cells, board.gravity)
    wins = winning_cells(mine, board.k, board.stride, board.cells)
    if wins & free:
        return wins & free
    blocks = winning_cells(other, board.k, board.stride, board.cells)
    if blocks & free:
        return blocks & free
    if kind == RULES:
        return 0
    double, safe, sound = 0, 0, 0
    rest = free
    while rest:
        stone = rest & -rest
        rest ^= stone
        cells = playable(mine | other | stone, board.bottom, board.cells, board.gravity)
        if blocks & cells:
            continue
        safe |= stone
        threats = winning_cells(mine | stone, board.k, board.stride, board.cells) & cells
        if threats & (threats - 1):
            double |= stone
        # A side that is threatened must block, so its only replies are the threatened cells.
        replies = threats if threats else cells
        if not can_double(board, other, mine | stone, replies):
            sound |= stone
    if double or kind == THREATS:
        return double
    chosen = sound if sound else safe
    return chosen if chosen != free else 0


def can_double(board: Board, mine: int, other: int, cells: int) -> bool:
    """Whether a stone on one of these cells makes two threats at once."""
    while cells:
        stone = cells & -cells
        cells ^= stone
        free = playable(mine | other | stone, board.bottom, board.cells, board.gravity)
        threats = winning_cells(mine | stone, board.k, board.stride, board.cells) & free
        if threats & (threats - 1):
            return True
    return False


def preference(board: Board, mine: int, other: int, stone: int) -> float:
    """How much the heuristic likes a move, by the position after it: windows that lack one, two or three stones (0.8,
    0.3, 0.1 each), stones in the middle column (0.4), k − 1 stacked with the cell above free (0.5), a threat to win
    at once (2), two or more of them (5), and a block (1)."""
    k, stride = board.k, board.stride
    liking = 1.0 if winning_cells(other, k, stride, board.cells) & stone else 0.0
    mine |= stone
    empty = board.cells & ~(mine | other)
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        none, one, two, three = mine, empty, 0, 0
        for i in range(1, k):
            shift = min(i * step, MAX_BITS)
            next_mine, next_empty = mine >> shift, empty >> shift
            three = (three & next_mine) | (two & next_empty)
            two = (two & next_mine) | (one & next_empty)
            one = (one & next_mine) | (none & next_empty)
            none &= next_mine
        liking += 0.8 * popcount(one) + 0.3 * popcount(two) + 0.1 * popcount(three)
    columns = popcount(board.bottom)
    middle = (((1 << (stride - 1)) - 1) << (columns // 2 * stride)) if columns % 2 else 0
    liking += 0.4 * popcount(mine & middle)
    if board.gravity:
        liking += 0.5 * popcount(runs(mine, 1, k - 1) & (empty >> (k - 1)))
    free = playable(mine | other, board.bottom, board.cells, board.gravity)
    threats = popcount(winning_cells(mine, k, stride, board.cells) & free)
    if threats > 0:
        liking += 2.0 if threats == 1 else 5.0
    return liking
