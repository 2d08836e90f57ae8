"""Learning: learners, opponents, the trainer with its history and checkpoints, and curves."""

from inarow.training.learner import Learner, TrainingError, new_learner
from inarow.training.opponents import Stage, parse_stages
from inarow.training.trainer import Trainer, TrainingPlan

__all__ = ["Learner", "Stage", "Trainer", "TrainingError", "TrainingPlan", "new_learner", "parse_stages"]
