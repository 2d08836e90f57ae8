"""Monte Carlo tree search with an n-tuple network (PUCT), compiled: the nodes of `mcts.search` with three additions.

- A leaf is given children at its first visit. The network judges every move there: its value in points (see
  `ntuple.points`) is what the child counts until it is visited (first-play urgency), and a softmax of the values is
  its *prior*, the share of visits it is likely to deserve.
- A simulation ends at that leaf with the value of its best move, with a roll-out, or with the mean of both.
- What the network's tactics see is proven: where forced blocks end in a win, nothing is estimated.

The board of the network follows each simulation down and back up. A separate kernel, so that searches without
a network don't wait for it to be compiled.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common import search_layout
from inarow.kernels.common.board import advance, lowest, mix, playable, popcount, raised, winning_cells
from inarow.kernels.lang.jit import kernel
from inarow.kernels.mcts.rollout import roll_out, start_of
from inarow.kernels.mcts.search import (
    COUNT_AT,
    DEEPEST,
    DRAWN,
    LOST,
    MEMO,
    NODES,
    PROVEN,
    STATE,
    UNKNOWN,
    USED,
    WON,
    back_up_proof,
    count_of,
    expected_line,
    is_full,
    keep_below,
    least_visits,
    proof_above,
    prove,
    status_of,
)
from inarow.kernels.ntuple.arguments import Net, Stones, Work
from inarow.kernels.ntuple.network import squash, unit_of
from inarow.kernels.ntuple.points import (
    LARGEST,
    SCALE,
    hold_weights,
    move_points,
    put_stone,
    smallest_whole,
    take_stone,
)

Ints = NDArray[np.int64]
Nodes = NDArray[np.void]

GUIDED_NODE = np.dtype(
    [(name, np.float64) for name in ("mean", "prior", "total")]
    + [(name, np.int32) for name in ("visits", "first", "info", "spare")]
)
"""A node: its mean, or what the network says while it is unvisited; its prior; the rest is as in `mcts.search`."""

# What a simulation ends with.
NETWORK, ROLLOUT, MIXED = range(3)


def value_of(points: int) -> float:
    """Points as a value in [−1, 1]."""
    if points > LARGEST:
        return 1.0
    if points < -LARGEST:
        return -1.0
    return squash(points / SCALE)


def exponential(x: float) -> float:
    """e to the power of x ≤ 0, from the hyperbolic tangent of x / 2, so that it is the same on every machine."""
    t = squash(0.5 * x)
    return (1.0 + t) / (1.0 - t)


def judge_moves(
    node: int, own: int, other: int, solve: bool, setup: Ints, memo: Ints, nodes: Nodes, net: Net, board: Work
) -> float:
    """Give a node a child for every legal move, their order rotated at random, with the network's values as means; the
    best of these. ``board`` holds the position."""
    k, stride, cells = setup[search_layout.K], setup[search_layout.STRIDE], setup[search_layout.BOARD]
    stones = Stones(own, other, winning_cells(own, k, stride, cells), winning_cells(other, k, stride, cells))
    occupied = own | other
    player = popcount(occupied) & 1
    legal = playable(occupied, setup[search_layout.BOTTOM], cells, setup[search_layout.GRAVITY] != 0)
    count = popcount(legal)
    at = memo[USED]
    memo[USED] += count
    memo[NODES] += count
    memo[STATE] = advance(memo[STATE])
    place = start_of(legal, mix(memo[STATE]))
    held_sum = hold_weights(net, board, 1 - player)
    best = -1.0
    for i in range(setup[search_layout.MOVES]):
        cell = legal & setup[search_layout.ORDER + i]
        if cell != 0:
            points = move_points(net, board, stones, cell, player, held_sum)
            value = value_of(points)
            best = max(best, value)
            record = nodes[at + place]
            record["mean"] = 0.5 + 0.5 * value
            record["prior"] = value
            record["total"] = 0.0
            record["visits"] = 0
            record["first"] = 0
            record["info"] = lowest(cell)
            if stones.mine_wins & cell != 0 or (solve and points > LARGEST):
                prove(at + place, LOST, solve, nodes)
            elif solve and points < -LARGEST:
                prove(at + place, WON, solve, nodes)
            elif occupied | cell == cells:
                prove(at + place, DRAWN, solve, nodes)
            place = place + 1 if place + 1 < count else 0
    nodes[node]["first"] = at
    nodes[node]["info"] |= count << COUNT_AT
    return best


def write_priors(node: int, best: float, temperature: float, nodes: Nodes) -> None:
    """Turn the values of a node's children, the best of which is given, into shares that add up to 1."""
    start = nodes[node]["first"]
    end = start + count_of(nodes[node]["info"])
    total = 0.0
    for child in range(start, end):
        share = exponential((nodes[child]["prior"] - best) / temperature)
        nodes[child]["prior"] = share
        total += share
    for child in range(start, end):
        nodes[child]["prior"] /= total


def grow(
    node: int,
    own: int,
    other: int,
    temperature: float,
    solve: bool,
    setup: Ints,
    memo: Ints,
    nodes: Nodes,
    net: Net,
    board: Work,
) -> float:
    """Give a node its children, and prove what follows from them; the value of its best move."""
    best = judge_moves(node, own, other, solve, setup, memo, nodes, net, board)
    write_priors(node, best, temperature, nodes)
    if solve:
        status = proof_above(node, nodes)
        if status != UNKNOWN:
            prove(node, status, solve, nodes)
    return best


