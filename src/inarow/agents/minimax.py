"""minimax: looks at every line of play to a depth."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.move_order import ORDERS, ORDERS_HELP
from inarow.agents.parameters import choice
from inarow.agents.searching import Searcher
from inarow.kernels.common.setup import SearchSetup


@dataclass(frozen=True)
class Minimax(Searcher):
    """Full width, no pruning: the exact value of every root move."""

    name = "minimax"
    summary = "looks at every line of play to a depth"
    ordering: str = choice("none", ORDERS, f"which moves are tried first, which matters with ties=order: {ORDERS_HELP}")

    @property
    def order(self) -> str:
        return self.ordering

    def write_switches(self, setup: SearchSetup) -> None:
        """None: the kernel's zeros are minimax."""
