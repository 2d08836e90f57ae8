"""N-tuple networks: the value of a position as a sum of table entries, and temporal-difference self-play.

A board is a row of *units*: the columns where stones fall, else the cells. A move fills unit ``move``, so it changes
the content of one unit only, and every table index by one precomputed step:
``index[feature] += change[unit, content, player, feature]``, and the content becomes ``following[player, content]``.

Values are for the side to move, in [−1, 1], and shrink by ``gamma`` a ply.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.board import advance, below, lowest, mix, playable, popcount, raised, winning_cells
from inarow.kernels.chances import pick, uniform
from inarow.kernels.door import kernel, primitive
from inarow.kernels.tactics import LOST, QUIET, WON, settle

Ints = NDArray[np.int64]
Indices = NDArray[np.int32]
Floats = NDArray[np.float32]

STEP_LEVELS = 1024
# Places in ``rules``.
K, STRIDE, BOARD, BOTTOM, GRAVITY, TACTICS, COHERENCE, LONGEST_OPENING, EMPTY = range(9)
# Places in ``settings``.
ALPHA, EPSILON, GAMMA, LAMBDA, OPENINGS = range(5)
# Places in ``tally``.
FIRST_WINS, SECOND_WINS, DRAWS, PLIES, LEARNT, ERRORS = range(6)
TALLY = 6


@primitive
def total(weights: Floats, index: Indices) -> float:
    """The sum of the weights at these places."""
    a = b = c = d = np.float32(0.0)
    count = index.size
    i = 0
    while i + 3 < count:
        a += weights[np.uintp(index[i])]
        b += weights[np.uintp(index[i + 1])]
        c += weights[np.uintp(index[i + 2])]
        d += weights[np.uintp(index[i + 3])]
        i += 4
    while i < count:
        a += weights[np.uintp(index[i])]
        i += 1
    return float((a + b) + (c + d))


@primitive
def total_after(
    weights: Floats, index: Indices, held: Floats, held_total: float, touched: Indices, step: Indices, count: int
) -> float:
    """The sum after a move, which moves ``count`` of the indices; ``held`` are the weights at the indices before."""
    a = b = np.float32(0.0)
    j = 0
    while j + 1 < count:
        i = np.uintp(touched[j])
        a += weights[np.uintp(index[i] + step[j])] - held[i]
        i = np.uintp(touched[j + 1])
        b += weights[np.uintp(index[i] + step[j + 1])] - held[i]
        j += 2
    if j < count:
        i = np.uintp(touched[j])
        a += weights[np.uintp(index[i] + step[j])] - held[i]
    return float(held_total + (a + b))


@primitive
def hold(weights: Floats, index: Indices, held: Floats) -> float:
    """Look up the weights at these places; their sum."""
    for i in range(index.size):
        held[i] = weights[np.uintp(index[i])]
    a = b = c = d = np.float32(0.0)
    i = 0
    while i + 3 < held.size:
        a += held[i]
        b += held[i + 1]
        c += held[i + 2]
        d += held[i + 3]
        i += 4
    while i < held.size:
        a += held[i]
        i += 1
    return float((a + b) + (c + d))


@primitive
def place(
    index: Indices,
    content: Ints,
    touched: Indices,
    counts: Ints,
    steps: Indices,
    heights: Ints,
    following: Ints,
    unit: int,
    player: int,
) -> None:
    """Put a stone of this player into a unit: the content and the indices that it touches follow."""
    before = content[unit]
    height = heights[before]
    features, step = touched[unit, height], steps[unit, before, player]
    for j in range(counts[unit, height]):
        index[np.uintp(features[j])] += step[j]
    content[unit] = following[player, before]


@primitive
def value_after(
    weights: Floats,
    touched: Indices,
    counts: Ints,
    steps: Indices,
    heights: Ints,
    following: Ints,
    index: Indices,
    content: Ints,
    held: Floats,
    held_total: float,
    spare_index: Indices,
    spare_content: Ints,
    forced: Ints,
    unit_of_bit: Ints,
    mine: int,
    other: int,
    mine_wins: int,
    other_wins: int,
    stone: int,
    unit: int,
    player: int,
    k: int,
    stride: int,
    board: int,
    bottom: int,
    gravity: bool,
    tactics: bool,
    gamma: float,
) -> float:
    """What a move is worth to the side that plays it: exact where tactics decide, else the network's estimate."""
    if mine_wins & stone:
        return gamma
    mine |= stone
    blocks = 0
    if tactics:
        wins = winning_cells(mine, k, stride, board)
        status, blocks = settle(other, mine, other_wins, wins, k, stride, board, bottom, gravity, forced)
        if status != QUIET:
            return settled_value(status, blocks + 1, gamma)
    elif mine | other == board:
        return 0.0
    if blocks == 0:
        height = heights[content[unit]]
        step = steps[unit, content[unit], player]
        return -gamma * math.tanh(
            total_after(weights[1 - player], index, held, held_total, touched[unit, height], step, counts[unit, height])
        )
    spare_index[:] = index
    spare_content[:] = content
    place(spare_index, spare_content, touched, counts, steps, heights, following, unit, player)
    factor = -gamma
    for i in range(blocks):
        player = 1 - player
        factor *= -gamma
        place(
            spare_index,
            spare_content,
            touched,
            counts,
            steps,
            heights,
            following,
            unit_of_bit[lowest(forced[i])],
            player,
        )
    return factor * math.tanh(total(weights[1 - player], spare_index))


