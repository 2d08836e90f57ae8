"""Playing one episode of tabular Q-learning: the learner's moves, its opponent's, and what is noted of them."""

from __future__ import annotations

import numpy as np

from inarow.kernels.common.board import advance, below, has_line, lowest, mix, playable
from inarow.kernels.common.random_choice import pick, uniform
from inarow.kernels.common.setup import MAX_SYMMETRIES
from inarow.kernels.qlearning.arguments import (
    Board,
    Episode,
    Exploration,
    Guide,
    Ints,
    Progress,
    Table,
)
from inarow.kernels.qlearning.guides import guided
from inarow.kernels.qlearning.opponents import OUTSIDE, SELF, reply
from inarow.kernels.qlearning.qtable import find_key, locate, move_value, slot_of, write_key
from inarow.kernels.qlearning.rates import scheduled

BOTH_SEATS = 2
# The status of an episode when `play` returns.
WAITING, WON, FULL = range(3)
"""WAITING: an outside opponent is to move."""


def is_learner(opponent: int, seat: int, player: int) -> bool:
    """Whether this player's moves are the learner's."""
    return seat == BOTH_SEATS or opponent == SELF or player == seat


def next_random(progress: Progress) -> int:
    """The next number of a random stream, in [0, 2**63)."""
    progress.random = advance(progress.random)
    return mix(progress.random)


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


def choose(
    table: Table,
    board: Board,
    guide: Guide,
    exploration: Exploration,
    progress: Progress,
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
    epsilon = scheduled(exploration.epsilon, progress.episodes, progress.moves, 0)
    progress.moves += 1
    if chance < epsilon:
        return pick(allowed, mix(number))
    return greedy(table, board, guide, row, symmetries, mine, other, allowed, number)


def take_row(table: Table, key: Ints, may_add: bool) -> int:
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


def play(
    table: Table,
    board: Board,
    guide: Guide,
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
        mine, other = images[player, 0], images[1 - player, 0]
        free = playable(mine | other, board.bottom, board.cells, board.gravity)
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
            stone = reply(opponent, board, mine, other, free, number)
        else:
            stone = choose(table, board, guide, exploration, progress, row, symmetries, mine, other, number)
        note_move(board, episode, ply, stone, free, symmetries)
        for s in range(board.symmetries):
            images[player, s] |= board.bit_images[s * board.bits + lowest(stone)]
        ply += 1
        if has_line(mine | stone, board.k, board.stride):
            return ply, WON
        if images[0, 0] | images[1, 0] == board.cells:
            return ply, FULL
