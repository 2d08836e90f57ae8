"""Tabular SARSA in plain Python: like Q-learning, but on-policy.

Q-learning updates a move by the opponent's *best* reply, whatever was played. SARSA updates it by the reply that *was*
played, random moves included, so its values are those of players that explore as it does:

    Q(s, a) ← Q(s, a) + α · (target − Q(s, a))
    target = 1 or 0 if the move won or filled the board, else −γ · Q(s′, a′), where a′ is the reply
"""

from __future__ import annotations

from inarow.agents import Mind
from inarow.agents.base import ChoosingMind
from inarow.randomness import Stream, derive
from inarow.rules import Game, Position


class Sarsa:
    """A table of Q-values by position and move, and its learning rule."""

    def __init__(
        self, game: Game, seed: int = 0, *, alpha: float = 0.2, gamma: float = 0.95, epsilon: float = 0.3
    ) -> None:
        self.game, self.alpha, self.gamma, self.epsilon = game, alpha, gamma, epsilon
        self.table: dict[tuple[int, int], dict[int, float]] = {}
        self.random = Stream(derive(seed, "plain"))

    def values(self, position: Position) -> dict[int, float]:
        """Return the Q-value of every legal move, 0 if unknown."""
        return self.table.get((position.first, position.second)) or dict.fromkeys(position.legal_moves(), 0.0)

    def greedy(self, position: Position, random: Stream) -> int:
        """Return a move with the highest Q-value, ties broken at random."""
        values = self.values(position)
        most = max(values.values())
        return random.choice([move for move, value in values.items() if value == most])

    def explore(self, position: Position) -> int:
        """Return a random move with probability ε, else a greedy one."""
        if self.random.uniform() < self.epsilon:
            return self.random.choice(position.legal_moves())
        return self.greedy(position, self.random)

    def run(self, episodes: int) -> None:
        """Learn from this many games against itself, move by move."""
        for _ in range(episodes):
            position = Position.start(self.game)
            move = self.explore(position)
            while (outcome := (after := position.play(move)).outcome()) is None:
                reply = self.explore(after)
                self.learn(position, move, -self.gamma * self.values(after)[reply])
                position, move = after, reply
            self.learn(position, move, 0.0 if outcome.winner is None else 1.0)

    def learn(self, position: Position, move: int, target: float) -> None:
        """Move a Q-value towards its target."""
        values = self.table.setdefault((position.first, position.second), self.values(position))
        values[move] += self.alpha * (target - values[move])

    def mind(self, seed: int) -> Mind:
        """Return a player that uses the table without exploring."""
        return ChoosingMind(self.greedy, seed)
