"""Tabular Q-learning in plain Python; the compiled learner fills the same table from the same episodes.

Q(s, a) estimates the result for the side to move in position s if it plays a: 1 win, 0 draw, −1 loss, discounted by γ
per turn. After every episode the value of each of its moves is updated, from the last to the first:

    Q(s, a) ← Q(s, a) + α · (target − Q(s, a))
    target = 1 or 0 if the move won or filled the board, else −γ · max Q(s′, ·), the opponent's best reply

Against an opponent only the learner's own moves are updated, and s′ is its next turn: target = γ · max Q(s′, ·).
"""

from __future__ import annotations

from array import array

from inarow.agents import Agent, Mind
from inarow.agents.base import ChoosingMind
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position

Stones = tuple[int, int]
"""The stones of the first and the second player, as bitboards."""
Turn = tuple[Position, int]
"""A position and the move played in it."""


class PlainQLearner:
    """A table of Q-values and its learning rule."""

    def __init__(
        self,
        game: Game,
        seed: int = 0,
        *,
        alpha: float = 0.5,
        gamma: float = 0.95,
        epsilon: float = 0.5,
        opening_plies: int = 8,
        symmetries: bool = False,
        opponent: Agent | None = None,
    ) -> None:
        self.game, self.seed, self.opponent = game, seed, opponent
        self.alpha, self.gamma, self.epsilon = alpha, gamma, epsilon
        self.opening_plies = opening_plies
        """Maximum random moves at the start of an episode, so that all parts of the game are visited."""
        self.symmetries = game.cell_symmetries if symmetries else game.cell_symmetries[:1]
        self.table: dict[Stones, array[float]] = {}
        """A row of values for each position up to symmetry, as 32-bit floats; a value for each move."""
        self.places: dict[Stones, tuple[Stones, list[int]]] = {}
        self.random = Stream(derive(seed, "plain"))
        self.episodes = 0

    def place(self, position: Position) -> tuple[Stones, list[int]]:
        """Return the key of a position's row, and the index of each move in it."""
        stones = position.first, position.second
        if stones not in self.places:
            images = [(image.first, image.second) for image in position.symmetries()[: len(self.symmetries)]]
            key = min(images)
            maps = [cells for image, cells in zip(images, self.symmetries, strict=True) if image == key]
            moves = range(self.game.moves)
            self.places[stones] = key, [min(self.game.move_of_cell(cells[move]) for cells in maps) for move in moves]
        return self.places[stones]

    def values(self, position: Position) -> dict[int, float]:
        """Return the Q-value of every legal move, 0 if unknown."""
        key, places = self.place(position)
        row = self.table.get(key)
        return {move: row[places[move]] if row else 0.0 for move in position.legal_moves()}

    def best(self, position: Position) -> float:
        """Return the highest Q-value."""
        return max(self.values(position).values())

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
        """Play this many episodes, and learn from each."""
        for _ in range(episodes):
            seat = Player(self.episodes % 2)
            turns, won = self.play(seat)
            self.learn(turns, won, seat)
            self.episodes += 1

    def play(self, seat: Player) -> tuple[list[Turn], bool]:
        """Play a game against itself, or in a seat against the opponent; return its turns, and True if the last won."""
        position, turns = Position.start(self.game), list[Turn]()
        seed = derive(self.seed, self.episodes)
        mind = self.opponent.mind(self.game, seat.other, seed) if self.opponent else None
        opening = self.random.below(self.opening_plies + 1)
        while (outcome := position.outcome()) is None:
            if len(turns) < opening:
                move = self.random.choice(position.legal_moves())
            elif mind is None or position.to_move is seat:
                move = self.explore(position)
            else:
                move = mind.decide(position).move
            turns.append((position, move))
            position = position.play(move)
        return turns, outcome.winner is not None

    def learn(self, turns: list[Turn], won: bool, seat: Player) -> None:
        """Update the values of an episode's moves, from the last to the first."""
        for ply in reversed(range(len(turns))):
            position, move = turns[ply]
            if self.opponent is None or position.to_move is seat:
                key, places = self.place(position)
                row = self.table.setdefault(key, array("f", [0.0] * self.game.moves))
                old = row[places[move]]
                row[places[move]] = old + self.alpha * (self.target(turns, ply, won) - old)

    def target(self, turns: list[Turn], ply: int, won: bool) -> float:
        """Return the target of the move at this ply."""
        later = len(turns) - 1 - ply
        if later == 0:
            return 1.0 if won else 0.0
        if self.opponent is None:
            return -self.gamma * self.best(turns[ply + 1][0])
        if later == 1:
            return -1.0 if won else 0.0
        return self.gamma * self.best(turns[ply + 2][0])

    def mind(self, seed: int) -> Mind:
        """Return a player that uses the table without exploring."""
        return ChoosingMind(self.greedy, seed)
