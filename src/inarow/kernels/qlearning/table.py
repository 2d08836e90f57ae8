"""A table of Q-values that folds symmetric positions, compiled: keys, rows, slots, the values of moves, and guides.

A row of the table belongs to a position up to symmetry, its *slots* to the moves up to the symmetries of that position.
The key of a row is two words, the stones of the side to move and the other's. All values are for the side to move.

A *guide* chooses together with the table: moves that are played before it is asked, and a preference mixed with its
values. Arrays are flat.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS, lowest, playable, popcount, runs, winning_cells
from inarow.kernels.evaluate import MAX_SYMMETRIES
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import record, write_fields
from inarow.randomness import mix

Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Floats = NDArray[np.float32]
Reals = NDArray[np.float64]
Array = Any
"""A flat array, of what the field says."""

NONE, RULES, THREATS, HEURISTIC = range(4)


class Board(NamedTuple):
    """A game: its rules as bits, its symmetries, and where its centre and corners are."""

    k: int
    stride: int
    cells: int
    """Every cell, as a set of bits."""
    bottom: int
    """The lowest cell of every column."""
    gravity: bool
    centre: int
    corners: int
    moves: int
    symmetries: int
    bits: int
    """Bits of a board in the arrays."""
    bit_images: Array
    """int64 (symmetries, bits): the cell that each bit becomes, as a bit."""
    move_images: Array
    """int64 (symmetries, moves): the move that each move becomes."""
    move_of_bit: Array
    """int64 (bits): the move that fills each bit."""
    centre_weights: Array
    """int64 (bits): how much weight each bit has for an opponent that prefers the centre."""


@record
class TableRecord:
    """A hash table of Q-values with a row for each position up to symmetry."""

    rows: int
    """Room for this many, a power of two."""
    moves: int
    start: float
    """The value of a move not yet tried."""
    used: int
    """Rows in use."""
    most: int
    """The most rows that may be in use."""
    keys: Ints
    """(rows, 2): own stones and the opponent's; −1 where a row is free."""
    values: Floats
    """(rows, moves)."""
    visits: Counts
    """(rows, moves): how often each value was updated."""


class GuideRecord(NamedTuple):
    """What chooses together with the table."""

    kind: int
    share: float
    """The heuristic's share in the value of a move."""


def locate(keys: Array, rows: int, own: int, opp: int) -> int:
    """The row of a key in a hash table of this many rows; if it has none, −1 − the free row where it would go."""
    row = mix(own ^ mix(opp)) & (rows - 1)
    while True:
        found = keys[2 * row]
        if found == own and keys[2 * row + 1] == opp:
            return row
        if found < 0:
            return -1 - row
        row = (row + 1) & (rows - 1)


def write_key(keys: Array, row: int, own: int, opp: int) -> None:
    """Give a row its key."""
    keys[2 * row] = own
    keys[2 * row + 1] = opp


@kernel
def rehash(keys: Ints, values: Floats, visits: Counts, new_keys: Ints, new_values: Floats, new_visits: Counts) -> None:
    """Copy all rows into larger tables, (rows, …) each but for the keys, which are flat and all −1."""
    room = len(new_values)
    flat = new_keys
    for row in range(len(keys)):
        if keys[row, 0] >= 0:
            new_row = -1 - locate(flat, room, keys[row, 0], keys[row, 1])
            write_key(flat, new_row, keys[row, 0], keys[row, 1])
            for move in range(values.shape[1]):
                new_values[new_row, move] = values[row, move]
                new_visits[new_row, move] = visits[row, move]


def draw_images(board: Board, own: int, opp: int, images: Ints) -> None:
    """Write every symmetric image of two sets of stones to ``images``, (2, symmetries)."""
    for s in range(board.symmetries):
        for side in range(2):
            rest = opp if side else own
            image = 0
            while rest:
                image |= board.bit_images[s * board.bits + lowest(rest)]
                rest &= rest - 1
            images[side, s] = image


def find_key(board: Board, images: Ints, player: int, key: Ints) -> int:
    """Write the least key among the symmetric images to ``key``; the set of symmetries that give it."""
    found = 0
    for s in range(board.symmetries):
        own, opp = images[player, s], images[1 - player, s]
        if s == 0 or own < key[0] or (own == key[0] and opp < key[1]):
            key[0], key[1] = own, opp
            found = 1 << s
        elif own == key[0] and opp == key[1]:
            found |= 1 << s
    return found


def slot_of(board: Board, move: int, symmetries: int) -> int:
    """The slot of a move in the row of a position whose key these symmetries give."""
    if symmetries & (symmetries - 1) == 0:
        return int(board.move_images[lowest(symmetries) * board.moves + move])
    slot = board.moves
    while symmetries:
        s = lowest(symmetries)
        symmetries &= symmetries - 1
        slot = min(slot, board.move_images[s * board.moves + move])
    return slot


def best_value(table: TableRecord, row: int, slots: int) -> float:
    """The highest value among these slots of a row; of a row that is not there, the value that all moves start from."""
    if row < 0:
        return table.start
    best = -1e30
    while slots:
        best = max(best, np.float64(table.values[row * table.moves + lowest(slots)]))
        slots &= slots - 1
    return best


def move_value(
    table: TableRecord, board: Board, guide: GuideRecord, row: int, symmetries: int, own: int, opp: int, stone: int
) -> float:
    """The Q-value of a move, mixed with the heuristic's preference if the guide has one."""
    value = table.start
    if row >= 0:
        slot = slot_of(board, board.move_of_bit[lowest(stone)], symmetries)
        value = np.float64(table.values[row * table.moves + slot])
    if guide.kind >= THREATS:
        value = (1.0 - guide.share) * value + guide.share * preference(board, own, opp, stone)
    return value


