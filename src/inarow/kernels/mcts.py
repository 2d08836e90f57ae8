"""Monte Carlo tree search, compiled, for any game, on a pool of nodes of fixed size.

A simulation goes down the tree by an upper confidence bound, ends at a leaf, and counts at every node of its path.
Without a network (UCT) a leaf is given children at its second visit, so that most of the pool holds positions that were
looked at, and its value is that of a rollout or of a heuristic. With one (PUCT) it is given them at its first visit,
and the network judges every move there: its value in points (see `ntuple`) is what the child counts until it is
visited (first-play urgency), and a softmax of the values is its *prior*, the share of visits it is likely to deserve.
The value of the leaf is that of its best move, or of a rollout. The kernel is compiled for each case.

A node is an element of an array; its children are side by side, after it. Its visits are the simulations
that went through it; its total is their result for the player who *moved into* it, in half points (2 a win, 1 a draw).
When the pool is full, the search returns; `keep_below` drops what was visited least, and the search can continue.

Proven results (``status``) are for the side to move at the node. The mean that selection reads is set out of range for
a child whose result is proven, so that a win is always taken and a loss never entered. What a network's tactics see is
proven, too: where forced blocks end in a win, nothing is estimated.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.bits import BitLayout, line_on, lowest, playable, popcount, wins_on
from inarow.kernels.arithmetic import log
from inarow.kernels.decisions import highest
from inarow.kernels.evaluate import MAX_MOVES, Custom, SearchSetup, custom_points, estimate, evaluate
from inarow.kernels.lang import trace
from inarow.kernels.lang.jit import Call, compile_all, hot_kernel, kernel
from inarow.kernels.lang.records import Array, Float32, Int8, Int32, array_of, record
from inarow.kernels.ntuple import (
    LARGEST,
    SCALE,
    Leaves,
    NetBoard,
    hold_weights,
    move_points,
    put_cell,
    smallest_whole,
    squash,
    stones_of,
    take_back,
    unit_of,
)
from inarow.kernels.rules import GOES_ON, after, move_to, outcome, winning_moves
from inarow.randomness import advance, mix
from inarow.stopping import raised

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Nodes = Array[Any]
"""An array of `Node` (rollouts), `ValuedNode` (a heuristic) or `GuidedNode` (a network)."""

UNKNOWN, WON, LOST, DRAWN = 0, 1, 2, 3
MAX_VISITS = 1 << 30
"""The most visits that a node can count."""
UNVISITED = 1e6
PROVEN = 1e9
ROOTS = 1 << 20
"""Visits for which √(ln visits) is kept."""
POLL = 4095
"""Long loops check the stop flag when none of these bits is set in their counter."""
DRAW_BITS = 21
"""Bits of a random number that one draw takes; a number of 63 bits is enough for three."""


class _Links:
    """The fields of every node; the children of a node are side by side."""

    visits: Int32
    first: Int32
    """The index of the first child; 0 for none."""
    cell: Int8
    """The bit index of the cell of the move that leads here."""
    count: Int8
    """The number of children."""
    status: Int8
    """The proven result: UNKNOWN, WON, LOST or DRAWN."""


@record
class Node(_Links):
    """A node of a tree whose simulations are won, drawn or lost."""

    mean: Float32
    """The mean result for selection; out of range while it is unvisited and once it is proven."""
    spread: Float32
    """1 / √visits."""
    total: Int32


@record
class ValuedNode(_Links):
    """A node of a tree whose leaves have values between a win and a loss."""

    mean: Float32
    spread: Float32
    total: float


@record
class GuidedNode(_Links):
    """A node of a tree that a network guides."""

    mean: float
    """The mean result, or what the network says while it is unvisited."""
    prior: float
    total: float


@record
class TreeState:
    """The state of a search between calls, besides its nodes."""

    used: int
    """Nodes in use; the root is node 0."""
    random: int
    """The state of the random stream."""
    deepest: int
    """Stones on the board at the deepest node."""
    visited: int
    """Positions visited below the root in this decision, in the tree and in rollouts."""


class Options(NamedTuple):
    """Options of a search."""

    c: float
    """The weight of the confidence bound."""
    rules: bool
    """True if rollouts win or block where they can; else they are random."""
    prove: bool
    """True if proven results are backed up."""
    until_proven: bool
    """True to stop once the root's result is proven."""
    roots: Floats
    """Room for √(ln visits), zeros at first, so that it is computed once."""


