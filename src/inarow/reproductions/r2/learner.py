"""R2's Q-learner, which learns and explores during the scored games: a pair is updated at its next turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inarow.agents import Agent
from inarow.agents.parameters import switch
from inarow.agents.schedules import schedule
from inarow.randomness import Stream
from inarow.reproductions.learning import DRAWN_SEAT, Choice, Pair, QAgent, QLearner, QTable, Settings, errors_field
from inarow.reproductions.players import new_search, points_of, worth_table
from inarow.rules import CONNECT4, TICTACTOE, Game, Outcome, Player, Position

ERRORS = {
    "column-0": "in Connect 4 column 0 is read as no move and never learnt",
    "skips": "in Connect 4 a win or a block leaves out the update of the move before it",
    "outright": "in Connect 4 a win or a block sets its value to 100 or 80",
    "no-end": "in Connect 4 the end of a game is not learnt, and its last move is updated in the next game",
    "reward": "in Connect 4 the opponent's open threes and twos add to the reward",
}
_EXPLORING = "decay(0.7,{},0.1,moves)"
SETTINGS = {
    TICTACTOE: Settings(schedule("0.3"), schedule(_EXPLORING.format(0.999)), 0.9, 10, 0, -10, noise=0.1),
    CONNECT4: Settings(schedule("0.3"), schedule(_EXPLORING.format(0.9999)), 0.9, 20, 0, -20, noise=0.1),
}
"""Connect 4's program has no reward for the end: ±20 is ours, and counts with no-end repaired only."""
CENTRE = 0.7
"""The chance that exploring goes to the centre, if it is free."""
REWARD = worth_table({4: 1000, 3: 20, 2: 5}, {3: 50, 2: 3})
FIXED_REWARD = worth_table({4: 1000, 3: 20, 2: 5}, {3: -50, 2: -3})
CENTRE_COLUMN, CENTRE_DISC, DIVISOR = 0b111111 << 3 * 7, 10, 50


class R2Table(QTable):
    """The whole board is the key; the program adds its letter, which the number of discs tells."""

    kind = "r2-qlearning"


@dataclass(frozen=True)
class R2QLearning(QAgent):
    """In Connect 4 wins and blocks come first; of equal moves it plays the first."""

    name = "r2-qlearning"
    summary = "R2's Q-learner"
    table = R2Table
    settings = SETTINGS
    folder = Path(__file__).parent
    own_seat = DRAWN_SEAT
    guided: bool = switch(True, "off: wins and blocks are never reached in Connect 4, as the listing is indented")
    fixed: tuple[str, ...] = errors_field(ERRORS)

    def choose(self, table: QTable, position: Position, stream: Stream, epsilon: float) -> Choice:
        moves = position.legal_moves()
        if self.guided and position.game == CONNECT4:
            for rule, player in (("win", position.to_move), ("block", position.to_move.other)):
                urgent = position.winning_moves(player)
                if urgent:
                    return Choice(urgent[0], rule)
        if epsilon and stream.uniform() < epsilon:
            centre = position.game.moves // 2
            if stream.uniform() < CENTRE and centre in moves:
                return Choice(centre)
            return Choice(stream.choice(moves))
        row = table.row(position)
        return Choice(max(moves, key=lambda move: row.get(move, 0.0)))


class R2Learner(QLearner):
    """Keeps the pair of its last turn."""

    kind = "r2-qlearning"

    def __init__(self, agent: QAgent, game: Game, seed: int, episodes: int) -> None:
        super().__init__(agent, game, seed, episodes)
        self.windows = new_search(game, REWARD if "reward" in self.errors else FIXED_REWARD)
        if game == TICTACTOE:
            self.errors = frozenset()

    @classmethod
    def defaults(cls, agent: Agent, game: Game) -> tuple[Sequence[str], int]:
        return ("r2-baseline",), 1_110

    def begin(self) -> None:
        if "no-end" not in self.errors:
            self.last = None

    def played(self, position: Position, move: int, rule: str) -> None:
        key = self.table.key(position)
        row = self.table.rows.setdefault(key, {})
        for legal in position.legal_moves():
            row.setdefault(legal, 0.0)
        if rule and "outright" in self.errors:
            row[move] = {"win": 100.0, "block": 80.0}[rule]
        if not (rule and "skips" in self.errors):
            reward = self.reward(position)
            self.gained += reward
            self._update(self.last, reward + self.settings.gamma * max(row.values()))
        self.last = key, move

    def reward(self, position: Position) -> float:
        """Return the reward of the turn before: an evaluation of the board that it finds now."""
        if self.game == TICTACTOE:
            return 0.0
        centre = CENTRE_DISC * (position.own & CENTRE_COLUMN).bit_count()
        return float(points_of(self.windows, position.own, position.opp) + centre) / DIVISOR

    def over(self, outcome: Outcome, player: Player) -> None:
        if "no-end" not in self.errors:
            self._update(self.last, self.result(outcome, player))
            self.last = None

    def _update(self, pair: Pair | None, target: float) -> None:
        """Learn the pair of its turn before."""
        if pair is not None and not (pair[1] == 0 and "column-0" in self.errors):
            self.learn(pair, target)
