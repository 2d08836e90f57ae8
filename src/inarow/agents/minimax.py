"""minimax: looks at every line of play to a depth."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.searching import Ints, Searcher
from inarow.rules import Game


@dataclass(frozen=True)
class Minimax(Searcher):
    """Full width, no pruning: the exact value of every root move."""

    name = "minimax"
    summary = "looks at every line of play to a depth"

    def write_switches(self, setup: Ints, game: Game) -> None:
        """None: the kernel's zeros are minimax."""
