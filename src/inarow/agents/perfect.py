"""perfect: plays by the exact score, with errors at a chosen rate."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.oracle_pool import oracles
from inarow.agents.parameters import AgentError, choice, integer, number
from inarow.agents.ties import pick, ties_field
from inarow.limits import Limit
from inarow.memory import check_memory
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position
from inarow.solver import Oracle
from inarow.stopping import Stop


@dataclass(frozen=True)
class Perfect(Agent):
    """Asks the oracle for the score of every move."""

    name = "perfect"
    summary = "never gives away the value of the game: moves by the exact score of each"
    ties: str = ties_field("random")
    resist: str = choice(
        "longest", ("longest", "any"), "the quickest win and the longest resistance, or any move that keeps the verdict"
    )
    error: float = number(0.0, "how often it plays another legal move instead, at random", low=0, high=1)
    nodes: int | None = integer(None, "most positions to visit per decision", low=1, none="unlimited")
    seconds: float | None = number(None, "most seconds per decision", low=0.000001, none="unlimited")
    table_mb: int = integer(64, "size of the solver's table in MB", low=1, high=1 << 20)

    def check(self, game: Game) -> None:
        check_memory("agent perfect", "table_mb", self.table_mb, AgentError)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return PerfectMind(self, game, seed)


class PerfectMind(Mind):
    """An oracle and two random streams: one for ties, one for errors."""

    def __init__(self, agent: Perfect, game: Game, seed: int) -> None:
        self.agent = agent
        self.game = game
        self.ties = Stream(derive(seed, "ties"))
        self.errors = Stream(derive(seed, "errors"))
        self.oracle: Oracle | None = oracles.take(game, agent.table_mb)

    def prepare(self, position: Position) -> None:
        self._oracle().prepare(position)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        agent, oracle = self.agent, self._oracle()
        limit = Limit(nodes=agent.nodes, seconds=agent.seconds).tightened(limit)
        moves = oracle.move_bounds(position, limit, stop=stop, weak=agent.resist == "any")
        most = max(moves.values())  # by what is proven, the lower bound first
        best = sorted(move for move, bounds in moves.items() if bounds == most)
        move = pick(self.game, best, agent.ties, self.ties)
        others = [other for other in position.legal_moves() if other != move]
        erred = agent.error > 0 and self.errors.uniform() < agent.error and bool(others)
        if erred:
            move = self.errors.choice(others)
        values = {m: float(bounds.verdict) for m, bounds in moves.items() if bounds.decided}
        scores = {m: bounds.low for m, bounds in moves.items() if bounds.solved}
        return Decision(
            move,
            value=values.get(move),
            values=values,
            by_move={"score": scores} if agent.resist == "longest" else {},
            nodes=oracle.nodes,
            line=(move,),
            details={
                "solved": all(bounds.solved for bounds in moves.values()),
                "erred": erred,
                "best": [m + 1 for m in best],
            },
        )

    def _oracle(self) -> Oracle:
        if self.oracle is None:
            self.oracle = oracles.take(self.game, self.agent.table_mb)
        return self.oracle

    def close(self) -> None:
        if self.oracle is not None:
            oracles.give_back(self.oracle, self.agent.table_mb)
            self.oracle = None
