"""The rules of the games: where stones go, what ends a game, which moves complete a line, how long a won game takes.

Plain functions of integers. Python calls them as they are, so that nothing has to be compiled first; kernels, and the
builds for the browser (`kernels.wasm`), are compiled from them. ``first`` and ``second`` are the stones of the two
players, ``own`` and ``opp`` those of the side to move and of the other. A set of moves has bit m for move m.
"""

from __future__ import annotations

from collections.abc import MutableSequence

from inarow.bits import (
    BitLayout,
    board_mask,
    bottom_mask,
    line_on,
    lowest,
    out_of_line,
    playable,
    popcount,
    winning_cells,
    wins_on,
)
from inarow.randomness import MIX_A, mix, plus, times

GOES_ON, DRAWN, FIRST_WON, SECOND_WON = range(4)


def layout_of(columns: int, rows: int, k: int, gravity: bool) -> BitLayout:
    """Return the numbers and sets of cells that describe a game."""
    board, bottom = board_mask(columns, rows), bottom_mask(columns, rows)
    claimed, row = 0, rows - 1
    while row >= 0:
        claimed |= bottom << row
        row -= 2
    return BitLayout(k, rows + 1, board, bottom, gravity, columns, rows, bottom << rows, claimed, 0, False)


@out_of_line
def outcome(layout: BitLayout, first: int, second: int) -> int:
    """Return GOES_ON, DRAWN, FIRST_WON or SECOND_WON."""
    if line_on(layout, first):
        return SECOND_WON if layout.misere else FIRST_WON
    if line_on(layout, second):
        return FIRST_WON if layout.misere else SECOND_WON
    return DRAWN if first | second == layout.board else GOES_ON


def legal_moves(layout: BitLayout, first: int, second: int) -> int:
    """Return the set of legal moves; empty once the game is over."""
    return moves_to(layout, open_cells(layout, first | second)) if outcome(layout, first, second) == GOES_ON else 0


def open_cells(layout: BitLayout, occupied: int) -> int:
    """Return the cells where the next stone may go, as bits."""
    return playable(occupied, layout.bottom, layout.board, layout.gravity)


def threats(layout: BitLayout, stones: int, occupied: int) -> int:
    """Return the empty cells, within reach or not, where one more of these stones completes a line, as bits."""
    return wins_on(layout, stones) & ~occupied


@out_of_line
def winning_moves(layout: BitLayout, stones: int, occupied: int) -> int:
    """Return the set of moves that win by completing a line of these stones."""
    return 0 if layout.misere else moves_to(layout, threats(layout, stones, occupied) & open_cells(layout, occupied))


def urgent_cells(own: int, opp: int, free: int, k: int, stride: int, board: int) -> int:
    """Return the cells among these that complete a line or, failing that, block the opponent's; as bits."""
    wins = winning_cells(own, k, stride, board) & free
    return wins if wins != 0 else winning_cells(opp, k, stride, board) & free


def line_cells(layout: BitLayout, stones: int) -> int:
    """Return the cells that stand in a completed line of these stones, as bits."""
    return wins_on(layout, stones) & stones


def look(layout: BitLayout, first: int, second: int) -> tuple[int, int, int, int, int]:
    """Return the outcome, the set of legal moves, the cells of completed lines, and each player's threats."""
    occupied = first | second
    lines = line_cells(layout, first) | line_cells(layout, second)
    ours, theirs = threats(layout, first, occupied), threats(layout, second, occupied)
    return outcome(layout, first, second), legal_moves(layout, first, second), lines, ours, theirs


def cell_of(layout: BitLayout, stone: int) -> int:
    """Return the number of a cell, row by row from the top left, given as a bit."""
    index = lowest(stone)
    return (layout.rows - 1 - index % layout.stride) * layout.columns + index // layout.stride


def move_to(layout: BitLayout, stone: int) -> int:
    """Return the move that fills a cell, given as a bit."""
    return lowest(stone) // layout.stride if layout.gravity else cell_of(layout, stone)


