"""ntuple: the move with the highest value by an n-tuple network, learnt by temporal differences in self-play."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.base import Agent, Decision, Mind, model_of
from inarow.agents.parameters import file, number
from inarow.agents.ties import move_list, move_set
from inarow.kernels.decisions import highest
from inarow.limits import Limit
from inarow.models.network import Network
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop


@dataclass(frozen=True)
class NTupleAgent(Agent):
    """Plays the move with the highest value by its network; `training.ntuple.NTuple` trains one."""

    name = "ntuple"
    summary = "the highest value by an n-tuple network learnt in self-play (`inarow train` makes one)"
    model: str = file("", "the model file; without it the model that ships with inarow")
    noise: float = number(0, "probability of a random move", low=0, high=1)

    def held(self, game: Game) -> Network:
        """Return its model, loaded once."""
        model: Network = model_of(self, self.model, game)
        return model

    def network_in(self, game: Game) -> Network:
        return self.held(game)

    def check(self, game: Game) -> None:
        self.held(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return NTupleMind(self.held(game), Stream(seed), self.noise)


class NTupleMind(Mind):
    """A read-only network, and a random stream for ties and noise."""

    def __init__(self, network: Network, stream: Stream, noise: float = 0.0) -> None:
        self.network = network
        self.stream = stream
        self.noise = noise

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        values = self.network.judge(position)
        move = self.stream.choice(move_list(highest(move_set(values), values)))
        if self.noise and self.stream.uniform() < self.noise:
            move = self.stream.choice(list(values))
        return Decision(move, value=values[move], values=values, nodes=len(values), depth=1, line=(move,))
