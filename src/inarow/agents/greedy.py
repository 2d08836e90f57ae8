"""greedy: the move with the best static evaluation after one ply."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.evaluators import Evaluator, Function, Learned, Windows, evaluator_field, new_setup
from inarow.agents.ties import move_list, move_set, pick, ties_field
from inarow.kernels import evaluate
from inarow.kernels.decisions import highest
from inarow.limits import Limit
from inarow.models.network import Network
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop


@dataclass(frozen=True)
class Greedy(Agent):
    """Takes an immediate win, else the move with the best evaluation after it."""

    name = "greedy"
    summary = "win now, else the best evaluation after its own move"
    eval: Evaluator = evaluator_field(Windows(), "evaluator of the position after the move")  # noqa: RUF009
    ties: str = ties_field("random")

    def check(self, game: Game) -> None:
        super().check(game)
        self.eval.check(game)

    def network_in(self, game: Game) -> Network | None:
        return self.eval.network(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return GreedyMind(self, game, Stream(seed))


class GreedyMind(Mind):
    """The evaluator's weights for the kernel, and a random stream for ties."""

    def __init__(self, agent: Greedy, game: Game, stream: Stream) -> None:
        self.agent = agent
        self.stream = stream
        if not isinstance(agent.eval, (Learned, Function)):
            evaluate.warm()
            self.setup = new_setup(game, agent.eval)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        moves = position.legal_moves()
        stones = np.array([position.stone(move) for move in moves], dtype=np.int64)
        found = np.empty(len(moves), dtype=np.int64)
        if isinstance(self.agent.eval, Learned):
            self.agent.eval.write_points_after(position, stones, found)
        elif isinstance(self.agent.eval, Function):
            found[:] = [self.agent.eval.points(position.play(move), position.to_move) for move in moves]
        else:
            evaluate.points_after(self.setup, position.own, position.opp, stones, found)
        value_of = self.agent.eval.value
        points = dict(zip(moves, found.tolist(), strict=True))
        wins = position.winning_moves()
        best = wins or move_list(highest(move_set(moves), points))
        move = pick(position.game, best, self.agent.ties, self.stream)
        return Decision(
            move,
            value=1.0 if move in wins else value_of(points[move]),
            values={m: 1.0 if m in wins else value_of(p) for m, p in points.items()},
            points=points[move],
            by_move={"points": points},
            nodes=len(moves),
            depth=1,
            line=(move,),
            details={"leaves": len(moves)},
        )
