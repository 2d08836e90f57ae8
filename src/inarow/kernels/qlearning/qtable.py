"""A table of Q-values that folds symmetric positions, compiled: keys, rows, slots, and what moves are worth.

A row of the table belongs to a position up to symmetry, its *slots* to the moves up to the symmetries of that position.
The key of a row is two words seen by the side to move: own stones and the other's, or the features that stand for
them. All values are for the side to move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.board import lowest, mix, playable, popcount, winning_cells
from inarow.kernels.compiler.jit import kernel, primitive
from inarow.kernels.qlearning.guides import THREATS, guided, preferred

Ints = NDArray[np.int64]
Rows = NDArray[np.float32]
Counts = NDArray[np.int32]
Reals = NDArray[np.float64]

# Places in ``rules``.
K, STRIDE, BOARD, BOTTOM, GRAVITY, SYMMETRIES, FEATURES, TOGETHER, BACKWARD, GUIDE, LONGEST_OPENING = range(11)
RULES = 11
# Places in ``settings``.
GAMMA, START, WIN, DRAW, LOSS, PER_MOVE, REWARD_SCALE, CENTRE_SHARE, HEURISTIC_SHARE = range(9)
SETTINGS = 9


@primitive
def locate(keys: Ints, a: int, b: int) -> int:
    """The row of a key; if it has none, −1 − the free place where it would go."""
    mask: int = keys.shape[0] - 1
    at = mix(a ^ mix(b)) & mask
    while True:
        if keys[at, 0] == a and keys[at, 1] == b:
            return at
        if keys[at, 0] < 0:
            return -1 - at
        at = (at + 1) & mask


@kernel
def rehash(keys: Ints, values: Rows, visits: Counts, new_keys: Ints, new_values: Rows, new_visits: Counts) -> None:
    """Move all rows into larger tables, whose keys are all −1."""
    for row in range(keys.shape[0]):
        if keys[row, 0] >= 0:
            at = -1 - locate(new_keys, keys[row, 0], keys[row, 1])
            new_keys[at] = keys[row]
            new_values[at] = values[row]
            new_visits[at] = visits[row]


@primitive
def reduced(mine: int, other: int, rules: Ints) -> int:
    """Stones per column (own), then how many windows lack one own stone: the features that stand for one side."""
    stride, k = rules[STRIDE], rules[K]
    rows = stride - 1
    width = 0
    while rows >> width:
        width += 1
    word = 0
    rest = rules[BOTTOM]
    while rest:
        column = (rest & -rest) * ((1 << rows) - 1)
        rest &= rest - 1
        word = (word << width) | popcount(mine & column)
    empty = rules[BOARD] & ~(mine | other)
    threes = 0
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        full, lacking = mine, empty
        for i in range(1, k):
            lacking = (lacking & (mine >> (i * step))) | (full & (empty >> (i * step)))
            full &= mine >> (i * step)
        threes += popcount(lacking)
    return (word << 4) | min(threes, 15)


@primitive
def find_key(images: Ints, player: int, rules: Ints, key: Ints) -> int:
    """Write the least key among the symmetric images to ``key``; the set of symmetries that give it."""
    found = 0
    for s in range(rules[SYMMETRIES]):
        a, b = images[player, s], images[1 - player, s]
        if rules[FEATURES]:
            a, b = reduced(a, b, rules), reduced(b, a, rules)
        if s == 0 or a < key[0] or (a == key[0] and b < key[1]):
            key[0], key[1] = a, b
            found = 1 << s
        elif a == key[0] and b == key[1]:
            found |= 1 << s
    return found


@primitive
def slot_of(move: int, symmetries: int, move_images: Ints) -> int:
    """The slot of a move in the row of its position."""
    if symmetries & (symmetries - 1) == 0:
        return int(move_images[lowest(symmetries), move])
    slot: int = move_images.shape[1]
    while symmetries:
        s = lowest(symmetries)
        symmetries &= symmetries - 1
        slot = min(slot, move_images[s, move])
    return slot


@primitive
def best_of(values: Rows, row: int, slots: int, start: float) -> float:
    """The highest value among the slots of a row; of a row that is not there, what all moves start from."""
    if row < 0:
        return start
    best = -1e30
    while slots:
        best = max(best, float(values[row, lowest(slots)]))
        slots &= slots - 1
    return best


@primitive
def worth(
    values: Rows,
    row: int,
    symmetries: int,
    mine: int,
    other: int,
    stone: int,
    move: int,
    move_images: Ints,
    rules: Ints,
    settings: Reals,
) -> float:
    """What a move is worth: its Q-value, mixed with the heuristic's liking if that guides."""
    value = float(settings[START])
    if row >= 0:
        value = float(values[row, slot_of(move, symmetries, move_images)])
    if rules[GUIDE] >= THREATS:
        gravity = rules[GRAVITY] != 0
        liking = preferred(mine, other, stone, rules[K], rules[STRIDE], rules[BOARD], rules[BOTTOM], gravity)
        value = (1.0 - settings[HEURISTIC_SHARE]) * value + settings[HEURISTIC_SHARE] * liking
    return value


@kernel
def judge(
    keys: Ints,
    values: Rows,
    rules: Ints,
    settings: Reals,
    bit_images: Ints,
    move_images: Ints,
    move_of_bit: Ints,
    first: int,
    second: int,
    found: Reals,
    marks: Ints,
) -> bool:
    """The value of every legal move to the side to move, as its table and guide have it; whether the table knows the
    position. ``marks``: 1 for the moves the guide bids, if it bids any."""
    images = np.zeros((2, rules[SYMMETRIES]), np.int64)
    for s in range(rules[SYMMETRIES]):
        for side in range(2):
            rest = second if side else first
            while rest:
                images[side, s] |= bit_images[s, lowest(rest)]
                rest &= rest - 1
    player = popcount(first | second) & 1
    mine, other = images[player, 0], images[1 - player, 0]
    key = np.zeros(2, np.int64)
    symmetries = find_key(images, player, rules, key)
    row = locate(keys, key[0], key[1])
    k, stride, board, bottom = rules[K], rules[STRIDE], rules[BOARD], rules[BOTTOM]
    gravity = rules[GRAVITY] != 0
    wins, blocks = winning_cells(mine, k, stride, board), winning_cells(other, k, stride, board)
    bidden = guided(rules[GUIDE], mine, other, wins, blocks, k, stride, board, bottom, gravity)
    rest = playable(mine | other, bottom, board, gravity)
    while rest:
        stone = rest & -rest
        rest ^= stone
        move = move_of_bit[lowest(stone)]
        found[move] = worth(values, row, symmetries, mine, other, stone, move, move_images, rules, settings)
        marks[move] = 1 if bidden & stone else 0
    return row >= 0


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    keys, values, visits = np.full((64, 2), -1), np.zeros((64, 2), np.float32), np.zeros((64, 2), np.int32)
    rules, settings = np.array([2, 3, 0b011011, 0b001001, 1, 1, 0, 1, 1, 0, 0]), np.zeros(SETTINGS)
    bit_images, move_images = np.array([[1, 2, 0, 8, 16, 0]]), np.array([[0, 1]])
    move_of_bit, marks = np.array([0, 0, 0, 1, 1, 0]), np.zeros(2, np.int64)
    judge(keys, values, rules, settings, bit_images, move_images, move_of_bit, 0, 0, np.zeros(2), marks)
    rehash(keys, values, visits, np.full((64, 2), -1), values.copy(), visits.copy())
