"""What a network thinks of a position in whole points, for searches that compare many positions.

The weights are whole numbers here (`Net.weights` is int32): a sum of them is the same in whatever order it is taken, so
that a position has the same points whichever moves led to it, and its mirror image has them too. A search keeps the
features' indices of the board move by move, and sums up where it stops.

Points are SCALE times the sum of the weights. With tactics, forced blocks are followed first; where they end in a win
the points are CERTAIN, less the stones on the board at that win, far above those of any sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.bits import has_line, popcount, winning_cells
from inarow.kernels.common.evaluate import Custom
from inarow.kernels.common.tactics import LOST, QUIET, WON, settle
from inarow.kernels.lang.jit import kernel
from inarow.kernels.ntuple.network import (
    Array,
    Ints,
    Net,
    Stones,
    Work,
    copy_board,
    note_wide,
    place,
    smallest,
    stones_of,
    touch,
    unit_of,
    wide_features,
)

SCALE = 100_000
"""Points for a sum of weights of 1."""
LARGEST = 9 * SCALE
"""Most points of a sum: from there on its hyperbolic tangent is 1."""
CERTAIN = 10 * SCALE
A_STONE = 100
"""Points that a win seen by tactics loses with every stone on the board."""


class NetBoard(NamedTuple):
    """A network with whole weights, and the board that follows a search."""

    net: Net
    board: Work


class Leaves(NamedTuple):
    """What a network needs to judge the moves of one position, which its board holds."""

    network: NetBoard
    stones: Stones
    held: int
    """The sum of the weights with the other player to move, which are held."""


def bounded(points: int) -> int:
    """Points within what a sum may give."""
    return max(-LARGEST, min(LARGEST, points))


def weight_sum(weights: Array, start: int, index: Array, at: int, features: int) -> int:
    """The sum of the weights at these places: ``start`` and what stands in ``index`` from ``at`` on."""
    found = 0
    for i in range(features):
        found += weights[start + index[at + i]]
    return found


def hold_weights(network: NetBoard, player: int) -> int:
    """Keep the board's weights with this player to move in ``held``; their sum."""
    net, work = network.net, network.board
    start, found = player * net.rules.size, 0
    for i in range(net.rules.features):
        weight = net.weights[start + work.index[i]]
        work.held[i] = weight
        found += weight
    return found


def sum_change(net: Net, work: Work, start: int, unit: int, player: int) -> int:
    """How much the sum of the weights that begin at ``start``, which are held, changes by a stone in a unit."""
    row, step, count = touch(net, unit, work.contents[unit], player)
    change = 0
    for j in range(count):
        i = net.tables[row + j]
        at = start + work.index[i] + net.tables[step + j]
        change += net.weights[at] - work.held[i]
    return change


def set_board(net: Net, work: Work, own: int, opp: int) -> None:
    """Put a position on the board."""
    rules, player = net.rules, popcount(own | opp) & 1
    for i in range(rules.features):
        work.index[i] = net.tables[rules.start + i]
    for unit in range(rules.units):
        work.contents[unit] = rules.empty
    rest = own | opp
    while rest != 0:  # from the bottom of each column
        stone = rest & -rest
        place(net, work, 0, unit_of(net, stone), player if own & stone != 0 else 1 - player)
        rest &= rest - 1


def put_cell(evaluator: NetBoard | Custom | None, cell: int, player: int) -> tuple[int, int]:
    """Have a network's board follow a move; returns what `take_back` needs: the unit and its content."""
    if not isinstance(evaluator, NetBoard):
        return 0, 0
    unit = unit_of(evaluator.net, cell)
    return unit, place(evaluator.net, evaluator.board, 0, unit, player)


def take_back(evaluator: NetBoard | Custom | None, undo: tuple[int, int], player: int) -> None:
    """Take the move back."""
    if isinstance(evaluator, NetBoard):
        net, work = evaluator.net, evaluator.board
        unit, content = undo
        row, step, count = touch(net, unit, content, player)
        for j in range(count):
            i = net.tables[row + j]
            work.index[i] = work.index[i] - net.tables[step + j]
        work.contents[unit] = content


def settled_points(status: int, stones: int) -> int:
    """Points of a settled position with this many stones on the board, for the side to move."""
    if status == WON:
        return CERTAIN - A_STONE * (stones + 1)
    if status == LOST:
        return A_STONE * (stones + 2) - CERTAIN
    return 0


