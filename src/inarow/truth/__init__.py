"""Grading of moves, matches and agents by the exact solver, and a set of positions with known scores."""

from inarow.solver.solved import KnownPosition
from inarow.truth.accuracy import Accuracy, GradedMove, count_by, grade_move
from inarow.truth.grading import Grade, grade_matches, grade_positions
from inarow.truth.positions import SolvedPositions, truth_set

__all__ = [
    "Accuracy",
    "Grade",
    "GradedMove",
    "KnownPosition",
    "SolvedPositions",
    "count_by",
    "grade_matches",
    "grade_move",
    "grade_positions",
    "truth_set",
]
