"""A table of Q-values that folds symmetric positions, compiled: keys, rows, slots and the values of moves.

A row of the table belongs to a position up to symmetry, its *slots* to the moves up to the symmetries of that position.
The key of a row is two words, the stones of the side to move and the other's. All values are for the side to move.
"""

from __future__ import annotations

import numpy as np

from inarow.kernels.common.board import lowest, mix, playable, popcount
from inarow.kernels.common.setup import MAX_SYMMETRIES
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import write_fields
from inarow.kernels.qlearning.arguments import (
    Array,
    Board,
    Counts,
    Floats,
    Guide,
    Ints,
    Reals,
    Table,
)
from inarow.kernels.qlearning.guides import THREATS, guided, preference


def locate(keys: Array, rows: int, own: int, other: int) -> int:
    """The row of a key in a hash table of this many rows; if it has none, −1 − the free row where it would go."""
    row = mix(own ^ mix(other)) & (rows - 1)
    while True:
        found = keys[2 * row]
        if found == own and keys[2 * row + 1] == other:
            return row
        if found < 0:
            return -1 - row
        row = (row + 1) & (rows - 1)


def write_key(keys: Array, row: int, own: int, other: int) -> None:
    """Give a row its key."""
    keys[2 * row] = own
    keys[2 * row + 1] = other


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


def draw_images(board: Board, mine: int, other: int, images: Ints) -> None:
    """Write every symmetric image of two sets of stones to ``images``, (2, symmetries)."""
    for s in range(board.symmetries):
        for side in range(2):
            rest = other if side else mine
            image = 0
            while rest:
                image |= board.bit_images[s * board.bits + lowest(rest)]
                rest &= rest - 1
            images[side, s] = image


def find_key(board: Board, images: Ints, player: int, key: Ints) -> int:
    """Write the least key among the symmetric images to ``key``; the set of symmetries that give it."""
    found = 0
    for s in range(board.symmetries):
        own, other = images[player, s], images[1 - player, s]
        if s == 0 or own < key[0] or (own == key[0] and other < key[1]):
            key[0], key[1] = own, other
            found = 1 << s
        elif own == key[0] and other == key[1]:
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


def best_value(table: Table, row: int, slots: int) -> float:
    """The highest value among these slots of a row; of a row that is not there, the value that all moves start from."""
    if row < 0:
        return table.start
    best = -1e30
    while slots:
        best = max(best, np.float64(table.values[row * table.moves + lowest(slots)]))
        slots &= slots - 1
    return best


def move_value(
    table: Table, board: Board, guide: Guide, row: int, symmetries: int, mine: int, other: int, stone: int
) -> float:
    """The Q-value of a move, mixed with the heuristic's preference if the guide has one."""
    value = table.start
    if row >= 0:
        slot = slot_of(board, board.move_of_bit[lowest(stone)], symmetries)
        value = np.float64(table.values[row * table.moves + slot])
    if guide.kind >= THREATS:
        value = (1.0 - guide.share) * value + guide.share * preference(board, mine, other, stone)
    return value


@kernel
def judge(table: Table, board: Board, guide: Guide, first: int, second: int, values: Reals, demanded: Ints) -> bool:
    """Write the value of every legal move to the side to move, and 1 to ``demanded`` for the moves that the guide
    demands to choose from, if any; whether the table knows the position."""
    images = np.zeros((2, MAX_SYMMETRIES), np.int64)
    draw_images(board, first, second, images)
    player = popcount(first | second) & 1
    mine, other = images[player, 0], images[1 - player, 0]
    key = np.zeros(2, np.int64)
    symmetries = find_key(board, images, player, key)
    row = locate(table.keys, table.rows, key[0], key[1])
    allowed = guided(guide.kind, board, mine, other)
    rest = playable(mine | other, board.bottom, board.cells, board.gravity)
    while rest:
        stone = rest & -rest
        rest ^= stone
        move = board.move_of_bit[lowest(stone)]
        values[move] = move_value(table, board, guide, row, symmetries, mine, other, stone)
        demanded[move] = 1 if allowed & stone else 0
    return row >= 0


def smallest() -> tuple[Table, Board]:
    """An empty table of a board of four cells on which stones fall, to compile kernels with."""
    table = Table()
    write_fields(table, 64, 2, 0.0, 0, 64, np.full(128, -1), np.zeros(128, np.float32), np.zeros(128, np.int32))
    bit_images, move_images, move_of_bit = np.array([1, 2, 0, 8, 16]), np.array([0, 1]), np.array([0, 0, 0, 1, 1])
    images = (bit_images, move_images, move_of_bit, np.ones(5, np.int64))
    return table, Board(2, 3, 0b011011, 0b001001, True, 0, 0b011011, 2, 1, 5, *images)


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    table, board = smallest()
    judge(table, board, Guide(0, 0.0), 0, 0, np.zeros(2), np.zeros(2, np.int64))
    keys, values, visits = np.full((2, 2), -1), np.zeros((2, 2), np.float32), np.zeros((2, 2), np.int32)
    rehash(keys, values, visits, keys.reshape(-1).copy(), values.copy(), visits.copy())