class Prior(NamedTuple):
    """A network that guides a search."""

    network: NetBoard
    temperature: float
    """The softmax temperature that turns values into priors."""
    rollouts: bool
    """True if simulations end with a rollout; else with the network's value."""


class Heuristic(NamedTuple):
    """Simulations end with the value of an evaluator."""

    custom: Custom | None
    """A function; None for the evaluator of the setup."""


class Judged(NamedTuple):
    """A function's judgement of a position."""

    priors: Floats
    """The prior of each move; those of legal moves are normalised."""
    value: float
    """In [−1, 1], for the side to move."""


Guide = Prior | Heuristic | Judged | None
"""The source of values and priors; None for rollouts."""
PUCT = (Prior, Judged)


class TreeSearch(NamedTuple):
    """A tree, and how it is searched."""

    setup: SearchSetup
    tree: TreeState
    nodes: Nodes
    options: Options
    guide: Guide


@kernel
def simulate(
    setup: SearchSetup,
    tree: TreeState,
    nodes: Nodes,
    root_own: int,
    root_opp: int,
    simulations: int,
    node_limit: int,
    options: Options,
    guide: Prior | Heuristic | None,
    stop: Ints,
) -> int:
    """Run simulations from the root position until a limit, or until the pool is full; return how many were finished.

    The board of a network holds the position, before and after.
    """
    search = TreeSearch(setup, tree, nodes, options, guide)
    root_ply = popcount(root_own | root_opp)
    judged = setup.moves if isinstance(guide, Prior) else 0
    longest = popcount(setup.board & ~(root_own | root_opp)) + judged
    path, contents = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    path[0] = 0
    trace.begin()
    if nodes[0].first == 0 and judged <= node_limit:
        nodes[0].status = UNKNOWN  # what was proven without children is proven again, with the move that does it
        expand(search, 0, root_own, root_opp)
    for done in range(simulations):
        if raised(stop) != 0 or tree.visited + longest > node_limit or is_full(tree, nodes):
            return done
        if options.until_proven and nodes[0].status != UNKNOWN:
            return done
        node, depth, plies = 0, 0, 0
        own, opp = root_own, root_opp
        while True:
            if not isinstance(guide, Prior) and nodes[node].first == 0:
                look_at(search, node, own, opp)
            status = nodes[node].status
            if nodes[node].first == 0 or (status != UNKNOWN and depth > 0):
                break
            node = select(search, node)
            cell = 1 << nodes[node].cell
            if isinstance(guide, Prior):
                contents[depth] = put_cell(guide.network, cell, (root_ply + depth) & 1)[1]
            depth += 1
            path[depth] = node
            own, opp = opp, own | cell
        result: float
        if guide is None:
            result = result_of(status)
            if status == UNKNOWN:
                result, plies, tree.random = roll_out(search, own, opp)
                trace.rollout(result)
        elif isinstance(guide, Prior):
            result = 0.0
            if status == UNKNOWN:
                result = expand(search, node, own, opp)
                status = nodes[node].status
            if status != UNKNOWN:
                result = float(result_of(status))
            elif guide.rollouts:
                end, plies, tree.random = roll_out(search, own, opp)
                result = float(end)
                trace.rollout(result)
            else:
                trace.evaluate(result)
        else:
            result = float(result_of(status))
            if status == UNKNOWN:
                result = leaf_value(setup, own, opp, depth & 1 != 0, guide)
                trace.evaluate(result)
        if status != UNKNOWN:
            trace.known(result)
        tree.visited += depth + plies
        tree.deepest = max(tree.deepest, root_ply + depth)
        if options.prove:
            back_up_proof(search, path, depth)
        back_up(search, path, depth, result)
        if isinstance(guide, Prior):
            for i in range(depth - 1, -1, -1):
                unit = unit_of(guide.network.net, 1 << nodes[path[i + 1]].cell)
                take_back(guide.network, (unit, contents[i]), (root_ply + i) & 1)
    return simulations


