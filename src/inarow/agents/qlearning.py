"""qlearning: the move with the highest Q-value in a table that was learnt by playing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.evaluators import Evaluator, Windows, Zero, evaluator_field
from inarow.agents.parameters import AgentError, choice, integer, number, switch, text
from inarow.agents.schedules import Schedule, rate, schedule
from inarow.limits import Limit
from inarow.models.files import ModelError
from inarow.models.loading import fingerprint, load_model, model_path
from inarow.models.qtable import GUIDES, MAX_ROWS, QTable
from inarow.randomness import Stream
from inarow.rules import Game, Player, Position
from inarow.rules.game import CONNECT4, TICTACTOE
from inarow.stopping import Stop

LARGEST = 1000


@dataclass(frozen=True)
class QLearning(Agent):
    """Plays by a table of Q-values. Most parameters are for training; see ``at_the_board`` for those that are not."""

    name = "qlearning"
    summary = "the highest value in a table learnt by playing (`inarow train` makes one)"
    at_the_board = ("model", "preset", "guide", "noise")
    model: str = text("", "the model file; without it the model that ships with inarow")
    preset: str = choice("none", ("none", "r1", "r2", "r3", "r4"), "the settings of one of the reports")
    alpha: Schedule = rate("0.5", "learning rate: how far a value moves to its target")  # noqa: RUF009
    gamma: float = number(0.95, "what a value is worth one turn later", low=0, high=1)
    epsilon: Schedule = rate("0.5", "chance of a random move in training")  # noqa: RUF009
    centre: float = number(0, "chance that a random move goes to the centre", low=0, high=1)
    win: float = number(1, "reward of a win", low=-LARGEST, high=LARGEST)
    draw: float = number(0, "reward of a draw", low=-LARGEST, high=LARGEST)
    loss: float = number(-1, "reward of a loss", low=-LARGEST, high=LARGEST)
    move: float = number(0, "reward of every move", low=-LARGEST, high=LARGEST)
    reward: Evaluator = evaluator_field(Zero(), "what the board after a move adds to its reward")  # noqa: RUF009
    scale: float = number(0.02, "times the evaluator's unit", low=0, high=LARGEST)
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
    features: str = choice("full", ("full", "reduced"), "what tells positions apart: all stones, or counts of them")
    guide: str = choice(
        "model",
        ("model", *GUIDES),
        "what goes before the table: nothing; win or block; also double threats, and a heuristic's share; also nothing "
        "that hands the opponent a win or a double threat; model: as it was trained (in training: none)",
    )
    share: float = number(0.3, "the heuristic's share with guide=threats and guide=heuristic", low=0, high=1)
    seat: str = choice("both", ("both", "first", "second"), "where it sits in training against an opponent")
    openings: int = integer(8, "most random plies at the start of an episode", low=0, high=60)
    rows: int = integer(MAX_ROWS, "the most positions the table may hold", low=1, high=MAX_ROWS)
    noise: float = number(0, "chance of a random move at the board", low=0, high=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon.kind == "visits":
            raise AgentError("agent qlearning: epsilon=visits(…) can't be: visits are of a move; use decay or linear")

    def held(self, game: Game) -> QTable:
        """Its model, read once."""
        try:
            path = model_path(self.name, self.model, game, "" if self.preset == "none" else self.preset)
            model: QTable = load_model(path, self.name, game)
        except ModelError as error:
            raise AgentError(f"agent {self.name}: {error}") from None
        return model

    @property
    def identity(self) -> str:
        return f"{self.spec} sha256={fingerprint(Path(self.model))}" if self.model else self.spec

    def check(self, game: Game) -> None:
        self.settled(game)
        self.held(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        noise = self.settled(game).noise if self.preset != "none" else self.noise
        return QMind(self.held(game), Stream(seed), None if self.guide == "model" else self.guide, noise)

    def settled(self, game: Game) -> QLearning:
        """Itself with the settings of its preset for this game, where they were left at their defaults."""
        if self.preset == "none":
            return self
        if game not in PRESETS[self.preset]:
            raise AgentError(
                f"agent qlearning: preset={self.preset} has settings for tictactoe and connect4, not for {game}"
            )
        settings = PRESETS[self.preset][game]
        defaults = {p.name: p.default for p in self.parameters()}
        return replace(self, **{k: v for k, v in settings.items() if getattr(self, k) == defaults[k]})

    def check_training(self, game: Game) -> QLearning:
        """The settings to train with; raises `AgentError` if they can't be used in this game."""
        settled = self.settled(game)
        if settled.model:
            raise AgentError("agent qlearning: model= is for playing; in training the file is given by --out")
        if settled.seats == "together" and (settled.win != -settled.loss or settled.draw != 0):
            raise AgentError(
                f"agent qlearning: win={settled.win:g}, draw={settled.draw:g}, loss={settled.loss:g} don't sum to "
                "nothing for the two players, which seats=together needs; use seats=apart"
            )
        if settled.seats == "together" and not isinstance(settled.reward, Zero):
            raise AgentError("agent qlearning: a reward by evaluator needs seats=apart")
        settled.reward.check(game)
        return settled


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


