"""The Q update: what is learnt from the moves of an episode.

A position never recurs within an episode, so learning after the episode gives the same as learning move by move.
"""

from __future__ import annotations

import numpy as np

from inarow.kernels.lang import trace
from inarow.kernels.qlearning.arguments import Episode, Learning, Progress, Table
from inarow.kernels.qlearning.opponents import SELF
from inarow.kernels.qlearning.playing import BOTH_SEATS, is_learner
from inarow.kernels.qlearning.qtable import best_value
from inarow.kernels.qlearning.rates import scheduled


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
        return 0.0, -best_value(table, episode.rows[ply + 1], episode.legal[ply + 1])
    if ply == plies - 2:
        return learning.loss if won else learning.draw, 0.0
    return 0.0, best_value(table, episode.rows[ply + 2], episode.legal[ply + 2])


def learn(
    table: Table,
    learning: Learning,
    progress: Progress,
    episode: Episode,
    opponent: int,
    seat: int,
    plies: int,
    won: bool,
) -> None:
    """Update the values of an episode's moves: Q ← Q + α (reward + γ · future − Q). The last move made a line if
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
        old, visits = np.float64(table.values[at]), table.visits[at]
        error = reward + learning.gamma * future - old
        step = scheduled(learning.alpha, progress.episodes, progress.moves, visits)
        table.values[at] = np.float32(old + step * error)
        table.visits[at] = visits + 1
        trace.update(ply, old, reward + learning.gamma * future, table.values[at])
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
