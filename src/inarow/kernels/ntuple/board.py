"""The board that self-play moves on: stones are put on it and taken off, and a network's sums follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.kernels.common.board import playable, winning_cells
from inarow.kernels.common.tactics import DRAWN, QUIET, settle
from inarow.kernels.lang.pointers import peek, peek_float, peek_int32, poke, poke_float, poke_int32
from inarow.kernels.ntuple.arguments import Ints, Net, Stones, Work
from inarow.kernels.ntuple.network import content_after, hold, touch, unit_of
from inarow.kernels.ntuple.ntuple_layout import (
    BOARD,
    BOTTOM,
    EMPTY,
    FEATURES,
    GRAVITY,
    SIZE,
    START,
    STRIDE,
    TACTICS,
    UNITS,
    K,
)
from inarow.kernels.ntuple.whole_board import note_wide, wide_features


class Sums(NamedTuple):
    """The sums of the board's weights with the first and with the second player to move."""

    first: float
    second: float


def put(net: Net, work: Work, sums: Sums, stone: int, player: int) -> Sums:
    """Put a stone of this player on the board: its content, the indices that it touches and the weights held for
    either side to move follow; the new sums."""
    unit = unit_of(net, stone)
    content = peek(work.contents, unit)
    row, step, count = touch(net, unit, content, player)
    features, size = peek(net.rules, FEATURES), peek(net.rules, SIZE)
    first_change = second_change = np.float32(0.0)
    for j in range(count):
        i = peek_int32(net.tables, row + j)
        at = peek_int32(work.index, i) + peek_int32(net.tables, step + j)
        poke_int32(work.index, i, at)
        first, second = peek_float(net.weights, at), peek_float(net.weights, size + at)
        first_change += first - peek_float(work.held, i)
        second_change += second - peek_float(work.held, features + i)
        poke_float(work.held, i, first)
        poke_float(work.held, features + i, second)
    poke(work.contents, unit, content_after(net, content, player))
    return Sums(sums.first + np.float64(first_change), sums.second + np.float64(second_change))


def after(net: Net, stones: Stones, stone: int) -> Stones:
    """The stones after a move, seen by the other player."""
    mine = stones.mine | stone
    wins = winning_cells(mine, peek(net.rules, K), peek(net.rules, STRIDE), peek(net.rules, BOARD))
    return Stones(stones.other, mine, stones.other_wins, wins)


def clear(net: Net, work: Work) -> Sums:
    """Clear the board; the sums of the empty one."""
    features = peek(net.rules, FEATURES)
    for i in range(features):
        poke_int32(work.index, i, peek_int32(net.tables, peek(net.rules, START) + i))
    for unit in range(peek(net.rules, UNITS)):
        poke(work.contents, unit, peek(net.rules, EMPTY))
    return Sums(hold(net, work, 0, 0), hold(net, work, 1, features))


def first_row(rules: Ints) -> int:
    """Where the rows of a log begin in the indices: behind those of both boards and the wide ones."""
    return 2 * peek(rules, FEATURES) + wide_features(rules)


def log_position(net: Net, work: Work, stones: Stones, player: int, row: int) -> None:
    """Write the indices of the board to a row of the log."""
    features = peek(net.rules, FEATURES)
    at = first_row(net.rules) + row * (features + wide_features(net.rules))
    for i in range(features):
        poke_int32(work.index, at + i, peek_int32(work.index, i))
    note_wide(net, work, stones, player, at + features)


def take(net: Net, work: Work, stone: int, player: int, content: int) -> None:
    """Take a stone of this player off the board again, whose unit had this content before."""
    unit = unit_of(net, stone)
    row, step, count = touch(net, unit, content, player)
    features, size = peek(net.rules, FEATURES), peek(net.rules, SIZE)
    for j in range(count):
        i = peek_int32(net.tables, row + j)
        at = peek_int32(work.index, i) - peek_int32(net.tables, step + j)
        poke_int32(work.index, i, at)
        poke_float(work.held, i, peek_float(net.weights, at))
        poke_float(work.held, features + i, peek_float(net.weights, size + at))
    poke(work.contents, unit, content)


def quiet_moves(net: Net, stones: Stones) -> int:
    """The moves to choose from where nothing is forced: with tactics, none that lets the other side win above it."""
    gravity = peek(net.rules, GRAVITY) != 0
    moves = playable(stones.mine | stones.other, peek(net.rules, BOTTOM), peek(net.rules, BOARD), gravity)
    if gravity and peek(net.rules, TACTICS) != 0:
        moves &= ~(stones.other_wins >> 1)
    return moves


def follow(net: Net, work: Work, stones: Stones) -> tuple[int, int]:
    """The status of a position after its forced blocks, which are left in ``forced``, and the number of blocks."""
    rules = net.rules
    board = peek(rules, BOARD)
    if peek(rules, TACTICS) != 0:
        return settle(
            stones.mine, stones.other, stones.mine_wins, stones.other_wins,
            peek(rules, K), peek(rules, STRIDE), board, peek(rules, BOTTOM), peek(rules, GRAVITY) != 0, work.forced,
        )  # fmt: skip
    return (DRAWN if stones.mine | stones.other == board else QUIET), 0
