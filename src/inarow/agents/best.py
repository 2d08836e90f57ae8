"""best: as strong as inarow plays within a time, or weaker by levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inarow.agents.alphabeta import AlphaBeta
from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.evaluators import Evaluator, Learned, Windows
from inarow.agents.parameters import AgentError, integer, number
from inarow.formatting import say
from inarow.kernels.decisions import drawn_by_value
from inarow.limits import Limit
from inarow.models.network import Network
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop

STRONGEST = 10
LEAST_TEMPERATURE = 0.03
"""The temperature of the level below the strongest."""
PER_LEVEL = 1.7
"""How many times as high the temperature is one level further down."""
WEAK_DEPTH = 4
"""Plies that levels below the strongest look ahead."""


@dataclass(frozen=True)
class Best(Agent):
    """Asks the solver, and searches with a network among the moves that it could not tell apart.

    On boards without a shipped network the search has the evaluator windows.
    """

    name = "best"
    summary = "as strong as its time allows: solver, else network search"
    seconds: float | None = number(1.0, "maximum seconds per decision", low=0.001, high=86400, none="unlimited")
    nodes: int | None = integer(None, "maximum nodes per decision", low=1, none="unlimited")
    level: int = integer(
        STRONGEST,
        f"how well it plays; below {STRONGEST} it looks {WEAK_DEPTH} plies ahead and chooses at random by the moves' "
        "values, the more so the lower the level",
        low=1,
        high=STRONGEST,
    )

    @property
    def temperature(self) -> float:
        """By how much values may differ before the better move is clearly preferred; 0: always the best move."""
        below = STRONGEST - self.level
        return LEAST_TEMPERATURE * PER_LEVEL ** (below - 1) if below else 0.0

    def search(self, game: Game) -> AlphaBeta:
        """The search that it decides by."""
        if self.level == STRONGEST:
            return strongest_search(game, seconds=self.seconds, nodes=self.nodes, solver="on")
        return AlphaBeta(
            depth=WEAK_DEPTH, seconds=self.seconds, nodes=self.nodes, eval=evaluator_for(game), ordering="threats",
            root="full", solver="off",
        )  # fmt: skip

    def check(self, game: Game) -> None:
        super().check(game)
        if self.seconds is None and self.nodes is None:
            raise AgentError(say("unfit", "no_limit"))
        self.search(game).check(game)

    def network_in(self, game: Game) -> Network | None:
        return self.search(game).network_in(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return BestMind(self.search(game).mind(game, player, derive(seed, "search")), self.temperature, Stream(seed))


def strongest_search(game: Game, **settings: Any) -> AlphaBeta:
    """The strongest search for a game, under these limits."""
    return AlphaBeta(eval=evaluator_for(game), ordering="threats", tt=True, ties="centre", **settings)


def evaluator_for(game: Game) -> Evaluator:
    """The network that ships for a game, or else what plays every game."""
    try:
        Learned().check(game)
    except AgentError:
        return Windows()
    return Learned()


class BestMind(Mind):
    """A search, and below the highest level a random stream that chooses among its moves."""

    def __init__(self, search: Mind, temperature: float, stream: Stream) -> None:
        self.search = search
        self.temperature = temperature
        self.stream = stream

    def prepare(self, position: Position) -> None:
        self.search.prepare(position)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        self.search.clock = self.clock
        decision = self.search.decide(position, limit, stop)
        if not self.temperature or len(decision.values) < 2:
            return decision
        moves, values = list(decision.values), list(decision.values.values())
        index = drawn_by_value(values, self.temperature, self.stream.uniform())
        move = moves[index] if index >= 0 else decision.move
        points = int(decision.by_move["points"][move])
        line = decision.line if move == decision.move else (move,)
        return decision._replace(move=move, value=decision.values[move], points=points, line=line)

    def close(self) -> None:
        self.search.close()
