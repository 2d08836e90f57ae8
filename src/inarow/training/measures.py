"""Measures of truth for evaluations on the way: how often the greedy move keeps the exact value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inarow.agents import Mind
from inarow.rules import Game

Measure = Callable[[Callable[[int], Mind]], Mapping[str, float]]


def truth_measure(game: Game) -> Measure | None:
    """The measure for this game, or None where the truth is not at hand."""
    return None
