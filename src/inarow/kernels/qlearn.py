"""Tabular Q-learning, compiled: a table that folds symmetric positions, episodes, and what is learnt from each.

A row of the table belongs to a position up to symmetry, its *slots* to the moves up to the symmetries of that position.
The key of a row is two words seen by the side to move: own stones and the other's, or the features that stand for
them. All values are for the side to move.

Positions don't come back within an episode, so learning after it gives what learning move by move would.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.kernels import layout
from inarow.kernels.board import advance, below, has_line, lowest, mix, playable, popcount, raised, winning_cells
from inarow.kernels.chances import pick, pick_weighted, uniform
from inarow.kernels.door import kernel, primitive
from inarow.kernels.evaluate import evaluate
from inarow.kernels.guides import THREATS, guided, preferred
from inarow.kernels.rates import scheduled

Ints = NDArray[np.int64]
Rows = NDArray[np.float32]
Counts = NDArray[np.int32]
Reals = NDArray[np.float64]

# Places in ``rules``.
K, STRIDE, BOARD, BOTTOM, GRAVITY, SYMMETRIES, FEATURES, TOGETHER, BACKWARD, GUIDE, LONGEST_OPENING = range(11)
RULES = 11
# Places in ``settings``.
GAMMA, START, WIN, DRAW, LOSS, PER_MOVE, REWARD_SCALE, CENTRE_SHARE, HEURISTIC_SHARE = range(9)
SETTINGS = 9
# Kinds of opponents.
SELF, RANDOM, RULES_RANDOM, RULES_CENTRE, RULES_CORNERS, OUTSIDE = range(6)
BOTH_SEATS = 2
# Places in ``tally``.
WINS, DRAWS, LOSSES, PLIES, REWARDS, ERRORS, LEARNT = range(7)
TALLY = 7


@primitive
def locate(keys: Ints, a: int, b: int) -> int:
    """The row of a key; if it has none, −1 − the free place where it would go."""
    mask: int = keys.shape[0] - 1
    at = mix(a ^ mix(b)) & mask
    while True:
        if keys[at, 0] == a and keys[at, 1] == b:
            return at
        if keys[at, 0] < 0:
            return -1 - at
        at = (at + 1) & mask


@kernel
def rehash(keys: Ints, values: Rows, visits: Counts, new_keys: Ints, new_values: Rows, new_visits: Counts) -> None:
    """Move all rows into larger tables, whose keys are all −1."""
    for row in range(keys.shape[0]):
        if keys[row, 0] >= 0:
            at = -1 - locate(new_keys, keys[row, 0], keys[row, 1])
            new_keys[at] = keys[row]
            new_values[at] = values[row]
            new_visits[at] = visits[row]


@primitive
def reduced(mine: int, other: int, rules: Ints) -> int:
    """Stones per column (own), then how many windows lack one own stone: the features that stand for one side."""
    stride, k = rules[STRIDE], rules[K]
    rows = stride - 1
    width = 0
    while rows >> width:
        width += 1
    word = 0
    rest = rules[BOTTOM]
    while rest:
        column = (rest & -rest) * ((1 << rows) - 1)
        rest &= rest - 1
        word = (word << width) | popcount(mine & column)
    empty = rules[BOARD] & ~(mine | other)
    threes = 0
    for direction in range(4):
        step = 1 if direction == 0 else stride - 2 + direction
        full, lacking = mine, empty
        for i in range(1, k):
            lacking = (lacking & (mine >> (i * step))) | (full & (empty >> (i * step)))
            full &= mine >> (i * step)
        threes += popcount(lacking)
    return (word << 4) | min(threes, 15)


@primitive
def find_key(images: Ints, player: int, rules: Ints, key: Ints) -> int:
    """Write the least key among the symmetric images to ``key``; the set of symmetries that give it."""
    found = 0
    for s in range(rules[SYMMETRIES]):
        a, b = images[player, s], images[1 - player, s]
        if rules[FEATURES]:
            a, b = reduced(a, b, rules), reduced(b, a, rules)
        if s == 0 or a < key[0] or (a == key[0] and b < key[1]):
            key[0], key[1] = a, b
            found = 1 << s
        elif a == key[0] and b == key[1]:
            found |= 1 << s
    return found


@primitive
def slot_of(move: int, symmetries: int, move_images: Ints) -> int:
    """The slot of a move in the row of its position."""
    if symmetries & (symmetries - 1) == 0:
        return int(move_images[lowest(symmetries), move])
    slot: int = move_images.shape[1]
    while symmetries:
        s = lowest(symmetries)
        symmetries &= symmetries - 1
        slot = min(slot, move_images[s, move])
    return slot


@primitive
def best_of(values: Rows, row: int, slots: int, start: float) -> float:
    """The highest value among the slots of a row; of a row that is not there, what all moves start from."""
    if row < 0:
        return start
    best = -1e30
    while slots:
        best = max(best, float(values[row, lowest(slots)]))
        slots &= slots - 1
    return best


@primitive
def worth(
    values: Rows,
    row: int,
    symmetries: int,
    mine: int,
    other: int,
    stone: int,
    move: int,
    move_images: Ints,
    rules: Ints,
    settings: Reals,
) -> float:
    """What a move is worth: its Q-value, mixed with the heuristic's liking if that guides."""
    value = float(settings[START])
    if row >= 0:
        value = float(values[row, slot_of(move, symmetries, move_images)])
    if rules[GUIDE] >= THREATS:
        gravity = rules[GRAVITY] != 0
        liking = preferred(mine, other, stone, rules[K], rules[STRIDE], rules[BOARD], rules[BOTTOM], gravity)
        value = (1.0 - settings[HEURISTIC_SHARE]) * value + settings[HEURISTIC_SHARE] * liking
    return value


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
def reply(kind: int, free: int, wins: int, blocks: int, styles: Ints, number: int) -> int:
    """The move of a compiled opponent, as a bit: random, or win, block, else by style."""
    if kind != RANDOM:
        if wins & free:
            return pick(wins & free, number)
        if blocks & free:
            return pick(blocks & free, number)
        if kind == RULES_CENTRE:
            return pick_weighted(free, styles, number)
        if kind == RULES_CORNERS:
            for mask in (styles[-2], styles[-1]):
                if free & mask:
                    return pick(free & mask, number)
    return pick(free, number)


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
    k, stride, board, bottom = rules[K], rules[STRIDE], rules[BOARD], rules[BOTTOM]
    gravity = rules[GRAVITY] != 0
    images = np.zeros((2, rules[SYMMETRIES]), np.int64)
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
        if row < 0 and (learner or rules[TOGETHER]) and used[0] < used[1]:
            row = -1 - row
            keys[row] = key
            values[row] = settings[START]
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
            if rules[GUIDE]:
                wins, blocks = winning_cells(mine, k, stride, board), winning_cells(other, k, stride, board)
                bidden = guided(rules[GUIDE], mine, other, wins, blocks, k, stride, board, bottom, gravity)
                allowed = bidden if bidden else free
            chance = uniform(number)
            number = mix(number)
            if chance < scheduled(epsilon, counters[0], counters[1], 0):
                centre = allowed & styles[-2]
                stone = pick(centre if centre and uniform(number) < settings[CENTRE_SHARE] else allowed, mix(number))
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
        for s in range(rules[SYMMETRIES]):
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
    together = rules[TOGETHER] != 0
    stones = np.zeros(2, np.int64)
    points = np.zeros(plies)
    if settings[REWARD_SCALE] != 0:
        for t in range(plies):
            stones[t & 1] |= line[t]
            points[t] = evaluate(setup, stones[t & 1], stones[1 - (t & 1)]) * settings[REWARD_SCALE]
    for i in range(plies):
        t = plies - 1 - i if rules[BACKWARD] else i
        learner = opponent == SELF or seat in (BOTH_SEATS, t & 1)
        if rows[t] < 0 or not (learner or together):
            continue
        reward = settings[PER_MOVE] + points[t]
        later = 0.0
        if t == plies - 1:
            reward += settings[WIN] if won else settings[DRAW]
        elif together:
            later = -best_of(values, rows[t + 1], legal[t + 1], settings[START])
        elif t == plies - 2:
            reward += settings[LOSS] if won else settings[DRAW]
        else:
            later = best_of(values, rows[t + 2], legal[t + 2], settings[START])
        old = float(values[rows[t], slots[t]])
        error = reward + settings[GAMMA] * later - old
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
    most = popcount(rules[BOARD])
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
            opening = below(mix(random[0]), rules[LONGEST_OPENING] + 1)
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


