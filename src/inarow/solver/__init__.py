"""Exact scores of positions: by search, from the opening book, or from cached results."""

from inarow.solver.analysis import (
    Analysis,
    Bounds,
    OverError,
    Unsolved,
    Verdict,
    WrongGameError,
    plies_to_end,
    score_in_words,
)
from inarow.solver.oracle import Oracle

__all__ = [
    "Analysis",
    "Bounds",
    "Oracle",
    "OverError",
    "Unsolved",
    "Verdict",
    "WrongGameError",
    "plies_to_end",
    "score_in_words",
]
