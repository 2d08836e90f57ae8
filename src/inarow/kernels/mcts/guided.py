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

from inarow.kernels.common.board import advance, lowest, mix, playable, popcount, raised, winning_cells
from inarow.kernels.common.setup import SearchSetup
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import Int8, Int32, array_of, record
from inarow.kernels.mcts.rollout import roll_out, start_of
from inarow.kernels.mcts.search import (
    DRAWN,
    LOST,
    PROVEN,
    UNKNOWN,
    WON,
    Nodes,
    TreeState,
    back_up_proof,
    is_full,
    proof_above,
    prove,
    warm_with,
)
from inarow.kernels.ntuple.arguments import Net, Stones, Work
from inarow.kernels.ntuple.network import squash, unit_of
from inarow.kernels.ntuple.points import (
    LARGEST,
    SCALE,
    Leaves,
    NetBoard,
    hold_weights,
    move_points,
    put_stone,
    smallest_whole,
    take_stone,
)

Ints = NDArray[np.int64]


@record
class GuidedNode:
    """A node of the tree; like `mcts.search.Node` but for the first three fields."""

    mean: float
    """The mean result, or what the network says while it is unvisited."""
    prior: float
    total: float
    visits: Int32
    first: Int32
    cell: Int8
    count: Int8
    status: Int8


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
    setup: SearchSetup, tree: TreeState, nodes: Nodes, node: int, own: int, opp: int, solve: bool, net: Net, board: Work
) -> float:
    """Give a node a child for every legal move, their order rotated at random, with the network's values as means; the
    best of these. ``board`` holds the position."""
    k, stride, cells = setup.k, setup.stride, setup.board
    stones = Stones(own, opp, winning_cells(own, k, stride, cells), winning_cells(opp, k, stride, cells))
    occupied = own | opp
    player = popcount(occupied) & 1
    legal = playable(occupied, setup.bottom, cells, setup.gravity)
    count = popcount(legal)
    at = tree.used
    tree.used += count
    tree.visited += count
    tree.random = advance(tree.random)
    place = start_of(legal, mix(tree.random))
    network = NetBoard(net, board)
    leaves = Leaves(network, stones, hold_weights(network, 1 - player))
    best = -1.0
    for i in range(setup.moves):
        cell = legal & setup.order[i]
        if cell != 0:
            points = move_points(leaves, cell, player)
            value = value_of(points)
            best = max(best, value)
            child = nodes[at + place]
            child.mean = 0.5 + 0.5 * value
            child.prior = value
            child.total = 0.0
            child.visits = 0
            child.first = 0
            child.cell = lowest(cell)
            child.count = 0
            child.status = UNKNOWN
            if stones.mine_wins & cell != 0 or (solve and points > LARGEST):
                prove(at + place, LOST, solve, nodes)
            elif solve and points < -LARGEST:
                prove(at + place, WON, solve, nodes)
            elif occupied | cell == cells:
                prove(at + place, DRAWN, solve, nodes)
            place = place + 1 if place + 1 < count else 0
    nodes[node].first = at
    nodes[node].count = count
    return best


def write_priors(node: int, best: float, temperature: float, nodes: Nodes) -> None:
    """Turn the values of a node's children, the best of which is given, into shares that add up to 1."""
    start = nodes[node].first
    end = start + nodes[node].count
    total = 0.0
    for child in range(start, end):
        share = exponential((nodes[child].prior - best) / temperature)
        nodes[child].prior = share
        total += share
    for child in range(start, end):
        nodes[child].prior /= total


def grow(
    setup: SearchSetup,
    tree: TreeState,
    nodes: Nodes,
    node: int,
    own: int,
    opp: int,
    temperature: float,
    solve: bool,
    net: Net,
    board: Work,
) -> float:
    """Give a node its children, and prove what follows from them; the value of its best move."""
    best = judge_moves(setup, tree, nodes, node, own, opp, solve, net, board)
    write_priors(node, best, temperature, nodes)
    if solve:
        status = proof_above(node, nodes)
        if status != UNKNOWN:
            prove(node, status, solve, nodes)
    return best