@kernel
def judge(
    keys: Ints,
    values: Rows,
    rules: Ints,
    settings: Reals,
    bit_images: Ints,
    move_images: Ints,
    move_of_bit: Ints,
    first: int,
    second: int,
    found: Reals,
    marks: Ints,
) -> bool:
    """The value of every legal move to the side to move, as its table and guide have it; whether the table knows the
    position. ``marks``: 1 for the moves the guide bids, if it bids any."""
    images = np.zeros((2, rules[SYMMETRIES]), np.int64)
    for s in range(rules[SYMMETRIES]):
        for side in range(2):
            rest = second if side else first
            while rest:
                images[side, s] |= bit_images[s, lowest(rest)]
                rest &= rest - 1
    player = popcount(first | second) & 1
    mine, other = images[player, 0], images[1 - player, 0]
    key = np.zeros(2, np.int64)
    symmetries = find_key(images, player, rules, key)
    row = locate(keys, key[0], key[1])
    k, stride, board, bottom = rules[K], rules[STRIDE], rules[BOARD], rules[BOTTOM]
    gravity = rules[GRAVITY] != 0
    wins, blocks = winning_cells(mine, k, stride, board), winning_cells(other, k, stride, board)
    bidden = guided(rules[GUIDE], mine, other, wins, blocks, k, stride, board, bottom, gravity)
    rest = playable(mine | other, bottom, board, gravity)
    while rest:
        stone = rest & -rest
        rest ^= stone
        move = move_of_bit[lowest(stone)]
        found[move] = worth(values, row, symmetries, mine, other, stone, move, move_images, rules, settings)
        marks[move] = 1 if bidden & stone else 0
    return row >= 0


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    keys, values, visits = np.full((64, 2), -1), np.zeros((64, 2), np.float32), np.zeros((64, 2), np.int32)
    used, rules = np.array([0, 64]), np.array([2, 3, 0b011011, 0b001001, 1, 1, 0, 1, 1, 0, 0])
    settings, schedule, setup = np.zeros(SETTINGS), np.zeros(5), np.zeros(layout.SIZE, np.int64)
    bit_images, move_images = np.array([[1, 2, 0, 8, 16, 0]]), np.array([[0, 1]])
    move_of_bit, styles = np.array([0, 0, 0, 1, 1, 0]), np.ones(8, np.int64)
    counters, random, line = np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(4, np.int64)
    game = (bit_images, move_images, move_of_bit, styles)
    table = (keys, values, visits, used, rules, settings, schedule, schedule, setup)
    stop, tally = np.zeros(1, np.int64), np.zeros(TALLY)
    episodes(*table, *game, np.zeros(1, np.int64), 0, counters, random, line, 0, 1, stop, tally)
    marks = np.zeros(2, np.int64)
    judge(keys, values, rules, settings, bit_images, move_images, move_of_bit, 0, 0, np.zeros(2), marks)
    rehash(keys, values, visits, np.full((64, 2), -1), values.copy(), visits.copy())