def leaf_value(setup: SearchSetup, own: int, opp: int, turned: bool, heuristic: Heuristic) -> float:
    """Return the value of a leaf for the side to move there, which is the searcher's opponent if it is ``turned``. The
    evaluator sees the leaf as the searcher does."""
    if turned:
        own, opp = opp, own
    custom = heuristic.custom
    points = evaluate(setup, own, opp) if custom is None else custom_points(custom, own, opp)
    return estimate(-points if turned else points)


def select(search: TreeSearch, node: int) -> int:
    """Return the child with the largest upper confidence bound: mean + c × √(ln visits ÷ its own); with a network
    mean + c × prior × √visits ÷ (1 + its own)."""
    nodes, options, guide = search.nodes, search.options, search.guide
    visits = max(1, nodes[node].visits)
    explore = options.c * (math.sqrt(visits) if isinstance(guide, PUCT) else root_of_log(visits, options.roots))
    start: int = nodes[node].first
    best, most = start, -2.0 * PROVEN
    for child in range(start, start + nodes[node].count):
        one = nodes[child]
        if isinstance(guide, PUCT):
            bound = one.mean + explore * one.prior / (1.0 + one.visits)
        else:
            bound = one.mean + explore * one.spread
        better = bound > most  # two selects, and no branch that the processor could guess wrong
        best = child if better else best
        most = bound if better else most
    trace.select(best)
    return best


def root_of_log(visits: int, roots: Floats) -> float:
    """Return √(ln visits); ``roots`` has what was computed before, else 0."""
    if visits >= len(roots):
        return math.sqrt(log(visits))
    found: float = roots[visits]
    if found == 0.0:
        found = math.sqrt(log(visits))
        roots[visits] = found
    return found


def look_at(search: TreeSearch, node: int, own: int, opp: int) -> None:
    """Look at a leaf for an end of the game at its first visit; at its second, give it children, or prove it."""
    setup, nodes = search.setup, search.nodes
    if nodes[node].visits == 0:
        if line_on(setup, opp):
            prove(search, node, WON if setup.misere else LOST)
        elif own | opp == setup.board:
            prove(search, node, DRAWN)
    elif nodes[node].status == UNKNOWN:
        cells = playable(own | opp, setup.bottom, setup.board, setup.gravity)
        if search.options.prove and not setup.misere and wins_on(setup, own) & cells != 0:
            prove(search, node, WON)
        else:
            expand(search, node, own, opp)


