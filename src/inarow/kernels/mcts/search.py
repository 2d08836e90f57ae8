"""Monte Carlo tree search (UCT), compiled, for any game, on a pool of nodes of fixed size.

A node is an element of an array; its children are side by side, after it. Its visits are the simulations
that went through it; its total is their result for the player who *moved into* it, in half points (2 a win, 1 a draw).
A node is given children at its second visit, so that most of the pool holds positions that were looked at. When
the pool is full, the search returns; `keep_below` drops what was visited least, and the search can continue.

Proven results (``status``) are for the side to move at the node. The mean that selection reads is set out of range for
a child whose result is proven, so that a win is always taken and a loss never entered.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.arithmetic import log
from inarow.kernels.common.board import advance, has_line, lowest, mix, playable, popcount, raised, winning_cells
from inarow.kernels.common.setup import MAX_MOVES, SearchSetup
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import Array, Float32, Int8, Int32, array_of, record
from inarow.kernels.mcts.rollout import roll_out, start_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Nodes = Array[Any]
"""Of `Node`, or of the nodes of `guided`."""

UNKNOWN, WON, LOST, DRAWN = 0, 1, 2, 3


@record
class Node:
    """A node of the tree; its children are side by side."""

    mean: Float32
    """What selection reads: the mean result, or a number out of range while nothing is known or all is proven."""
    spread: Float32
    """1 / √visits."""
    visits: Int32
    total: Int32
    first: Int32
    """The index of the first child; 0 for none."""
    cell: Int8
    """The bit index of the cell of the move that leads here."""
    count: Int8
    """How many children there are."""
    status: Int8
    """What is proven: UNKNOWN, WON, LOST or DRAWN."""


@record
class TreeState:
    """What a search keeps between calls beside its nodes."""

    used: int
    """Nodes in use; the root is node 0."""
    random: int
    """The state of the random stream."""
    deepest: int
    """Stones on the board at the deepest node."""
    visited: int
    """Positions visited below the root in this decision, in the tree and in roll-outs."""


MOST_VISITS = 1 << 30
"""The most visits that a node can count."""

UNVISITED = 1e6
PROVEN = 1e9
ROOTS = 1 << 20
"""Visits for which √(ln visits) is kept."""
POLL = 4095
"""How often long loops look at the stop flag: where none of these bits is set in their counter."""


def is_full(tree: TreeState, nodes: Nodes) -> bool:
    """Return True if the pool may lack room for the children of one more node."""
    return tree.used + MAX_MOVES > len(nodes)


def expand(setup: SearchSetup, tree: TreeState, nodes: Nodes, node: int, own: int, opp: int) -> None:
    """Give a node a child for every legal move, their order rotated at random."""
    legal = playable(own | opp, setup.bottom, setup.board, setup.gravity)
    count = popcount(legal)
    at = tree.used
    tree.used += count
    tree.random = advance(tree.random)
    place = start_of(legal, mix(tree.random))
    for i in range(setup.moves):
        cell = legal & setup.order[i]
        if cell != 0:
            child = nodes[at + place]
            child.mean = UNVISITED
            child.spread = 0.0
            child.visits = 0
            child.total = 0
            child.first = 0
            child.cell = lowest(cell)
            child.count = 0
            child.status = UNKNOWN
            place = place + 1 if place + 1 < count else 0
    nodes[node].first = at
    nodes[node].count = count


def root_of_log(visits: int, roots: Floats) -> float:
    """Return √(ln visits); ``roots`` has what was computed before, else 0."""
    if visits >= len(roots):
        return math.sqrt(log(visits))
    found: float = roots[visits]
    if found == 0.0:
        found = math.sqrt(log(visits))
        roots[visits] = found
    return found


def _select(node: int, c: float, nodes: Nodes, roots: Floats) -> int:
    """The child with the largest upper confidence bound."""
    explore = c * root_of_log(max(1, nodes[node].visits), roots)
    start: int = nodes[node].first
    best, most = start, nodes[start].mean + explore * nodes[start].spread
    for child in range(start + 1, start + nodes[node].count):
        bound = nodes[child].mean + explore * nodes[child].spread
        better = bound > most  # two selects, and no branch that the processor could guess wrong
        best = child if better else best
        most = bound if better else most
    return best


def prove(node: int, status: int, solve: bool, nodes: Nodes) -> None:
    """Note a proven result, and put the node's mean where selection takes or avoids it if results are backed up."""
    nodes[node].status = status
    if solve and status == LOST:
        nodes[node].mean = PROVEN
    elif solve and status == WON:
        nodes[node].mean = -PROVEN


