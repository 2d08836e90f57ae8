"""Tabular Q-learning, compiled: episodes against itself or others, and what is learnt from each.

Positions don't come back within an episode, so learning after it gives what learning move by move would.
"""

from __future__ import annotations

import numpy as np

from inarow.kernels.common import search_layout
from inarow.kernels.common.board import advance, below, has_line, lowest, mix, playable, popcount, raised, winning_cells
from inarow.kernels.common.evaluate import evaluate
from inarow.kernels.common.random_choice import pick, uniform
from inarow.kernels.compiler.jit import kernel, primitive
from inarow.kernels.qlearning import qtable
from inarow.kernels.qlearning.guides import guided
from inarow.kernels.qlearning.opponents import OUTSIDE, SELF, reply
from inarow.kernels.qlearning.qtable import Counts, Ints, Reals, Rows, best_of, find_key, locate, slot_of, worth
from inarow.kernels.qlearning.rates import scheduled

BOTH_SEATS = 2
# Places in ``tally``.
WINS, DRAWS, LOSSES, PLIES, REWARDS, ERRORS, LEARNT = range(7)
TALLY = 7


@primitive
def choose(
    values: Rows,
    row: int,
    symmetries: int,
    mine: int,
    other: int,
    allowed: int,
    move_images: Ints,
    move_of_bit: Ints,
    rules: Ints,
    settings: Reals,
    number: int,
) -> int:
    """The greedy move among those allowed, as a bit: the highest worth; any of several equals."""
    best = -1e30
    chosen = 0
    ties = 0
    rest = allowed
    while rest:
        stone = rest & -rest
        rest ^= stone
        move = move_of_bit[lowest(stone)]
        value = worth(values, row, symmetries, mine, other, stone, move, move_images, rules, settings)
        if value > best:
            best = value
            chosen = stone
            ties = 1
        elif value == best:
            ties += 1
            number = mix(number)
            if below(number, ties) == 0:
                chosen = stone
    return chosen


@primitive
def play(
    keys: Ints,
    values: Rows,
    used: Ints,
    rules: Ints,
    settings: Reals,
    epsilon: Reals,
    bit_images: Ints,
    move_images: Ints,
    move_of_bit: Ints,
    styles: Ints,
    opponent: int,
    seat: int,
    opening: int,
    counters: Ints,
    random: Ints,
    line: Ints,
    given: int,
    rows: Ints,
    slots: Ints,
    legal: Ints,
) -> tuple[int, int]:
    """Play on from the first ``given`` moves of ``line``, as bits; the number of plies then, and how it stands.

    It stands 1 if the last stone made a line, 2 if the board is full, 0 if an outside opponent is to move. For
    every ply before that, ``rows``, ``slots`` and ``legal`` (the slots of all legal moves) say what to learn.
    """
    k, stride, board, bottom = rules[qtable.K], rules[qtable.STRIDE], rules[qtable.BOARD], rules[qtable.BOTTOM]
    gravity = rules[qtable.GRAVITY] != 0
    images = np.zeros((2, rules[qtable.SYMMETRIES]), np.int64)
    key = np.zeros(2, np.int64)
    ply = 0
    while True:
        player = ply & 1
        mine, other = images[player, 0], images[1 - player, 0]
        free = playable(mine | other, bottom, board, gravity)
        learner = opponent == SELF or seat in (BOTH_SEATS, player)
        if ply >= given and ply >= opening and not learner and opponent == OUTSIDE:
            return ply, 0
        symmetries = find_key(images, player, rules, key)
        row = locate(keys, key[0], key[1])
        if row < 0 and (learner or rules[qtable.TOGETHER]) and used[0] < used[1]:
            row = -1 - row
            keys[row] = key
            values[row] = settings[qtable.START]
            used[0] += 1
        rows[ply] = row
        random[0] = advance(random[0])
        number = mix(random[0])
        if ply < given:
            stone = line[ply]
        elif ply < opening:
            stone = pick(free, number)
        elif not learner:
            wins, blocks = winning_cells(mine, k, stride, board), winning_cells(other, k, stride, board)
            stone = reply(opponent, free, wins, blocks, styles, number)
        else:
            allowed = free
            if rules[qtable.GUIDE]:
                wins, blocks = winning_cells(mine, k, stride, board), winning_cells(other, k, stride, board)
                bidden = guided(rules[qtable.GUIDE], mine, other, wins, blocks, k, stride, board, bottom, gravity)
                allowed = bidden if bidden else free
            chance = uniform(number)
            number = mix(number)
            if chance < scheduled(epsilon, counters[0], counters[1], 0):
                centre = allowed & styles[-2]
                stone = pick(
                    centre if centre and uniform(number) < settings[qtable.CENTRE_SHARE] else allowed, mix(number)
                )
            else:
                stone = choose(
                    values, row, symmetries, mine, other, allowed, move_images, move_of_bit, rules, settings, number
                )
            counters[1] += 1
        line[ply] = stone
        slots[ply] = slot_of(move_of_bit[lowest(stone)], symmetries, move_images)
        legal[ply] = 0
        rest = free
        while rest:
            legal[ply] |= 1 << slot_of(move_of_bit[lowest(rest)], symmetries, move_images)
            rest &= rest - 1
        for s in range(rules[qtable.SYMMETRIES]):
            images[player, s] |= bit_images[s, lowest(stone)]
        ply += 1
        if has_line(mine | stone, k, stride):
            return ply, 1
        if images[0, 0] | images[1, 0] == board:
            return ply, 2