def expand(search: TreeSearch, node: int, own: int, opp: int) -> float:
    """Give a node a child for every legal move, their order rotated at random.

    With a network, whose board holds the position, judge the moves, and prove what follows. Returns the value of the
    best move. What a function says is given: until it is visited, a child counts what its parent is worth.
    """
    setup, tree, nodes, options, guide = search
    occupied = own | opp
    legal = playable(occupied, setup.bottom, setup.board, setup.gravity)
    count = popcount(legal)
    at = tree.used
    tree.used += count
    tree.random = advance(tree.random)
    place = start_of(legal, mix(tree.random))
    seat = popcount(occupied) & 1
    leaves = (
        Leaves(guide.network, stones_of(setup, own, opp), hold_weights(guide.network, 1 - seat))
        if isinstance(guide, Prior)
        else None
    )
    best = -1.0
    wins = wins_on(setup, own) if isinstance(guide, Judged) else 0
    for i in range(setup.moves):
        cell = legal & int(setup.order[i])
        if cell != 0:
            child = nodes[at + place]
            child.total = 0
            child.visits = 0
            child.first = 0
            child.cell = lowest(cell)
            child.count = 0
            child.status = UNKNOWN
            if isinstance(guide, Judged):
                child.mean = 0.5 + 0.5 * guide.value
                child.prior = guide.priors[i]
                if wins & cell != 0:
                    prove(search, at + place, WON if setup.misere else LOST)
                elif occupied | cell == setup.board:
                    prove(search, at + place, DRAWN)
            elif leaves is None:
                child.mean = UNVISITED
                child.spread = 0.0
            else:
                points = move_points(leaves, cell, seat)
                value = value_of(points)
                best = max(best, value)
                child.mean = 0.5 + 0.5 * value
                child.prior = value
                if leaves.stones.own_wins & cell != 0 or (options.prove and points > LARGEST):
                    prove(search, at + place, LOST)
                elif options.prove and points < -LARGEST:
                    prove(search, at + place, WON)
                elif occupied | cell == setup.board:
                    prove(search, at + place, DRAWN)
            place = place + 1 if place + 1 < count else 0
    nodes[node].first = at
    nodes[node].count = count
    trace.expand(nodes, node)
    if isinstance(guide, Prior):
        tree.visited += count
        write_priors(node, best, guide.temperature, nodes)
    if isinstance(guide, Judged):
        share_out(node, nodes)
    if isinstance(guide, PUCT) and options.prove:
        status = proof_above(node, nodes)
        if status != UNKNOWN:
            prove(search, node, status)
    return best


def value_of(points: int) -> float:
    """Return points as a value in [−1, 1]."""
    if points > LARGEST:
        return 1.0
    if points < -LARGEST:
        return -1.0
    return squash(points / SCALE)


def write_priors(node: int, best: float, temperature: float, nodes: Nodes) -> None:
    """Turn the values of a node's children, the best of which is given, into shares that add up to 1."""
    start = nodes[node].first
    end = start + nodes[node].count
    for child in range(start, end):
        nodes[child].prior = exponential((nodes[child].prior - best) / temperature)
    share_out(node, nodes)


def share_out(node: int, nodes: Nodes) -> None:
    """Divide the priors of a node's children by their sum; make them equal if it is 0."""
    start, count = nodes[node].first, nodes[node].count
    total = 0.0
    for child in range(start, start + count):
        total += nodes[child].prior
    for child in range(start, start + count):
        nodes[child].prior = nodes[child].prior / total if total > 0.0 else 1.0 / count


def exponential(x: float) -> float:
    """Return e to the power of x ≤ 0, from the hyperbolic tangent of x / 2, so that it is the same on every machine."""
    t = squash(0.5 * x)
    return (1.0 + t) / (1.0 - t)


def is_full(tree: TreeState, nodes: Nodes) -> bool:
    """Return True if the pool may lack room for the children of one more node."""
    return tree.used + MAX_MOVES > len(nodes)


def result_of(status: int) -> int:
    """Return what a proven result is worth to the side to move: 1, 0 or −1."""
    return 1 if status == WON else -1 if status == LOST else 0


def prove(search: TreeSearch, node: int, status: int) -> None:
    """Note a proven result, and put the node's mean where selection takes or avoids it if results are backed up."""
    one = search.nodes[node]
    one.status = status
    trace.prove(node, status)
    if search.options.prove and status == LOST:
        one.mean = PROVEN
    elif search.options.prove and status == WON:
        one.mean = -PROVEN


def proof_above(node: int, nodes: Nodes) -> int:
    """Return what the proven results of its children prove of a node."""
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


