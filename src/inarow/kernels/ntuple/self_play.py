"""Matches of an n-tuple network against itself, to learn from (see `network` for the tables that it takes)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.board import advance, below, mix, playable, popcount, raised, winning_cells
from inarow.kernels.common.random_choice import pick, uniform
from inarow.kernels.common.tactics import QUIET, settle
from inarow.kernels.compiler.jit import kernel, primitive
from inarow.kernels.compiler.pointers import peek, peek_float, peek_int32, poke, poke_float, poke_int32
from inarow.kernels.ntuple import network
from inarow.kernels.ntuple.arguments import (
    Coherence,
    Ints,
    Log,
    Net,
    Reals,
    Settings,
    Stones,
    Work,
    net_handles,
    work_handles,
)
from inarow.kernels.ntuple.network import content_after, hold, settled_value, touch, unit_of, value_after
from inarow.kernels.ntuple.ntuple_layout import (
    BOARD,
    BOTTOM,
    EMPTY,
    FEATURES,
    GRAVITY,
    MEMORY,
    SIZE,
    START,
    STRIDE,
    TACTICS,
    UNITS,
    K,
)
from inarow.kernels.ntuple.td_learning import STEP_LEVELS, adapt
from inarow.kernels.ntuple.whole_board import note_wide, wide_features

# Indices of ``tally``.
FIRST_WINS, SECOND_WINS, DRAWS, PLIES, UPDATES, ERRORS = range(6)
TALLY = 6
LOSS = -1.0
"""The value of a position whose opponent has just made a line."""


class Sums(NamedTuple):
    """The sums of the board's weights with the first and with the second player to move."""

    first: float
    second: float


@primitive
def put(net: Net, work: Work, sums: Sums, stone: int, player: int) -> Sums:
    """Put a stone of this player on the board: its content, the indices that it touches and the weights held for
    either side to move follow; the new sums."""
    unit = unit_of(net, stone)
    content = peek(work.contents, unit)
    row, step, count = touch(net, unit, content, player)
    features, size = peek(net.rules, FEATURES), peek(net.rules, SIZE)
    first_change = second_change = np.float32(0.0)
    for j in range(count):
        i = peek_int32(net.tables, row + j)
        at = peek_int32(work.index, i) + peek_int32(net.tables, step + j)
        poke_int32(work.index, i, at)
        first, second = peek_float(net.weights, at), peek_float(net.weights, size + at)
        first_change += first - peek_float(work.held, i)
        second_change += second - peek_float(work.held, features + i)
        poke_float(work.held, i, first)
        poke_float(work.held, features + i, second)
    poke(work.contents, unit, content_after(net, content, player))
    return Sums(sums.first + np.float64(first_change), sums.second + np.float64(second_change))


@primitive
def after(net: Net, stones: Stones, stone: int) -> Stones:
    """The stones after a move, seen by the other player."""
    mine = stones.mine | stone
    wins = winning_cells(mine, peek(net.rules, K), peek(net.rules, STRIDE), peek(net.rules, BOARD))
    return Stones(stones.other, mine, stones.other_wins, wins)


@primitive
def clear(net: Net, work: Work) -> Sums:
    """Clear the board; the sums of the empty one."""
    features = peek(net.rules, FEATURES)
    for i in range(features):
        poke_int32(work.index, i, peek_int32(net.tables, peek(net.rules, START) + i))
    for unit in range(peek(net.rules, UNITS)):
        poke(work.contents, unit, peek(net.rules, EMPTY))
    return Sums(hold(net, work, 0, 0), hold(net, work, 1, features))


@primitive
def draw_opening(state: int, settings: Settings) -> tuple[int, int]:
    """The random state, and how many random plies the next match starts with."""
    state = advance(state)
    opening = 0
    if settings.longest_opening > 0 and uniform(mix(state)) < settings.openings:
        state = advance(state)
        opening = 1 + below(mix(state), settings.longest_opening)
    return state, opening


@primitive
def greedy(
    net: Net, work: Work, stones: Stones, moves: int, player: int, sums: Sums, state: int, gamma: float
) -> tuple[int, int, float]:
    """The random state, the move of the highest value (a uniformly random one of several equals), and that value."""
    held_at = (1 - player) * peek(net.rules, FEATURES)
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


@primitive
def first_row(rules: Ints) -> int:
    """Where the rows of a log begin in the indices: behind those of both boards and the wide ones."""
    return 2 * peek(rules, FEATURES) + wide_features(rules)


@primitive
def log_position(net: Net, work: Work, stones: Stones, player: int, row: int) -> None:
    """Write the indices of the board to a row of the log."""
    features = peek(net.rules, FEATURES)
    at = first_row(net.rules) + row * (features + wide_features(net.rules))
    for i in range(features):
        poke_int32(work.index, at + i, peek_int32(work.index, i))
    note_wide(net, work, stones, player, at + features)


