"""N-tuple networks: the value of a position as a sum of table entries.

A board is a row of *units*: the columns where stones fall, else the cells. A move fills unit ``move``, so it changes
the content of one unit only, and with it the indices of a few *features* (a feature is one image of one tuple). Which
those are and how they move is tabled, all in one array of int32, ``tables``; ``rules`` says where each begins:

- TOUCHED, (unit, height, j): the j-th feature that a stone on a unit of that height touches; COUNTS: how many it does;
- STEPS, (unit, content, player, j): how the index of that feature moves;
- HEIGHTS, (content); FOLLOWING, (player, content): the content after a stone of the player;
- UNIT_OF_BIT, (bit); START, (feature): the indices of the empty board.

Features that look further than a tuple are in `kernels.wide`.

``weights`` are those of the positions with the first player to move, then those with the second. Values are for the
side to move, in [−1, 1], and shrink by ``gamma`` a ply. Functions hand arrays to each other as `pointers`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.board import lowest, playable, popcount, winning_cells
from inarow.kernels.common.tactics import LOST, QUIET, WON, settle
from inarow.kernels.compiler.jit import kernel, primitive
from inarow.kernels.compiler.pointers import (
    handle,
    peek,
    peek_float,
    peek_int32,
    poke,
    poke_float,
    poke_int32,
    prefetch,
)
from inarow.kernels.ntuple.ntuple_layout import (
    BOARD,
    BOTTOM,
    CONTENTS,
    COUNTS,
    FEATURES,
    FOLLOWING,
    GRAVITY,
    HEIGHTS,
    LEVELS,
    MOST,
    SIZE,
    STEPS,
    STRIDE,
    TACTICS,
    TOUCHED,
    UNIT_OF_BIT,
    UNITS,
    K,
)
from inarow.kernels.ntuple.whole_board import note_wide, wide_features

Ints = NDArray[np.int64]
Indices = NDArray[np.int32]
Floats = NDArray[np.float32]

LARGEST_SUM = 9.0
"""From here on a hyperbolic tangent is 1, as far as the weights' precision goes."""


@primitive
def squash(x: float) -> float:
    """The hyperbolic tangent to seven digits, the same on every machine and several times faster than the library's:
    of half of ``x`` by a continued fraction, n / d, then doubled."""
    y = 0.5 * max(-LARGEST_SUM, min(LARGEST_SUM, x))
    z = y * y
    n = y * (135135.0 + z * (17325.0 + z * (378.0 + z)))
    d = 135135.0 + z * (62370.0 + z * (3150.0 + 28.0 * z))
    return 2.0 * n * d / (n * n + d * d)


@primitive
def total(weights: Any, start: int, index: Any, at: int, features: int) -> float:
    """The sum of the weights at these places: ``start`` and what stands in ``index`` from ``at`` on."""
    a = b = np.float32(0.0)
    i = 0
    while i + 1 < features:
        a += peek_float(weights, start + peek_int32(index, at + i))
        b += peek_float(weights, start + peek_int32(index, at + i + 1))
        i += 2
    if i < features:
        a += peek_float(weights, start + peek_int32(index, at + i))
    return np.float64(a + b)


@primitive
def hold(weights: Any, start: int, index: Any, features: int, held: Any, at: int) -> float:
    """Keep the weights at these places in ``held``, from ``at`` on; their sum."""
    for i in range(features):
        poke_float(held, at + i, peek_float(weights, start + peek_int32(index, i)))
    return total(weights, start, index, 0, features)


@primitive
def touch(tables: Any, rules: Any, unit: int, content: int, player: int) -> tuple[int, int, int]:
    """Where the features stand that a stone touches, where their steps do, and how many they are."""
    level = unit * peek(rules, LEVELS) + peek_int32(tables, peek(rules, HEIGHTS) + content)
    most = peek(rules, MOST)
    row = peek(rules, TOUCHED) + level * most
    step = peek(rules, STEPS) + ((unit * peek(rules, CONTENTS) + content) * 2 + player) * most
    return row, step, peek_int32(tables, peek(rules, COUNTS) + level)


@primitive
def change_after(
    weights: Any, tables: Any, start: int, index: Any, held: Any, at: int, row: int, step: int, count: int
) -> float:
    """How much the sum changes by a move that touches ``count`` features: those in ``tables`` from ``row`` on, which
    move by what stands from ``step`` on. ``held`` has the weights before it, from ``at`` on."""
    a = b = np.float32(0.0)
    j = 0
    while j + 1 < count:
        i = peek_int32(tables, row + j)
        place = start + peek_int32(index, i) + peek_int32(tables, step + j)
        a += peek_float(weights, place) - peek_float(held, at + i)
        i = peek_int32(tables, row + j + 1)
        place = start + peek_int32(index, i) + peek_int32(tables, step + j + 1)
        b += peek_float(weights, place) - peek_float(held, at + i)
        j += 2
    if j < count:
        i = peek_int32(tables, row + j)
        place = start + peek_int32(index, i) + peek_int32(tables, step + j)
        a += peek_float(weights, place) - peek_float(held, at + i)
    return np.float64(a + b)


@primitive
def place(tables: Any, rules: Any, index: Any, at: int, contents: Any, base: int, unit: int, player: int) -> None:
    """Put a stone of this player into a unit: its content (from ``base`` on) and the indices that it touches (from
    ``at`` on) follow."""
    content = peek(contents, base + unit)
    row, step, count = touch(tables, rules, unit, content, player)
    for j in range(count):
        i = at + peek_int32(tables, row + j)
        poke_int32(index, i, peek_int32(index, i) + peek_int32(tables, step + j))
    poke(contents, base + unit, peek_int32(tables, peek(rules, FOLLOWING) + player * peek(rules, CONTENTS) + content))