def back_up_proof(search: TreeSearch, path: Ints, depth: int) -> None:
    """Prove what follows, on the way back, from a result proven at the end of the path."""
    nodes = search.nodes
    proven = nodes[path[depth]].status != UNKNOWN
    above = depth - 1
    while proven and above >= 0 and nodes[path[above]].status == UNKNOWN:
        status = proof_above(path[above], nodes)
        proven = status != UNKNOWN
        if proven:
            prove(search, path[above], status)
        above -= 1


def back_up(search: TreeSearch, path: Ints, depth: int, result: Any) -> None:
    """Count a simulation at every node of its path. ``result`` is for the side to move at the last of them."""
    nodes, guide = search.nodes, search.guide
    trace.backup(result)
    for i in range(depth, 0, -1):
        node = nodes[path[i]]
        node.visits += 1
        node.total += 1 - result  # for the player who moved into the node
        if abs(node.mean) < PROVEN:
            node.mean = 0.5 * node.total / node.visits
        if not isinstance(guide, PUCT):
            node.spread = 1.0 / math.sqrt(node.visits)
        result = -result
    nodes[0].visits += 1


def roll_out(search: TreeSearch, own: int, opp: int) -> tuple[int, int, int]:
    """Play on: 1 if the side to move wins, −1 if it loses, 0 for a draw; the plies played; the new random state."""
    setup, rules, state = search.setup, search.options.rules, search.tree.random
    board, bottom, gravity, moves = setup.board, setup.bottom, setup.gravity, setup.moves
    side, plies = 1, 0
    lineless = 2 * setup.k - 2 - popcount(own | opp)  # plies that can't make a line yet
    numbers, left = 0, 0
    while True:
        choices = playable(own | opp, bottom, board, gravity)
        if choices == 0:
            return 0, plies, state
        if rules and setup.misere:
            safe = choices & ~wins_on(setup, own)
            if safe == 0:
                trace.play(choices & -choices)
                return -side, plies + 1, state
            choices = safe
        elif rules:
            if wins_on(setup, own) & choices != 0:
                trace.play(wins_on(setup, own) & choices)
                return side, plies + 1, state
            blocks = wins_on(setup, opp) & choices
            choices = blocks if blocks != 0 else choices
        cell = 0
        while cell == 0:  # draw until the move is among the choices, so that it is uniform
            if left == 0:
                state = advance(state)
                numbers, left = mix(state), 3
            number = numbers & ((1 << DRAW_BITS) - 1)
            numbers >>= DRAW_BITS
            left -= 1
            cell = choices & int(setup.order[(number * moves) >> DRAW_BITS])
        trace.play(cell)
        plies += 1
        own |= cell
        if not rules and plies > lineless and line_on(setup, own):
            return -side if setup.misere else side, plies, state
        own, opp = opp, own
        side = -side


def start_of(choices: int, number: int) -> int:
    """Return a uniformly random index into the moves of a set."""
    return ((number & ((1 << DRAW_BITS) - 1)) * popcount(choices)) >> DRAW_BITS


class LeafBatch(NamedTuple):
    """Leaves that wait for a function to judge them, one to a row."""

    paths: Ints
    """The nodes from the root to each leaf."""
    depths: Ints
    own: Ints
    """The stones of the side to move at each leaf."""
    opp: Ints


