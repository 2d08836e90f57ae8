"""Temporal-difference learning of an n-tuple network in self-play, compiled.

A match is played on a board that a network's sums follow, greedily but for random moves and random openings. The
positions in which a move was chosen are logged, each with a target: the value of its best move, mixed with what then
happened (TD(λ)). Then every position's value moves towards its target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS, playable
from inarow.kernels.lang.jit import Call, compile_all, kernel, prefetch
from inarow.kernels.ntuple import (
    QUIET,
    Array,
    Floats,
    Ints,
    Net,
    NetworkRules,
    Reals,
    Stones,
    Work,
    content_after,
    follow,
    hold,
    note_wide,
    settled_value,
    smallest,
    squash,
    stones_after,
    total,
    touch,
    unit_of,
    value_after,
    wide_features,
)
from inarow.randomness import advance, below, mix, pick, uniform
from inarow.stopping import raised

# Indices of ``tally``.
FIRST_WINS, SECOND_WINS, DRAWS, PLIES, UPDATES, ERRORS = range(6)
TALLY = 6
LONGEST = MAX_BITS + 1
"""No match has more plies."""
LOSS = -1.0
"""The value of a position whose opponent has just made a line."""
STEP_LEVELS = 1024
MEMORY_RATE = np.float32(10.0)
"""The memory of a position learns this many times as fast as other weights."""
# A trace is two numbers per weight: the sum of its steps, and the sum of their sizes.
NET, GROSS = range(2)
TRACE = 2
TINY = 1e-6
"""The initial value of both."""


class Settings(NamedTuple):
    """Parameters of self-play and learning."""

    alpha: float
    epsilon: float
    gamma: float
    lam: float
    """λ: the weight of what happened afterwards in the target of a position."""
    opening_share: float
    """The share of matches that start with random plies."""
    longest_opening: int
    coherent: bool
    """True if weights whose steps cancel out learn more slowly."""
    final: bool
    """True if the last position learns too."""


class Log(NamedTuple):
    """Positions to learn from: rows of indices behind the boards of a `Work`, and a target for each."""

    index: Array
    """int32: the same array as that of the work."""
    targets: Reals
    """The target of each position, for the side to move."""
    sides: Ints
    """The side to move."""


class Coherence(NamedTuple):
    """Temporal coherence: what weights have learnt so far, and what that makes of the learning rate."""

    traces: Array
    """float32 (2, size, 2): the sum of each weight's steps and that of their sizes, both from one tiny number on."""
    rates: Array
    """float32 (STEP_LEVELS): the factor of the learning rate by the ratio of the two."""


class Match(NamedTuple):
    """One entry for each position of a match in which a move was chosen."""

    plies: Ints
    """The ply at which it was reached."""
    values: Reals
    """The value of its best move."""
    explored: NDArray[np.bool_]
    """True if another move was played."""


class Sums(NamedTuple):
    """The sums of the board's weights with the first and with the second player to move."""

    first: float
    second: float


def put(net: Net, work: Work, sums: Sums, stone: int, player: int) -> Sums:
    """Put a stone of this player on the board, with its content, indices and held weights; return the new sums."""
    unit = unit_of(net, stone)
    content = work.contents[unit]
    row, step, count = touch(net, unit, content, player)
    features, size = net.rules.features, net.rules.size
    first_change = second_change = np.float32(0.0)
    for j in range(count):
        i = net.tables[row + j]
        at = work.index[i] + net.tables[step + j]
        work.index[i] = at
        first, second = net.weights[at], net.weights[size + at]
        first_change += first - work.held[i]
        second_change += second - work.held[features + i]
        work.held[i] = first
        work.held[features + i] = second
    work.contents[unit] = content_after(net, content, player)
    return Sums(sums.first + np.float64(first_change), sums.second + np.float64(second_change))


