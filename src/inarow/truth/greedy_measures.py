"""Measures of truth for evaluations on the way: how often the greedy move keeps the exact value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inarow.agents import Mind
from inarow.rules import Game, Position
from inarow.truth.grading import Truth, all_positions, random_positions

Measure = Callable[[Callable[[int], Mind]], Mapping[str, float]]

SAMPLE = 300
EASY_CELLS = 30
"""Positions with so few cells left are solved in an instant, on any board."""


def truth_measure(game: Game) -> Measure:
    """The share of positions in which a learner's move keeps the verdict: all positions of a small game, else a sample
    of positions, late enough to be solved at once, in which moves differ in verdict."""
    asked: list[Position] = []
    truth = Truth(game)

    def measure(make: Callable[[int], Mind]) -> Mapping[str, float]:
        if not asked:
            first = max(0, game.cells - EASY_CELLS)
            asked.extend(all_positions(game) or random_positions(game, truth, SAMPLE, 1, first))
        mind = make(1)
        kept = sum(truth.keeps(position, mind.decide(position).move) for position in asked)
        return {"keeps the verdict": kept / max(1, len(asked))}

    return measure