def select(node: int, c: float, nodes: Nodes) -> int:
    """The child with the largest mean + c × prior × √(the node's visits) ÷ (1 + its own)."""
    explore = c * math.sqrt(max(1, nodes[node]["visits"]))
    start: int = nodes[node]["first"]
    best, most = start, -2.0 * PROVEN
    for child in range(start, start + count_of(nodes[node]["info"])):
        bound = nodes[child]["mean"] + explore * nodes[child]["prior"] / (1.0 + nodes[child]["visits"])
        better = bound > most
        best = child if better else best
        most = bound if better else most
    return best


def back_up(path: Ints, depth: int, gain: float, against: float, nodes: Nodes) -> None:
    """Count a simulation at every node of its path. ``gain`` is its result for the player who moved into the
    last of them, in half points, ``against`` the result for the other player."""
    for i in range(depth, 0, -1):
        record = nodes[path[i]]
        record["visits"] += 1
        record["total"] += gain
        if abs(record["mean"]) < PROVEN:
            record["mean"] = 0.5 * record["total"] / record["visits"]
        gain, against = against, gain
    nodes[0]["visits"] += 1


@kernel
def simulate(
    mover: int,
    waiter: int,
    simulations: int,
    node_limit: int,
    c: float,
    draw: int,
    rules: bool,
    solve: bool,
    until_proven: bool,
    setup: Ints,
    memo: Ints,
    nodes: Nodes,
    flag: Ints,
    temperature: float,
    leaf: int,
    net: Net,
    board: Work,
) -> int:
    """Run simulations from the root position until a limit, or until the pool is full; return how many were finished.
    ``board`` holds the position, before and after.

    ``draw`` is what a draw counts for each side, in half points. ``leaf`` says what a simulation ends with.
    """
    moves = setup[search_layout.MOVES]
    longest = popcount(setup[search_layout.BOARD] & ~(mover | waiter)) + moves
    root_ply = popcount(mover | waiter)
    path, contents = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    path[0] = 0
    if nodes[0]["first"] == 0 and moves <= node_limit:
        nodes[0]["info"] = 0  # what was proven without children is proven again, with the move that does it
        grow(0, mover, waiter, temperature, solve, setup, memo, nodes, net, board)
    for done in range(simulations):
        if raised(flag) != 0 or memo[NODES] + longest > node_limit or is_full(memo, nodes):
            return done
        if until_proven and status_of(nodes[0]["info"]) != UNKNOWN:
            return done
        node, depth, plies = 0, 0, 0
        own, other = mover, waiter
        while nodes[node]["first"] != 0 and (depth == 0 or status_of(nodes[node]["info"]) == UNKNOWN):
            node = select(node, c, nodes)
            cell = 1 << int(nodes[node]["info"] & 63)
            unit, player = unit_of(net, cell), (root_ply + depth) & 1
            depth += 1
            path[depth] = node
            contents[depth] = put_stone(net, board, unit, player)
            own, other = other, own | cell
        memo[DEEPEST] = max(memo[DEEPEST], root_ply + depth)
        value = 0.0
        if status_of(nodes[node]["info"]) == UNKNOWN:
            value = grow(node, own, other, temperature, solve, setup, memo, nodes, net, board)
        status = status_of(nodes[node]["info"])
        if status != UNKNOWN:
            value = 1.0 if status == WON else -1.0 if status == LOST else 0.0
        gain, against = 1.0 - value, 1.0 + value
        if status == DRAWN:
            gain, against = float(draw), float(draw)
        elif status == UNKNOWN and leaf != NETWORK:
            result, plies, memo[STATE] = roll_out(own, other, setup, rules, memo[STATE])
            rolled = float(draw if result == 0 else 1 - result)
            opposite = float(draw if result == 0 else 1 + result)
            share = 1.0 if leaf == ROLLOUT else 0.5
            gain, against = gain + share * (rolled - gain), against + share * (opposite - against)
        memo[NODES] += depth + plies
        if solve:
            back_up_proof(path, depth, nodes)
        back_up(path, depth, gain, against, nodes)
        for i in range(depth, 0, -1):
            unit = unit_of(net, 1 << int(nodes[path[i]]["info"] & 63))
            take_stone(net, board, unit, (root_ply + i - 1) & 1, contents[i])
    return simulations


@functools.cache
def warm() -> None:
    """Compile the kernel of this module and those of `mcts.search` that take its nodes, or load them."""
    setup = np.zeros(search_layout.SIZE, dtype=np.int64)
    memo = np.ones(MEMO, dtype=np.int64)
    nodes = np.ones(1, dtype=GUIDED_NODE)
    net, board = smallest_whole()
    simulate(0, 0, 0, 0, 1.0, 1, False, True, False, setup, memo, nodes, memo, 1.0, NETWORK, net, board)
    least_visits(0, np.zeros(MEMO, dtype=np.int64), nodes, memo)
    keep_below(0, 0, 0, memo, nodes, nodes.copy(), memo)
    expected_line(np.zeros(1, dtype=GUIDED_NODE), 0, memo)
