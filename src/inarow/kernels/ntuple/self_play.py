"""Games of an n-tuple network against itself, to learn from (`ntuple` describes the tables that it takes)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.common.board import advance, below, lowest, mix, playable, popcount, raised, winning_cells
from inarow.kernels.common.random_choice import pick, uniform
from inarow.kernels.common.tactics import QUIET, settle
from inarow.kernels.compiler.jit import kernel, primitive
from inarow.kernels.compiler.pointers import handle, peek, peek_float, peek_int32, poke, poke_float, poke_int32
from inarow.kernels.ntuple import network, ntuple_layout
from inarow.kernels.ntuple.network import (
    Floats,
    Indices,
    Ints,
    hold,
    settled_value,
    touch,
    value_after,
)
from inarow.kernels.ntuple.td_learning import STEP_LEVELS, adapt
from inarow.kernels.ntuple.whole_board import note_wide, wide_features

# Places in ``settings``.
ALPHA, EPSILON, GAMMA, LAMBDA, COHERENCE, OPENINGS, LONGEST_OPENING, FINAL = range(8)
SETTINGS = 8
# Places in ``tally``.
FIRST_WINS, SECOND_WINS, DRAWS, PLIES, LEARNT, ERRORS = range(6)
TALLY = 6


@primitive
def put(
    weights: Any, tables: Any, rules: Any, index: Any, contents: Any, held: Any, unit: int, player: int
) -> tuple[float, float]:
    """Put a stone of this player into a unit: the content, the indices that it touches and the weights held for
    either side to move follow; how much the sums of those change."""
    content = peek(contents, unit)
    row, step, count = touch(tables, rules, unit, content, player)
    features, size = peek(rules, ntuple_layout.FEATURES), peek(rules, ntuple_layout.SIZE)
    a = b = np.float32(0.0)
    for j in range(count):
        i = peek_int32(tables, row + j)
        at = peek_int32(index, i) + peek_int32(tables, step + j)
        poke_int32(index, i, at)
        first, second = peek_float(weights, at), peek_float(weights, size + at)
        a += first - peek_float(held, i)
        b += second - peek_float(held, features + i)
        poke_float(held, i, first)
        poke_float(held, features + i, second)
    after = peek(rules, ntuple_layout.FOLLOWING) + player * peek(rules, ntuple_layout.CONTENTS) + content
    poke(contents, unit, peek_int32(tables, after))
    return np.float64(a), np.float64(b)


@kernel
def self_play(
    weights: Floats,
    tables: Indices,
    rules: Ints,
    index: Indices,
    contents: Ints,
    forced: Ints,
    held: Floats,
    targets: NDArray[np.float64],
    sides: Ints,
    traces: Floats,
    rates: Floats,
    settings: NDArray[np.float64],
    random: Ints,
    games: int,
    rows: int,
    stop: Ints,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Play games against itself; how many were played before ``stop`` was raised, and how many positions are logged.

    With ``traces`` it learns from each game at once (see `adapt`). Without, positions are logged behind the ``rows``
    that are there already, to be learnt from later. Room to work in: ``index`` for the features of two boards, wide
    ones, and both again for every position logged, as ``targets`` and ``sides`` have; ``contents`` for two boards,
    ``forced`` for the cells, ``held`` for the features twice. ``random`` holds the state of the stream. ``tally`` adds
    up how games ended, plies, positions to learn from and the sizes of errors.
    """
    w, t, r, x, c, f, h = (
        handle(weights), handle(tables), handle(rules), handle(index), handle(contents), handle(forced), handle(held),
    )  # fmt: skip
    k, stride, board, bottom = (
        rules[ntuple_layout.K],
        rules[ntuple_layout.STRIDE],
        rules[ntuple_layout.BOARD],
        rules[ntuple_layout.BOTTOM],
    )
    gravity, tactics = rules[ntuple_layout.GRAVITY] != 0, rules[ntuple_layout.TACTICS] != 0
    features, size, unit_of_bit = (
        rules[ntuple_layout.FEATURES],
        rules[ntuple_layout.SIZE],
        rules[ntuple_layout.UNIT_OF_BIT],
    )
    alpha, epsilon, gamma, decay = settings[ALPHA], settings[EPSILON], settings[GAMMA], settings[LAMBDA]
    coherence, openings, longest = settings[COHERENCE] != 0, settings[OPENINGS], int(settings[LONGEST_OPENING])
    adapt_final = settings[FINAL] != 0
    width = features + wide_features(r)
    memory = rules[ntuple_layout.MEMORY] != 0
    first_row = features + width
    at_once = traces.size > 0
    most = popcount(board) + 1
    explored = np.empty(most, np.bool_)
    at_ply = np.empty(most, np.int64)
    state = random[0]
    played = 0
    while played < games and not raised(stop):
        for i in range(features):
            index[i] = tables[rules[ntuple_layout.START] + i]
        contents[: rules[ntuple_layout.UNITS]] = rules[ntuple_layout.EMPTY]
        sum_first = hold(w, 0, x, features, h, 0)
        sum_second = hold(w, size, x, features, h, features)
        mine = other = mine_wins = other_wins = ply = count = 0
        state = advance(state)
        opening = 0
        if longest > 0 and uniform(mix(state)) < openings:
            state = advance(state)
            opening = 1 + below(mix(state), longest)
        final = 0.0
        while True:
            if tactics:
                status, blocks = settle(mine, other, mine_wins, other_wins, k, stride, board, bottom, gravity, f)
                for i in range(blocks):
                    first, second = put(w, t, r, x, c, h, tables[unit_of_bit + lowest(forced[i])], ply & 1)
                    sum_first += first
                    sum_second += second
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
                best = -2.0
                ties = 0
                rest = moves
                while rest:
                    stone = rest & -rest
                    rest ^= stone
                    value = value_after(
                        w, t, r, x, c, f, h, (1 - player) * features, sum_first if player else sum_second,
                        mine, other, mine_wins, other_wins, stone, player, gamma,
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
                logged = first_row + (rows + count) * width
                for i in range(features):
                    index[logged + i] = index[i]
                note_wide(t, r, mine, other, mine_wins, other_wins, player, x, logged + features, f)
                targets[rows + count] = best
                sides[rows + count] = player
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
            first, second = put(w, t, r, x, c, h, tables[unit_of_bit + lowest(chosen)], player)
            sum_first += first
            sum_second += second
            mine, other = other, mine | chosen
            mine_wins, other_wins = other_wins, winning_cells(other, k, stride, board)
            ply += 1
            if won:
                final = -1.0
                break
        # Backwards over what was judged: the return mixes the value looked ahead to with what then came of it.
        later = ply
        result = final
        for j in range(count - 1, -1, -1):
            for _ in range(later - at_ply[j]):
                result *= -gamma
            later = at_ply[j]
            best = targets[rows + j]
            result = (1.0 - decay) * best + decay * result
            if explored[j]:  # a random move counts only if more came of it than the best one promised
                result = max(result, best)
            targets[rows + j] = result
        learnt = count if adapt_final else max(0, count - 1)
        if at_once:
            tally[ERRORS] += adapt(
                weights, traces, rates, index, first_row, width, targets, sides, learnt, alpha, coherence, memory
            )
        else:
            rows += learnt
        if final == 0.0:
            tally[DRAWS] += 1
        else:
            tally[FIRST_WINS if (final > 0) == (ply & 1 == 0) else SECOND_WINS] += 1
        tally[PLIES] += ply
        tally[LEARNT] += learnt
        played += 1
    random[0] = state
    return played, rows


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    index, contents, forced, held = np.zeros(7, np.int32), np.ones(4, np.int64), np.zeros(5, np.int64), np.zeros(2)
    traces, rates, settings = np.ones(4, np.float32), np.ones(STEP_LEVELS, np.float32), np.zeros(SETTINGS)
    targets, sides = np.zeros(5), np.zeros(5, np.int64)
    random, stop, tally = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(TALLY)
    weights, tables, rules = network.smallest()
    self_play(
        weights, tables, rules, index, contents, forced, held.astype(np.float32), targets, sides, traces, rates,
        settings, random, 1, 0, stop, tally,
    )  # fmt: skip
