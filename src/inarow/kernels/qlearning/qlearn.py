"""Tabular Q-learning, compiled: episodes against itself or others (`playing`), and learning from each (`update`)."""

from __future__ import annotations

import numpy as np

from inarow.kernels.common.board import below, popcount, raised
from inarow.kernels.lang.jit import kernel
from inarow.kernels.qlearning import qtable
from inarow.kernels.qlearning.arguments import (
    Board,
    Episode,
    Exploration,
    Guide,
    Ints,
    Learning,
    Progress,
    Rate,
    Table,
)
from inarow.kernels.qlearning.opponents import OUTSIDE
from inarow.kernels.qlearning.playing import BOTH_SEATS, WAITING, WON, next_random, play
from inarow.kernels.qlearning.update import learn


def needs_room(table: Table, plies: int) -> bool:
    """Whether the next episode may overfill a table that may still grow: at most three quarters are used."""
    most = table.rows // 4 * 3
    return table.used + plies > most and most < table.most


@kernel
def episodes(
    table: Table,
    board: Board,
    guide: Guide,
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


def smallest() -> tuple[Exploration, Learning, Progress]:
    """The settings of a learner that explores and learns nothing, to compile kernels with."""
    rate = Rate(0.0, 0.0, 0.0, 0.0, 0.0)
    return Exploration(rate, 0), Learning(rate, 0.0, 0.0, 0.0, 0.0, 0.0, True, True), Progress()


def warm() -> None:
    """Compile what is here, on a board of four cells."""
    table, board = qtable.smallest()
    exploration, learning, progress = smallest()
    nothing = np.zeros(1, np.int64)
    episode = Episode(*(np.zeros(4, np.int64) for _ in range(4)))
    episodes(table, board, Guide(0, 0.0), exploration, learning, progress, episode, nothing, 0, 0, 1, nothing)
