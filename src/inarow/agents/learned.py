"""The evaluator ntuple: what a learnt n-tuple network thinks of a position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from inarow.agents.evaluators import Evaluator
from inarow.agents.parameters import AgentError, file
from inarow.kernels.common.evaluate import ZERO
from inarow.kernels.ntuple import points as kernel
from inarow.kernels.ntuple.network import Ints, Work
from inarow.models.files import ModelError
from inarow.models.loading import load_model, model_path
from inarow.models.network import Network
from inarow.rules import Game, Player, Position


@dataclass(frozen=True)
class Learned(Evaluator):
    """The sum of a network's weights; with tactics, forced blocks are followed first. Antisymmetric.

    Kernels of its own evaluate it: those that take an array of weights see nothing.
    """

    name = "ntuple"
    summary = "the value by an n-tuple network, as in the agent ntuple"
    code = ZERO
    model: str = file("", "the model file; without it the model that ships with inarow")

    def network(self, game: Game) -> Network:
        """The network, read once."""
        try:
            model: Network = load_model(model_path(self.name, self.model, game), self.name, game)
        except ModelError as error:
            raise AgentError(f"evaluator {self.name}: {error}") from None
        return model

    def check(self, game: Game) -> None:
        self.network(game)

    def weights(self, game: Game) -> Sequence[int]:
        return ()

    def value(self, points: int) -> float:
        if abs(points) > kernel.LARGEST:
            return 1.0 if points > 0 else -1.0
        return math.tanh(points / kernel.SCALE)

    def points(self, position: Position, player: Player) -> int:
        network, work = self._set_up(position)
        points = int(kernel.points_of(network.whole, work, position.mover, position.waiter))
        return points if player is position.to_move else -points

    def write_points_after(self, position: Position, stones: Ints, points: Ints) -> None:
        """The points of the moves that put these stones on the board, for the side to move."""
        network, work = self._set_up(position)
        kernel.points_after(network.whole, work, position.mover, position.waiter, stones, points)

    def _set_up(self, position: Position) -> tuple[Network, Work]:
        network = self.network(position.game)
        work = network.whole_work()
        network.set_up(work, position)
        return network, work
