"""Plain UCT, compiled: the textbook's simulations one by one, with uniform ties, on the nodes of `mcts.search`.

A leaf is rolled out at its first visit, the root too; at its second it gets all its children, and one of them is rolled
out. Nothing is proven. Slower than `mcts.search`; for comparisons with programs written this way.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.arithmetic import log
from inarow.kernels.common.board import advance, below, has_line, mix, popcount, raised
from inarow.kernels.common.setup import SearchSetup
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import array_of
from inarow.kernels.mcts.rollout import roll_out
from inarow.kernels.mcts.search import Node, Nodes, TreeState, back_up_result, expand, is_full

Ints = NDArray[np.int64]

UNVISITED = 1e300


def _bound(child: int, c: float, log_visits: float, nodes: Nodes) -> float:
    """The upper confidence bound of a child; beyond all others while it is unvisited."""
    visits = nodes[child].visits
    if visits == 0:
        return UNVISITED
    bound: float = 0.5 * nodes[child].total / visits + c * math.sqrt(log_visits / visits)
    return bound


def _select(node: int, c: float, tree: TreeState, nodes: Nodes) -> int:
    """The child with the largest upper confidence bound, a random one of several equals."""
    log_visits = log(max(1, nodes[node].visits))
    start = nodes[node].first
    most, ties = -1.0, 0
    for child in range(start, start + nodes[node].count):
        bound = _bound(child, c, log_visits, nodes)
        if bound > most:
            most, ties = bound, 1
        elif bound == most:
            ties += 1
    tree.random = advance(tree.random)
    skip = below(mix(tree.random), ties)
    child = int(start)
    while True:
        if _bound(child, c, log_visits, nodes) == most:
            if skip == 0:
                return child
            skip -= 1
        child += 1


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
    leaf_credit: bool,
    rules: bool,
    stop: Ints,
) -> int:
    """Run simulations from the root position until a limit, or until the pool is full; return how many were finished.

    ``draw`` is what a draw counts for each side, in half points. With ``leaf_credit`` every leaf is credited with a
    win, whoever won; after a draw the nodes above it get nothing.
    """
    k, stride, board = setup.k, setup.stride, setup.board
    longest = popcount(board & ~(root_own | root_opp))
    root_ply = popcount(root_own | root_opp)
    path = np.empty(64, dtype=np.int64)
    path[0] = 0
    for done in range(simulations):
        if raised(stop) != 0 or tree.visited + longest > node_limit or is_full(tree, nodes):
            return done
        node, depth, plies = 0, 0, 0
        own, opp = root_own, root_opp
        while True:
            if nodes[node].first == 0:
                over = has_line(opp, k, stride) or own | opp == board
                if over or nodes[node].visits == 0:
                    break
                expand(setup, tree, nodes, node, own, opp)
            node = _select(node, c, tree, nodes)
            depth += 1
            path[depth] = node
            own, opp = opp, own | (1 << nodes[node].cell)
        if has_line(opp, k, stride):
            result = -1
        elif own | opp == board:
            result = 0
        else:
            result, plies, tree.random = roll_out(setup, own, opp, rules, tree.random)
        tree.visited += depth + plies
        tree.deepest = max(tree.deepest, root_ply + depth)
        if leaf_credit:
            back_up_result(path, depth, -abs(result), 0, nodes)
            if result == 0 and depth > 0:
                nodes[path[depth]].total += 2
        else:
            back_up_result(path, depth, result, draw, nodes)
    return simulations


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    nodes, stop = array_of(Node, 1), np.ones(1, dtype=np.int64)
    simulate(SearchSetup(), TreeState(), nodes, 0, 0, 0, 0, 1.0, 1, False, False, stop)
