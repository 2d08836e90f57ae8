"""random: a uniformly random legal move."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.base import Agent, Decision, Mind
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop


@dataclass(frozen=True)
class Random(Agent):
    """Plays a uniformly random legal move."""

    name = "random"
    variants = True
    needs_kernels = False
    summary = "a uniformly random legal move"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return RandomMind(seed)


class RandomMind(Mind):
    """A random stream."""

    def __init__(self, seed: int) -> None:
        self.stream = Stream(seed)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        return Decision(self.stream.choice(position.legal_moves()))