def moves_to(layout: BitLayout, cells: int) -> int:
    """Return the set of moves that fill these cells, given as bits."""
    moves, gravity, stride = 0, layout.gravity, layout.stride
    while cells != 0:
        moves |= 1 << (lowest(cells) // stride if gravity else cell_of(layout, cells))
        cells &= cells - 1
    return moves


def symmetries(layout: BitLayout) -> int:
    """Return how many symmetries the board has."""
    return 2 if layout.gravity else 8 if layout.columns == layout.rows and layout.width == 0 else 4


def image_of(layout: BitLayout, which: int, index: int) -> int:
    """Return the cell, as a bit, that the cell of a bit index becomes by a symmetry; the first is no change."""
    columns, rows = layout.columns, layout.rows
    column, row = index // layout.stride, rows - 1 - index % layout.stride
    square = not layout.gravity and columns == rows and layout.width == 0
    if square:
        swap, which = which & 1, which >> 1
    else:
        swap = 0
    if not layout.gravity:
        row, which = rows - 1 - row if which & 1 != 0 else row, which >> 1
    if which != 0:
        column = columns - 1 - column
    if swap != 0:
        row, column = column, row
    return 1 << (column * layout.stride + rows - 1 - row)


def stone_of(layout: BitLayout, occupied: int, move: int) -> int:
    """Return the cell that a legal move fills, as a bit."""
    if layout.gravity:
        column = ((1 << layout.rows) - 1) << (move * layout.stride)
        return column & (occupied + layout.bottom)
    return 1 << (move % layout.columns * layout.stride + layout.rows - 1 - move // layout.columns)


def after(layout: BitLayout, own: int, opp: int, move: int) -> tuple[int, int]:
    """Return ``own`` and ``opp`` of the next side to move."""
    return opp, own | stone_of(layout, own | opp, move)


def plies_to_end(layout: BitLayout, ply: int, score: int) -> int:
    """Return how many stones follow until the end, if both play perfectly: quickest win, longest resistance.

    ``ply`` stones are on the board; the score is for the side to move.
    """
    cells = popcount(layout.board)
    if score == 0:
        return cells - ply
    last = cells + 2 - 2 * abs(score)  # the number of the last stone, or the one before it: the winner's
    side = ply if (score > 0) != layout.misere else ply + 1  # whose stone makes the line
    return last - (last - 1 - side) % 2 - ply


def moves_to_end(layout: BitLayout, ply: int, score: int) -> int:
    """Return how many of its own moves the winner still needs; the score is for the side to move and not 0."""
    plies = plies_to_end(layout, ply, score)
    return (plies + 1) // 2 if score > 0 else plies // 2


# Why no play leads to a position.
POSSIBLE, UNEVEN, FLOATING, TWO_LINES, PLAYED_ON, NO_LAST_MOVE, NO_ORDER, NOT_FOUND = range(8)
LOOKS = 20_000
"""Positions to look at for an order of moves. Boards of finished matches take less than a hundred; a board made to be
impossible can take millions."""
SEEN = 1 << 15
"""Room for positions to which no order of moves leads; a power of two."""


def reachable(
    layout: BitLayout, first: int, second: int, moves: MutableSequence[int], seen: MutableSequence[int]
) -> tuple[int, int]:
    """Return why no play leads to a position, or POSSIBLE; and the column of a stone that floats, or the player who has
    a line too many.

    Moves that lead there are written to ``moves``, one for each stone. ``seen`` has 1 + 2 × SEEN zeros.
    """
    ours, theirs, occupied = popcount(first), popcount(second), first | second
    if ours != theirs and ours != theirs + 1:
        return UNEVEN, 0
    if layout.gravity:
        for column in range(layout.columns):
            stones = (occupied >> column * layout.stride) & ((1 << layout.rows) - 1)
            if stones & (stones + 1) != 0:
                return FLOATING, column
    first_line, second_line = line_on(layout, first), line_on(layout, second)
    if first_line and second_line:
        return TWO_LINES, 0
    waits = 1 if ours > theirs else 0  # the player who did not move last
    if (second_line and waits == 1) or (first_line and waits == 0):
        return PLAYED_ON, waits
    seen[0] = LOOKS
    found = order_of_moves(layout, first, second, moves, seen)
    return NO_LAST_MOVE if found == NO_ORDER and (first_line or second_line) else found, 0


def order_of_moves(
    layout: BitLayout, first: int, second: int, moves: MutableSequence[int], seen: MutableSequence[int]
) -> int:
    """Write moves that lead to a position from the empty board; return POSSIBLE, NO_ORDER or NOT_FOUND.

    Takes stones off one by one, each time leaving a position where the game goes on. ``seen[0]`` is how many positions
    may still be looked at; the rest are positions that were looked at in vain.
    """
    occupied = first | second
    if occupied == 0:
        return POSSIBLE
    slot = mix(plus(times(first, MIX_A), second)) & (SEEN - 1)
    while seen[1 + 2 * slot] | seen[2 + 2 * slot] != 0:
        if seen[1 + 2 * slot] == first and seen[2 + 2 * slot] == second:
            return NO_ORDER
        slot = (slot + 1) & (SEEN - 1)
    seen[0] -= 1
    if seen[0] < 0:
        return NOT_FOUND
    ply = popcount(occupied)
    stones = first if ply & 1 == 1 else second
    for cell in range(layout.columns * layout.rows):
        bit = 1 << (cell % layout.columns * layout.stride + layout.rows - 1 - cell // layout.columns)
        if stones & bit == 0 or (layout.gravity and occupied & (bit << 1) != 0):
            continue
        if line_on(layout, stones & ~bit):
            continue
        found = order_of_moves(layout, first & ~bit, second & ~bit, moves, seen)
        if found != NO_ORDER:
            moves[ply - 1] = move_to(layout, bit)
            return found
    while seen[1 + 2 * slot] | seen[2 + 2 * slot] != 0:  # others may have been added meanwhile
        slot = (slot + 1) & (SEEN - 1)
    seen[1 + 2 * slot] = first
    seen[2 + 2 * slot] = second
    return NO_ORDER
