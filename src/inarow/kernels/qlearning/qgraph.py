"""Q-learning in self-play on a game small enough to list: positions are numbers, and moves lead from one to the next.

The nodes of the *graph* are the positions not over, up to symmetry. A node has a choice for every slot of its row in
the table (see `qtable`), ``choices`` of them; a random move takes one of its ``legal`` moves, listed by choice, so that
each is as likely. Arrays are flat, with room for ``moves`` at each node. Values are for the side to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.kernels.common.board import advance, below, has_line, lowest, mix, playable, popcount, raised
from inarow.kernels.compiler.jit import kernel, primitive
from inarow.kernels.compiler.pointers import handle, peek_float, peek_int32, poke_float, poke_int32
from inarow.kernels.qlearning import qlearn, qtable
from inarow.kernels.qlearning.qtable import Counts, Ints, Reals, Rows, find_key, locate, slot_of
from inarow.kernels.qlearning.rates import scheduled

WON, FULL = -1, -2
"""Where a move leads that ends the game."""


@kernel
def list_positions(
    rules: Ints,
    bit_images: Ints,
    move_images: Ints,
    move_of_bit: Ints,
    keys: Ints,
    node_of_row: Counts,
    nodes: Ints,
    legal: Counts,
    choices: Counts,
    choice_of_move: Counts,
    slots: Counts,
    following: Counts,
) -> int:
    """Write the graph of a game into these arrays, and the keys of its nodes to ``nodes``; how many there are, or −1 if
    they don't fit. ``keys`` (all −1) and ``node_of_row`` are room for a table four thirds as large or more."""
    k, stride, board, bottom = rules[qtable.K], rules[qtable.STRIDE], rules[qtable.BOARD], rules[qtable.BOTTOM]
    gravity = rules[qtable.GRAVITY] != 0
    moves = move_images.shape[1]
    images = np.zeros((2, rules[qtable.SYMMETRIES]), np.int64)
    key = np.zeros(2, np.int64)
    keys[-1 - locate(keys, 0, 0)] = 0
    node_of_row[locate(keys, 0, 0)] = 0
    nodes[0] = 0
    count, at = 1, 0
    while at < count:
        mine, other = nodes[at, 0], nodes[at, 1]
        stand(images, bit_images, mine, other)
        symmetries = find_key(images, 0, rules, key)
        rest = playable(mine | other, bottom, board, gravity)
        legal[at] = 0
        choices[at] = 0
        while rest:
            stone = rest & -rest
            rest ^= stone
            slot = slot_of(move_of_bit[lowest(stone)], symmetries, move_images)
            choice = 0
            while choice < choices[at] and slots[at * moves + choice] != slot:
                choice += 1
            choice_of_move[at * moves + legal[at]] = choice
            legal[at] += 1
            if choice < choices[at]:
                continue
            choices[at] += 1
            slots[at * moves + choice] = slot
            if has_line(mine | stone, k, stride):
                following[at * moves + choice] = WON
            elif mine | stone | other == board:
                following[at * moves + choice] = FULL
            else:
                stand(images, bit_images, other, mine | stone)
                find_key(images, 0, rules, key)
                row = locate(keys, key[0], key[1])
                if row < 0:
                    if count == nodes.shape[0]:
                        return -1
                    row = -1 - row
                    keys[row] = key
                    node_of_row[row] = count
                    nodes[count] = key
                    count += 1
                following[at * moves + choice] = node_of_row[row]
        at += 1
    return count


@primitive
def stand(images: Ints, bit_images: Ints, mine: int, other: int) -> None:
    """Write the symmetric images of both sides' stones, the side to move first."""
    for s in range(images.shape[1]):
        for side in range(2):
            rest = other if side else mine
            image = 0
            while rest:
                image |= bit_images[s, lowest(rest)]
                rest &= rest - 1
            images[side, s] = image