def clear(net: Net, work: Work) -> Sums:
    """Clear the board; return the sums of the empty board."""
    features = net.rules.features
    for i in range(features):
        work.index[i] = net.tables[net.rules.start + i]
    for unit in range(net.rules.units):
        work.contents[unit] = net.rules.empty
    return Sums(hold(net, work, 0, 0, np.float64(0.0)), hold(net, work, 1, features, np.float64(0.0)))


def first_row(rules: NetworkRules) -> int:
    """Return where the rows of a log begin in the indices: after those of both boards and the wide ones."""
    return 2 * rules.features + wide_features(rules)


def log_position(net: Net, work: Work, stones: Stones, player: int, row: int) -> None:
    """Write the indices of the board to a row of the log."""
    features = net.rules.features
    at = first_row(net.rules) + row * (features + wide_features(net.rules))
    for i in range(features):
        work.index[at + i] = work.index[i]
    note_wide(net, work, stones, player, at + features)


def quiet_moves(net: Net, stones: Stones) -> int:
    """Return the moves to choose from where nothing is forced: with tactics, none that lets the opponent win above."""
    gravity = net.rules.gravity
    moves = playable(stones.own | stones.opp, net.rules.bottom, net.rules.board, gravity)
    if gravity and net.rules.tactics:
        moves &= ~(stones.opp_wins >> 1)
    return moves


def draw_opening(state: int, settings: Settings) -> tuple[int, int]:
    """Return the random state, and how many random plies the next match starts with."""
    state = advance(state)
    opening = 0
    if settings.longest_opening > 0 and uniform(mix(state)) < settings.opening_share:
        state = advance(state)
        opening = 1 + below(mix(state), settings.longest_opening)
    return state, opening


def greedy(
    net: Net, work: Work, stones: Stones, moves: int, player: int, sums: Sums, state: int, gamma: float
) -> tuple[int, int, float]:
    """Return the random state, the move with the highest value (ties broken at random), and that value."""
    held_at = (1 - player) * net.rules.features
    held_total = sums.first if player else sums.second
    best, chosen, ties = -2.0, 0, 0
    while moves:
        stone = moves & -moves
        moves ^= stone
        value = value_after(net, work, stones, stone, player, held_at, held_total, gamma)
        if value > best:
            best = value
            chosen = stone
            ties = 1
        elif value == best:
            ties += 1
            state = advance(state)
            if below(mix(state), ties) == 0:
                chosen = stone
    return state, chosen, best


def play(net: Net, work: Work, rows: int, match: Match, settings: Settings, state: int) -> tuple[int, int, int, float]:
    """Play a match; return the random state, the plies, the number of positions noted in ``match`` and logged after the
    first ``rows``, and the value of the end to the player to move."""
    sums = clear(net, work)
    stones = Stones(0, 0, 0, 0)
    ply = count = 0
    state, opening = draw_opening(state, settings)
    while True:
        status, blocks = follow(net.rules, stones, work.forced)
        for i in range(blocks):
            block = work.forced[i]
            sums = put(net, work, sums, block, ply & 1)
            stones = stones_after(net.rules, stones, block)
            ply += 1
        if status != QUIET:
            return state, ply, count, settled_value(status, 0, settings.gamma)
        moves = quiet_moves(net, stones)
        player = ply & 1
        if ply < opening:
            state = advance(state)
            chosen = pick(moves, mix(state))
        else:
            state, chosen, best = greedy(net, work, stones, moves, player, sums, state, settings.gamma)
            log_position(net, work, stones, player, rows + count)
            match.values[count], match.plies[count] = best, ply
            state = advance(state)
            explored = uniform(mix(state)) < settings.epsilon
            if explored:
                state = advance(state)
                drawn = pick(moves, mix(state))
                explored = drawn != chosen
                chosen = drawn
            match.explored[count] = explored
            count += 1
        won = stones.own_wins & chosen
        sums = put(net, work, sums, chosen, player)
        stones = stones_after(net.rules, stones, chosen)
        ply += 1
        if won:
            return state, ply, count, LOSS


