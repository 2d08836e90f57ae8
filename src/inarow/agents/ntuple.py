"""ntuple: the move with the best value by an n-tuple network, learnt by temporal differences in self-play."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.parameters import AgentError, file, integer, number, string, switch
from inarow.agents.schedules import Schedule, rate
from inarow.limits import Limit
from inarow.models.files import ModelError
from inarow.models.layout import Layout, memory_entries, random_walks, shapes
from inarow.models.loading import load_model, model_path
from inarow.models.network import Network
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop


@dataclass(frozen=True)
class NTuple(Agent):
    """Plays the best move by its network, one ply ahead. Most parameters are for training (see ``at_the_board``)."""

    name = "ntuple"
    summary = "the best move by an n-tuple network learnt in self-play (`inarow train` makes one)"
    at_the_board = ("model", "noise")
    model: str = file("", "the model file; without it the model that ships with inarow")
    tuples: int = integer(
        0,
        "number of tuples, each a random walk over neighbouring cells; 0: lines, rows, columns and blocks",
        low=0,
        high=1000,
    )
    length: int = integer(8, "cells of a random walk", low=1, high=12)
    cells: str = string("", "the tuples themselves, such as 1-2-3/4-5-6, cells row by row from the top left")
    threats: bool = switch(True, "the winning cells of each pair of columns count too, on boards with gravity")
    memory: bool = switch(True, "each position also has its own entry, on boards with gravity")
    alpha: Schedule = rate("0.026", "learning rate of a weight")  # noqa: RUF009
    coherence: float = number(
        2.7, "how strongly weights whose steps cancel out slow down; 0: not at all", low=0, high=20
    )
    gamma: float = number(0.99, "what a value is worth one ply later", low=0, high=1)
    lam: float = number(0.8, "λ of TD(λ): the weight of later results in a position's target", 0, 1, spelling="lambda")
    epsilon: Schedule = rate("0.05", "chance of a random move in training")  # noqa: RUF009
    opening_share: float = number(0.6, "share of the episodes that start with random plies", low=0, high=1)
    plies: int = integer(0, "most random plies in such an opening; 0: a fifth of the cells", low=0, high=40)
    final: bool = switch(True, "final adaptation: the last position learns how the game ended, for both sides")
    average: float = number(
        0.2,
        "it plays with the average of the weights over this last part of training; 0: with the latest",
        low=0,
        high=1,
    )
    tactics: bool = switch(True, "wins, forced blocks and double threats are computed, not learnt")
    noise: float = number(0, "chance of a random move when it plays", low=0, high=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if "visits" in (self.epsilon.kind, self.alpha.kind):
            raise AgentError("agent ntuple: visits(…) is for tables; use a number, decay or linear")
        if self.alpha.by_move or self.epsilon.by_move:
            raise AgentError("agent ntuple: rates change by episode; leave ,moves out of decay(…)")

    def held(self, game: Game) -> Network:
        """Its model, read once."""
        try:
            path = model_path(self.name, self.model, game)
            model: Network = load_model(path, self.name, game)
        except ModelError as error:
            raise AgentError(f"agent {self.name}: {error}") from None
        return model

    def network_in(self, game: Game) -> Network:
        return self.held(game)

    def check(self, game: Game) -> None:
        self.held(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return NTupleMind(self.held(game), Stream(seed), self.noise)

    def layout(self, game: Game, seed: int) -> Layout:
        """What to train: by the tuples named, by random walks, or by shapes."""
        if self.cells:
            try:
                tuples = tuple(tuple(int(cell) - 1 for cell in part.split("-")) for part in self.cells.split("/"))
            except ValueError:
                raise AgentError(f"agent ntuple: cells={self.cells} is not a list such as 1-2-3/4-5-6") from None
        elif self.tuples:
            tuples = random_walks(game, self.tuples, self.length, Stream(derive(seed, "tuples")))
        else:
            tuples = shapes(game)
        memory = memory_entries(game) if self.memory and game.gravity else 0
        return Layout(game, tuples, self.threats and game.gravity, memory)

    def longest_opening(self, game: Game) -> int:
        """How many random plies an episode starts with at most."""
        return self.plies or game.cells // 5

    def check_training(self, game: Game) -> NTuple:
        """The settings to train with; raises `AgentError` if they can't be used in this game."""
        if self.model:
            raise AgentError("agent ntuple: model= is for playing; in training the file is given by --out")
        self.layout(game, 0)
        return self


class NTupleMind(Mind):
    """A network, read only, and a random stream for ties and noise."""

    def __init__(self, network: Network, stream: Stream, noise: float = 0.0) -> None:
        self.network = network
        self.stream = stream
        self.noise = noise

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        values = self.network.judge(position)
        best = max(values.values())
        move = self.stream.choice([move for move, value in values.items() if value == best])
        if self.noise and self.stream.uniform() < self.noise:
            move = self.stream.choice(list(values))
        return Decision(move, value=values[move], values=values, nodes=len(values), depth=1, line=(move,))
