"""R3's Q-learner: a row holds tried moves only, and all turns are learnt when the match is over, the last first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inarow.agents import Agent
from inarow.agents.schedules import schedule
from inarow.randomness import Stream
from inarow.reproductions.learning import Choice, Pair, QAgent, QLearner, QTable, Settings, errors_field
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Game, Outcome, Player, Position

ERRORS = {"tenths": "exploration is rounded down to tenths"}
SETTINGS = {
    TICTACTOE: Settings(schedule("0.2"), schedule("0.2"), 0.9, win=1, draw=0, loss=-1),
    CONNECT4: Settings(schedule("0.2"), schedule("linear(0.6,0)"), 0.9, win=1, draw=0, loss=-1),
}


class R3Table(QTable):
    """The whole board is the key."""

    kind = "r3-qlearning"


@dataclass(frozen=True)
class R3QLearning(QAgent):
    """The best tried move, the first tried of equals, or any in an unknown position; explores instead of it."""

    name = "r3-qlearning"
    summary = "R3's Q-learner, its other level Hard"
    table = R3Table
    settings = SETTINGS
    folder = Path(__file__).parent
    fixed: tuple[str, ...] = errors_field(ERRORS)

    def choose(self, table: QTable, position: Position, stream: Stream, epsilon: float) -> Choice:
        moves = position.legal_moves()
        row = table.row(position)
        if epsilon and stream.uniform() < epsilon:
            return Choice(stream.choice(moves))
        return Choice(max(row, key=row.__getitem__) if row else stream.choice(moves))


class R3Learner(QLearner):
    """Even the last move tends to 0.9 of the result; the target of an earlier one is the best of the next own row."""

    kind = "r3-qlearning"
    opens_at_random = True
    self_play = True

    @classmethod
    def defaults(cls, agent: Agent, game: Game) -> tuple[Sequence[str], int]:
        return (("r3-medium",), 20_000) if game == TICTACTOE else (("r3-easy", "r3-medium", "self"), 100_000)

    @property
    def epsilon(self) -> float:
        return int(10 * super().epsilon + 1e-9) / 10 if "tenths" in self.errors else super().epsilon

    def begin(self) -> None:
        self.pairs: dict[Player, list[Pair]] = {player: [] for player in Player}

    def played(self, position: Position, move: int, rule: str) -> None:
        self.pairs[position.to_move].append((self.table.key(position), move))

    def over(self, outcome: Outcome, player: Player) -> None:
        later = self.result(outcome, player)
        for key, move in reversed(self.pairs[player]):
            self.learn((key, move), self.settings.gamma * later)
            later = max(self.table.rows[key].values())

    def alone(self) -> Outcome:
        position = Position.start(self.game)
        position = position.play(self.stream.choice(position.legal_moves()))
        while (outcome := position.outcome()) is None:
            position = self.turn(position)
        for player in Player:
            self.over(outcome, player)
        self.count(outcome, FIRST, position)
        return outcome
