"""Learners in ordinary Python, one file each, to be read: Q-learning, SARSA and REINFORCE with a table.

All three learn by self-play: one table holds both seats, and every value is for the side to move. So a
position's value for the opponent counts against the move that leads there. ``python -m inarow.training.plain sarsa``
trains one.
"""

from __future__ import annotations

from typing import Protocol

from inarow.agents import Mind


class PlainLearner(Protocol):
    """The interface of the three learners."""

    def run(self, episodes: int) -> None:
        """Play this many episodes and learn from each."""

    def mind(self, seed: int) -> Mind:
        """Return a player that uses what was learnt, without exploring."""