@primitive
def settled_value(status: int, plies: int, gamma: float) -> float:
    """The value of a settled position, seen from ``plies`` plies before it by the side to move there."""
    value = 0.0
    if status == WON:
        value = gamma
    elif status == LOST:
        value = -gamma * gamma
    for _ in range(plies):
        value *= -gamma
    return value


@primitive
def learn(
    weights: Floats, traces: Floats, index: Indices, target: float, alpha: float, coherence: bool, rates: Floats
) -> float:
    """Move the value of one position towards its target; the error before.

    Temporal coherence: each weight keeps the sum N of its steps and the sum A of their sizes (``traces``), and
    learns the slower the more its steps cancel out: by g(|N| / A), tabled in ``rates``.
    """
    value = math.tanh(total(weights, index))
    error = target - value
    step = np.float32(error * (1.0 - value * value))
    size = abs(step)
    rate = np.float32(alpha)
    top = np.float32(STEP_LEVELS - 1)
    for i in range(index.size):
        at = np.uintp(index[i])
        if coherence:
            net, gross = traces[at, 0], traces[at, 1]
            level = np.uintp(np.int64(abs(net) / gross * top))
            weights[at] += rate * rates[level] * step
            traces[at, 0] = net + step
            traces[at, 1] = gross + size
        else:
            weights[at] += rate * step
    return error


@kernel
def self_play(
    weights: Floats,
    traces: Floats,
    touched: Indices,
    counts: Ints,
    steps: Indices,
    heights: Ints,
    following: Ints,
    start: Indices,
    unit_of_bit: Ints,
    rules: Ints,
    settings: NDArray[np.float64],
    rates: Floats,
    random: Ints,
    games: int,
    stop: Ints,
    tally: NDArray[np.float64],
) -> int:
    """Play games against itself and learn after each; how many were played before ``stop`` was raised.

    weights (2, size), by the side to move; traces (2, size, 2), begun at a tiny equal pair so that the ratio starts
    at 1. ``random`` holds the state of the stream. ``tally`` adds up how games ended, plies, positions learnt and the
    sizes of errors.
    """
    k, stride, board, bottom = rules[K], rules[STRIDE], rules[BOARD], rules[BOTTOM]
    gravity, tactics, coherence = rules[GRAVITY] != 0, rules[TACTICS] != 0, rules[COHERENCE] != 0
    longest, empty = rules[LONGEST_OPENING], rules[EMPTY]
    alpha, epsilon, gamma, decay = settings[ALPHA], settings[EPSILON], settings[GAMMA], settings[LAMBDA]
    openings = settings[OPENINGS]
    units, features = counts.shape[0], start.size
    most = popcount(board) + 1
    log = np.empty((most, features), np.int32)
    best_value = np.empty(most)
    explored = np.empty(most, np.bool_)
    at_ply = np.empty(most, np.int64)
    index = np.empty(features, np.int32)
    held = np.empty(features, np.float32)
    spare_index = np.empty(features, np.int32)
    content = np.empty(units, np.int64)
    spare_content = np.empty(units, np.int64)
    forced = np.empty(most, np.int64)
    state = random[0]
    played = 0
    while played < games and not raised(stop):
        index[:] = start
        content[:] = empty
        mine = other = mine_wins = other_wins = ply = count = 0
        state = advance(state)
        opening = 0
        if longest > 0 and uniform(mix(state)) < openings:
            state = advance(state)
            opening = 1 + below(mix(state), longest)
        final = 0.0
        while True:
            if tactics:
                status, blocks = settle(mine, other, mine_wins, other_wins, k, stride, board, bottom, gravity, forced)
                for i in range(blocks):
                    place(
                        index,
                        content,
                        touched,
                        counts,
                        steps,
                        heights,
                        following,
                        unit_of_bit[lowest(forced[i])],
                        ply & 1,
                    )
                    mine, other = other, mine | forced[i]
                    mine_wins, other_wins = other_wins, winning_cells(other, k, stride, board)
                    ply += 1
                if status != QUIET:
                    final = settled_value(status, 0, gamma)
                    break
            elif mine | other == board:
                break
            free = playable(mine | other, bottom, board, gravity)
            moves = free & ~(other_wins >> 1) if tactics and gravity else free
            player = ply & 1
            chosen = 0
            if ply < opening:
                state = advance(state)
                chosen = pick(moves, mix(state))
            else:
                held_total = hold(weights[1 - player], index, held)
                best = -2.0
                ties = 0
                rest = moves
                while rest:
                    stone = rest & -rest
                    rest ^= stone
                    unit = unit_of_bit[lowest(stone)]
                    value = value_after(
                        weights, touched, counts, steps, heights, following, index, content, held, held_total,
                        spare_index, spare_content, forced, unit_of_bit,
                        mine, other, mine_wins, other_wins, stone, unit, player,
                        k, stride, board, bottom, gravity, tactics, gamma,
                    )  # fmt: skip
                    if value > best:
                        best = value
                        chosen = stone
                        ties = 1
                    elif value == best:
                        ties += 1
                        state = advance(state)
                        if below(mix(state), ties) == 0:
                            chosen = stone
                log[count] = index
                best_value[count] = best
                at_ply[count] = ply
                state = advance(state)
                explored[count] = uniform(mix(state)) < epsilon
                if explored[count]:
                    state = advance(state)
                    greedy = chosen
                    chosen = pick(moves, mix(state))
                    explored[count] = chosen != greedy
                count += 1
            won = mine_wins & chosen
            place(index, content, touched, counts, steps, heights, following, unit_of_bit[lowest(chosen)], player)
            mine, other = other, mine | chosen
            mine_wins, other_wins = other_wins, winning_cells(other, k, stride, board)
            ply += 1
            if won:
                final = -1.0
                break
        # Backwards over what was judged: the return mixes the value looked ahead to with what then came of it.
        later = ply
        result = final
        for t in range(count - 1, -1, -1):
            for _ in range(later - at_ply[t]):
                result *= -gamma
            later = at_ply[t]
            if explored[t]:
                result = best_value[t]
            else:
                result = (1.0 - decay) * best_value[t] + decay * result
            side = later & 1
            tally[ERRORS] += abs(learn(weights[side], traces[side], log[t], result, alpha, coherence, rates))
        if final == 0.0:
            tally[DRAWS] += 1
        else:
            tally[FIRST_WINS if (final > 0) == (ply & 1 == 0) else SECOND_WINS] += 1
        tally[PLIES] += ply
        tally[LEARNT] += count
        played += 1
    random[0] = state
    return played


