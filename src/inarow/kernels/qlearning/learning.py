"""Tabular Q-learning, compiled: episodes against itself or others, and the update after each.

A position never recurs within an episode, so learning after the episode gives the same as learning move by move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.bits import has_line, lowest, playable, popcount
from inarow.kernels.arithmetic import power
from inarow.kernels.evaluate import MAX_SYMMETRIES
from inarow.kernels.lang import trace
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import record
from inarow.kernels.qlearning import table as tables
from inarow.kernels.qlearning.table import (
    Array,
    Board,
    GuideRecord,
    Ints,
    Reals,
    TableRecord,
    best_value,
    find_key,
    guided,
    locate,
    move_value,
    slot_of,
    write_key,
)
from inarow.kernels.rules import urgent_cells
from inarow.randomness import advance, below, mix, pick, pick_weighted, uniform
from inarow.stopping import raised

# Opponents. SELF: the learner itself; OUTSIDE: an agent that Python asks.
SELF, RANDOM, RULES_RANDOM, RULES_CENTRE, RULES_CORNERS, OUTSIDE = range(6)
BOTH_SEATS = 2
# The status of an episode when `play` returns.
WAITING, WON, FULL = range(3)
"""WAITING: an outside opponent is to move."""
# How a rate changes.
CONSTANT, DECAY, LINEAR, VISITS = range(4)


class Rate(NamedTuple):
    """A rate that changes during training."""

    kind: float
    start: float
    pace: float
    """The factor per step of a decay, or the number of steps of a line."""
    end: float
    by_move: float
    """1 if a step is a move, 0 if it is an episode."""


class Exploration(NamedTuple):
    """How a learner leaves the greedy path."""

    epsilon: Rate
    """The probability of a random move."""
    longest_opening: int
    """An episode starts with up to this many random plies."""


class Learning(NamedTuple):
    """What a learner learns from an episode."""

    alpha: Rate
    """How far a value moves to its target."""
    gamma: float
    win: float
    draw: float
    loss: float
    per_move: float
    together: bool
    """Whether a move is worth minus the opponent's best reply; else each seat learns from its own turns only."""
    backward: bool
    """Whether an episode's moves are learnt from the last one first."""


@record
class Progress:
    """What changes from episode to episode besides the values."""

    episodes: int
    moves: int
    """Moves of the learner."""
    random: int
    """The state of the random stream."""
    wins: float
    """Sums over the episodes since they were last read, from here on."""
    draws: float
    losses: float
    plies: float
    rewards: float
    errors: float
    """The sum of the sizes of errors."""
    updates: float


class Episode(NamedTuple):
    """Room for one episode: int64, an element per ply."""

    stones: Array
    """The move, as a bit."""
    rows: Array
    """The row of the position in the table; negative if it has none."""
    slots: Array
    """The move's slot in that row."""
    legal: Array
    """The slots of all legal moves, as a set of bits."""


def needs_room(table: TableRecord, plies: int) -> bool:
    """Whether the next episode may overfill a table that may still grow: at most three quarters are used."""
    most = table.rows // 4 * 3
    return table.used + plies > most and most < table.most


@kernel
def episodes(
    table: TableRecord,
    board: Board,
    guide: GuideRecord,
    exploration: Exploration,
    learning: Learning,
    progress: Progress,
    episode: Episode,
    opponents: Ints,
    seat: int,
    given: int,
    count: int,
    stop: Ints,
) -> int:
    """Play and learn from ``count`` episodes, against an opponent drawn from ``opponents`` for each; how many were
    played before ``stop`` was raised or the table needed room.

    ``seat``: the learner's, or BOTH_SEATS for both in turn. When an outside opponent is to move, the result is
    −1 − the plies so far, whose moves are in ``episode.stones``: add its move there and call again with that many
    ``given``.
    """
    longest = popcount(board.cells)
    played = 0
    while played < count and not raised(stop) and not needs_room(table, longest):
        opponent, opening = OUTSIDE, 0
        if given == 0:
            opponent = opponents[below(next_random(progress), len(opponents))]
            opening = below(next_random(progress), exploration.longest_opening + 1)
        number = progress.episodes
        own_seat = number & 1 if seat == BOTH_SEATS else seat
        plies, end = play(
            table, board, guide, exploration, learning.together, progress, episode,
            opponent, own_seat, opening, given,
        )  # fmt: skip
        if end == WAITING:
            return -1 - plies
        learn(table, learning, progress, episode, opponent, own_seat, plies, end == WON)
        progress.episodes = number + 1
        played += 1
        given = 0
    return played


