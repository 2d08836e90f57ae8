"""Learning: trainers and their learners, stages, a training with its history and checkpoints."""

from inarow.training.opponents import Stage, TrainingError, parse_stage, parse_stages
from inarow.training.trainer import Learner, Trainer, trainer
from inarow.training.training import Training, TrainingPlan, plan_training

__all__ = [
    "Learner", "Stage", "Trainer", "Training", "TrainingError", "TrainingPlan", "parse_stage", "parse_stages",
    "plan_training", "trainer",
]  # fmt: skip
