"""A plugin for inarow: an agent that allows no immediate win, a study, a learning agent, a lineup and a command."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import typer

import inarow
from inarow.models.files import Model, ModelError, ModelFile
from inarow.models.loading import load_model, model_path
from inarow.play.setup import HUMAN, Level, Lineup, Mode
from inarow.report import Section, meeting_sentence
from inarow.studies import Content, Plan, Study, StudyResults, sections
from inarow.training import Learner, Stage, Trainer


@dataclass(frozen=True)
class Cautious(inarow.Agent):
    """Its configuration; an agent is a frozen dataclass that makes a mind for each match."""

    name = "cautious"
    summary = "win, else block, else a random move that allows no immediate win"

    def mind(self, game: inarow.Game, player: inarow.Player, seed: int) -> inarow.Mind:
        return CautiousMind(seed)


class CautiousMind(inarow.Mind):
    """Plays with random numbers from the match's seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def think(self, position: inarow.Position, limit: inarow.Limit, stop: object) -> inarow.Decision:
        other = position.to_move.other
        safe = [move for move in position.legal_moves() if not position.play(move).winning_moves(other)]
        choice = position.winning_moves() or safe or position.legal_moves()
        return inarow.Decision(self.random.choice(sorted(choice)))


class Caution(Study):
    """A tournament, and a page with its standings."""

    name = "caution"
    title = "What is caution worth?"
    summary = "cautious against rules on Connect 4"

    def experiments(self, plan: Plan) -> list[inarow.Tournament]:
        players = ("cautious", "rules")
        return [inarow.Tournament.of("connect4", players, pairs=plan.pick(20, 500), seed=plan.seed, key="caution")]

    def content(self, found: StudyResults) -> Content:
        results = found.results("caution")
        assert results is not None
        said = [meeting_sentence(series) for series in results.series.values()]
        standings = sections.standings(results, "standings")
        return Content("Win, block, hand over nothing.", said, [Section("Result", (standings,))])


class HabitTable(Model):
    """Counts of plays and wins of each move in each position: a model that inarow stores and loads."""

    kind = "habit"

    def __init__(self, game: inarow.Game) -> None:
        self.game = game
        self.played: dict[tuple[int, int], Any] = {}

    def __len__(self) -> int:
        return len(self.played)

    def counts(self, position: inarow.Position) -> Any:
        """Return an array of two rows: plays and wins of each move in a position."""
        return self.played.setdefault((position.first, position.second), np.zeros((2, self.game.moves), np.int64))

    def arrays(self) -> dict[str, Any]:
        """Return the table as arrays."""
        keys = np.array(list(self.played), np.int64).reshape(-1, 2)
        return {"keys": keys, "played": np.array(list(self.played.values()), np.int64).reshape(len(keys), -1)}

    def slim(self, visits: int) -> dict[str, Any]:
        self.played = {key: counts for key, counts in self.played.items() if counts[0].sum() >= visits}
        return self.arrays()

    @classmethod
    def read(cls, file: ModelFile, game: inarow.Game) -> HabitTable:
        keys = file.array("keys", np.int64, (None, 2))
        played = file.array("played", np.int64, (len(keys), 2 * game.moves))
        if (played < 0).any():
            raise ModelError(f"{file.path}: some counts are negative")
        table = cls(game)
        for (first, second), counts in zip(keys.tolist(), played, strict=True):
            table.played[first, second] = counts.reshape(2, -1)
        return table


@dataclass(frozen=True)
class Habit(inarow.Agent):
    """Plays the move that won most of its training matches."""

    name = "habit"
    summary = "plays the move that won most often in training"
    group = "Agents of the example plugin"
    model: str = inarow.parameters.file("", "a file that `inarow train` wrote")

    def check(self, game: inarow.Game) -> None:
        self.table(game)

    def table(self, game: inarow.Game) -> HabitTable:
        """Return the model, which is loaded once."""
        table: HabitTable = load_model(model_path(self.name, self.model, game), self.name, game)
        return table

    def mind(self, game: inarow.Game, player: inarow.Player, seed: int) -> inarow.Mind:
        return HabitMind(self.table(game))


