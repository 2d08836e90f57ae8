"""Tabular Q-learning, compiled: episodes against itself or others, and what is learnt from each.

A position never recurs within an episode, so learning after the episode gives the same as learning move by move.
"""

from __future__ import annotations

import numpy as np

from inarow.kernels.common import search_layout
from inarow.kernels.common.board import advance, below, has_line, lowest, mix, playable, popcount, raised
from inarow.kernels.common.evaluate import evaluate
from inarow.kernels.common.random_choice import pick, uniform
from inarow.kernels.compiler.jit import kernel, primitive
from inarow.kernels.compiler.pointers import handle, peek, peek_float, peek_int32, poke, poke_float, poke_int32
from inarow.kernels.qlearning import qtable
from inarow.kernels.qlearning.arguments import (
    DRAWS,
    EPISODES,
    ERRORS,
    LOSSES,
    MOST_ROWS,
    MOVES,
    PLIES,
    REWARDS,
    ROWS,
    TALLY,
    UPDATES,
    WINS,
    Array,
    Board,
    Episode,
    Exploration,
    Guide,
    Ints,
    Learning,
    Progress,
    Rate,
    Reals,
    Table,
    board_handles,
    episode_handles,
    table_handles,
)
from inarow.kernels.qlearning.guides import guided
from inarow.kernels.qlearning.opponents import OUTSIDE, SELF, reply
from inarow.kernels.qlearning.qtable import best_value, find_key, locate, move_value, slot_of, write_key
from inarow.kernels.qlearning.rates import scheduled

BOTH_SEATS = 2
# How an episode stands when `play` returns.
WAITING, WON, FULL = range(3)
"""WAITING: an outside opponent is to move."""


@primitive
def is_learner(opponent: int, seat: int, player: int) -> bool:
    """Whether this player's moves are the learner's."""
    return opponent == SELF or seat in (BOTH_SEATS, player)


@primitive
def next_random(random: Array) -> int:
    """The next number of a random stream, in [0, 2**63)."""
    state = advance(peek(random, 0))
    poke(random, 0, state)
    return mix(state)