@kernel
def select_leaves(
    setup: SearchSetup,
    tree: TreeState,
    nodes: Nodes,
    root_own: int,
    root_opp: int,
    simulations: int,
    node_limit: int,
    options: Options,
    batch: LeafBatch,
    stop: Ints,
) -> tuple[int, int]:
    """Begin simulations (PUCT) until a limit, or until a batch of leaves waits to be judged; return how many were
    finished, because their results are proven, and how many are waiting.

    Each one that waits counts as lost along its path meanwhile (virtual loss), so that the next takes another path. The
    root, if it has no children yet, waits alone.
    """
    longest = popcount(setup.board & ~(root_own | root_opp))
    finished, waiting = 0, 0
    search = TreeSearch(setup, tree, nodes, options, Judged(options.roots, 0.0))
    while finished + waiting < simulations and waiting < len(batch.depths):
        room = tree.used + (waiting + 1) * MAX_MOVES <= len(nodes)
        if raised(stop) != 0 or tree.visited + longest > node_limit or not room:
            break
        if options.until_proven and nodes[0].status != UNKNOWN:
            break
        path = batch.paths[waiting]
        node, depth = 0, 0
        own, opp = root_own, root_opp
        path[0] = 0
        while nodes[node].first != 0 and (nodes[node].status == UNKNOWN or depth == 0):
            node = select(search, node)
            depth += 1
            path[depth] = node
            own, opp = opp, own | (1 << nodes[node].cell)
        waits = False
        for i in range(waiting):
            waits = waits or batch.paths[i, batch.depths[i]] == node
        if waits:
            break
        tree.visited += depth
        tree.deepest = max(tree.deepest, popcount(own | opp))
        status = nodes[node].status
        if status != UNKNOWN and depth > 0:
            if options.prove:
                back_up_proof(search, path, depth)
            back_up(search, path, depth, float(result_of(status)))
            finished += 1
            continue
        batch.depths[waiting] = depth
        batch.own[waiting] = own
        batch.opp[waiting] = opp
        waiting += 1
        for i in range(1, depth + 1):
            lose(nodes[path[i]], 1)
        if depth == 0:
            break
        nodes[0].visits += 1
    return finished, waiting


def lose(node: GuidedNode, visits: int) -> None:
    """Count lost simulations at a node."""
    node.visits += visits
    if abs(node.mean) < PROVEN and node.visits > 0:
        node.mean = 0.5 * node.total / node.visits


@kernel
def expand_leaves(
    setup: SearchSetup,
    tree: TreeState,
    nodes: Nodes,
    waiting: int,
    priors: Floats,
    values: Floats,
    options: Options,
    batch: LeafBatch,
) -> None:
    """Finish the simulations that wait: give their leaves children with these priors, and count these values, each for
    the side to move there."""
    for i in range(waiting):
        path, depth = batch.paths[i], batch.depths[i]
        for j in range(1, depth + 1):
            lose(nodes[path[j]], -1)
        search = TreeSearch(setup, tree, nodes, options, Judged(priors[i], values[i]))
        nodes[path[depth]].status = UNKNOWN
        expand(search, path[depth], batch.own[i], batch.opp[i])
        status = nodes[path[depth]].status
        if options.prove:
            back_up_proof(search, path, depth)
        if depth > 0:
            nodes[0].visits -= 1
            result = values[i] if status == UNKNOWN else float(result_of(status))
            back_up(search, path, depth, result)


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


@hot_kernel
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


@hot_kernel
def find_node(nodes: Nodes, first: int, second: int, to_first: int, to_second: int) -> int:
    """Return the node of a position that descends from the root; −1 if it is not in the tree.

    ``first`` and ``second`` are the stones of the players at the root, the others those of the position.
    """
    return find_below(nodes, 0, first, second, to_first, to_second)


def find_below(nodes: Nodes, node: int, first: int, second: int, to_first: int, to_second: int) -> int:
    """Return the node of a position that descends from this one, whose stones are given; −1 if it is not there."""
    if first == to_first and second == to_second:
        return node
    if first & ~to_first != 0 or second & ~to_second != 0:
        return -1
    seat = popcount(first | second) & 1
    start: int = nodes[node].first
    for child in range(start, start + nodes[node].count):
        cell = 1 << nodes[child].cell
        if cell & (to_second if seat == 1 else to_first) != 0:
            after_first, after_second = first | cell if seat == 0 else first, second | cell if seat == 1 else second
            found = find_below(nodes, child, after_first, after_second, to_first, to_second)
            if found >= 0:
                return found
    return -1