def write_returns(log: Log, rows: int, match: Match, count: int, end: int, final: float, settings: Settings) -> None:
    """Write the targets of the positions of a match that ended at ply ``end``, behind the first ``rows``, from the last
    one back: the value of the best move, mixed with what then happened."""
    later = end
    result = final
    for j in range(count - 1, -1, -1):
        for _ in range(later - match.plies[j]):
            result *= -settings.gamma
        later = match.plies[j]
        best = match.values[j]
        result = (1.0 - settings.lam) * best + settings.lam * result
        if match.explored[j]:  # a random move counts only if it turned out better than the best one promised
            result = max(result, best)
        log.targets[rows + j] = max(-1.0, min(1.0, result))
        log.sides[rows + j] = match.plies[j] & 1


def count_match(tally: Reals, plies: int, final: float, updates: int, seat: int) -> None:
    """Add a match to the tally; wins of the player of this seat count as those of the first."""
    if final == 0.0:
        tally[DRAWS] += 1
    else:
        tally[FIRST_WINS if (final > 0) == (plies & 1 == seat) else SECOND_WINS] += 1
    tally[PLIES] += plies
    tally[UPDATES] += updates


def learn(
    weights: Array,
    traces: Array,
    rates: Array,
    index: Array,
    row: int,
    width: int,
    start: int,
    target: float,
    alpha: float,
    coherent: bool,
    memory: bool,
) -> float:
    """Move the value of the position whose indices begin at ``row`` towards its target; return the error before.

    Its side's weights begin at ``start``. Temporal coherence: a weight learns the more slowly the more its steps
    cancel out, by a factor tabled in ``rates``. The last feature may be the ``memory``, which learns faster.
    """
    for i in range(width):
        prefetch(traces, TRACE * (start + index[row + i]))
    value = squash(total(weights, start, index, row, width, np.float64(0.0)))
    error = target - value
    step = np.float32(error * (1.0 - value * value))
    size = abs(step)
    rate = np.float32(alpha) * step
    highest = np.float32(STEP_LEVELS - 1)
    for i in range(width):
        if memory and i == width - 1:
            rate *= MEMORY_RATE
        at = start + index[row + i]
        if coherent:
            net, gross = traces[TRACE * at + NET], traces[TRACE * at + GROSS]
            level = int(abs(net) / gross * highest)
            weights[at] = weights[at] + rate * rates[level]
            traces[TRACE * at + NET] = net + step
            traces[TRACE * at + GROSS] = gross + size
        else:
            weights[at] = weights[at] + rate
    return error


@kernel
def adapt(
    weights: Floats,
    coherence: Coherence,
    log: Log,
    first_row: int,
    width: int,
    count: int,
    alpha: float,
    coherent: bool,
    memory: bool,
) -> float:
    """Learn from the first ``count`` positions of a log, the last one first; return the sum of absolute errors.

    Each has ``width`` indices, from ``first_row`` on. ``memory``: whether the last one is that of the memory.
    """
    targets, sides = log.targets, log.sides
    size = len(weights) // 2
    into, index = weights, log.index
    traces, rates = coherence.traces, coherence.rates
    errors = 0.0
    for position in range(count - 1, -1, -1):
        row = first_row + position * width
        if position > 0:  # fetch what the next position needs while this one is learnt
            start = sides[position - 1] * size
            for i in range(row - width, row):
                at = start + index[i]
                prefetch(into, at)
                prefetch(traces, TRACE * at)
        start = sides[position] * size
        target = targets[position]
        errors += abs(learn(into, traces, rates, index, row, width, start, target, alpha, coherent, memory))
    return errors


@kernel
def blend(average: Floats, weights: Floats, part: float) -> None:
    """Move ``average`` by this part of its way to ``weights``."""
    step = np.float32(part)
    for i in range(len(average)):
        average[i] += step * (weights[i] - average[i])


