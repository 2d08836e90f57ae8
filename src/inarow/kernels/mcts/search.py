"""Monte Carlo tree search (UCT), compiled, for any game, on a pool of nodes of fixed size.

A node is a record (see `NODE`) in an array; its children are side by side, after it. Its visits are the simulations
that went through it; its total is their result for the player who *moved into* it, in half points (2 a win, 1 a draw).
A node is given children at its second visit, so that most of the pool holds positions that were looked at. When
the pool is full, the search returns; `keep_below` drops what was visited least, and the search can continue.

Proven results (``status``) are for the side to move at the node. The mean that selection reads is set out of range for
a child whose result is proven, so that a win is always taken and a loss never entered.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common import search_layout
from inarow.kernels.common.board import advance, has_line, lowest, mix, playable, popcount, raised, winning_cells
from inarow.kernels.lang.jit import kernel
from inarow.kernels.mcts.rollout import roll_out, start_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Nodes = NDArray[np.void]

NODE = np.dtype(
    [("mean", np.float32), ("spread", np.float32)] + [(name, np.int32) for name in ("visits", "total", "first", "info")]
)
"""A node: what selection reads; its visits and total; the index of its first child (0: none); its ``info``."""

# A node's ``info``: the bit index of the cell of its move, how many children it has, and its status.
COUNT_AT = 6
STATUS_AT = 12
UNKNOWN, WON, LOST, DRAWN = 0, 1, 2, 3

# What ``memo`` keeps between calls.
USED = 0
"""Nodes in use; the root is node 0."""
STATE = 1
"""The state of the random stream."""
DEEPEST = 2
"""Stones on the board at the deepest node."""
NODES = 3
"""Positions visited below the root in this decision, in the tree and in roll-outs."""
MEMO = 4

MOST_VISITS = 1 << 30
"""The most visits that a node can count."""

UNVISITED = 1e6
PROVEN = 1e9
LOGS = 4096
POLL = 4095
"""How often long loops look at the stop flag: where none of these bits is set in their counter."""


def status_of(info: int) -> int:
    """What is proven of a node."""
    return (info >> STATUS_AT) & 3


def count_of(info: int) -> int:
    """How many children a node has."""
    return (info >> COUNT_AT) & 63


def is_full(memo: Ints, nodes: Nodes) -> bool:
    """Return True if the pool may lack room for the children of one more node."""
    full: bool = memo[USED] + search_layout.MAX_MOVES > len(nodes)
    return full


def expand(
    node: int,
    mover: int,
    waiter: int,
    setup: Ints,
    memo: Ints,
    nodes: Nodes,
) -> None:
    """Give a node a child for every legal move, their order rotated at random."""
    occupied = mover | waiter
    legal = playable(
        occupied, setup[search_layout.BOTTOM], setup[search_layout.BOARD], setup[search_layout.GRAVITY] != 0
    )
    count = popcount(legal)
    at = memo[USED]
    memo[USED] += count
    memo[STATE] = advance(memo[STATE])
    place = start_of(legal, mix(memo[STATE]))
    for i in range(setup[search_layout.MOVES]):
        cell = legal & setup[search_layout.ORDER + i]
        if cell != 0:
            record = nodes[at + place]
            record["visits"] = 0
            record["total"] = 0
            record["first"] = 0
            record["info"] = lowest(cell)
            record["mean"] = UNVISITED
            record["spread"] = 0.0
            place = place + 1 if place + 1 < count else 0
    nodes[node]["first"] = at
    nodes[node]["info"] |= count << COUNT_AT


def _select(node: int, c: float, nodes: Nodes, logs: Floats) -> int:
    """The child with the largest upper confidence bound."""
    seen = max(1, nodes[node]["visits"])
    explore = c * (logs[seen] if seen < LOGS else math.sqrt(math.log(seen)))
    start: int = nodes[node]["first"]
    best, most = start, nodes[start]["mean"] + explore * nodes[start]["spread"]
    for child in range(start + 1, start + count_of(nodes[node]["info"])):
        bound = nodes[child]["mean"] + explore * nodes[child]["spread"]
        better = bound > most  # two selects, and no branch that the processor could guess wrong
        best = child if better else best
        most = bound if better else most
    return best


def prove(node: int, status: int, solve: bool, nodes: Nodes) -> None:
    """Note a proven result, and put the node's mean where selection takes or avoids it if results are backed up."""
    nodes[node]["info"] |= status << STATUS_AT
    if solve and status == LOST:
        nodes[node]["mean"] = PROVEN
    elif solve and status == WON:
        nodes[node]["mean"] = -PROVEN