@primitive
def greedy(
    table: Table,
    board: Board,
    guide: Guide,
    row: int,
    symmetries: int,
    mine: int,
    other: int,
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
        value = move_value(table, board, guide, row, symmetries, mine, other, stone)
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
def choose(
    table: Table,
    board: Board,
    guide: Guide,
    exploration: Exploration,
    counters: Array,
    row: int,
    symmetries: int,
    mine: int,
    other: int,
    number: int,
) -> int:
    """The learner's move, as a bit: random with the probability epsilon, else greedy, among those its guide demands."""
    allowed = guided(guide.kind, board, mine, other)
    if allowed == 0:
        allowed = playable(mine | other, board.bottom, board.cells, board.gravity)
    chance = uniform(number)
    number = mix(number)
    moves = peek(counters, MOVES)
    poke(counters, MOVES, moves + 1)
    epsilon = scheduled(exploration.epsilon, peek(counters, EPISODES), moves, 0)
    if chance < epsilon:
        centre = allowed & board.centre
        to_centre = centre != 0 and uniform(number) < exploration.centre_share
        return pick(centre if to_centre else allowed, mix(number))
    return greedy(table, board, guide, row, symmetries, mine, other, allowed, number)


@primitive
def take_row(table: Table, key: Ints, may_add: bool) -> int:
    """The row of a key, a new one if it has none and one may be added; negative without one."""
    row = locate(table.keys, table.rows, key[0], key[1])
    used = peek(table.used, ROWS)
    if row < 0 and may_add and used < peek(table.used, MOST_ROWS):
        row = -1 - row
        write_key(table.keys, row, key[0], key[1])
        for at in range(row * table.moves, (row + 1) * table.moves):
            poke_float(table.values, at, np.float32(table.start))
        poke(table.used, ROWS, used + 1)
    return row


@primitive
def note_move(board: Board, episode: Episode, ply: int, stone: int, free: int, symmetries: int) -> None:
    """Write the move of this ply and the slots of all legal moves."""
    poke(episode.stones, ply, stone)
    poke(episode.slots, ply, slot_of(board, peek(board.move_of_bit, lowest(stone)), symmetries))
    legal = 0
    while free:
        legal |= 1 << slot_of(board, peek(board.move_of_bit, lowest(free)), symmetries)
        free &= free - 1
    poke(episode.legal, ply, legal)


@primitive
def play(
    table: Table,
    board: Board,
    guide: Guide,
    exploration: Exploration,
    together: bool,
    counters: Array,
    random: Array,
    episode: Episode,
    opponent: int,
    seat: int,
    opening: int,
    given: int,
) -> tuple[int, int]:
    """Play on from the first ``given`` moves of an episode; the number of plies then, and how it stands.

    The first ``opening`` plies are random.
    """
    images = np.zeros((2, board.symmetries), np.int64)
    key = np.zeros(2, np.int64)
    ply = 0
    while True:
        player = ply & 1
        mine, other = images[player, 0], images[1 - player, 0]
        free = playable(mine | other, board.bottom, board.cells, board.gravity)
        learner = is_learner(opponent, seat, player)
        if ply >= given and ply >= opening and not learner and opponent == OUTSIDE:
            return ply, WAITING
        symmetries = find_key(board, images, player, key)
        row = take_row(table, key, learner or together)
        poke(episode.rows, ply, row)
        number = next_random(random)
        if ply < given:
            stone = peek(episode.stones, ply)
        elif ply < opening:
            stone = pick(free, number)
        elif not learner:
            stone = reply(opponent, board, mine, other, free, number)
        else:
            stone = choose(table, board, guide, exploration, counters, row, symmetries, mine, other, number)
        note_move(board, episode, ply, stone, free, symmetries)
        for s in range(images.shape[1]):
            images[player, s] |= peek(board.bit_images, s * board.bits + lowest(stone))
        ply += 1
        if has_line(mine | stone, board.k, board.stride):
            return ply, WON
        if images[0, 0] | images[1, 0] == board.cells:
            return ply, FULL


@primitive
def evaluated(evaluator: Ints, scale: float, episode: Episode, plies: int) -> Reals:
    """What the evaluator adds to the reward of each move, by the board after it."""
    points = np.zeros(plies)
    if scale != 0:
        stones = np.zeros(2, np.int64)
        for ply in range(plies):
            player = ply & 1
            stones[player] |= peek(episode.stones, ply)
            points[ply] = evaluate(evaluator, stones[player], stones[1 - player]) * scale
    return points


@primitive
def ending_and_future(
    table: Table, learning: Learning, episode: Episode, ply: int, plies: int, won: bool
) -> tuple[float, float]:
    """The reward of a move for ending the episode, and the value of what it leads to.

    With both seats together a move leads to the opponent's best reply, whose value counts against it. Apart, it
    leads to the same side's next turn, and what the opponent does in between, a win too, is part of its reward.
    """
    if ply == plies - 1:
        return learning.win if won else learning.draw, 0.0
    if learning.together:
        return 0.0, -best_value(table, peek(episode.rows, ply + 1), peek(episode.legal, ply + 1))
    if ply == plies - 2:
        return learning.loss if won else learning.draw, 0.0
    return 0.0, best_value(table, peek(episode.rows, ply + 2), peek(episode.legal, ply + 2))


@primitive
def learn(
    table: Table,
    learning: Learning,
    evaluator: Ints,
    counters: Array,
    tally: Reals,
    episode: Episode,
    opponent: int,
    seat: int,
    plies: int,
    won: bool,
) -> None:
    """Update the values of an episode's moves: Q ← Q + α (reward + γ · future − Q). The last move made a line if
    ``won``, else it filled the board."""
    points = evaluated(evaluator, learning.points_scale, episode, plies)
    for i in range(plies):
        ply = plies - 1 - i if learning.backward else i
        learner = is_learner(opponent, seat, ply & 1)
        row = peek(episode.rows, ply)
        if row < 0 or not (learner or learning.together):
            continue
        ending, future = ending_and_future(table, learning, episode, ply, plies, won)
        reward = learning.per_move + points[ply] + ending
        at = row * table.moves + peek(episode.slots, ply)
        old, visits = np.float64(peek_float(table.values, at)), peek_int32(table.visits, at)
        error = reward + learning.gamma * future - old
        step = scheduled(learning.alpha, peek(counters, EPISODES), peek(counters, MOVES), visits)
        poke_float(table.values, at, np.float32(old + step * error))
        poke_int32(table.visits, at, visits + 1)
        tally[ERRORS] += abs(error)
        tally[UPDATES] += 1
        if learner:
            tally[REWARDS] += reward
    hero = 0 if opponent == SELF or seat == BOTH_SEATS else seat
    tally[(WINS if (plies - 1) & 1 == hero else LOSSES) if won else DRAWS] += 1
    tally[PLIES] += plies


@primitive
def needs_room(table: Table, plies: int) -> bool:
    """Whether the next episode may overfill a table that may still grow: at most three quarters are used."""
    most = table.rows // 4 * 3
    return peek(table.used, ROWS) + plies > most and most < peek(table.used, MOST_ROWS)


@kernel
def episodes(
    table: Table,
    board: Board,
    guide: Guide,
    exploration: Exploration,
    learning: Learning,
    evaluator: Ints,
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

    ``evaluator``: its setup (see `kernels.common.search_layout`). ``seat``: the learner's, or BOTH_SEATS for both in
    turn. When an outside opponent is to move, the result is −1 − the plies so far, whose moves are in
    ``episode.stones``: add its move there and call again with that many ``given``.
    """
    table, board, episode = table_handles(table), board_handles(board), episode_handles(episode)
    counters, random = handle(progress.counters), handle(progress.random)
    longest = popcount(board.cells)
    played = 0
    while played < count and not raised(stop) and not needs_room(table, longest):
        opponent, opening = OUTSIDE, 0
        if given == 0:
            opponent = opponents[below(next_random(random), opponents.size)]
            opening = below(next_random(random), exploration.longest_opening + 1)
        number = peek(counters, EPISODES)
        own_seat = number & 1 if seat == BOTH_SEATS else seat
        plies, end = play(
            table, board, guide, exploration, learning.together, counters, random, episode,
            opponent, own_seat, opening, given,
        )  # fmt: skip
        if end == WAITING:
            return -1 - plies
        learn(table, learning, evaluator, counters, progress.tally, episode, opponent, own_seat, plies, end == WON)
        poke(counters, EPISODES, number + 1)
        played += 1
        given = 0
    return played


def smallest() -> tuple[Exploration, Learning, Progress]:
    """The settings of a learner that explores and learns nothing, to compile kernels with."""
    rate = Rate(0.0, 0.0, 0.0, 0.0, 0.0)
    progress = Progress(np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(TALLY))
    return Exploration(rate, 0.0, 0), Learning(rate, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, True, True), progress


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    table, board = qtable.smallest()
    exploration, learning, progress = smallest()
    evaluator, nothing = np.zeros(search_layout.SIZE, np.int64), np.zeros(1, np.int64)
    episode = Episode(*(np.zeros(4, np.int64) for _ in range(4)))
    episodes(
        table, board, Guide(0, 0.0), exploration, learning, evaluator, progress, episode, nothing, 0, 0, 1, nothing
    )
