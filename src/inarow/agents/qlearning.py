"""qlearning: the move with the highest Q-value in a table learnt by playing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inarow.agents.base import Agent, Decision, Mind, model_of
from inarow.agents.parameters import choice, file, number, switch
from inarow.limits import Limit
from inarow.models.qtable import GUIDES, QTable
from inarow.randomness import Stream
from inarow.rules import FIRST, SECOND, Game, Player, Position
from inarow.stopping import Stop


@dataclass(frozen=True)
class QLearningAgent(Agent):
    """Plays by a table of Q-values; `training.qlearning.QLearning` trains one."""

    name = "qlearning"
    summary = "the highest value in a table learnt by playing; with guide=heuristic, guided Q-learning"
    model: str = file("", "the model file; without it the model that ships with inarow")
    second: str = file("", "the model file for playing second, if different")
    guide: str = choice(
        "none",
        tuple(GUIDES),
        "rules that precede the table: none; win or block; also double threats, with the heuristic's share of the "
        "model; also no move that allows a win or a double threat",
    )
    use_table: bool = switch(True, "off: play with an empty table, so that the guide plays alone")
    noise: float = number(0, "probability of a random move", low=0, high=1)

    @property
    def description(self) -> str:
        learnt = "the highest value in a table learnt by playing"
        return learnt if self.guide == "none" else f"guided Q-learning: rules choose first, then {learnt}"

    @property
    def full_name(self) -> str:
        if self.guide == "none":
            return self.spec
        return f"{self.spec} ({'guided Q-learning' if self.use_table else 'its guide alone'})"

    def held(self, game: Game, player: Player = FIRST) -> QTable:
        """Return its model for a seat, loaded once."""
        model: QTable = model_of(self, (player is SECOND and self.second) or self.model, game)
        return model

    def check(self, game: Game) -> None:
        self.held(game)
        self.held(game, SECOND)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        table = self.held(game, player)
        return QMind(table if self.use_table else table.emptied, Stream(seed), self.guide, self.noise)


class QMind(Mind):
    """A read-only table, a guide (by default the one of its training), and a random stream for ties and noise."""

    def __init__(self, table: QTable, stream: Stream, guide: str | None = None, noise: float = 0.0) -> None:
        self.table = table
        self.stream = stream
        self.guide = guide
        self.noise = noise

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        values, forced, known = self.table.judge(position, self.guide)
        moves = list(values)
        best = max(values[move] for move in forced or moves)
        move = self.stream.choice([move for move in forced or moves if values[move] == best])
        if self.noise and self.stream.uniform() < self.noise:
            move = self.stream.choice(moves)
        return Decision(
            move,
            value=_bounded(values[move]),
            values={m: _bounded(value) for m, value in values.items()},
            by_move={"q": values},
            depth=0,
            line=(move,),
            details={"known": known, "guided": bool(forced)},
        )

    def answers(self, positions: Sequence[Position]) -> tuple[Sequence[int], Sequence[float | None]]:
        """Return what `decide` returns in each position, at once."""
        if self.noise:
            return super().answers(positions)
        moves, values, self.stream.state = self.table.decide_each(positions, self.stream.state, self.guide)
        return moves.tolist(), np.clip(values, -1, 1).tolist()


def _bounded(value: float) -> float:
    return max(-1.0, min(1.0, value))
