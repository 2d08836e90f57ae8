"""The learner that belongs to an agent."""

from __future__ import annotations

from inarow.agents import Agent
from inarow.agents.ntuple import NTuple
from inarow.agents.qlearning import QLearning
from inarow.rules import Game
from inarow.training.learner import Learner, TrainingError
from inarow.training.network_learner import NTupleLearner
from inarow.training.table_learner import QLearner


def new_learner(given: Agent, game: Game, seed: int, episodes: int, workers: int = 1) -> Learner:
    """A learner of this agent's kind and settings that knows nothing yet."""
    if isinstance(given, QLearning):
        if workers != 1:
            raise TrainingError(f"qlearning trains in one worker, {workers} were asked for; ntuple can use several")
        return QLearner(given.check_training(game), game, seed, episodes)
    if isinstance(given, NTuple):
        return NTupleLearner(given.check_training(game), game, seed, episodes, workers)
    raise TrainingError(f"{given.spec} does not learn; train qlearning or ntuple")