def points_behind(net: Net, work: Work, stones: Stones, player: int) -> int:
    """Points of the position on the second board for this player, who is to move there."""
    features = net.rules.features
    note_wide(net, work, stones, player, 2 * features)
    start = player * net.rules.size
    return bounded(weight_sum(net.weights, start, work.index, features, features + wide_features(net.rules)))


def follow_blocks(net: Net, work: Work, own: int, opp: int, player: int, blocks: int) -> int:
    """Points of a position, whose stones are on the second board, for this player to move there: those after its
    forced blocks."""
    sign = 1
    for i in range(blocks):
        block = work.forced[i]
        place(net, work, 1, unit_of(net, block), player)
        own, opp = opp, own | block
        player = 1 - player
        sign = -sign
    return sign * points_behind(net, work, stones_of(net.rules, own, opp), player)


def move_points(leaves: Leaves, stone: int, player: int) -> int:
    """Points of a move to the player who makes it."""
    net, work, stones = leaves.network.net, leaves.network.board, leaves.stones
    rules = net.rules
    k, stride, board = rules.k, rules.stride, rules.board
    own, opp = stones.own | stone, stones.opp
    if stones.own_wins & stone:
        return CERTAIN - A_STONE * popcount(own | opp)
    wins = winning_cells(own, k, stride, board)
    if rules.tactics:
        gravity = rules.gravity
        status, blocks = settle(opp, own, stones.opp_wins, wins, k, stride, board, rules.bottom, gravity, work.forced)
        if status != QUIET:
            points = settled_points(status, popcount(own | opp) + blocks)
            return points if blocks & 1 else -points
        if blocks != 0:
            copy_board(net, work)
            place(net, work, 1, unit_of(net, stone), player)
            return -follow_blocks(net, work, opp, own, 1 - player, blocks)
    elif own | opp == board:
        return 0
    start, wide_at = (1 - player) * rules.size, 2 * rules.features
    note_wide(net, work, Stones(opp, own, stones.opp_wins, wins), 1 - player, wide_at)
    change = sum_change(net, work, start, unit_of(net, stone), player)
    return -bounded(leaves.held + change + weight_sum(net.weights, start, work.index, wide_at, wide_features(rules)))


@kernel
def points_of(net: Net, work: Work, own: int, opp: int) -> int:
    """Points of a position for the side to move, from scratch: nothing is taken from a position before it. ``work`` has
    its indices and contents."""
    rules = net.rules
    k, stride, board = rules.k, rules.stride, rules.board
    occupied = own | opp
    if has_line(opp, k, stride):
        return A_STONE * popcount(occupied) - CERTAIN
    if occupied == board:
        return 0
    player, blocks = popcount(occupied) & 1, 0
    if net.rules.tactics:
        own_wins, opp_wins = winning_cells(own, k, stride, board), winning_cells(opp, k, stride, board)
        gravity = net.rules.gravity
        status, blocks = settle(own, opp, own_wins, opp_wins, k, stride, board, net.rules.bottom, gravity, work.forced)
        if status != QUIET:
            points = settled_points(status, popcount(occupied) + blocks)
            return -points if blocks & 1 else points
    copy_board(net, work)
    return follow_blocks(net, work, own, opp, player, blocks)


@kernel
def points_after(net: Net, work: Work, own: int, opp: int, cells: Ints, points: Ints) -> None:
    """For each cell in ``cells``, the points for the side to move once its stone is there, written to ``points``."""
    stones = stones_of(net.rules, own, opp)
    player = popcount(own | opp) & 1
    network = NetBoard(net, work)
    leaves = Leaves(network, stones, hold_weights(network, 1 - player))
    for i in range(len(cells)):
        points[i] = move_points(leaves, cells[i], player)


def smallest_whole() -> tuple[Net, Work]:
    """The network of `network.smallest` with whole weights."""
    net, work = smallest()
    return net._replace(weights=np.zeros(2, np.int32)), work._replace(held=np.zeros(2, np.int32))


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    net, work = smallest_whole()
    cell = np.ones(1, np.int64)
    points_of(net, work, 0, 0)
    points_after(net, work, 0, 0, cell, np.zeros(1, np.int64))