@primitive
def play(
    net: Net,
    work: Work,
    log: Log,
    rows: int,
    plies: Ints,
    explored: NDArray[np.bool_],
    settings: Settings,
    state: int,
) -> tuple[int, int, int, float]:
    """Play a match; the random state, the number of plies, that of positions logged behind the first ``rows``, and the
    value of the end to the player to move. The targets logged are the values of the best moves; ``plies`` and
    ``explored`` say when each position came and whether another than the best move was played."""
    targets, sides = log.targets, log.sides
    board, bottom, k, stride = (
        peek(net.rules, BOARD),
        peek(net.rules, BOTTOM),
        peek(net.rules, K),
        peek(net.rules, STRIDE),
    )
    gravity, tactics = peek(net.rules, GRAVITY) != 0, peek(net.rules, TACTICS) != 0
    sums = clear(net, work)
    stones = Stones(0, 0, 0, 0)
    ply = count = 0
    state, opening = draw_opening(state, settings)
    while True:
        if tactics:
            status, blocks = settle(
                stones.mine, stones.other, stones.mine_wins, stones.other_wins,
                k, stride, board, bottom, gravity, work.forced,
            )  # fmt: skip
            for i in range(blocks):
                block = peek(work.forced, i)
                sums = put(net, work, sums, block, ply & 1)
                stones = after(net, stones, block)
                ply += 1
            if status != QUIET:
                return state, ply, count, settled_value(status, 0, settings.gamma)
        elif stones.mine | stones.other == board:
            return state, ply, count, 0.0
        moves = playable(stones.mine | stones.other, bottom, board, gravity)
        if tactics and gravity:
            moves &= ~(stones.other_wins >> 1)
        player = ply & 1
        if ply < opening:
            state = advance(state)
            chosen = pick(moves, mix(state))
        else:
            state, chosen, best = greedy(net, work, stones, moves, player, sums, state, settings.gamma)
            log_position(net, work, stones, player, rows + count)
            targets[rows + count] = best
            sides[rows + count] = player
            plies[count] = ply
            state = advance(state)
            explored[count] = uniform(mix(state)) < settings.epsilon
            if explored[count]:
                state = advance(state)
                other = pick(moves, mix(state))
                explored[count] = other != chosen
                chosen = other
            count += 1
        won = stones.mine_wins & chosen
        sums = put(net, work, sums, chosen, player)
        stones = after(net, stones, chosen)
        ply += 1
        if won:
            return state, ply, count, LOSS


@primitive
def write_returns(
    log: Log,
    rows: int,
    count: int,
    plies: Ints,
    explored: NDArray[np.bool_],
    end: int,
    final: float,
    settings: Settings,
) -> None:
    """Turn the values logged in a match that ended at ply ``end`` into targets, from the last one back: each is mixed
    with what then happened."""
    targets = log.targets
    later = end
    result = final
    for j in range(count - 1, -1, -1):
        for _ in range(later - plies[j]):
            result *= -settings.gamma
        later = plies[j]
        best = targets[rows + j]
        result = (1.0 - settings.trace) * best + settings.trace * result
        if explored[j]:  # a random move counts only if it turned out better than the best one promised
            result = max(result, best)
        targets[rows + j] = result


@primitive
def count_match(tally: Reals, plies: int, final: float, updates: int) -> None:
    """Add a match to the tally."""
    if final == 0.0:
        tally[DRAWS] += 1
    else:
        tally[FIRST_WINS if (final > 0) == (plies & 1 == 0) else SECOND_WINS] += 1
    tally[PLIES] += plies
    tally[UPDATES] += updates


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
    """Play matches against itself; how many were played before ``stop`` was raised, and how many positions are logged.

    With traces it learns from each match at once (see `adapt`). Without, positions are logged behind the ``rows``
    that are there already, to be learnt from later. ``random`` holds the state of the stream. ``tally`` adds up
    results, plies, positions learnt from and the sizes of errors.
    """
    weights, at_once = net.weights, coherence.traces.size > 0
    net, work = net_handles(net), work_handles(work)
    width, memory = peek(net.rules, FEATURES) + wide_features(net.rules), peek(net.rules, MEMORY) != 0
    longest = popcount(peek(net.rules, BOARD)) + 1
    plies, explored = np.empty(longest, np.int64), np.empty(longest, np.bool_)
    state = random[0]
    played = 0
    while played < matches and not raised(stop):
        state, end, count, final = play(net, work, log, rows, plies, explored, settings, state)
        write_returns(log, rows, count, plies, explored, end, final, settings)
        updates = count if settings.final else max(0, count - 1)
        if at_once:
            tally[ERRORS] += adapt(
                weights, coherence, log, first_row(net.rules), width, updates, settings.alpha, settings.coherent, memory
            )
        else:
            rows += updates
        count_match(tally, end, final, updates)
        played += 1
    random[0] = state
    return played, rows


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    net, work = network.smallest(log=5)
    log = Log(work.index, np.zeros(5), np.zeros(5, np.int64))
    coherence = Coherence(np.ones(4, np.float32), np.ones(STEP_LEVELS, np.float32))
    settings = Settings(0.0, 0.0, 0.0, 0.0, 0.0, 0, False, False)
    random, stop, tally = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(TALLY)
    self_play(net, work, log, coherence, settings, random, 1, 0, stop, tally)