def play(
    table: TableRecord,
    board: Board,
    guide: GuideRecord,
    exploration: Exploration,
    together: bool,
    progress: Progress,
    episode: Episode,
    opponent: int,
    seat: int,
    opening: int,
    given: int,
) -> tuple[int, int]:
    """Play on from the first ``given`` moves of an episode; the number of plies then, and its status.

    The first ``opening`` plies are random.
    """
    images = np.zeros((2, MAX_SYMMETRIES), np.int64)
    key = np.zeros(2, np.int64)
    ply = 0
    while True:
        player = ply & 1
        own, opp = images[player, 0], images[1 - player, 0]
        free = playable(own | opp, board.bottom, board.cells, board.gravity)
        learner = is_learner(opponent, seat, player)
        if ply >= given and ply >= opening and not learner and opponent == OUTSIDE:
            return ply, WAITING
        symmetries = find_key(board, images, player, key)
        row = take_row(table, key, learner or together)
        episode.rows[ply] = row
        number = next_random(progress)
        if ply < given:
            stone = episode.stones[ply]
        elif ply < opening:
            stone = pick(free, number)
        elif not learner:
            stone = reply(opponent, board, own, opp, free, number)
        else:
            stone = choose(table, board, guide, exploration, progress, row, symmetries, own, opp, number)
        note_move(board, episode, ply, stone, free, symmetries)
        for s in range(board.symmetries):
            images[player, s] |= board.bit_images[s * board.bits + lowest(stone)]
        ply += 1
        if has_line(own | stone, board.k, board.stride):
            return ply, WON
        if images[0, 0] | images[1, 0] == board.cells:
            return ply, FULL


def is_learner(opponent: int, seat: int, player: int) -> bool:
    """Whether this player's moves are the learner's."""
    return seat == BOTH_SEATS or opponent == SELF or player == seat


def next_random(progress: Progress) -> int:
    """The next number of a random stream, in [0, 2**63)."""
    progress.random = advance(progress.random)
    return mix(progress.random)


def greedy(
    table: TableRecord,
    board: Board,
    guide: GuideRecord,
    row: int,
    symmetries: int,
    own: int,
    opp: int,
    allowed: int,
    number: int,
) -> int:
    """The move of the highest value among those allowed, as a bit; a uniformly random one of several equals."""
    best = -1e30
    chosen = 0
    ties = 0
    rest = allowed
    while rest:
        stone = rest & -rest
        rest ^= stone
        value = move_value(table, board, guide, row, symmetries, own, opp, stone)
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


def choose(
    table: TableRecord,
    board: Board,
    guide: GuideRecord,
    exploration: Exploration,
    progress: Progress,
    row: int,
    symmetries: int,
    own: int,
    opp: int,
    number: int,
) -> int:
    """The learner's move, as a bit: random with the probability epsilon, else greedy, among those its guide demands."""
    allowed = guided(guide.kind, board, own, opp)
    if allowed == 0:
        allowed = playable(own | opp, board.bottom, board.cells, board.gravity)
    chance = uniform(number)
    number = mix(number)
    epsilon = scheduled(exploration.epsilon, progress.episodes, progress.moves, 0)
    progress.moves += 1
    if chance < epsilon:
        return pick(allowed, mix(number))
    return greedy(table, board, guide, row, symmetries, own, opp, allowed, number)


def take_row(table: TableRecord, key: Ints, may_add: bool) -> int:
    """The row of a key, a new one if it has none and one may be added; negative if there is none."""
    row = locate(table.keys, table.rows, key[0], key[1])
    if row < 0 and may_add and table.used < table.most:
        row = -1 - row
        write_key(table.keys, row, key[0], key[1])
        for at in range(row * table.moves, (row + 1) * table.moves):
            table.values[at] = np.float32(table.start)
        table.used += 1
    return row


def note_move(board: Board, episode: Episode, ply: int, stone: int, free: int, symmetries: int) -> None:
    """Write the move of this ply and the slots of all legal moves."""
    episode.stones[ply] = stone
    episode.slots[ply] = slot_of(board, board.move_of_bit[lowest(stone)], symmetries)
    legal = 0
    while free:
        legal |= 1 << slot_of(board, board.move_of_bit[lowest(free)], symmetries)
        free &= free - 1
    episode.legal[ply] = legal


