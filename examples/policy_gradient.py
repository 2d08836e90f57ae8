"""A custom learner on the vector environment: policy gradient (REINFORCE) with action masks, in plain NumPy.

A network with one hidden layer learns Connect 4 against random play, on 256 boards in parallel.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.adapters.gymnasium import VectorBoardEnv

Floats = NDArray[np.float64]
BOARDS, STEPS, HIDDEN, RATE, DISCOUNT = 256, 24, 64, 0.01, 0.97


class Policy:
    """Two layers; the probability of an illegal move is 0."""

    def __init__(self, cells: int, moves: int, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.weights = [
            self.random.normal(0, cells**-0.5, (cells, HIDDEN)),
            self.random.normal(0, HIDDEN**-0.5, (HIDDEN, moves)),
        ]
        self.means = [np.zeros_like(w) for w in self.weights]  # Adam's moment estimates
        self.squares = [np.zeros_like(w) for w in self.weights]
        self.updates = 0

    def __call__(self, seen: dict[str, NDArray[np.int8]]) -> tuple[Floats, Floats, Floats]:
        """Return the inputs, the hidden layer and the probability of every move, for all boards."""
        inputs = seen["observation"].reshape(len(seen["observation"]), -1).astype(np.float64)
        hidden = np.tanh(inputs @ self.weights[0])
        scores = np.where(seen["action_mask"] == 1, hidden @ self.weights[1], -np.inf)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        return inputs, hidden, chances / chances.sum(axis=1, keepdims=True)

    def act(self, chances: Floats) -> NDArray[np.int64]:
        """Sample one move for each board."""
        drawn = self.random.random((len(chances), 1))
        return np.asarray((chances.cumsum(axis=1) > drawn).argmax(axis=1))

    def learn(self, steps: list[Any], gains: Floats) -> None:
        """Take one step of Adam up the gradient of gain × log probability of the move played."""
        inputs, hidden, chances, actions = (np.concatenate([step[i] for step in steps]) for i in range(4))
        push = -chances * gains[:, None]
        push[np.arange(len(actions)), actions] += gains
        back = (push @ self.weights[1].T) * (1 - hidden**2)
        self.updates += 1
        for i, gradient in enumerate((inputs.T @ back / len(actions), hidden.T @ push / len(actions))):
            self.means[i] += 0.1 * (gradient - self.means[i])
            self.squares[i] += 0.001 * (gradient**2 - self.squares[i])
            mean = self.means[i] / (1 - 0.9**self.updates)
            square = self.squares[i] / (1 - 0.999**self.updates)
            self.weights[i] += RATE * mean / (np.sqrt(square) + 1e-8)


def train(updates: int, seed: int = 0) -> tuple[Policy, list[float]]:
    """Train a policy; return it and its points per match (win 1, draw ½) after every update."""
    envs = VectorBoardEnv("connect4", BOARDS, opponent="random")
    policy = Policy(6 * 7 * 2, 7, seed)
    seen, _ = envs.reset(seed=seed)
    points = []
    for _ in range(updates):
        steps = []
        for _ in range(STEPS):
            inputs, hidden, chances = policy(seen)
            actions = policy.act(chances)
            seen, rewards, ended, _, _ = envs.step(actions)
            steps.append((inputs, hidden, chances, actions, rewards, ended))
        gains: list[Floats] = []
        gain = np.zeros(BOARDS)
        for *_, rewards, ended in reversed(steps):  # the return of each move within its own match
            gain = rewards + DISCOUNT * gain * ~ended
            gains.append(gain)
        flat = np.concatenate(gains[::-1])
        policy.learn(steps, (flat - flat.mean()) / (flat.std() + 1e-8))
        ended = np.concatenate([step[5] for step in steps])
        rewards = np.concatenate([step[4] for step in steps])
        points.append(float((rewards[ended] + 1).mean() / 2))
    return policy, points


if __name__ == "__main__":
    _, points = train(updates=20)
    print(f"points for each match: {points[0]:.2f} at first, {np.mean(points[-5:]):.2f} after {len(points)} updates")
