"""Q-learning in self-play on a game small enough to list: positions are numbers, and moves lead from one to the next.

The nodes of the *graph* are the positions that are not over, up to symmetry. A node has a *choice* for every slot of
its row in a table (see `qlearning`). A random move is one of the legal moves, listed by choice, so that all are equally
probable. Arrays are flat, with room for every move of the game at each node. Values are for the side to move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.bits import has_line, lowest, playable, popcount
from inarow.kernels.evaluate import MAX_SYMMETRIES
from inarow.kernels.lang.jit import Call, compile_all, kernel
from inarow.kernels.qlearning import (
    Array,
    Board,
    Counts,
    Exploration,
    Ints,
    Learning,
    Progress,
    draw_images,
    find_key,
    locate,
    scheduled,
    slot_of,
    smallest,
    smallest_settings,
    update,
    write_key,
)
from inarow.randomness import advance, below, mix
from inarow.stopping import raised

WON, FULL = -1, -2
"""The successor of a move that ends the episode."""
TOO_MANY = -1
"""The result of `list_positions` when there are more positions than room."""
# The path of an episode has two numbers per ply.
NODE, CHOICE = range(2)
STEP = 2


class Graph(NamedTuple):
    """The positions of a small game that are not over, up to symmetry, as numbered nodes."""

    moves: int
    """Elements per node in the arrays that say so."""
    legal: Array
    """int32 (nodes): how many legal moves a node has."""
    choices: Array
    """int32 (nodes): how many moves that differ by more than a symmetry."""
    choice_of_move: Array
    """int32 (nodes, moves): the choice that each legal move belongs to."""
    slots: Array
    """int32 (nodes, moves): the slot of each choice in the row of a table."""
    following: Array
    """int32 (nodes, moves): the node that each choice leads to; WON or FULL at the end."""
    values: Array
    """float32 (nodes, moves): the Q-value of each choice."""
    visits: Array
    """int32 (nodes, moves): how often each value was updated."""


@kernel
def list_positions(board: Board, graph: Graph, nodes: Ints, keys: Ints, node_of_row: Counts) -> int:
    """Write the graph of a game, and the keys of its nodes to ``nodes``, (nodes, 2); return their number or TOO_MANY.

    ``keys`` (all −1, two per row) and ``node_of_row`` are room for a hash table at least four thirds as large.
    """
    room = len(node_of_row)
    images = np.zeros((2, MAX_SYMMETRIES), np.int64)
    key = np.zeros(2, np.int64)
    nodes[0, 0], nodes[0, 1] = 0, 0
    add_row(keys, -1 - locate(keys, room, 0, 0), key, node_of_row, 0)
    count, at = 1, 0
    while at < count:
        own, opp = nodes[at, 0], nodes[at, 1]
        draw_images(board, own, opp, images)
        symmetries = find_key(board, images, 0, key)
        graph.legal[at] = 0
        graph.choices[at] = 0
        rest = playable(own | opp, board.bottom, board.cells, board.gravity)
        while rest:
            stone = rest & -rest
            rest ^= stone
            choice = add_move(graph, at, slot_of(board, board.move_of_bit[lowest(stone)], symmetries))
            if choice < 0:
                continue
            if has_line(own | stone, board.k, board.stride):
                after = WON
            elif own | stone | opp == board.cells:
                after = FULL
            else:
                draw_images(board, opp, own | stone, images)
                find_key(board, images, 0, key)
                row = locate(keys, room, key[0], key[1])
                if row < 0:
                    if count == len(nodes):
                        return TOO_MANY
                    row = -1 - row
                    nodes[count, 0], nodes[count, 1] = key[0], key[1]
                    add_row(keys, row, key, node_of_row, count)
                    count += 1
                after = node_of_row[row]
            graph.following[at * graph.moves + choice] = after
        at += 1
    return count


def add_row(keys: Array, row: int, key: Ints, node_of_row: Counts, node: int) -> None:
    """Write a node and its key to a row of the hash table."""
    write_key(keys, row, key[0], key[1])
    node_of_row[row] = node


def add_move(graph: Graph, node: int, slot: int) -> int:
    """Add a legal move of this slot to a node; return its choice if it is new, else −1."""
    begin = node * graph.moves
    legal, choices = graph.legal[node], graph.choices[node]
    choice = 0
    while choice < choices and graph.slots[begin + choice] != slot:
        choice += 1
    graph.choice_of_move[begin + legal] = choice
    graph.legal[node] = legal + 1
    if choice < choices:
        return -1
    graph.choices[node] = choices + 1
    graph.slots[begin + choice] = slot
    return choice


@kernel
def episodes(
    graph: Graph,
    exploration: Exploration,
    learning: Learning,
    progress: Progress,
    path: Counts,
    count: int,
    stop: Ints,
) -> int:
    """Play and learn from ``count`` episodes, both seats together; return how many were played before ``stop``.

    It learns as `qlearning.episodes` does against itself with no guide. ``path`` is room for two numbers per ply.
    """
    first_wins, second_wins, draws, plies = 0, 0, 0, 0
    errors, rewards = progress.errors, progress.rewards  # one running sum, however a training is split up
    state, moves, played = progress.random, progress.moves, 0
    while played < count and not raised(stop):
        episode = progress.episodes + played
        state, ply, opening, end = play(graph, path, exploration, state, episode, moves)
        moves += max(0, ply - opening)
        if end == FULL:
            draws += 1
        elif ply & 1:
            first_wins += 1
        else:
            second_wins += 1
        errors, rewards = learn(graph, path, learning, episode, moves, ply, end == WON, errors, rewards)
        plies += ply
        played += 1
    progress.random = state
    progress.episodes += played
    progress.moves = moves
    progress.wins += first_wins
    progress.losses += second_wins
    progress.draws += draws
    progress.plies += plies
    progress.updates += plies
    progress.errors = errors
    progress.rewards = rewards
    return played


def play(
    graph: Graph, path: Array, exploration: Exploration, state: int, episode: int, moves: int
) -> tuple[int, int, int, int]:
    """Play an episode and write its path; return the random state, the plies, the length of the random opening, and WON
    or FULL. ``episode`` and ``moves``: how much was played before."""
    state = advance(state)
    opening = below(mix(state), exploration.longest_opening + 1)
    node = ply = 0
    while node >= 0:
        begin = node * graph.moves
        state = advance(state)
        number = mix(state)
        chance, number = (number >> 31) / 4294967296.0, number & 0x7FFFFFFF
        if ply < opening or chance < scheduled(exploration.epsilon, episode, moves + ply - opening, 0):
            choice = graph.choice_of_move[begin + ((number * int(graph.legal[node])) >> 31)]
        else:
            choice = greedy(graph.values, begin, graph.choices[node], number)
        path[STEP * ply + NODE] = node
        path[STEP * ply + CHOICE] = choice
        ply += 1
        node = graph.following[begin + choice]
    return state, ply, opening, node


def learn(
    graph: Graph,
    path: Array,
    learning: Learning,
    episode: int,
    moves: int,
    plies: int,
    won: bool,
    errors: float,
    rewards: float,
) -> tuple[float, float]:
    """Update the values of an episode's moves; return the running sums of absolute errors and of rewards."""
    last = learning.win if won else learning.draw
    for i in range(plies):
        ply = plies - 1 - i if learning.backward else i
        reward, future = learning.per_move, 0.0
        if ply == plies - 1:
            reward += last
        else:
            after = path[STEP * (ply + 1) + NODE]
            future = -highest(graph.values, after * graph.moves, graph.choices[after])
        at = path[STEP * ply + NODE] * graph.moves + path[STEP * ply + CHOICE]
        target = reward + learning.gamma * future
        errors += abs(update(graph.values, graph.visits, at, target, learning.alpha, episode, moves))
        rewards += reward
    return errors, rewards


