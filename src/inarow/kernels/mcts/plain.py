"""Plain UCT, compiled: the textbook's simulations one by one, with uniform ties, on the nodes of `mcts.search`.

A leaf is rolled out at its first visit, the root too; at its second it gets all its children, and one of them is rolled
out. Nothing is proven. Slower than `mcts.search`; for comparisons with programs written this way.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common import search_layout
from inarow.kernels.common.board import advance, below, has_line, mix, popcount, raised
from inarow.kernels.lang.jit import kernel
from inarow.kernels.mcts.rollout import roll_out
from inarow.kernels.mcts.search import DEEPEST, MEMO, NODE, NODES, STATE, back_up_result, count_of, expand, is_full

Ints = NDArray[np.int64]
Nodes = NDArray[np.void]

UNVISITED = 1e300


def _bound(child: int, c: float, log_visits: float, nodes: Nodes) -> float:
    """The upper confidence bound of a child; beyond all others while it is unvisited."""
    visits = nodes[child]["visits"]
    if visits == 0:
        return UNVISITED
    bound: float = 0.5 * nodes[child]["total"] / visits + c * math.sqrt(log_visits / visits)
    return bound


def _select(node: int, c: float, memo: Ints, nodes: Nodes) -> int:
    """The child with the largest upper confidence bound, a random one of several equals."""
    log_visits = math.log(max(1, nodes[node]["visits"]))
    start = nodes[node]["first"]
    most, ties = -1.0, 0
    for child in range(start, start + count_of(nodes[node]["info"])):
        bound = _bound(child, c, log_visits, nodes)
        if bound > most:
            most, ties = bound, 1
        elif bound == most:
            ties += 1
    memo[STATE] = advance(memo[STATE])
    skip = below(mix(memo[STATE]), ties)
    child = int(start)
    while True:
        if _bound(child, c, log_visits, nodes) == most:
            if skip == 0:
                return child
            skip -= 1
        child += 1


@kernel
def simulate(
    mover: int,
    waiter: int,
    simulations: int,
    node_limit: int,
    c: float,
    draw: int,
    leaf_credit: bool,
    rules: bool,
    setup: Ints,
    memo: Ints,
    nodes: Nodes,
    flag: Ints,
) -> int:
    """Run simulations from the root position until a limit, or until the pool is full; return how many were finished.

    ``draw`` is what a draw counts for each side, in half points. With ``leaf_credit`` every leaf is credited with a
    win, whoever won; after a draw the nodes above it get nothing.
    """
    k, stride, board = setup[search_layout.K], setup[search_layout.STRIDE], setup[search_layout.BOARD]
    longest = popcount(board & ~(mover | waiter))
    root_ply = popcount(mover | waiter)
    path = np.empty(64, dtype=np.int64)
    path[0] = 0
    for done in range(simulations):
        if raised(flag) != 0 or memo[NODES] + longest > node_limit or is_full(memo, nodes):
            return done
        node, depth, plies = 0, 0, 0
        own, other = mover, waiter
        while True:
            if nodes[node]["first"] == 0:
                over = has_line(other, k, stride) or own | other == board
                if over or nodes[node]["visits"] == 0:
                    break
                expand(node, own, other, setup, memo, nodes)
            node = _select(node, c, memo, nodes)
            depth += 1
            path[depth] = node
            own, other = other, own | (1 << int(nodes[node]["info"] & 63))
        if has_line(other, k, stride):
            result = -1
        elif own | other == board:
            result = 0
        else:
            result, plies, memo[STATE] = roll_out(own, other, setup, rules, memo[STATE])
        memo[NODES] += depth + plies
        memo[DEEPEST] = max(memo[DEEPEST], root_ply + depth)
        if leaf_credit:
            back_up_result(path, depth, -abs(result), 0, nodes)
            if result == 0 and depth > 0:
                nodes[path[depth]]["total"] += 2
        else:
            back_up_result(path, depth, result, draw, nodes)
    return simulations


@functools.cache
def warm() -> None:
    """Compile the kernel of this module, or load it."""
    setup = np.zeros(search_layout.SIZE, dtype=np.int64)
    memo = np.ones(MEMO, dtype=np.int64)
    simulate(0, 0, 0, 0, 1.0, 1, False, False, setup, memo, np.ones(1, dtype=NODE), memo)