class HabitMind(inarow.Mind):
    """Reads the table; a move that was never tried counts as won half the time."""

    def __init__(self, table: HabitTable) -> None:
        self.table = table

    def think(self, position: inarow.Position, limit: inarow.Limit, stop: object) -> inarow.Decision:
        played, won = self.table.counts(position)
        return inarow.Decision(max(position.legal_moves(), key=lambda move: (won[move] + 1) / (played[move] + 2)))


class HabitLearner(Learner):
    """Plays at random against the opponents and counts what won."""

    kind = "habit"

    def __init__(self, game: inarow.Game, seed: int) -> None:
        self.game, self.seed, self.episodes = game, seed, 0
        self.table = HabitTable(game)
        self.wins = np.zeros(3, np.int64)

    def run(self, stage: Stage, count: int, stop: Any) -> int:
        for _ in range(count):
            random = Random(f"{self.seed} {self.episodes}")
            opponent = stage.agent(random.randrange(len(stage.opponents))) or inarow.agent("random")
            self.episode(random, opponent.start(self.game, inarow.Player.SECOND, random.getrandbits(60)))
        return count

    def episode(self, random: Random, opponent: inarow.Mind) -> None:
        """Play one match as the first player and learn from it."""
        position, made = inarow.Position.start(self.game), []
        while (outcome := position.outcome()) is None:
            if position.to_move is inarow.Player.FIRST:
                made.append((position, random.choice(sorted(position.legal_moves()))))
                position = position.play(made[-1][1])
            else:
                position = position.play(opponent.decide(position).move)
        for before, move in made:
            self.table.counts(before)[:, move] += (1, outcome.winner is inarow.Player.FIRST)
        self.wins[0 if outcome.winner is None else 1 if outcome.winner is inarow.Player.FIRST else 2] += 1
        self.episodes += 1

    def tally(self) -> dict[str, float]:
        draws, wins, losses = self.wins.tolist()
        self.wins[:] = 0
        return {"wins": wins, "draws": draws, "losses": losses, "plies": 0, "reward": 0, "error": 0}

    def size(self) -> dict[str, int]:
        return {"entries": len(self.table), "bytes": 16 * len(self.table) * (1 + self.game.moves)}

    def mind(self, seed: int) -> inarow.Mind:
        return HabitMind(self.table)

    def header(self) -> dict[str, Any]:
        return {}

    def arrays(self, slim: bool = False) -> dict[str, Any]:
        return self.table.slim(0) if slim else {**self.table.arrays(), "state": np.array([self.episodes, *self.wins])}

    def restore(self, file: ModelFile) -> None:
        self.table = HabitTable.read(file, self.game)
        self.episodes, *wins = file.array("state", np.int64, (4,)).tolist()
        self.wins[:] = wins


@dataclass(frozen=True)
class HabitTrainer(Trainer):
    """Learn habits against random play."""

    name = "habit"
    summary = "counts which moves won"

    def learner(self, game: inarow.Game, seed: int, episodes: int, workers: Any = None, pool: Any = None) -> Learner:
        self.refuse_workers(workers, pool)
        return HabitLearner(game, seed)

    def defaults(self, game: inarow.Game) -> tuple[tuple[str, ...], int]:
        return ("random",), 2_000


LINEUP = Lineup(
    "caution",
    "Caution",
    "the agents of the example plugin",
    (Level("Careless", ("random",), "moves at random"), Level("Cautious", ("cautious",), "allows no immediate win")),
    (Mode("Human – cautious", (HUMAN, "Cautious"), "you against caution"),),
)


def register(app: typer.Typer) -> None:
    """Add the command ``inarow advice``."""

    @app.command(rich_help_panel="Ask", epilog="Example: inarow advice connect4 4455")
    def advice(game: str, position: str) -> None:
        """Print the move that cautious would play."""
        board = inarow.position(game, position)
        typer.echo(f"cautious plays {Cautious().start(board.game, board.to_move, 0).decide(board).move + 1}")
