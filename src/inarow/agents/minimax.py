"""minimax: looks at every line of play to a depth."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.searching import Searcher
from inarow.kernels.common.evaluate import SearchSetup


@dataclass(frozen=True)
class Minimax(Searcher):
    """Full width, no pruning: the exact value of every root move."""

    name = "minimax"
    summary = "looks at every line of play to a depth"

    @property
    def order(self) -> str:
        return "none"

    def write_switches(self, setup: SearchSetup) -> None:
        """None: the kernel's zeros are minimax."""
