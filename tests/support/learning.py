"""A learner that is shown one match instead of playing."""

from __future__ import annotations

import numpy as np

from inarow.kernels.qlearning import Episode
from inarow.rules import Position
from inarow.training.qlearning import QLearner


def learn_from(learner: QLearner, moves: str) -> None:
    """Let a learner learn from this one match, which must be over after these moves."""
    episode = Episode(*(np.zeros(learner.game.cells, np.int64) for _ in range(4)))
    position = Position.start(learner.game)
    for ply, move in enumerate(moves):
        after = position.play(int(move) - 1)
        episode.stones[ply] = after.occupied ^ position.occupied
        position = after
    assert position.outcome() is not None
    learner.table.make_room()
    assert learner._episodes([0], episode, len(moves), 1, np.zeros(1, np.int64)) == 1
