"""Minimax, alpha–beta and UCT on small trees with given leaves, written down step by step; and random trees.

Plain functions, which Python runs uncompiled and the browser compiled. A tree is arrays by node, in the order of a walk
from the left, parents first. All values are MAX's. Every choice between equals goes to the left.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.arithmetic import log
from inarow.randomness import advance, below, mix

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

MAX_NODES = 300
MAX_DEPTH = 10
LONGEST_PATH = 11
INFINITE = 1e300
"""Stands for no bound."""
# Kinds of steps. BOUND comes before SELECT, for each child; MARK before BACKUP, for each node of the path.
ENTER, LEAF, UPDATE, CUTOFF, RETURN, SELECT, EXPAND, PLAYOUT, BACKUP, BOUND, MARK = range(11)


class GivenTree(NamedTuple):
    """A tree."""

    children: Ints
    """The first child of each node; −1 for a leaf."""
    siblings: Ints
    """The next child of the same parent; −1 for the last."""
    turns: Ints
    """1 where MAX moves."""
    values: Reals
    """The value of a leaf; of an inner node, the result of a playout from there."""


class Steps(NamedTuple):
    """The steps of an algorithm."""

    kinds: Ints
    nodes: Ints
    others: Ints
    """UPDATE: the child; CUTOFF: the first child that is pruned; MARK: the visits; else −1."""
    values: Reals
    """LEAF, UPDATE, CUTOFF, RETURN: the value; SELECT, BOUND: the bound; PLAYOUT: the result; MARK: the mean; BACKUP:
    the reward."""
    lows: Reals
    """ENTER: alpha; UPDATE, RETURN: the least value that the leaves prove; CUTOFF: what the other has elsewhere."""
    highs: Reals
    """ENTER: beta; UPDATE, RETURN: the greatest value that the leaves prove; PLAYOUT: the reward."""
    used: Ints
    """(1): how many steps there are."""


def note(steps: Steps, kind: int, node: int, other: int, value: float, low: float, high: float) -> None:
    """Write a step down; those for which there is no room are dropped."""
    at = int(steps.used[0])
    if at < len(steps.kinds):
        steps.kinds[at], steps.nodes[at], steps.others[at] = kind, node, other
        steps.values[at], steps.lows[at], steps.highs[at] = value, low, high
        steps.used[0] = at + 1


def search(
    tree: GivenTree, node: int, pruning: bool, alpha: float, beta: float, steps: Steps
) -> tuple[float, float, float]:
    """Search by minimax, with alpha–beta pruning if asked; return the value, and the bounds that the leaves prove."""
    child = int(tree.children[node])
    if child < 0:
        value = float(tree.values[node])
        note(steps, LEAF, node, -1, value, value, value)
        return value, value, value
    note(steps, ENTER, node, -1, 0.0, alpha, beta)
    sign = 1.0 if tree.turns[node] != 0 else -1.0
    best = low = high = -sign * INFINITE
    while child >= 0:
        value, least, most = search(tree, child, pruning, alpha, beta, steps)
        if sign > 0.0:
            low, high = max(low, least), max(high, most)
        else:
            low, high = min(low, least), min(high, most)
        if sign * value > sign * best:
            best = value
            note(steps, UPDATE, node, child, best, low, high)
        if sign > 0.0:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        child = int(tree.siblings[child])
        if pruning and alpha >= beta and child >= 0:
            note(steps, CUTOFF, node, child, best, beta if sign > 0.0 else alpha, 0.0)
            child = -1
            if sign > 0.0:
                high = INFINITE
            else:
                low = -INFINITE
    note(steps, RETURN, node, -1, best, low, high)
    return best, low, high


def minimax(tree: GivenTree, node: int) -> float:
    """Return the value of a node."""
    child = int(tree.children[node])
    if child < 0:
        return float(tree.values[node])
    best = minimax(tree, child)
    child = int(tree.siblings[child])
    while child >= 0:
        value = minimax(tree, child)
        best = max(best, value) if tree.turns[node] != 0 else min(best, value)
        child = int(tree.siblings[child])
    return best


def best_child(tree: GivenTree, node: int) -> int:
    """Return the first child with the value of an inner node."""
    child, value = int(tree.children[node]), minimax(tree, node)
    while minimax(tree, child) != value:
        child = int(tree.siblings[child])
    return child


def simulate(tree: GivenTree, visits: Ints, totals: Reals, low: float, high: float, c: float, steps: Steps) -> None:
    """Run a simulation of UCT. ``low`` and ``high`` are the values with rewards 0 and 1; ``visits`` and ``totals`` add
    up visits and rewards by node."""
    path = np.zeros(LONGEST_PATH, np.int64)
    length, node, expanded = 1, 0, False
    while not expanded and tree.children[node] >= 0:
        node, expanded = descend(tree, visits, totals, node, c, steps)
        path[length] = node
        length += 1
    result = float(tree.values[node])
    reward = (result - low) / (high - low)
    note(steps, PLAYOUT, node, -1, result, 0.0, reward)
    for i in range(length):
        on = int(path[i])
        visits[on] += 1
        totals[on] += reward
        note(steps, MARK, on, int(visits[on]), mean(visits, totals, on), 0.0, 0.0)
    note(steps, BACKUP, 0, -1, reward, 0.0, 0.0)


def most_visited(tree: GivenTree, visits: Ints, totals: Reals) -> int:
    """Return the child of the root with most visits; of several, the one with the best mean."""
    best = child = int(tree.children[0])
    sign = 1.0 if tree.turns[0] != 0 else -1.0
    while child >= 0:
        more = visits[child] - visits[best]
        if more > 0 or (more == 0 and sign * mean(visits, totals, child) > sign * mean(visits, totals, best)):
            best = child
        child = int(tree.siblings[child])
    return best


def descend(tree: GivenTree, visits: Ints, totals: Reals, node: int, c: float, steps: Steps) -> tuple[int, bool]:
    """Go down to the first unvisited child of a node, or to the one with the largest bound; return it, and whether it
    was unvisited."""
    child = int(tree.children[node])
    while child >= 0:
        if visits[child] == 0:
            note(steps, EXPAND, child, node, 0.0, 0.0, 0.0)
            return child, True
        child = int(tree.siblings[child])
    child = chosen = int(tree.children[node])
    largest = -INFINITE
    while child >= 0:
        reward = mean(visits, totals, child)
        width = c * math.sqrt(log(float(visits[node])) / float(visits[child]))
        bound = (reward if tree.turns[node] != 0 else 1.0 - reward) + width
        note(steps, BOUND, child, node, bound, 0.0, 0.0)
        if bound > largest:
            chosen, largest = child, bound
        child = int(tree.siblings[child])
    note(steps, SELECT, chosen, node, largest, 0.0, 0.0)
    return chosen, False


def mean(visits: Ints, totals: Reals, node: int) -> float:
    """Return the mean reward of a node; 0 without visits."""
    return float(totals[node]) / float(visits[node]) if visits[node] != 0 else 0.0


class Shape(NamedTuple):
    """The shape of a random tree."""

    fewest: Ints
    """The fewest children of a node, by ply."""
    choices: Ints
    """How many numbers of children to choose from, by ply."""
    least: int
    """The least value of a leaf."""
    values: int
    """The number of values to choose from."""
    cutoffs: int
    """Alpha–beta prunes at least this often; −1: some, but not all, moves at the root win."""
    any_order: bool
    """True if the first move may be the best."""


def draw(tree: GivenTree, shape: Shape, root_turn: int, random: Ints, steps: Steps) -> int:
    """Draw trees until one is an exam question: with one best move at the root, in which alpha–beta prunes. Return how
    many nodes it has. ``random`` holds the state of the stream."""
    nodes = draw_node(tree, shape, 0, 0, root_turn, random)
    while not is_question(tree, shape, steps):
        nodes = draw_node(tree, shape, 0, 0, root_turn, random)
    return nodes


def draw_node(tree: GivenTree, shape: Shape, at: int, ply: int, turn: int, random: Ints) -> int:
    """Draw a node and all below it; return where the next one goes."""
    tree.turns[at], tree.siblings[at], tree.values[at] = turn, -1, 0.0
    random[0] = advance(int(random[0]))
    number = mix(int(random[0]))
    if ply == len(shape.fewest):
        tree.children[at] = -1
        tree.values[at] = float(shape.least + below(number, shape.values))
        return at + 1
    count = int(shape.fewest[ply]) + below(number, int(shape.choices[ply]))
    tree.children[at] = child = at + 1
    for i in range(count):
        end = draw_node(tree, shape, child, ply + 1, 1 - turn, random)
        if i + 1 < count:
            tree.siblings[child] = end
        child = end
    return child


def is_question(tree: GivenTree, shape: Shape, steps: Steps) -> bool:
    """Return whether a random tree is a question to ask."""
    best, child = minimax(tree, 0), int(tree.children[0])
    children = ones = equal = 0
    first = minimax(tree, child)
    while child >= 0:
        value = minimax(tree, child)
        children += 1
        ones += 1 if value > 0.0 else 0
        equal += 1 if value == best else 0
        child = int(tree.siblings[child])
    if shape.cutoffs < 0:
        return ones > 0 and ones < children
    steps.used[0] = 0
    search(tree, 0, True, -INFINITE, INFINITE, steps)
    cutoffs = 0
    for i in range(int(steps.used[0])):
        cutoffs += 1 if steps.kinds[i] == CUTOFF else 0
    return equal == 1 and cutoffs >= shape.cutoffs and (shape.any_order or first != best)