@kernel
def judge(
    table: TableRecord, board: Board, guide: GuideRecord, first: int, second: int, values: Reals, forced: Ints
) -> bool:
    """Write the value of every legal move to the side to move, and 1 to ``forced`` for the moves that the guide
    chooses from, if any; whether the table knows the position."""
    images = np.zeros((2, MAX_SYMMETRIES), np.int64)
    draw_images(board, first, second, images)
    player = popcount(first | second) & 1
    own, opp = images[player, 0], images[1 - player, 0]
    key = np.zeros(2, np.int64)
    symmetries = find_key(board, images, player, key)
    row = locate(table.keys, table.rows, key[0], key[1])
    allowed = guided(guide.kind, board, own, opp)
    rest = playable(own | opp, board.bottom, board.cells, board.gravity)
    while rest:
        stone = rest & -rest
        rest ^= stone
        move = board.move_of_bit[lowest(stone)]
        values[move] = move_value(table, board, guide, row, symmetries, own, opp, stone)
        forced[move] = 1 if allowed & stone else 0
    return row >= 0


def guided(kind: int, board: Board, own: int, opp: int) -> int:
    """The cells that the guide chooses from, or none: wins, else blocks, else (from THREATS on) double
    threats, else (HEURISTIC) those that give the opponent neither a win nor a double threat, if others would."""
    if kind == NONE:
        return 0
    free = playable(own | opp, board.bottom, board.cells, board.gravity)
    wins = winning_cells(own, board.k, board.stride, board.cells)
    if wins & free:
        return wins & free
    blocks = winning_cells(opp, board.k, board.stride, board.cells)
    if blocks & free:
        return blocks & free
    if kind == RULES:
        return 0
    double, safe, sound = 0, 0, 0
    rest = free
    while rest:
        stone = rest & -rest
        rest ^= stone
        cells = playable(own | opp | stone, board.bottom, board.cells, board.gravity)
        if blocks & cells:
            continue
        safe |= stone
        threats = winning_cells(own | stone, board.k, board.stride, board.cells) & cells
        if threats & (threats - 1):
            double |= stone
        # A side that is threatened must block, so its only replies are the threatened cells.
        replies = threats if threats else cells
        if not can_double(board, opp, own | stone, replies):
            sound |= stone
    if double or kind == THREATS:
        return double
    chosen = sound if sound else safe
    return chosen if chosen != free else 0


def can_double(board: Board, own: int, opp: int, cells: int) -> bool:
    """Whether a stone on one of these cells makes two threats at once."""
    while cells:
        stone = cells & -cells
        cells ^= stone
        free = playable(own | opp | stone, board.bottom, board.cells, board.gravity)
        threats = winning_cells(own | stone, board.k, board.stride, board.cells) & free
        if threats & (threats - 1):
            return True
    return False


def preference(board: Board, own: int, opp: int, stone: int) -> float:
    """How much the heuristic likes a move, by the position after it: windows that lack one, two or three stones (0.8,
    0.3, 0.1 each), stones in the middle column (0.4), k − 1 stacked with the cell above free (0.5), a threat to win
    at once (2), two or more of them (5), and a block (1)."""
    k, stride = board.k, board.stride
    liking = 1.0 if winning_cells(opp, k, stride, board.cells) & stone else 0.0
    own |= stone
    empty = board.cells & ~(own | opp)
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        none, one, two, three = own, empty, 0, 0
        for i in range(1, k):
            shift = min(i * step, MAX_BITS)
            next_own, next_empty = own >> shift, empty >> shift
            three = (three & next_own) | (two & next_empty)
            two = (two & next_own) | (one & next_empty)
            one = (one & next_own) | (none & next_empty)
            none &= next_own
        liking += 0.8 * popcount(one) + 0.3 * popcount(two) + 0.1 * popcount(three)
    columns = popcount(board.bottom)
    middle = (((1 << (stride - 1)) - 1) << (columns // 2 * stride)) if columns % 2 else 0
    liking += 0.4 * popcount(own & middle)
    if board.gravity:
        liking += 0.5 * popcount(runs(own, 1, k - 1) & (empty >> (k - 1)))
    free = playable(own | opp, board.bottom, board.cells, board.gravity)
    threats = popcount(winning_cells(own, k, stride, board.cells) & free)
    if threats > 0:
        liking += 2.0 if threats == 1 else 5.0
    return liking


def smallest() -> tuple[TableRecord, Board]:
    """An empty table of a board of four cells on which stones fall, to compile kernels with."""
    table = TableRecord()
    write_fields(table, 64, 2, 0.0, 0, 64, np.full(128, -1), np.zeros(128, np.float32), np.zeros(128, np.int32))
    bit_images, move_images, move_of_bit = np.array([1, 2, 0, 8, 16]), np.array([0, 1]), np.array([0, 0, 0, 1, 1])
    images = (bit_images, move_images, move_of_bit, np.ones(5, np.int64))
    return table, Board(2, 3, 0b011011, 0b001001, True, 0, 0b011011, 2, 1, 5, *images)


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    table, board = smallest()
    judge(table, board, GuideRecord(0, 0.0), 0, 0, np.zeros(2), np.zeros(2, np.int64))
    keys, values, visits = np.full((2, 2), -1), np.zeros((2, 2), np.float32), np.zeros((2, 2), np.int32)
    rehash(keys, values, visits, keys.reshape(-1).copy(), values.copy(), visits.copy())