@primitive
def learn(
    values: Rows,
    visits: Counts,
    rules: Ints,
    settings: Reals,
    alpha: Reals,
    setup: Ints,
    opponent: int,
    seat: int,
    counters: Ints,
    line: Ints,
    plies: int,
    won: bool,
    rows: Ints,
    slots: Ints,
    legal: Ints,
    tally: Reals,
) -> None:
    """Update the values of an episode's moves; the last one made a line if ``won``, else filled the board.

    With both seats together a move leads to the opponent's best reply, whose value counts against it:
    target = reward − γ · best there. Apart, it leads to the same side's next turn: target = reward + γ · best there,
    and what the opponent does in between, a win of its own too, is the reward of the move before it.
    """
    together = rules[qtable.TOGETHER] != 0
    stones = np.zeros(2, np.int64)
    points = np.zeros(plies)
    if settings[qtable.REWARD_SCALE] != 0:
        for t in range(plies):
            stones[t & 1] |= line[t]
            points[t] = evaluate(setup, stones[t & 1], stones[1 - (t & 1)]) * settings[qtable.REWARD_SCALE]
    for i in range(plies):
        t = plies - 1 - i if rules[qtable.BACKWARD] else i
        learner = opponent == SELF or seat in (BOTH_SEATS, t & 1)
        if rows[t] < 0 or not (learner or together):
            continue
        reward = settings[qtable.PER_MOVE] + points[t]
        later = 0.0
        if t == plies - 1:
            reward += settings[qtable.WIN] if won else settings[qtable.DRAW]
        elif together:
            later = -best_of(values, rows[t + 1], legal[t + 1], settings[qtable.START])
        elif t == plies - 2:
            reward += settings[qtable.LOSS] if won else settings[qtable.DRAW]
        else:
            later = best_of(values, rows[t + 2], legal[t + 2], settings[qtable.START])
        old = float(values[rows[t], slots[t]])
        error = reward + settings[qtable.GAMMA] * later - old
        step = scheduled(alpha, counters[0], counters[1], visits[rows[t], slots[t]])
        values[rows[t], slots[t]] = old + step * error
        visits[rows[t], slots[t]] += 1
        tally[ERRORS] += abs(error)
        tally[LEARNT] += 1
        if learner:
            tally[REWARDS] += reward
    hero = 0 if opponent == SELF or seat == BOTH_SEATS else seat
    tally[(WINS if (plies - 1) & 1 == hero else LOSSES) if won else DRAWS] += 1
    tally[PLIES] += plies


@kernel
def episodes(
    keys: Ints,
    values: Rows,
    visits: Counts,
    used: Ints,
    rules: Ints,
    settings: Reals,
    alpha: Reals,
    epsilon: Reals,
    setup: Ints,
    bit_images: Ints,
    move_images: Ints,
    move_of_bit: Ints,
    styles: Ints,
    opponents: Ints,
    seat: int,
    counters: Ints,
    random: Ints,
    line: Ints,
    given: int,
    count: int,
    stop: Ints,
    tally: Reals,
) -> int:
    """Play and learn from ``count`` episodes, against an opponent drawn from ``opponents`` for each; how many were
    played before ``stop`` was raised or the table needed room.

    ``used``: rows in use and the most that may be. ``counters``: episodes and moves so far. ``seat``: the learner's,
    or 2 for both in turn. When an outside opponent is to move, the result is −1 − the plies so far, whose moves
    are in ``line``, as bits; its move is added there, and the episode goes on when called with that many ``given``.
    """
    most = popcount(rules[qtable.BOARD])
    rows, slots, legal = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    played = 0
    while played < count:
        if raised(stop) or (used[0] + most > keys.shape[0] // 4 * 3 and keys.shape[0] // 4 * 3 < used[1]):
            break
        opponent, opening = OUTSIDE, 0
        if given == 0:
            random[0] = advance(random[0])
            opponent = opponents[below(mix(random[0]), opponents.size)]
            random[0] = advance(random[0])
            opening = below(mix(random[0]), rules[qtable.LONGEST_OPENING] + 1)
        place = counters[0] & 1 if seat == BOTH_SEATS else seat
        plies, end = play(
            keys, values, used, rules, settings, epsilon, bit_images, move_images, move_of_bit, styles,
            opponent, place, opening, counters, random, line, given, rows, slots, legal,
        )  # fmt: skip
        if end == 0:
            return -1 - plies
        learn(
            values, visits, rules, settings, alpha, setup, opponent, place, counters, line, plies, end == 1,
            rows, slots, legal, tally,
        )  # fmt: skip
        counters[0] += 1
        played += 1
        given = 0
    return played


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    keys, values, visits = np.full((64, 2), -1), np.zeros((64, 2), np.float32), np.zeros((64, 2), np.int32)
    used, rules = np.array([0, 64]), np.array([2, 3, 0b011011, 0b001001, 1, 1, 0, 1, 1, 0, 0])
    settings, schedule, setup = np.zeros(qtable.SETTINGS), np.zeros(5), np.zeros(search_layout.SIZE, np.int64)
    bit_images, move_images = np.array([[1, 2, 0, 8, 16, 0]]), np.array([[0, 1]])
    move_of_bit, styles = np.array([0, 0, 0, 1, 1, 0]), np.ones(8, np.int64)
    counters, random, line = np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(4, np.int64)
    game = (bit_images, move_images, move_of_bit, styles)
    table = (keys, values, visits, used, rules, settings, schedule, schedule, setup)
    stop, tally = np.zeros(1, np.int64), np.zeros(TALLY)
    episodes(*table, *game, np.zeros(1, np.int64), 0, counters, random, line, 0, 1, stop, tally)