@kernel
def judge(
    weights: Floats,
    touched: Indices,
    counts: Ints,
    steps: Indices,
    heights: Ints,
    following: Ints,
    index: Indices,
    content: Ints,
    unit_of_bit: Ints,
    rules: Ints,
    mine: int,
    other: int,
    gamma: float,
    values: NDArray[np.float64],
) -> None:
    """The value of every legal move of a position to the side to move; ``values`` of the others stay as they are."""
    k, stride, board, bottom = rules[K], rules[STRIDE], rules[BOARD], rules[BOTTOM]
    gravity, tactics = rules[GRAVITY] != 0, rules[TACTICS] != 0
    mine_wins = winning_cells(mine, k, stride, board)
    other_wins = winning_cells(other, k, stride, board)
    spare_index = np.empty_like(index)
    spare_content = np.empty_like(content)
    forced = np.empty(popcount(board) + 1, np.int64)
    player = popcount(mine | other) & 1
    held = np.empty(index.size, np.float32)
    held_total = hold(weights[1 - player], index, held)
    rest = playable(mine | other, bottom, board, gravity)
    while rest:
        stone = rest & -rest
        rest ^= stone
        unit = unit_of_bit[lowest(stone)]
        values[unit] = value_after(
            weights, touched, counts, steps, heights, following, index, content, held, held_total,
            spare_index, spare_content, forced, unit_of_bit,
            mine, other, mine_wins, other_wins, stone, unit, player,
            k, stride, board, bottom, gravity, tactics, gamma,
        )  # fmt: skip


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    weights, traces = np.zeros((2, 1), np.float32), np.ones((2, 1, 2), np.float32)
    touched, counts = np.zeros((2, 3, 1), np.int32), np.zeros((2, 3), np.int64)
    steps, heights = np.zeros((2, 8, 2, 1), np.int32), np.array([0, 0, 1, 1, 2, 2, 2, 2])
    following, start, unit_of_bit = np.full((2, 8), 7), np.zeros(1, np.int32), np.array([0, 0, 0, 1, 1, 0])
    rules = np.array([2, 3, 0b011011, 0b001001, 1, 1, 1, 0, 1])
    tables = (touched, counts, steps, heights, following)
    settings, rates = np.zeros(5), np.ones(STEP_LEVELS, np.float32)
    random, stop, tally = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(TALLY)
    self_play(weights, traces, *tables, start, unit_of_bit, rules, settings, rates, random, 1, stop, tally)
    content, values = np.ones(2, np.int64), np.zeros(2)
    judge(weights, *tables, start, content, unit_of_bit, rules, 0, 0, 1.0, values)
