"""Matches of an n-tuple network against itself, to learn from (see `network` for the tables that it takes)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.bits import MAX_BITS
from inarow.kernels.common.board import advance, below, mix, raised
from inarow.kernels.common.random_choice import pick, uniform
from inarow.kernels.common.tactics import QUIET
from inarow.kernels.lang.jit import kernel
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
)
from inarow.kernels.ntuple.board import Sums, after, clear, first_row, follow, log_position, put, quiet_moves
from inarow.kernels.ntuple.look_ahead import LEAF, NOTES, ROOT, STATE, log_leaf, search
from inarow.kernels.ntuple.network import settled_value, value_after
from inarow.kernels.ntuple.td_learning import STEP_LEVELS, adapt
from inarow.kernels.ntuple.whole_board import wide_features

# Indices of ``tally``.
FIRST_WINS, SECOND_WINS, DRAWS, PLIES, UPDATES, ERRORS = range(6)
TALLY = 6
LONGEST = MAX_BITS + 1
"""No match has more plies."""
LOSS = -1.0
"""The value of a position whose opponent has just made a line."""


class Match(NamedTuple):
    """What is noted of a match: an entry for each position in which a move was chosen, and the notes of searches."""

    plies: Ints
    """The ply at which it was reached."""
    values: Reals
    """The value of its best move."""
    explored: NDArray[np.bool_]
    """Whether another move was played."""
    rows: Ints
    """The row of the log that learns from it; −1: none."""
    factors: Reals
    """What the value of the position in that row is worth here."""
    notes: Ints
    """Those of `look_ahead`."""


def draw_opening(state: int, settings: Settings) -> tuple[int, int]:
    """The random state, and how many random plies the next match starts with."""
    state = advance(state)
    opening = 0
    if settings.longest_opening > 0 and uniform(mix(state)) < settings.openings:
        state = advance(state)
        opening = 1 + below(mix(state), settings.longest_opening)
    return state, opening


def greedy(
    net: Net, work: Work, stones: Stones, moves: int, player: int, sums: Sums, state: int, gamma: float
) -> tuple[int, int, float]:
    """The random state, the move of the highest value (a uniformly random one of several equals), and that value."""
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


def play(
    net: Net, work: Work, log: Log, rows: int, match: Match, settings: Settings, state: int
) -> tuple[int, int, int, int, float]:
    """Play a match; the random state, the number of plies, that of positions noted in ``match``, the rows of the log
    that are filled, of which the first ``rows`` were before, and the value of the end to the player to move."""
    sums = clear(net, work)
    stones = Stones(0, 0, 0, 0)
    ply = count = 0
    state, opening = draw_opening(state, settings)
    while True:
        status, blocks = follow(net, work, stones)
        for i in range(blocks):
            block = work.forced[i]
            sums = put(net, work, sums, block, ply & 1)
            stones = after(net, stones, block)
            ply += 1
        if status != QUIET:
            return state, ply, count, rows, settled_value(status, 0, settings.gamma)
        moves = quiet_moves(net, stones)
        player = ply & 1
        if ply < opening:
            state = advance(state)
            chosen = pick(moves, mix(state))
        else:
            row, factor = -1, 1.0
            if settings.search > 1:
                match.notes[STATE] = state
                chosen, best, rows = search(net, work, log, stones, player, sums, settings, match.notes, rows)
                state = match.notes[STATE]
                if settings.learnt == LEAF:
                    factor = log_leaf(net, work, log, stones, player, sums, settings, match.notes, rows)
            else:
                state, chosen, best = greedy(net, work, stones, moves, player, sums, state, settings.gamma)
            if factor != 0.0:
                row = rows
                rows += 1
                if settings.learnt != LEAF:
                    log_position(net, work, stones, player, row)
                    log.sides[row] = player
            match.values[count], match.plies[count] = best, ply
            match.rows[count], match.factors[count] = row, factor
            state = advance(state)
            explored = uniform(mix(state)) < settings.epsilon
            if explored:
                state = advance(state)
                other = pick(moves, mix(state))
                explored = other != chosen
                chosen = other
            match.explored[count] = explored
            count += 1
        won = stones.mine_wins & chosen
        sums = put(net, work, sums, chosen, player)
        stones = after(net, stones, chosen)
        ply += 1
        if won:
            return state, ply, count, rows, LOSS


def write_returns(log: Log, match: Match, count: int, end: int, final: float, settings: Settings) -> None:
    """Write the targets of the positions of a match that ended at ply ``end``, from the last one back: the value of the
    best move, mixed with what then happened."""
    later = end
    result = final
    for j in range(count - 1, -1, -1):
        for _ in range(later - match.plies[j]):
            result *= -settings.gamma
        later = match.plies[j]
        best = match.values[j]
        result = (1.0 - settings.trace) * best + settings.trace * result
        if match.explored[j]:  # a random move counts only if it turned out better than the best one promised
            result = max(result, best)
        if match.rows[j] >= 0:
            log.targets[match.rows[j]] = max(-1.0, min(1.0, result / match.factors[j]))


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
    weights, at_once = net.weights, len(coherence.traces) > 0
    width, memory = net.rules.features + wide_features(net.rules), net.rules.memory != 0
    match = Match(
        np.empty(LONGEST, np.int64), np.empty(LONGEST), np.empty(LONGEST, np.bool_),
        np.empty(LONGEST, np.int64), np.empty(LONGEST), np.empty(NOTES, np.int64),
    )  # fmt: skip
    state = random[0]
    played = 0
    while played < matches and not raised(stop):
        state, end, count, filled, final = play(net, work, log, rows, match, settings, state)
        write_returns(log, match, count, end, final, settings)
        if not settings.final and count > 0 and match.rows[count - 1] == filled - 1:
            filled -= 1
        count_match(tally, end, final, filled - rows)
        if at_once:
            tally[ERRORS] += adapt(
                weights, coherence, log, first_row(net.rules), width, filled, settings.alpha, settings.coherent, memory
            )
        else:
            rows = filled
        played += 1
    random[0] = state
    return played, rows


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    net, work = network.smallest(rows=5)
    log = Log(work.index, np.zeros(5), np.zeros(5, np.int64))
    coherence = Coherence(np.ones(4, np.float32), np.ones(STEP_LEVELS, np.float32))
    settings = Settings(0.0, 0.0, 0.0, 0.0, 0.0, 0, False, False, 1, ROOT)
    random, stop, tally = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(TALLY)
    self_play(net, work, log, coherence, settings, random, 1, 0, stop, tally)