@kernel
def best_moves(nodes: Nodes, layout: BitLayout, own: int, opp: int, among: int, proves: bool, guided: bool) -> int:
    """Return the set of moves to choose from, of the set ``among``: proven wins, else the most visited moves that are
    not proven to lose; ``guided`` by a network, those of them with the best mean.

    If all are proven to lose: moves that don't lose to the next stone, else moves that block a threat, else all.
    """
    visits, means = np.zeros(MAX_MOVES, dtype=np.int64), np.zeros(MAX_MOVES)
    wins, losses, every = 0, 0, 0
    start: int = nodes[0].first
    for child in range(start, start + nodes[0].count):
        move = move_to(layout, 1 << nodes[child].cell)
        visits[move], means[move] = nodes[child].visits, nodes[child].mean
        if (among >> move) & 1 != 0:
            every |= 1 << move
            if proves and nodes[child].status == LOST:
                wins |= 1 << move
            if proves and nodes[child].status == WON:
                losses |= 1 << move
    found = wins
    if guided and wins & winning_moves(layout, own, own | opp) != 0:  # its tactics prove longer wins as well
        found &= winning_moves(layout, own, own | opp)
    if found == 0:
        found = every & ~losses
    if found == 0:
        found = not_lost_at_once(layout, own, opp, every)
    if found == 0:
        found = winning_moves(layout, opp, own | opp)
    if found == 0:
        found = every
    if found == 0:
        return 0
    found = highest(found, visits)
    return highest(found, means) if guided else found  # unvisited moves have the network's value


def not_lost_at_once(layout: BitLayout, own: int, opp: int, moves: int) -> int:
    """Return the moves after which the game continues and the opponent can't win with its next stone."""
    found = 0
    while moves != 0:
        their, ours = after(layout, own, opp, lowest(moves))
        if outcome(layout, their, ours) == GOES_ON and winning_moves(layout, their, their | ours) == 0:
            found |= 1 << lowest(moves)
        moves &= moves - 1
    return found


def calls(kind: type[Any]) -> list[Call]:
    """Return the kernels for trees of nodes of a kind, each with the arguments of one call; `simulate` is the first."""
    tree, nodes, ints = TreeState(), array_of(kind, 1), np.ones(1, dtype=np.int64)
    options = Options(1.0, False, True, False, np.ones(1))
    prior = Prior(NetBoard(*smallest_whole()), 1.0, False)
    guide = prior if kind is GuidedNode else Heuristic(None) if kind is ValuedNode else None
    layout = BitLayout(1, 2, 1, 1, True, 1, 1, 2, 1)
    return [
        (simulate, (SearchSetup(), tree, nodes, 0, 0, 0, 0, options, guide, ints)),
        (least_visits, (tree, nodes, 0, ints)),
        (keep_below, (tree, nodes, nodes, 0, 0, 0, ints)),
        (best_moves, (nodes, layout, 0, 0, 0, True, kind is GuidedNode)),
        (expected_line, (nodes, 0, ints)),
        (find_node, (nodes, 0, 0, 0, 0)),
    ]


@functools.cache
def warm_for(kind: type[Any]) -> None:
    """Compile the kernels for trees of nodes of a kind, or load them; the two hot ones are for `warm`."""
    compile_all(calls(kind)[:4])


@functools.cache
def warm_batches() -> None:
    """Compile the kernels for leaves that a function judges, or load them."""
    tree, nodes, ints, none = TreeState(), array_of(GuidedNode, 1), np.ones(1, dtype=np.int64), np.zeros(0)
    options, batch = (
        Options(1.0, False, True, False, np.ones(1)),
        LeafBatch(np.zeros((1, 1), np.int64), ints, ints, ints),
    )
    select_leaves(SearchSetup(), tree, nodes, 0, 0, 0, 0, options, batch, ints)
    expand_leaves(SearchSetup(), tree, nodes, 0, none.reshape(0, 0), none, options, batch)


def warm() -> None:
    """Compile the kernels of this module, or load them, but for `warm_batches`."""
    for kind in (Node, ValuedNode, GuidedNode):
        compile_all(calls(kind))
