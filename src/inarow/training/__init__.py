"""Learning: learners, opponents, the trainer with its history and checkpoints, and curves."""

from inarow.training.learner import Learner, TrainingError
from inarow.training.learners import new_learner
from inarow.training.opponents import Stage, parse_stages
from inarow.training.trainer import Plan, Trainer

__all__ = ["Learner", "Plan", "Stage", "Trainer", "TrainingError", "new_learner", "parse_stages"]