def reply(kind: int, board: Board, own: int, opp: int, free: int, number: int) -> int:
    """The move of a compiled opponent, as a bit: random, or else a win, a block, or a move by its style."""
    if kind != RANDOM:
        urgent = urgent_cells(own, opp, free, board.k, board.stride, board.cells)
        if urgent:
            return pick(urgent, number)
        if kind == RULES_CENTRE:
            return pick_weighted(free, board.centre_weights, number)
        if kind == RULES_CORNERS:
            if free & board.centre:
                return pick(free & board.centre, number)
            if free & board.corners:
                return pick(free & board.corners, number)
    return pick(free, number)


def ending_and_future(
    table: TableRecord, learning: Learning, episode: Episode, ply: int, plies: int, won: bool
) -> tuple[float, float]:
    """The reward of a move for ending the episode, and the value of what it leads to.

    With both seats together a move leads to the opponent's best reply, whose value counts against it. Apart, it
    leads to the same side's next turn, and what the opponent does in between, a win too, is part of its reward.
    """
    if ply == plies - 1:
        return learning.win if won else learning.draw, 0.0
    if learning.together:
        return 0.0, -best_value(table, episode.rows[ply + 1], episode.legal[ply + 1])
    if ply == plies - 2:
        return learning.loss if won else learning.draw, 0.0
    return 0.0, best_value(table, episode.rows[ply + 2], episode.legal[ply + 2])


def learn(
    table: TableRecord,
    learning: Learning,
    progress: Progress,
    episode: Episode,
    opponent: int,
    seat: int,
    plies: int,
    won: bool,
) -> None:
    """Update the values of an episode's moves; the target of each is reward + γ · future. The last move made a line if
    ``won``, else it filled the board."""
    for i in range(plies):
        ply = plies - 1 - i if learning.backward else i
        learner = is_learner(opponent, seat, ply & 1)
        row = episode.rows[ply]
        if row < 0 or not (learner or learning.together):
            continue
        ending, future = ending_and_future(table, learning, episode, ply, plies, won)
        reward = learning.per_move + ending
        at = row * table.moves + episode.slots[ply]
        old, target = np.float64(table.values[at]), reward + learning.gamma * future
        error = update(table.values, table.visits, at, target, learning.alpha, progress.episodes, progress.moves)
        trace.update(ply, old, target, table.values[at])
        progress.errors += abs(error)
        progress.updates += 1
        if learner:
            progress.rewards += reward
    hero = 0 if opponent == SELF or seat == BOTH_SEATS else seat
    if not won:
        progress.draws += 1
    elif (plies - 1) & 1 == hero:
        progress.wins += 1
    else:
        progress.losses += 1
    progress.plies += plies


def update(values: Array, visits: Array, at: int, target: float, alpha: Rate, episodes: int, moves: int) -> float:
    """Move a value towards its target, Q ← Q + α (target − Q), and count the visit; return the error, target − Q."""
    old, count = np.float64(values[at]), visits[at]
    error = target - old
    values[at] = np.float32(old + scheduled(alpha, episodes, moves, count) * error)
    visits[at] = count + 1
    return error


def scheduled(rate: Rate, episodes: int, moves: int, visits: int) -> float:
    """A rate, given the episodes, moves, and visits of the value that it is for."""
    steps = moves if rate.by_move != 0 else episodes
    if rate.kind == DECAY:
        return max(rate.end, rate.start * power(rate.pace, steps))
    if rate.kind == LINEAR:
        return rate.start + (rate.end - rate.start) * min(1.0, steps / rate.pace)
    if rate.kind == VISITS:
        return max(rate.end, rate.start / (1.0 + visits))
    return rate.start


@kernel
def rate_now(schedule: Reals, episodes: int) -> float:
    """A rate that counts episodes, given as an array of the fields of `Rate`."""
    return scheduled(Rate(schedule[0], schedule[1], schedule[2], schedule[3], schedule[4]), episodes, 0, 0)


def smallest() -> tuple[Exploration, Learning, Progress]:
    """The settings of a learner that explores and learns nothing, to compile kernels with."""
    rate = Rate(0.0, 0.0, 0.0, 0.0, 0.0)
    return Exploration(rate, 0), Learning(rate, 0.0, 0.0, 0.0, 0.0, 0.0, True, True), Progress()


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    table, board = tables.smallest()
    exploration, learning, progress = smallest()
    nothing = np.zeros(1, np.int64)
    episode = Episode(*(np.zeros(4, np.int64) for _ in range(4)))
    episodes(table, board, GuideRecord(0, 0.0), exploration, learning, progress, episode, nothing, 0, 0, 1, nothing)
    rate_now(np.array([CONSTANT, 0.1, 0.0, 0.0, 0.0]), 0)