def proof_above(node: int, nodes: Nodes) -> int:
    """What the proven results of its children prove of a node."""
    drawn, open_ = False, False
    start = nodes[node].first
    for child in range(start, start + nodes[node].count):
        status = nodes[child].status
        if status == LOST:
            return WON
        drawn = drawn or status == DRAWN
        open_ = open_ or status == UNKNOWN
    if open_:
        return UNKNOWN
    return DRAWN if drawn else LOST


def _grow(setup: SearchSetup, tree: TreeState, nodes: Nodes, node: int, own: int, opp: int, solve: bool) -> None:
    """At its first visit a leaf is looked at for an end of the game; at its second it is given children, or proven."""
    board, k, stride = setup.board, setup.k, setup.stride
    if nodes[node].visits == 0:
        if has_line(opp, k, stride):
            prove(node, LOST, solve, nodes)
        elif own | opp == board:
            prove(node, DRAWN, solve, nodes)
    elif nodes[node].status == UNKNOWN:
        cells = playable(own | opp, setup.bottom, board, setup.gravity)
        if solve and winning_cells(own, k, stride, board) & cells != 0:
            prove(node, WON, solve, nodes)
        else:
            expand(setup, tree, nodes, node, own, opp)


def back_up_proof(path: Ints, depth: int, nodes: Nodes) -> None:
    """Prove what follows, on the way back, from a result proven at the end of the path."""
    proven = nodes[path[depth]].status != UNKNOWN
    above = depth - 1
    while proven and above >= 0 and nodes[path[above]].status == UNKNOWN:
        status = proof_above(path[above], nodes)
        proven = status != UNKNOWN
        if proven:
            prove(path[above], status, True, nodes)
        above -= 1


def back_up_result(path: Ints, depth: int, result: int, draw: int, nodes: Nodes) -> None:
    """Count a simulation at every node of its path. ``result`` is for the side to move at the last of them."""
    for i in range(depth, 0, -1):
        node = nodes[path[i]]
        node.visits += 1
        node.total += draw if result == 0 else 1 - result  # for who moved into the node
        if abs(node.mean) < PROVEN:
            node.mean = 0.5 * node.total / node.visits
        node.spread = 1.0 / math.sqrt(node.visits)
        result = -result
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
    roots: Floats,
    stop: Ints,
) -> int:
    """Run simulations from the root position until a limit, or until the pool is full; return how many were finished.

    ``draw`` is what a draw counts for each side, in half points.
    """
    longest = popcount(setup.board & ~(root_own | root_opp))
    root_ply = popcount(root_own | root_opp)
    path = np.empty(64, dtype=np.int64)
    path[0] = 0
    if nodes[0].first == 0:
        nodes[0].status = UNKNOWN  # what was proven without children is proven again, with the move that does it
        expand(setup, tree, nodes, 0, root_own, root_opp)
    for done in range(simulations):
        if raised(stop) != 0 or tree.visited + longest > node_limit or is_full(tree, nodes):
            return done
        if until_proven and nodes[0].status != UNKNOWN:
            return done
        node, depth, plies = 0, 0, 0
        own, opp = root_own, root_opp
        while True:
            if nodes[node].first == 0:
                _grow(setup, tree, nodes, node, own, opp, solve)
            status = nodes[node].status
            if nodes[node].first == 0 or (status != UNKNOWN and depth > 0):
                break
            node = _select(node, c, nodes, roots)
            depth += 1
            path[depth] = node
            own, opp = opp, own | (1 << nodes[node].cell)
        if status == UNKNOWN:
            result, plies, tree.random = roll_out(setup, own, opp, rules, tree.random)
        else:
            result = 1 if status == WON else -1 if status == LOST else 0
        tree.visited += depth + plies
        tree.deepest = max(tree.deepest, root_ply + depth)
        if solve:
            back_up_proof(path, depth, nodes)
        back_up_result(path, depth, result, draw, nodes)
    return simulations