def proof_above(node: int, nodes: Nodes) -> int:
    """What the proven results of its children prove of a node."""
    drawn, open_ = False, False
    start = nodes[node]["first"]
    for child in range(start, start + count_of(nodes[node]["info"])):
        status = status_of(nodes[child]["info"])
        if status == LOST:
            return WON
        drawn = drawn or status == DRAWN
        open_ = open_ or status == UNKNOWN
    if open_:
        return UNKNOWN
    return DRAWN if drawn else LOST


def _grow(node: int, own: int, other: int, solve: bool, setup: Ints, memo: Ints, nodes: Nodes) -> None:
    """At its first visit a leaf is looked at for an end of the game; at its second it is given children, or proven."""
    board, k, stride = setup[search_layout.BOARD], setup[search_layout.K], setup[search_layout.STRIDE]
    if nodes[node]["visits"] == 0:
        if has_line(other, k, stride):
            prove(node, LOST, solve, nodes)
        elif own | other == board:
            prove(node, DRAWN, solve, nodes)
    elif status_of(nodes[node]["info"]) == UNKNOWN:
        cells = playable(own | other, setup[search_layout.BOTTOM], board, setup[search_layout.GRAVITY] != 0)
        if solve and winning_cells(own, k, stride, board) & cells != 0:
            prove(node, WON, solve, nodes)
        else:
            expand(node, own, other, setup, memo, nodes)


def back_up_proof(path: Ints, depth: int, nodes: Nodes) -> None:
    """Prove what follows, on the way back, from a result proven at the end of the path."""
    proven = status_of(nodes[path[depth]]["info"]) != UNKNOWN
    above = depth - 1
    while proven and above >= 0 and status_of(nodes[path[above]]["info"]) == UNKNOWN:
        status = proof_above(path[above], nodes)
        proven = status != UNKNOWN
        if proven:
            prove(path[above], status, True, nodes)
        above -= 1


def back_up_result(path: Ints, depth: int, result: int, draw: int, nodes: Nodes) -> None:
    """Count a simulation at every node of its path. ``result`` is for the side to move at the last of them."""
    for i in range(depth, 0, -1):
        record = nodes[path[i]]
        record["visits"] += 1
        record["total"] += draw if result == 0 else 1 - result  # for who moved into the node
        if abs(record["mean"]) < PROVEN:
            record["mean"] = 0.5 * record["total"] / record["visits"]
        record["spread"] = 1.0 / math.sqrt(record["visits"])
        result = -result
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
    logs: Floats,
    flag: Ints,
) -> int:
    """Run simulations from the root position until a limit, or until the pool is full; return how many were finished.

    ``draw`` is what a draw counts for each side, in half points.
    """
    longest = popcount(setup[search_layout.BOARD] & ~(mover | waiter))
    root_ply = popcount(mover | waiter)
    path = np.empty(64, dtype=np.int64)
    path[0] = 0
    if nodes[0]["first"] == 0:
        nodes[0]["info"] = 0  # what was proven without children is proven again, with the move that does it
        expand(0, mover, waiter, setup, memo, nodes)
    for done in range(simulations):
        if raised(flag) != 0 or memo[NODES] + longest > node_limit or is_full(memo, nodes):
            return done
        if until_proven and status_of(nodes[0]["info"]) != UNKNOWN:
            return done
        node, depth, plies = 0, 0, 0
        own, other = mover, waiter
        while True:
            if nodes[node]["first"] == 0:
                _grow(node, own, other, solve, setup, memo, nodes)
            status = status_of(nodes[node]["info"])
            if nodes[node]["first"] == 0 or (status != UNKNOWN and depth > 0):
                break
            node = _select(node, c, nodes, logs)
            depth += 1
            path[depth] = node
            own, other = other, own | (1 << int(nodes[node]["info"] & 63))
        if status == UNKNOWN:
            result, plies, memo[STATE] = roll_out(own, other, setup, rules, memo[STATE])
        else:
            result = 1 if status == WON else -1 if status == LOST else 0
        memo[NODES] += depth + plies
        memo[DEEPEST] = max(memo[DEEPEST], root_ply + depth)
        if solve:
            back_up_proof(path, depth, nodes)
        back_up_result(path, depth, result, draw, nodes)
    return simulations