def select(node: int, c: float, nodes: Nodes) -> int:
    """The child with the largest mean + c × prior × √(the node's visits) ÷ (1 + its own)."""
    explore = c * math.sqrt(max(1, nodes[node].visits))
    start: int = nodes[node].first
    best, most = start, -2.0 * PROVEN
    for child in range(start, start + nodes[node].count):
        bound = nodes[child].mean + explore * nodes[child].prior / (1.0 + nodes[child].visits)
        better = bound > most
        best = child if better else best
        most = bound if better else most
    return best


def back_up(path: Ints, depth: int, gain: float, against: float, nodes: Nodes) -> None:
    """Count a simulation at every node of its path. ``gain`` is its result for the player who moved into the
    last of them, in half points, ``against`` the result for the other player."""
    for i in range(depth, 0, -1):
        node = nodes[path[i]]
        node.visits += 1
        node.total += gain
        if abs(node.mean) < PROVEN:
            node.mean = 0.5 * node.total / node.visits
        gain, against = against, gain
    nodes[0].visits += 1


@kernel
def simulate(
    setup: SearchSetup,
    tree: TreeState,
    nodes: Nodes,
    root_own: int,
    root_opp: int,
    simulations: int,
    node_limit: int,
    c: float,
    draw: int,
    rules: bool,
    solve: bool,
    until_proven: bool,
    stop: Ints,
    temperature: float,
    leaf: int,
    net: Net,
    board: Work,
) -> int:
    """Run simulations from the root position until a limit, or until the pool is full; return how many were finished.
    ``board`` holds the position, before and after.

    ``draw`` is what a draw counts for each side, in half points. ``leaf`` says what a simulation ends with.
    """
    moves = setup.moves
    longest = popcount(setup.board & ~(root_own | root_opp)) + moves
    root_ply = popcount(root_own | root_opp)
    path, contents = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    path[0] = 0
    if nodes[0].first == 0 and moves <= node_limit:
        nodes[0].status = UNKNOWN  # what was proven without children is proven again, with the move that does it
        grow(setup, tree, nodes, 0, root_own, root_opp, temperature, solve, net, board)
    for done in range(simulations):
        if raised(stop) != 0 or tree.visited + longest > node_limit or is_full(tree, nodes):
            return done
        if until_proven and nodes[0].status != UNKNOWN:
            return done
        node, depth, plies = 0, 0, 0
        own, opp = root_own, root_opp
        while nodes[node].first != 0 and (depth == 0 or nodes[node].status == UNKNOWN):
            node = select(node, c, nodes)
            cell = 1 << nodes[node].cell
            unit, player = unit_of(net, cell), (root_ply + depth) & 1
            depth += 1
            path[depth] = node
            contents[depth] = put_stone(net, board, unit, player)
            own, opp = opp, own | cell
        tree.deepest = max(tree.deepest, root_ply + depth)
        value = 0.0
        if nodes[node].status == UNKNOWN:
            value = grow(setup, tree, nodes, node, own, opp, temperature, solve, net, board)
        status = nodes[node].status
        if status != UNKNOWN:
            value = 1.0 if status == WON else -1.0 if status == LOST else 0.0
        gain, against = 1.0 - value, 1.0 + value
        if status == DRAWN:
            gain, against = float(draw), float(draw)
        elif status == UNKNOWN and leaf != NETWORK:
            result, plies, tree.random = roll_out(setup, own, opp, rules, tree.random)
            rolled = float(draw if result == 0 else 1 - result)
            opposite = float(draw if result == 0 else 1 + result)
            share = 1.0 if leaf == ROLLOUT else 0.5
            gain, against = gain + share * (rolled - gain), against + share * (opposite - against)
        tree.visited += depth + plies
        if solve:
            back_up_proof(path, depth, nodes)
        back_up(path, depth, gain, against, nodes)
        for i in range(depth, 0, -1):
            unit = unit_of(net, 1 << nodes[path[i]].cell)
            take_stone(net, board, unit, (root_ply + i - 1) & 1, contents[i])
    return simulations


@functools.cache
def warm() -> None:
    """Compile the kernel of this module and those of `mcts.search` that take its nodes, or load them."""
    ints, whole = np.ones(1, dtype=np.int64), smallest_whole()
    nodes = array_of(GuidedNode, 1)
    nodes[0].first = 1
    switches = False, True, False
    simulate(SearchSetup(), TreeState(), nodes, 0, 0, 0, 0, 1.0, 1, *switches, ints, 1.0, NETWORK, *whole)
    warm_with(GuidedNode)
