"""Learning: learners, stages, the trainer with its history and checkpoints, and curves."""

from inarow.training.learner import Learner, new_learner
from inarow.training.opponents import Stage, TrainingError, parse_stage, parse_stages
from inarow.training.trainer import Trainer, TrainingPlan, plan_training

__all__ = [
    "Learner", "Stage", "Trainer", "TrainingError", "TrainingPlan", "new_learner", "parse_stage", "parse_stages",
    "plan_training",
]  # fmt: skip