@primitive
def settled_value(status: int, plies: int, gamma: float) -> float:
    """The value of a settled position, seen from ``plies`` plies before it by the side to move there."""
    value = 0.0
    if status == WON:
        value = gamma
    elif status == LOST:
        value = -gamma * gamma
    for _ in range(plies):
        value *= -gamma
    return value


@primitive
def value_after(
    weights: Any,
    tables: Any,
    rules: Any,
    index: Any,
    contents: Any,
    forced: Any,
    held: Any,
    held_at: int,
    held_total: float,
    mine: int,
    other: int,
    mine_wins: int,
    other_wins: int,
    stone: int,
    player: int,
    gamma: float,
) -> float:
    """What a move is worth to the side that plays it: exact where tactics decide, else the network's estimate.

    ``held``, from ``held_at`` on: the weights that the other side, to move after it, has at the indices before it.
    ``index`` and ``contents`` have room for a second board behind the first, ``index`` behind it for wide features.
    """
    k, stride, board = peek(rules, K), peek(rules, STRIDE), peek(rules, BOARD)
    if mine_wins & stone:
        return gamma
    mine |= stone
    wins = winning_cells(mine, k, stride, board)
    blocks = 0
    if peek(rules, TACTICS):
        gravity = peek(rules, GRAVITY) != 0
        status, blocks = settle(other, mine, other_wins, wins, k, stride, board, peek(rules, BOTTOM), gravity, forced)
        if status != QUIET:
            return settled_value(status, blocks + 1, gamma)
    elif mine | other == board:
        return 0.0
    bits_units = peek(rules, UNIT_OF_BIT)
    unit = peek_int32(tables, bits_units + lowest(stone))
    size, features, wide = peek(rules, SIZE), peek(rules, FEATURES), wide_features(rules)
    if blocks == 0:
        start = (1 - player) * size
        note_wide(tables, rules, mine, other, wins, other_wins, player, index, 2 * features, forced)
        if wide != 0:  # the last may be the memory, far away
            prefetch(weights, (start + peek_int32(index, 2 * features + wide - 1)) >> 1)
        row, step, count = touch(tables, rules, unit, peek(contents, unit), player)
        change = change_after(weights, tables, start, index, held, held_at, row, step, count)
        return -gamma * squash(held_total + change + total(weights, start, index, 2 * features, wide))
    units = peek(rules, UNITS)
    for i in range(features):
        poke_int32(index, features + i, peek_int32(index, i))
    for i in range(units):
        poke(contents, units + i, peek(contents, i))
    place(tables, rules, index, features, contents, units, unit, player)
    factor = -gamma
    for i in range(blocks):
        player = 1 - player
        factor *= -gamma
        stone = peek(forced, i)
        mine, other = other | stone, mine
        place(tables, rules, index, features, contents, units, peek_int32(tables, bits_units + lowest(stone)), player)
    wins, other_wins = winning_cells(mine, k, stride, board), winning_cells(other, k, stride, board)
    note_wide(tables, rules, mine, other, wins, other_wins, player, index, 2 * features, forced)
    # The wide features stand behind the second board.
    return factor * squash(total(weights, (1 - player) * size, index, features, features + wide))


@kernel
def judge(
    weights: Floats,
    tables: Indices,
    rules: Ints,
    index: Indices,
    contents: Ints,
    forced: Ints,
    held: Floats,
    mine: int,
    other: int,
    gamma: float,
    values: NDArray[np.float64],
) -> None:
    """The value of every legal move of a position to the side to move; ``values`` of the others stay as they are.

    ``index`` and ``contents`` of the position have as much room again behind them, ``index`` also for wide features;
    ``forced`` (cells) and ``held`` (features) are room to work in.
    """
    w, t, r, x, c, f, h = (
        handle(weights), handle(tables), handle(rules), handle(index), handle(contents), handle(forced), handle(held),
    )  # fmt: skip
    k, stride, board, bottom = rules[K], rules[STRIDE], rules[BOARD], rules[BOTTOM]
    mine_wins = winning_cells(mine, k, stride, board)
    other_wins = winning_cells(other, k, stride, board)
    player = popcount(mine | other) & 1
    held_total = hold(w, (1 - player) * rules[SIZE], x, rules[FEATURES], h, 0)
    rest = playable(mine | other, bottom, board, rules[GRAVITY] != 0)
    while rest:
        stone = rest & -rest
        rest ^= stone
        values[tables[rules[UNIT_OF_BIT] + lowest(stone)]] = value_after(
            w, t, r, x, c, f, h, 0, held_total, mine, other, mine_wins, other_wins, stone, player, gamma
        )


def smallest() -> tuple[Floats, Indices, Ints]:
    """The weights, tables and rules of a board of four cells whose only feature looks at nothing."""
    parts = [np.zeros(n, np.int32) for n in (6, 6, 32)]
    parts += [np.array(part, np.int32) for part in ([0, 0, 1, 1, 2, 2, 2, 2], [7] * 16, [0, 0, 0, 1, 1, 0], [0])]
    parts += [np.zeros(n, np.int32) for n in (16, 4)]
    begins = np.cumsum([0, *(part.size for part in parts)])[:-1]
    rules = np.array([2, 3, 0b011011, 0b001001, 1, 1, 1, 2, 8, 3, 1, 1, 1, 0, 1, 0, *begins])
    return np.zeros(2, np.float32), np.concatenate(parts), rules


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    weights, tables, rules = smallest()
    index, contents, forced, held = np.zeros(2, np.int32), np.ones(4, np.int64), np.zeros(5, np.int64), np.zeros(1)
    judge(weights, tables, rules, index, contents, forced, held.astype(np.float32), 0, 0, 1.0, np.zeros(2))
