"""Who knows the truth of a game's positions: the solver's oracle."""

from __future__ import annotations

import threading

from inarow.play.insight import Judge, Scores
from inarow.rules import Game, Position
from inarow.solver import Oracle
from inarow.stopping import Stop


def find_judge(game: Game) -> Judge:
    """The judge of a game; it takes as long as it takes, unless it is stopped."""
    oracle = Oracle(game)
    lock = threading.Lock()  # one question at a time; one that was given up ends soon after it was stopped

    def judge(position: Position, stop: Stop) -> Scores | None:
        with lock:
            solutions = oracle.solve_moves(position, stop=stop)
        if stop.is_set() or not all(solution.solved for solution in solutions.values()):
            return None
        return {move: solution.score for move, solution in solutions.items()}

    return judge
