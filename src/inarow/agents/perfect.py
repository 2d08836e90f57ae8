"""perfect: plays by the exact score, and errs as often as it is told to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.parameters import choice, integer, number
from inarow.agents.ram_check import check_memory
from inarow.agents.ties import pick, ties_field
from inarow.limits import Limit
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position
from inarow.solver import Oracle, Solution, Verdict
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
    nodes: int | None = integer(None, "positions to visit in one decision at most", low=1, none="unlimited")
    seconds: float | None = number(None, "seconds for one decision at most", low=0.000001, none="unlimited")
    table_mb: int = integer(64, "size of the solver's table in MB", low=1, high=1 << 20)

    def check(self, game: Game) -> None:
        check_memory("agent perfect", "table_mb", self.table_mb)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return PerfectMind(self, game, seed)


class PerfectMind(Mind):
    """An oracle and two random streams: one for ties, one for errors."""

    def __init__(self, agent: Perfect, game: Game, seed: int) -> None:
        self.agent = agent
        self.game = game
        self.ties = Stream(derive(seed, "ties"))
        self.errors = Stream(derive(seed, "errors"))
        self.oracle = Oracle(game, table_mb=agent.table_mb, clock=self.clock)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        agent = self.agent
        limit = Limit(nodes=agent.nodes, seconds=agent.seconds).tightened(limit)
        solutions = self.oracle.solve_moves(
            position, nodes=limit.nodes, seconds=limit.seconds, stop=stop, weak=agent.resist == "any"
        )
        best = self._best(solutions)
        move = pick(self.game, best, agent.ties, self.ties)
        others = [other for other in position.legal_moves() if other != move]
        erred = agent.error > 0 and self.errors.uniform() < agent.error and bool(others)
        if erred:
            move = self.errors.choice(others)
        values = {m: float(solution.verdict) for m, solution in solutions.items() if _verdict_known(solution)}
        scores = {m: solution.low for m, solution in solutions.items() if solution.solved}
        return Decision(
            move,
            value=values.get(move),
            values=values,
            by_move={"score": scores} if agent.resist == "longest" else {},
            nodes=self.oracle.nodes,
            line=(move,),
            details={
                "solved": all(solution.solved for solution in solutions.values()),
                "erred": erred,
                "best": [m + 1 for m in best],
            },
        )

    def _best(self, solutions: Mapping[int, Solution]) -> list[int]:
        """The moves to choose among, in ascending order: by what is proven of them, the lower bound first."""
        worth = {m: (s.low, s.high) for m, s in solutions.items()}
        if self.agent.resist == "any":
            worth = {m: (int(Verdict.of(low)), int(Verdict.of(high))) for m, (low, high) in worth.items()}
        most = max(worth.values())
        return sorted(move for move, bounds in worth.items() if bounds == most)


def _verdict_known(solution: Solution) -> bool:
    return solution.solved or solution.low > 0 or solution.high < 0
