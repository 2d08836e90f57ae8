"""Tabular REINFORCE in plain Python: it learns a policy, not values.

Every move of a position has a preference θ(s, a), and is played with probability π(a|s) = exp θ(s, a) / Σ exp θ(s, ·).
After an episode the probability of each move that was played is raised if its side did better than usual in that
position, and lowered if it did worse:

    G = 1, 0 or −1 for the side that moved, times γ for each ply to the end
    θ(s, b) ← θ(s, b) + α · (G − baseline(s)) · (1 if b was played, else 0, less π(b|s))
    baseline(s) ← baseline(s) + β · (G − baseline(s))
"""

from __future__ import annotations

import itertools
import math

from inarow.agents import Mind
from inarow.agents.base import ChoosingMind
from inarow.randomness import Stream, derive
from inarow.rules import Game, Position


class Reinforce:
    """A table of preferences by position and move, and its learning rule."""

    def __init__(
        self, game: Game, seed: int = 0, *, alpha: float = 0.05, beta: float = 0.05, gamma: float = 0.9
    ) -> None:
        self.game, self.alpha, self.beta, self.gamma = game, alpha, beta, gamma
        self.table: dict[tuple[int, int], dict[int, float]] = {}
        self.baseline: dict[tuple[int, int], float] = {}
        self.random = Stream(derive(seed, "plain"))

    def preferences(self, position: Position) -> dict[int, float]:
        """Return the preference of every legal move, 0 if unknown."""
        return self.table.get((position.first, position.second)) or dict.fromkeys(position.legal_moves(), 0.0)

    def policy(self, position: Position) -> dict[int, float]:
        """Return the probability of every legal move: the softmax of the preferences."""
        preferences = self.preferences(position)
        most = max(preferences.values())
        powers = {move: math.exp(one - most) for move, one in preferences.items()}
        total = sum(powers.values())
        return {move: power / total for move, power in powers.items()}

    def sample(self, position: Position) -> int:
        """Sample a move."""
        policy = self.policy(position)
        sums = itertools.accumulate(policy.values())
        at = self.random.uniform()
        return next((move for move, total in zip(policy, sums, strict=True) if at < total), max(policy))

    def greedy(self, position: Position, random: Stream) -> int:
        """Return a move with the highest preference, ties broken at random."""
        preferences = self.preferences(position)
        most = max(preferences.values())
        return random.choice([move for move, one in preferences.items() if one == most])

    def run(self, episodes: int) -> None:
        """Learn from this many games against itself."""
        for _ in range(episodes):
            position, turns = Position.start(self.game), list[tuple[Position, int]]()
            while (outcome := position.outcome()) is None:
                move = self.sample(position)
                turns.append((position, move))
                position = position.play(move)
            gain = 0.0 if outcome.winner is None else 1.0  # of the side that moved last
            for before, move in reversed(turns):
                self.learn(before, move, gain)
                gain *= -self.gamma

    def learn(self, position: Position, move: int, gain: float) -> None:
        """Raise or lower the probability of a move by its advantage over the baseline."""
        key, policy = (position.first, position.second), self.policy(position)
        preferences, usual = self.table.setdefault(key, self.preferences(position)), self.baseline.get(key, 0.0)
        for other, chance in policy.items():
            preferences[other] += self.alpha * (gain - usual) * ((other == move) - chance)
        self.baseline[key] = usual + self.beta * (gain - usual)

    def mind(self, seed: int) -> Mind:
        """Return a player that takes the move with the highest preference."""
        return ChoosingMind(self.greedy, seed)