@kernel
def least_visits(tree: TreeState, nodes: Nodes, most: int, stop: Ints) -> int:
    """Return the smallest power of 2 such that `keep_below` with this many visits leaves at most ``most`` nodes.

    ``most`` must have room for the children of the nodes with more than half of the root's visits, one node per ply.
    """
    children = np.zeros(32, dtype=np.int64)  # by the logarithm of their parent's visits
    for node in range(tree.used):
        if node & POLL == 0 and raised(stop) != 0:
            break
        if nodes[node].first != 0:
            power = 0
            while nodes[node].visits >> (power + 1) != 0:
                power += 1
            children[power] += nodes[node].count
    kept, power = 1, 31
    while power > 0 and kept + children[power - 1] <= most:
        power -= 1
        kept += children[power]
    return 1 << power


@kernel
def keep_below(tree: TreeState, nodes: Nodes, copy: Nodes, root: int, ply: int, least: int, stop: Ints) -> bool:
    """Copy the tree below a node without the children of nodes that have fewer than ``least`` visits.

    ``ply`` is the number of stones at the new root. Returns False, and leaves ``tree``, if the flag is raised first.
    """
    copy[0] = nodes[root]
    kept, level_end, deepest = 1, 1, ply
    node = 0
    while node < kept:  # breadth first: the nodes of the copy whose children are still in the old tree
        if node & POLL == 0 and raised(stop) != 0:
            return False
        if node == level_end:
            level_end = kept
            ply += 1
        start, count = copy[node].first, copy[node].count
        if start != 0 and copy[node].visits < least:
            copy[node].first = 0
            copy[node].count = 0
        elif start != 0:
            copy[node].first = kept
            for child in range(start, start + count):
                copy[kept] = nodes[child]
                kept += 1
                deepest = max(deepest, ply + 1 if nodes[child].visits != 0 else ply)
        node += 1
    tree.used = kept
    tree.deepest = deepest
    return True


@kernel
def expected_line(nodes: Nodes, node: int, line: Ints) -> int:
    """Write the play from a node through the most visited children, as bit indices; returns its length."""
    length = 0
    while nodes[node].first != 0:
        best = nodes[node].first
        for child in range(best, best + nodes[node].count):
            wins, best_wins = nodes[child].status == LOST, nodes[best].status == LOST
            if not best_wins and (wins or nodes[child].visits > nodes[best].visits):
                best = child
        if nodes[best].visits == 0:
            break
        node = best
        line[length] = nodes[node].cell
        length += 1
    return length


def warm_with(node: type[Any]) -> None:
    """Compile the kernels that take nodes of any kind for this one, or load them."""
    tree, nodes, ints = TreeState(), array_of(node, 1), np.ones(1, dtype=np.int64)
    least_visits(tree, nodes, 0, ints)
    keep_below(tree, nodes, array_of(node, 1), 0, 0, 0, ints)
    expected_line(nodes, 0, ints)


@functools.cache
def warm() -> None:
    """Compile the kernels of this module, or load them."""
    ints = np.ones(1, dtype=np.int64)
    nodes = array_of(Node, 1)
    nodes[0].first = 1
    simulate(SearchSetup(), TreeState(), nodes, 0, 0, 0, 0, 1.0, 1, False, True, False, np.ones(1), ints)
    warm_with(Node)
