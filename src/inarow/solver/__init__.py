"""Exact scores of positions: by search, from the opening book, from what was solved before."""

from inarow.solver.oracle import Oracle
from inarow.solver.solution import OverError, Solution, Unsolved, Verdict, plies_to_end, score_in_words

__all__ = ["Oracle", "OverError", "Solution", "Unsolved", "Verdict", "plies_to_end", "score_in_words"]