def highest(values: Array, begin: int, choices: int) -> float:
    """Return the highest value of a node whose elements begin at ``begin``."""
    best = values[begin]
    for choice in range(1, choices):
        best = max(best, values[begin + choice])
    return np.float64(best)


def greedy(values: Array, begin: int, choices: int, number: int) -> int:
    """Return the choice with the highest value at a node; ties are broken by a random number below 2**31."""
    best = values[begin]
    for choice in range(1, choices):
        best = max(best, values[begin + choice])
    equal = 0
    for choice in range(choices):
        equal |= (1 if values[begin + choice] == best else 0) << choice
    for _ in range((number * popcount(equal)) >> 31):
        equal &= equal - 1
    return lowest(equal)


def calls() -> list[Call]:
    """Return the kernels of this module, each with the arguments of one call."""
    _, board = smallest()
    ints, indices, keys = np.zeros(4, np.int64), np.zeros(8, np.int32), np.zeros((2, 2), np.int64)
    graph = Graph(2, indices, indices, indices, indices, indices, np.zeros(8, np.float32), indices)
    return [
        (list_positions, (board, graph, keys, ints, indices)),
        (episodes, (graph, *smallest_settings(), indices, 1, ints)),
    ]


def warm() -> None:
    """Compile the kernels of this module, or load them."""
    compile_all(calls())