_R1: Mapping[str, Any] = {"seats": "apart", "sweep": "forward", "openings": 1}
_R2: Mapping[str, Any] = {
    "alpha": schedule("0.3"), "gamma": 0.9, "centre": 0.7, "seats": "apart", "sweep": "forward",
    "symmetries": False, "openings": 0,
}  # fmt: skip
_R3: Mapping[str, Any] = {
    "alpha": schedule("0.2"), "gamma": 0.9, "seats": "apart", "sweep": "forward", "symmetries": False, "openings": 0,
}  # fmt: skip
_R4: Mapping[str, Any] = {
    "alpha": schedule("0.1"), "gamma": 0.9, "draw": 0.5, "seats": "apart", "sweep": "forward",
    "symmetries": False, "openings": 0,
}  # fmt: skip
_R2_REWARD = Windows(four=1000, three=20, two=5, other_three=50, other_two=3, centre=10)

PRESETS: Mapping[str, Mapping[Game, Mapping[str, Any]]] = {
    "r1": {
        TICTACTOE: {
            **_R1, "alpha": schedule("0.3"), "gamma": 0.9, "epsilon": schedule("decay(0.3,0.9999,0.01)"),
            "draw": 0.2, "move": -0.05,
        },
        CONNECT4: {
            **_R1, "alpha": schedule("0.2"), "epsilon": schedule("decay(0.3,0.9995,0.01)"), "move": -0.01,
            "symmetries": False, "guide": "threats",
        },
    },
    "r2": {
        TICTACTOE: {**_R2, "epsilon": schedule("decay(0.7,0.999,0.1,moves)"), "win": 10, "loss": -10},
        CONNECT4: {
            **_R2, "epsilon": schedule("decay(0.7,0.9999,0.1,moves)"), "win": 0, "loss": 0, "guide": "rules",
            "reward": _R2_REWARD,
        },
    },
    "r3": {
        TICTACTOE: {**_R3, "epsilon": schedule("0.2")},
        CONNECT4: {**_R3, "epsilon": schedule("linear(0.6,0)")},
    },
    "r4": {
        TICTACTOE: {**_R4, "epsilon": schedule("decay(1,0.995,0.01)"), "noise": 0.01},
        CONNECT4: {**_R4, "epsilon": schedule("decay(1,0.99,0.1)"), "features": "reduced", "noise": 0.1},
    },
}  # fmt: skip

# What each report trained against, one stage after the other, and for how many episodes.
PRESET_OPPONENTS: Mapping[str, Mapping[Game, tuple[tuple[str, ...], int]]] = {
    "r1": {TICTACTOE: (("rules:style=corners",), 20_000), CONNECT4: (("rules:style=centre",), 20_000)},
    "r2": {TICTACTOE: (("rules",), 1_000), CONNECT4: (("rules",), 1_000)},
    "r3": {TICTACTOE: (("rules",), 100_000), CONNECT4: (("random", "rules", "self"), 100_000)},
    "r4": {TICTACTOE: (("random",), 10_000), CONNECT4: (("rules",), 5_000)},
}