@kernel
def self_play(
    net: Net,
    work: Work,
    log: Log,
    coherence: Coherence,
    settings: Settings,
    random: Ints,
    matches: int,
    rows: int,
    stop: Ints,
    tally: Reals,
) -> tuple[int, int]:
    """Play matches of self-play; return how many were played before ``stop``, and how many positions are logged.

    With traces it learns after each match (see `adapt`). Without, positions are logged after the ``rows`` that are
    already there, to be learnt from later. ``random`` holds the state of the stream. ``tally`` adds up
    results, plies, positions learnt from and the sizes of errors.
    """
    weights, at_once = net.weights, len(coherence.traces) > 0
    width, memory = net.rules.features + wide_features(net.rules), net.rules.memory != 0
    match = Match(np.empty(LONGEST, np.int64), np.empty(LONGEST), np.empty(LONGEST, np.bool_))
    state = random[0]
    played = 0
    while played < matches and not raised(stop):
        state, end, count, final = play(net, work, rows, match, settings, state)
        write_returns(log, rows, match, count, end, final, settings)
        filled = rows + count
        if not settings.final and count > 0:
            filled -= 1
        count_match(tally, end, final, filled - rows, 0)
        if at_once:
            tally[ERRORS] += adapt(
                weights, coherence, log, first_row(net.rules), width, filled, settings.alpha, settings.coherent, memory
            )
        else:
            rows = filled
        played += 1
    random[0] = state
    return played, rows


@kernel
def learn_match(
    net: Net,
    work: Work,
    log: Log,
    coherence: Coherence,
    settings: Settings,
    stones_played: Ints,
    seat: int,
    tally: Reals,
) -> None:
    """Learn from a match played elsewhere, given as the cell of each move, as if both sides had explored.

    Wins and losses in ``tally`` are those of the player of this seat.
    """
    width, memory = net.rules.features + wide_features(net.rules), net.rules.memory != 0
    match = Match(np.empty(LONGEST, np.int64), np.empty(LONGEST), np.empty(LONGEST, np.bool_))
    sums = clear(net, work)
    stones = Stones(0, 0, 0, 0)
    count = 0
    final = 0.0
    plies = len(stones_played)
    for ply in range(plies):
        chosen = int(stones_played[ply])
        player = ply & 1
        status, blocks = follow(net.rules, stones, work.forced)
        if status == QUIET and blocks == 0:
            moves = quiet_moves(net, stones)
            _, _, best = greedy(net, work, stones, moves, player, sums, 1, settings.gamma)
            held_total = sums.first if player else sums.second
            features = net.rules.features
            value = value_after(net, work, stones, chosen, player, (1 - player) * features, held_total, settings.gamma)
            log_position(net, work, stones, player, count)
            match.values[count], match.plies[count], match.explored[count] = best, ply, value < best
            count += 1
        if stones.own_wins & chosen:
            final = LOSS
        sums = put(net, work, sums, chosen, player)
        stones = stones_after(net.rules, stones, chosen)
    write_returns(log, 0, match, count, plies, final, settings)
    if not settings.final and count > 0:
        count -= 1
    count_match(tally, plies, final, count, seat)
    tally[ERRORS] += adapt(
        net.weights, coherence, log, first_row(net.rules), width, count, settings.alpha, settings.coherent, memory
    )


def calls() -> list[Call]:
    """Return the kernels of this module, each with the arguments of one call."""
    (net, work), ints, floats = smallest(rows=5), np.zeros(5, np.int64), np.zeros(5)
    log = Log(work.index, floats, ints)
    coherence = Coherence(np.ones(4, np.float32), np.ones(4, np.float32))
    settings = Settings(0.0, 0.0, 0.0, 0.0, 0.0, 0, False, False)
    return [
        (self_play, (net, work, log, coherence, settings, ints, 1, 0, ints, floats)),
        (learn_match, (net, work, log, coherence, settings, ints, 0, floats)),
        (adapt, (net.weights, coherence, log, 0, 1, 1, 0.1, True, False)),
        (blend, (net.weights, net.weights, 0.5)),
    ]


def warm() -> None:
    """Compile the kernels of this module, or load them."""
    compile_all(calls())