@kernel
def episodes(
    values: Rows,
    visits: Counts,
    legal: Counts,
    choices: Counts,
    choice_of_move: Counts,
    following: Counts,
    path: Counts,
    rules: Ints,
    settings: Reals,
    alpha: Reals,
    epsilon: Reals,
    counters: Ints,
    random: Ints,
    count: int,
    stop: Ints,
    tally: Reals,
) -> int:
    """Play and learn from ``count`` episodes, both seats together; how many were played before ``stop`` was raised.

    It learns as `qlearn.episodes` does against itself with no guide. ``path`` is room for two numbers a ply.
    """
    v, n, p = handle(values), handle(visits), handle(path)
    to, of, have, branch = handle(following), handle(choice_of_move), handle(legal), handle(choices)
    moves = values.size // legal.size
    longest = rules[qtable.LONGEST_OPENING]
    gamma, per_move = settings[qtable.GAMMA], settings[qtable.PER_MOVE]
    win, draw = settings[qtable.WIN], settings[qtable.DRAW]
    first_wins, second_wins, draws, plies = 0, 0, 0, 0
    errors, rewards = tally[qlearn.ERRORS], tally[qlearn.REWARDS]  # in one sum, however a training is cut up
    state, acted, played = random[0], counters[1], 0
    while played < count and not raised(stop):
        state = advance(state)
        opening = below(mix(state), longest + 1)
        node = ply = 0
        while True:
            row = node * moves
            state = advance(state)
            number = mix(state)
            chance, number = (number >> 31) / 4294967296.0, number & 0x7FFFFFFF
            if ply < opening or chance < scheduled(epsilon, counters[0] + played, acted, 0):
                choice = peek_int32(of, row + ((number * peek_int32(have, node)) >> 31))
            else:
                choice = greedy(v, row, peek_int32(branch, node), number)
            if ply >= opening:
                acted += 1
            poke_int32(p, 2 * ply, node)
            poke_int32(p, 2 * ply + 1, choice)
            ply += 1
            node = peek_int32(to, row + choice)
            if node < 0:
                break
        if node == FULL:
            draws += 1
        elif ply & 1:
            first_wins += 1
        else:
            second_wins += 1
        last = win if node == WON else draw
        for i in range(ply):
            at = ply - 1 - i if rules[qtable.BACKWARD] else i
            reward, later = per_move, 0.0
            if at == ply - 1:
                reward += last
            else:
                after = peek_int32(p, 2 * at + 2)
                later = -highest(v, after * moves, peek_int32(branch, after))
            place = peek_int32(p, 2 * at) * moves + peek_int32(p, 2 * at + 1)
            old = np.float64(peek_float(v, place))
            error = reward + gamma * later - old
            met = peek_int32(n, place)
            step = scheduled(alpha, counters[0] + played, acted, met)
            poke_float(v, place, np.float32(old + step * error))
            poke_int32(n, place, met + 1)
            errors += abs(error)
            rewards += reward
        plies += ply
        played += 1
    random[0] = state
    counters[0] += played
    counters[1] = acted
    tally[qlearn.WINS] += first_wins
    tally[qlearn.LOSSES] += second_wins
    tally[qlearn.DRAWS] += draws
    tally[qlearn.PLIES] += plies
    tally[qlearn.LEARNT] += plies
    tally[qlearn.ERRORS] = errors
    tally[qlearn.REWARDS] = rewards
    return played


@primitive
def highest(values: Any, row: int, choices: int) -> float:
    """The highest value at a node."""
    best = peek_float(values, row)
    for choice in range(1, choices):
        best = max(best, peek_float(values, row + choice))
    return np.float64(best)


@primitive
def greedy(values: Any, row: int, choices: int, number: int) -> int:
    """The choice of the highest value at a node, or one of several by a random number below 2**31."""
    best = peek_float(values, row)
    for choice in range(1, choices):
        best = max(best, peek_float(values, row + choice))
    equal = 0
    for choice in range(choices):
        equal |= (1 if peek_float(values, row + choice) == best else 0) << choice
    for _ in range((number * popcount(equal)) >> 31):
        equal &= equal - 1
    return lowest(equal)


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    rules = np.array([2, 3, 0b011011, 0b001001, 1, 1, 0, 1, 1, 0, 0])
    bit_images, move_images = np.array([[1, 2, 0, 8, 16, 0]]), np.array([[0, 1]])
    move_of_bit, keys, nodes = np.array([0, 0, 0, 1, 1, 0]), np.full((16, 2), -1), np.zeros((8, 2), np.int64)
    rows, legal, choices = np.zeros(16, np.int32), np.zeros(8, np.int32), np.zeros(8, np.int32)
    of, slots, to = np.zeros(16, np.int32), np.zeros(16, np.int32), np.zeros(16, np.int32)
    images = (bit_images, move_images, move_of_bit)
    list_positions(rules, *images, keys, rows, nodes, legal, choices, of, slots, to)
    values, visits, path = np.zeros(16, np.float32), np.zeros(16, np.int32), np.zeros(8, np.int32)
    settings, rate, tally = np.zeros(qtable.SETTINGS), np.zeros(5), np.zeros(qlearn.TALLY)
    counters, random, stop = np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
    episodes(
        values, visits, legal, choices, of, to, path, rules, settings, rate, rate, counters, random, 1, stop, tally
    )
