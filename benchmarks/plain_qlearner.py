"""A Q-learner for Tic Tac Toe as a student writes it, in plain Python with a dictionary: the yardstick of learning.py.

Nothing in it is slow on purpose: the board is a string, which is hashed fast and cut cheaply, and every move is judged
and learnt once. It learns by the same rule with the same rates as inarow's table.
"""

from __future__ import annotations

import random

from inarow.rules import TICTACTOE

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class PlainQLearner:
    """A dictionary from (board, move) to a value, both seats together: target = reward − γ · best reply.

    ``folded``: symmetric positions share their values, as in inarow's table; it then needs a tenth of the episodes, and
    Python takes ten times as long for each.
    """

    def __init__(self, folded: bool = False) -> None:
        self.q: dict[tuple[str, int], float] = {}
        self.random = random.Random(1)
        self.images = TICTACTOE.cell_symmetries if folded else TICTACTOE.cell_symmetries[:1]

    def key(self, board: str, move: int) -> tuple[str, int]:
        """Where the value of a move is kept."""
        if len(self.images) == 1:
            return board, move
        return min(("".join(board[i] for i in image), image.index(move)) for image in self.images)

    def best(self, board: str) -> float:
        """The highest value of a move."""
        return max(self.q.get(self.key(board, move), 0.0) for move in range(9) if board[move] == ".")

    def run(self, count: int) -> None:
        """Play and learn from this number of episodes."""
        for _ in range(count):
            self.episode()

    def episode(self, alpha: float = 0.5, gamma: float = 0.95, epsilon: float = 0.5) -> None:
        """One game against itself."""
        board, side = "." * 9, "X"
        while True:
            moves = [move for move in range(9) if board[move] == "."]
            if self.random.random() < epsilon:
                move = self.random.choice(moves)
            else:
                values = [self.q.get(self.key(board, move), 0.0) for move in moves]
                most = max(values)
                move = self.random.choice([m for m, v in zip(moves, values, strict=True) if v == most])
            after = board[:move] + side + board[move + 1 :]
            won = any(after[a] == after[b] == after[c] == side for a, b, c in LINES)
            target = 1.0 if won else 0.0 if "." not in after else -gamma * self.best(after)
            key = self.key(board, move)
            old = self.q.get(key, 0.0)
            self.q[key] = old + alpha * (target - old)
            if won or "." not in after:
                return
            board, side = after, "O" if side == "X" else "X"
