"""The board that self-play moves on: stones are put on it and taken off, and a network's sums follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.kernels.common.board import playable, winning_cells
from inarow.kernels.common.tactics import DRAWN, QUIET, settle
from inarow.kernels.ntuple.arguments import Net, Rules, Stones, Work
from inarow.kernels.ntuple.network import content_after, hold, touch, unit_of
from inarow.kernels.ntuple.whole_board import note_wide, wide_features


class Sums(NamedTuple):
    """The sums of the board's weights with the first and with the second player to move."""

    first: float
    second: float


def put(net: Net, work: Work, sums: Sums, stone: int, player: int) -> Sums:
    """Put a stone of this player on the board: its content, the indices that it touches and the weights held for
    either side to move follow; the new sums."""
    unit = unit_of(net, stone)
    content = work.contents[unit]
    row, step, count = touch(net, unit, content, player)
    features, size = net.rules.features, net.rules.size
    first_change = second_change = np.float32(0.0)
    for j in range(count):
        i = net.tables[row + j]
        at = work.index[i] + net.tables[step + j]
        work.index[i] = at
        first, second = net.weights[at], net.weights[size + at]
        first_change += first - work.held[i]
        second_change += second - work.held[features + i]
        work.held[i] = first
        work.held[features + i] = second
    work.contents[unit] = content_after(net, content, player)
    return Sums(sums.first + np.float64(first_change), sums.second + np.float64(second_change))


def after(net: Net, stones: Stones, stone: int) -> Stones:
    """The stones after a move, seen by the other player."""
    mine = stones.mine | stone
    wins = winning_cells(mine, net.rules.k, net.rules.stride, net.rules.board)
    return Stones(stones.other, mine, stones.other_wins, wins)


def clear(net: Net, work: Work) -> Sums:
    """Clear the board; the sums of the empty one."""
    features = net.rules.features
    for i in range(features):
        work.index[i] = net.tables[net.rules.start + i]
    for unit in range(net.rules.units):
        work.contents[unit] = net.rules.empty
    return Sums(hold(net, work, 0, 0), hold(net, work, 1, features))


def first_row(rules: Rules) -> int:
    """Where the rows of a log begin in the indices: behind those of both boards and the wide ones."""
    return 2 * rules.features + wide_features(rules)


def log_position(net: Net, work: Work, stones: Stones, player: int, row: int) -> None:
    """Write the indices of the board to a row of the log."""
    features = net.rules.features
    at = first_row(net.rules) + row * (features + wide_features(net.rules))
    for i in range(features):
        work.index[at + i] = work.index[i]
    note_wide(net, work, stones, player, at + features)


def take(net: Net, work: Work, stone: int, player: int, content: int) -> None:
    """Take a stone of this player off the board again, whose unit had this content before."""
    unit = unit_of(net, stone)
    row, step, count = touch(net, unit, content, player)
    features, size = net.rules.features, net.rules.size
    for j in range(count):
        i = net.tables[row + j]
        at = work.index[i] - net.tables[step + j]
        work.index[i] = at
        work.held[i] = net.weights[at]
        work.held[features + i] = net.weights[size + at]
    work.contents[unit] = content


def quiet_moves(net: Net, stones: Stones) -> int:
    """The moves to choose from where nothing is forced: with tactics, none that lets the other side win above it."""
    gravity = net.rules.gravity
    moves = playable(stones.mine | stones.other, net.rules.bottom, net.rules.board, gravity)
    if gravity and net.rules.tactics:
        moves &= ~(stones.other_wins >> 1)
    return moves


def follow(net: Net, work: Work, stones: Stones) -> tuple[int, int]:
    """The status of a position after its forced blocks, which are left in ``forced``, and the number of blocks."""
    rules = net.rules
    board = rules.board
    if rules.tactics:
        return settle(
            stones.mine, stones.other, stones.mine_wins, stones.other_wins,
            rules.k, rules.stride, board, rules.bottom, rules.gravity, work.forced,
        )  # fmt: skip
    return (DRAWN if stones.mine | stones.other == board else QUIET), 0