@kernel
def least_visits(most: int, memo: Ints, nodes: Nodes, flag: Ints) -> int:
    """Return the smallest power of 2 such that `keep_below` with this many visits leaves at most ``most`` nodes.

    ``most`` must have room for the children of the nodes with more than half of the root's visits, one node per ply.
    """
    children = np.zeros(32, dtype=np.int64)  # by the logarithm of their parent's visits
    for node in range(memo[USED]):
        if node & POLL == 0 and raised(flag) != 0:
            break
        if nodes[node]["first"] != 0:
            power = 0
            while nodes[node]["visits"] >> (power + 1) != 0:
                power += 1
            children[power] += count_of(nodes[node]["info"])
    kept, power = 1, 31
    while power > 0 and kept + children[power - 1] <= most:
        power -= 1
        kept += children[power]
    return 1 << power


@kernel
def keep_below(
    root: int,
    ply: int,
    least: int,
    memo: Ints,
    nodes: Nodes,
    copy: Nodes,
    flag: Ints,
) -> bool:
    """Copy the tree below a node without the children of nodes that have fewer than ``least`` visits.

    ``ply`` is the number of stones at the new root. Returns False, and leaves ``memo``, if the flag is raised first.
    """
    copy[0] = nodes[root]
    kept, level_end, deepest = 1, 1, ply
    node = 0
    while node < kept:  # breadth first: the nodes of the copy whose children are still in the old tree
        if node & POLL == 0 and raised(flag) != 0:
            return False
        if node == level_end:
            level_end = kept
            ply += 1
        start, count = copy[node]["first"], count_of(copy[node]["info"])
        if start != 0 and copy[node]["visits"] < least:
            copy[node]["first"] = 0
            copy[node]["info"] -= count << COUNT_AT
        elif start != 0:
            copy[node]["first"] = kept
            for child in range(start, start + count):
                copy[kept] = nodes[child]
                kept += 1
                deepest = max(deepest, ply + 1 if nodes[child]["visits"] != 0 else ply)
        node += 1
    memo[USED] = kept
    memo[DEEPEST] = deepest
    return True


@kernel
def expected_line(nodes: Nodes, node: int, line: Ints) -> int:
    """Write the play from a node through the most visited children, as bit indices; returns its length."""
    length = 0
    while nodes[node]["first"] != 0:
        best = nodes[node]["first"]
        for child in range(best, best + count_of(nodes[node]["info"])):
            wins, best_wins = status_of(nodes[child]["info"]) == LOST, status_of(nodes[best]["info"]) == LOST
            if not best_wins and (wins or nodes[child]["visits"] > nodes[best]["visits"]):
                best = child
        if nodes[best]["visits"] == 0:
            break
        node = best
        line[length] = nodes[node]["info"] & 63
        length += 1
    return length


@functools.cache
def warm() -> None:
    """Compile the kernels of this module, or load them."""
    setup = np.zeros(search_layout.SIZE, dtype=np.int64)
    memo = np.ones(MEMO, dtype=np.int64)
    nodes = np.ones(1, dtype=NODE)
    simulate(0, 0, 0, 0, 1.0, 1, False, True, False, setup, memo, nodes, np.ones(1), memo)
    least_visits(0, np.zeros(MEMO, dtype=np.int64), nodes, memo)
    keep_below(0, 0, 0, memo, nodes, nodes.copy(), memo)
    expected_line(np.zeros(1, dtype=NODE), 0, memo)
