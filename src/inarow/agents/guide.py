"""The network of a Monte Carlo tree search: which compiled search runs with it, and the board that it follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inarow.models.network import Network
from inarow.rules import Position

LEAVES = {"rollout": 1, "ntuple": 0, "mixed": 2}
"""What a simulation ends with, by the code of `kernels.mcts.guided`."""


class Guide:
    """A network, and how a search uses it."""

    def __init__(self, network: Network, leaf: str, temperature: float) -> None:
        from inarow.kernels.mcts import guided

        guided.warm()
        self._run: Callable[..., int] = guided.simulate
        self.node = guided.GuidedNode
        self.leaf = LEAVES[leaf]
        self.temperature = float(temperature)
        self.network = network
        self.net = self.network.prepare()
        self.board = self.network.whole_work()

    def simulate(self, position: Position, *given: Any) -> int:
        """Run simulations from a position; how many were finished. ``given`` is what every such search takes."""
        self.network.set_up(self.board, position)
        return self._run(*given, self.temperature, self.leaf, self.net, self.board)

    def favourite(self, position: Position) -> list[int]:
        """The move that the network itself prefers."""
        values = self.network.judge(position)
        return [max(values, key=lambda move: values[move])]
