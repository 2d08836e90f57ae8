"""R4's Q-learner, trained as X: after the game, the last move first; in Connect 4 on a reduced state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Agent
from inarow.agents.schedules import schedule
from inarow.randomness import Stream
from inarow.reproductions.learning import Choice, Key, Pair, QAgent, QLearner, QTable, Settings, errors_field
from inarow.rules import CONNECT4, TICTACTOE, Game, Outcome, Player, Position
from inarow.rules.lines import lines_of

ERRORS = {"terminal": "every move but the last is learnt as if it had ended the game with 0"}
SETTINGS = {
    TICTACTOE: Settings(schedule("0.1"), schedule("decay(1,0.995,0.01)"), 0.9, win=1, draw=0.5, loss=-1, noise=0.01),
    CONNECT4: Settings(schedule("0.1"), schedule("decay(1,0.99,0.1)"), 0.9, win=1, draw=0.5, loss=-1, noise=0.1),
}
"""It plays on with its final exploration."""


class R4Table(QTable):
    """The whole board is the key; in Connect 4 each side's discs per column and its open threes."""

    kind = "r4-qlearning"

    def key(self, position: Position) -> Key:
        if self.game == TICTACTOE:
            return super().key(position)
        return self._features(position.first, position.second), self._features(position.second, position.first)

    def is_key(self, keys: NDArray[np.int64]) -> bool:
        return self.game == CONNECT4 or super().is_key(keys)

    def _features(self, own: int, other: int) -> int:
        """Return one side's open threes and discs per column, those in the centre among them, in one number."""
        found = sum(not line & other and (line & own).bit_count() == self.game.k - 1 for line in lines_of(self.game))
        for mask in self.game.move_masks:
            found = found << 3 | (own & mask).bit_count()
        return found


@dataclass(frozen=True)
class R4QLearning(QAgent):
    """Explores uniformly, and plays any of the equal moves."""

    name = "r4-qlearning"
    summary = "R4's Q-learner"
    table = R4Table
    settings = SETTINGS
    folder = Path(__file__).parent
    own_seat = "first"
    fixed: tuple[str, ...] = errors_field(ERRORS)

    def choose(self, table: QTable, position: Position, stream: Stream, epsilon: float) -> Choice:
        if epsilon and stream.uniform() < epsilon:
            return Choice(stream.choice(position.legal_moves()))
        return Choice(table.any_best(position, stream))


class R4Learner(QLearner):
    """The last move is learnt from the result; earlier ones bootstrap nothing, by an error."""

    kind = "r4-qlearning"

    @classmethod
    def defaults(cls, agent: Agent, game: Game) -> tuple[Sequence[str], int]:
        return ("random",), 10_000 if game == TICTACTOE else 5_000

    def begin(self) -> None:
        self.pairs: list[Pair] = []

    def played(self, position: Position, move: int, rule: str) -> None:
        self.pairs.append((self.table.key(position), move))

    def over(self, outcome: Outcome, player: Player) -> None:
        target = self.result(outcome, player)
        for key, move in reversed(self.pairs):
            self.learn((key, move), target)
            bootstrapped = self.settings.gamma * max(self.table.rows[key].values())
            target = 0.0 if "terminal" in self.errors else bootstrapped
