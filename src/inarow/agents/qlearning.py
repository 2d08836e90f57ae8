"""qlearning: the move with the highest Q-value in a table that was learnt by playing."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.parameters import AgentError, choice, file, integer, number, switch
from inarow.agents.schedules import Schedule, rate
from inarow.limits import Limit
from inarow.models.files import ModelError
from inarow.models.loading import load_model, model_path
from inarow.models.qtable import GUIDES, MAX_ROWS, QTable
from inarow.randomness import Stream
from inarow.rules import FIRST, SECOND, Game, Player, Position
from inarow.stopping import Stop

LARGEST = 1000


@dataclass(frozen=True)
class QLearning(Agent):
    """Plays by a table of Q-values. Most parameters are for training; see ``at_the_board`` for those that are not."""

    name = "qlearning"
    summary = "the highest value in a table learnt by playing (`inarow train` makes one)"
    at_the_board = ("model", "second", "guide", "table", "noise")
    model: str = file("", "the model file; without it the model that ships with inarow")
    second: str = file("", "the model file for playing second, if it is another one")
    alpha: Schedule = rate("0.5", "learning rate: how far a value moves to its target")  # noqa: RUF009
    gamma: float = number(0.95, "what a value is worth one turn later", low=0, high=1)
    epsilon: Schedule = rate("0.5", "chance of a random move in training")  # noqa: RUF009
    win: float = number(1, "reward of a win", low=-LARGEST, high=LARGEST)
    draw: float = number(0, "reward of a draw", low=-LARGEST, high=LARGEST)
    loss: float = number(-1, "reward of a loss", low=-LARGEST, high=LARGEST)
    move: float = number(0, "reward of every move", low=-LARGEST, high=LARGEST)
    initial: float = number(0, "value of a move not yet tried; high is optimistic", low=-LARGEST, high=LARGEST)
    seats: str = choice(
        "together",
        ("together", "apart"),
        "together: a move is worth minus the opponent's best reply; apart: each seat learns from its own turns only",
    )
    sweep: str = choice(
        "backward", ("backward", "forward"), "an episode's moves are learnt from the last, or the first"
    )
    symmetries: bool = switch(True, "symmetric positions share their values")
    guide: str = choice(
        "model",
        ("model", *GUIDES),
        "what precedes the table: nothing; win or block; also double threats, and a heuristic's share; also nothing "
        "that hands the opponent a win or a double threat; model: as it was trained (in training: none)",
    )
    table: bool = switch(True, "off: an empty table instead of the learnt one, so that the guide plays alone")
    share: float = number(0.3, "the heuristic's share with guide=threats and guide=heuristic", low=0, high=1)
    seat: str = choice(
        "both",
        ("both", "first", "second"),
        "where it sits in training against an opponent; both: in turn",
    )
    openings: int = integer(8, "most random plies at the start of an episode", low=0, high=60)
    rows: int = integer(MAX_ROWS, "the most positions the table may hold", low=1, high=MAX_ROWS)
    noise: float = number(0, "chance of a random move when it plays", low=0, high=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon.kind == "visits":
            raise AgentError(
                "agent qlearning: epsilon=visits(…) is not possible: visits are counted per move; use decay or linear"
            )

    def held(self, game: Game, player: Player = FIRST) -> QTable:
        """Its model for a seat, read once."""
        given = (player is SECOND and self.second) or self.model
        try:
            path = model_path(self.name, given, game)
            model: QTable = load_model(path, self.name, game)
        except ModelError as error:
            raise AgentError(f"agent {self.name}: {error}") from None
        return model

    def check(self, game: Game) -> None:
        self.held(game)
        self.held(game, SECOND)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        table = self.held(game, player)
        guide = None if self.guide == "model" else self.guide
        return QMind(table if self.table else table.emptied, Stream(seed), guide, self.noise)

    def check_training(self, game: Game) -> QLearning:
        """Return itself; raise `AgentError` if its settings can't be trained with in this game."""
        if self.model or self.second:
            raise AgentError(
                "agent qlearning: model= and second= are for playing; in training the file is given by --out"
            )
        if self.seats == "together" and (self.win != -self.loss or self.draw != 0):
            raise AgentError(
                f"agent qlearning: win={self.win:g}, draw={self.draw:g}, loss={self.loss:g} don't add up "
                "to zero for the two players, as seats=together needs; use seats=apart"
            )
        return self


class QMind(Mind):
    """A table, read only, and a random stream for ties and noise."""

    def __init__(self, table: QTable, stream: Stream, guide: str | None = None, noise: float = 0.0) -> None:
        self.table = table
        self.stream = stream
        self.guide = guide
        self.noise = noise

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        worth, bidden, known = self.table.judge(position, self.guide)
        moves = list(worth)
        best = max(worth[move] for move in bidden or moves)
        move = self.stream.choice([move for move in bidden or moves if worth[move] == best])
        if self.noise and self.stream.uniform() < self.noise:
            move = self.stream.choice(moves)
        return Decision(
            move,
            value=_bounded(worth[move]),
            values={m: _bounded(value) for m, value in worth.items()},
            by_move={"q": worth},
            depth=0,
            line=(move,),
            details={"known": known, "guided": bool(bidden)},
        )


def _bounded(value: float) -> float:
    return max(-1.0, min(1.0, value))
