"""Common code of the reports' Q-learners: the table of tried moves, the training loop, and the agent.

The update and the choice of moves are in each report's `program` module.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Agent, AgentError, Decision, Mind, agent
from inarow.agents.parameters import Kind, choice, file, parameter
from inarow.kernels.qlearning import rate_now
from inarow.limits import NO_LIMIT, SHORTEST, Limit
from inarow.models.files import Model, ModelError, ModelFile
from inarow.models.loading import load_model
from inarow.models.qtable import MAX_ROWS, MAX_VALUE
from inarow.randomness import Stream, derive
from inarow.reproductions.players import ReportAgent
from inarow.rules import FIRST, SECOND, Game, IllegalMove, Outcome, Player, Position
from inarow.stopping import SYSTEM_CLOCK, Stop
from inarow.training.opponents import SEATS, Schedule, ScheduleKind, Stage, TrainingError
from inarow.training.trainer import Learner, Rates, Trainer

if TYPE_CHECKING:
    from inarow.arena import Executor

Key = tuple[int, int]
Pair = tuple[Key, int]
DRAWN_SEAT = "drawn"


class ReportQTable(Model):
    """Tried moves with their values, in the order they were tried. A subclass sets ``kind``."""

    def __init__(self, game: Game, fixed: Sequence[str] = ()) -> None:
        self.game, self.fixed = game, tuple(fixed)
        self.rows: dict[Key, dict[int, float]] = {}
        self.updates: dict[Key, int] = {}
        """The number of updates of each row."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """The size in bytes of the keys and of one value per tried move."""
        return 16 * len(self) + 8 * sum(len(row) for row in self.rows.values())

    def facts(self) -> dict[str, int]:
        return {"memory_bytes": self.nbytes}

    def key(self, position: Position) -> Key:
        """Return the key of a position: the stones of both sides."""
        return position.first, position.second

    def is_key(self, keys: NDArray[np.int64]) -> bool:
        """Return True if an array of keys fits this table."""
        return not ((keys & ~self.game.board).any() or (keys[:, 0] & keys[:, 1]).any())

    def row(self, position: Position) -> Mapping[int, float]:
        """Return the tried moves of a position with their values."""
        return self.rows.get(self.key(position), {})

    def best(self, position: Position) -> float:
        """Return the highest value of a tried move; 0 if none was tried."""
        row = self.row(position)
        return max(row.values()) if row else 0.0

    def any_best(self, position: Position, stream: Stream) -> int:
        """Return a random move among those with the highest value; untried moves have value 0."""
        row, moves = self.row(position), position.legal_moves()
        most = max(row.get(move, 0.0) for move in moves)
        return stream.choice([move for move in moves if row.get(move, 0.0) == most])

    def move_towards(self, pair: Pair, target: float, rate: float) -> float:
        """Move the value of a state–action pair (0 if new) towards its target; return the error."""
        key, move = pair
        row = self.rows.setdefault(key, {})
        value = row.get(move, 0.0)
        row[move] = value + rate * (target - value)
        self.updates[key] = self.updates.get(key, 0) + 1
        return target - value

    def header(self) -> dict[str, Any]:
        """Return the header from which the table can be rebuilt."""
        return {"fixed": list(self.fixed)}

    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        """Return keys, values and the order of tried moves (−1: not tried); ``slim`` omits visit counts and halves the
        precision."""
        values = np.zeros((len(self), self.game.moves), np.float32 if slim else np.float64)
        order = np.full((len(self), self.game.moves), -1, np.int8)
        for index, row in enumerate(self.rows.values()):
            for place, (move, value) in enumerate(row.items()):
                values[index, move], order[index, move] = value, place
        arrays = {"keys": np.array(list(self.rows), np.int64).reshape(-1, 2), "tried": values, "order": order}
        return arrays if slim else arrays | {"updates": self.by_row(self.updates)}

    def by_row(self, counts: Mapping[Key, int]) -> NDArray[np.int64]:
        """Return counts by key as an array in the order of the rows."""
        return np.array([counts.get(key, 0) for key in self.rows], np.int64)

    def slim(self, visits: int) -> dict[str, NDArray[Any]]:
        if visits and not self.updates:
            raise ModelError("the table has no visit counts; it is already slim")
        self.rows = {key: row for key, row in self.rows.items() if self.updates.get(key, 0) >= visits}
        return self.arrays(slim=True)

    @classmethod
    def read(cls, file: ModelFile, game: Game) -> Self:
        made = file.header.get("model")
        fixed = made.get("fixed") if isinstance(made, dict) else None
        if not isinstance(fixed, list) or not all(isinstance(name, str) for name in fixed):
            raise ModelError(f"{file.path}: the header does not describe a table of {cls.kind}")
        table = cls(game, fixed)
        keys = file.array("keys", np.int64, (None, 2), most=MAX_ROWS * 16)
        values = file.array("tried", np.float64 if file.has("updates") else np.float32, (len(keys), game.moves))
        order = file.array("order", np.int8, (len(keys), game.moves))
        if (keys < 0).any() or not table.is_key(keys):
            raise ModelError(f"{file.path}: some keys of the table are not positions of {game}")
        if not (np.abs(values) <= MAX_VALUE).all():
            raise ModelError(f"{file.path}: some Q-values are not numbers, or too large")
        for (first, second), row, places in zip(keys.tolist(), values.tolist(), order.tolist(), strict=True):
            tried = [move for move in range(game.moves) if places[move] >= 0]
            table.rows[first, second] = {move: row[move] for move in sorted(tried, key=places.__getitem__)}
        if file.has("updates"):
            table.updates = dict(zip(table.rows, file.array("updates", np.int64, (len(keys),)).tolist(), strict=False))
        if len(table) != len(keys):
            raise ModelError(f"{file.path}: a key of the table occurs twice")
        return table


# The agent.


@dataclass(frozen=True)
class ReportSettings:
    """The learning parameters of a report's learner in one game."""

    alpha: Schedule
    epsilon: Schedule
    gamma: float
    win: float
    draw: float
    loss: float
    noise: float = 0.0
    """The exploration rate in play, after training."""


class ReportChoice(NamedTuple):
    """A move and the rule that chose it, if any."""

    move: int
    rule: str = ""


@dataclass(frozen=True)
class FixedKind(Kind):
    """The errors to fix: ``on`` for all, ``off`` for none, or names joined by plus signs."""

    options: tuple[str, ...] = ()

    @property
    def wanted(self) -> str:
        return f"on, off, or some of {', '.join(self.options)}, joined by +"

    def read(self, text: str) -> Any:
        given = {"on": self.options, "off": ()}.get(text, tuple(text.split("+")))
        return tuple(sorted(given, key=self.options.index)) if set(given) <= set(self.options) else given

    def fits(self, value: Any) -> bool:
        return isinstance(value, tuple) and set(value) <= set(self.options) and len(set(value)) == len(value)

    def format(self, value: Any) -> str:
        return {self.options: "on", (): "off"}.get(value) or "+".join(value)


def _auto_rate(help: str) -> Any:
    return parameter(ScheduleKind, None, help=f"{help}; auto: the report's", none="auto")


def errors_field(errors: Mapping[str, str]) -> Any:
    """Return a field for the errors to fix in a learner; ``errors`` describes each by name. Default: none."""
    text = "errors of the program to fix: " + "; ".join(f"{name}: {what}" for name, what in errors.items())
    return parameter(FixedKind, (), help=text, options=tuple(errors))


@dataclass(frozen=True)
class QAgent(ReportAgent):
    """Base class of agents that play like a report's Q-learner."""

    table: ClassVar[type[ReportQTable]]
    settings: ClassVar[Mapping[Game, ReportSettings]]
    model: str = file("", "the model file; by default the model that ships with inarow")
    second: str = file("", "the model file for playing second, if different")

    def held(self, game: Game, player: Player = FIRST) -> ReportQTable:
        """Return the table for a seat; it is read once."""
        given = (player is SECOND and self.second) or self.model
        try:
            shipped = Path(inspect.getfile(type(self))).parent / "models" / f"{game.name}.npz"
            path = Path(given) if given else shipped
            table: ReportQTable = load_model(path, self.name, game)
        except ModelError as error:
            raise AgentError(f"agent {self.name}: {error}") from None
        return table

    def check(self, game: Game) -> None:
        super().check(game)
        self.held(game)
        self.held(game, SECOND)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ReportQMind(self, self.held(game, player), Stream(seed))

    @abstractmethod
    def choose(self, table: ReportQTable, position: Position, stream: Stream, epsilon: float) -> ReportChoice:
        """Return the program's move, exploring with probability ``epsilon``."""


class ReportQMind(Mind):
    """Plays from a table without learning, exploring as the report's program does."""

    def __init__(self, agent: QAgent, table: ReportQTable, stream: Stream) -> None:
        self.agent, self.table, self.stream = agent, table, stream

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        noise = self.agent.settings[position.game].noise
        choice = self.agent.choose(self.table, position, self.stream, noise)
        row = self.table.row(position)
        values = {move: row.get(move, 0.0) for move in position.legal_moves()}
        bounded = {move: max(-1.0, min(1.0, value)) for move, value in values.items()}
        return Decision(
            choice.move,
            value=bounded[choice.move],
            values=bounded,
            by_move={"q": values},
            depth=0,
            line=(choice.move,),
            details={"known": bool(row), "guided": bool(choice.rule)},
        )


# The learner.


@dataclass(frozen=True)
class QTrainer(Trainer):
    """Base class of trainers that learn like a report's program. A subclass has a field ``fixed``."""

    agent: ClassVar[type[QAgent]]
    learns: ClassVar[type[ReportQLearner]]
    alpha: Schedule | None = _auto_rate("learning rate")  # noqa: RUF009
    epsilon: Schedule | None = _auto_rate("probability of a random move in training")  # noqa: RUF009
    seat: str = choice(
        "auto", ("auto", "both", "first", "second", DRAWN_SEAT),
        "seat against an opponent; both: alternating; drawn: at random; auto: the report's",
    )  # fmt: skip
    own_seat: ClassVar[str] = "both"

    @property
    def errors(self) -> frozenset[str]:
        """The errors that are not fixed."""
        options = next(one for one in self.parameters() if one.name == "fixed").options  # type: ignore[attr-defined]
        return frozenset(options) - frozenset(getattr(self, "fixed", ()))

    @property
    def player(self) -> QAgent:
        """The agent that chooses the moves."""
        return self.agent()

    def learner(
        self, game: Game, seed: int, episodes: int, workers: int | None = None, pool: Executor | None = None
    ) -> ReportQLearner:
        self.refuse_workers(workers, pool)
        return self.learns(self, game, seed, episodes)


_COUNTED = ("wins", "draws", "losses", "cut_short", "plies", "rewards", "errors", "updates")


class ReportQLearner(Learner):
    """Tabular Q-learning, one match per episode. A subclass implements the updates."""

    opens_at_random: ClassVar[bool] = False
    """True if the opponent's first move is random when the learner moves second."""
    self_play: ClassVar[bool] = False
    """True if it can train without an opponent."""
    rates: Rates

    def __init__(self, trainer: QTrainer, game: Game, seed: int, episodes: int) -> None:
        agent = trainer.player
        ReportAgent.check(agent, game)
        self.trainer, self.agent, self.settings, self.game, self.seed = trainer, agent, agent.settings[game], game, seed
        self.errors = trainer.errors
        self.table = agent.table(game, getattr(trainer, "fixed", ()))
        self.stream = Stream(derive(seed, "report", self.kind.partition("-")[0]))
        self.set_rates(Rates(trainer.alpha or self.settings.alpha, trainer.epsilon or self.settings.epsilon, episodes))
        self._sit(None)
        self.counts = dict.fromkeys(_COUNTED, 0.0)
        self.gained = 0.0
        """Rewards in this match before its end."""
        self.last: Pair | None = None
        """State that R2 keeps between turns and, due to an error, between matches."""
        self._agents: dict[str, Agent] = {}
        self.opponent_seconds = 0.0
        self.opponent_nodes = 0
        self.match_seconds: float | None = None
        """Seconds after which a match is a tie."""

    # Implemented by subclasses.

    def begin(self) -> None:
        """Begin a match."""

    def played(self, position: Position, move: int, rule: str) -> None:
        """Learn from the learner's own move; ``rule`` names the rule that chose it, if any."""

    def answered(self, after: Position, ended: bool = False) -> None:
        """Learn from the reply when the learner is to move again; ``ended``: the episode stops here."""

    def over(self, outcome: Outcome, player: Player) -> None:
        """Learn from the end of a match played in this seat."""

    def ends_episode(self, move: int) -> bool:
        """Return True if this reply ends the episode early."""
        return False

    def alone(self) -> Outcome:
        """Play a match of self-play and learn from it."""
        raise NotImplementedError

    # The loop.

    def set_rates(self, rates: Rates) -> None:
        self.rates = rates
        self._alpha, self._epsilon = (one.array(rates.length) for one in (rates.alpha, rates.epsilon))
        self._alpha[4] = self._epsilon[4] = 0  # the counts are passed in
        self.alpha = self._now(rates.alpha, self._alpha)

    def _now(self, schedule: Schedule, rate: NDArray[np.float64]) -> float:
        rates = self.rates
        done = self.moves - rates.moves if schedule.by_move else self.episodes - rates.episodes
        return float(rate_now(rate, done))

    @property
    def epsilon(self) -> float:
        """The current exploration rate."""
        return self._now(self.rates.epsilon, self._epsilon)

    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        self._sit(stage.seat)
        done = 0
        while done < count and not stop.is_set():
            index = self.stream.below(len(stage.opponents)) if len(stage.opponents) > 1 else 0
            self.episode(stage.opponents[index])
            done += 1
        return done

    def _sit(self, given: str | None) -> None:
        own = self.trainer.own_seat if self.trainer.seat == "auto" else self.trainer.seat
        self.seat = given or own
        self.seats = SEATS.get(self.seat, (FIRST, SECOND))

    def episode(self, opponent: str) -> Outcome | None:
        """Play one match against an opponent; return None if an error of the report's program ended it early."""
        if opponent == "self" and not self.self_play:
            raise TrainingError(f"{self.kind} learns against an opponent, not from self-play; give --opponent")
        self.alpha = self._now(self.rates.alpha, self._alpha)
        self.gained = 0.0
        self.begin()
        outcome = self.alone() if opponent == "self" else self._against(opponent)
        self.episodes += 1
        return outcome

    def _against(self, opponent: str) -> Outcome | None:
        if opponent not in self._agents:
            self._agents[opponent] = agent(opponent)
        seats = {"first": 0, "second": 1, "both": self.episodes & 1}
        seat = Player(seats[self.seat] if self.seat in seats else self.stream.below(2))
        mind = self._agents[opponent].mind(self.game, seat.other, derive(self.seed, "episode", self.episodes))
        position, limit = Position.start(self.game), NO_LIMIT
        if seat and self.opens_at_random:
            position = position.play(self.stream.choice(position.legal_moves()))
        started = SYSTEM_CLOCK.now()
        try:
            while (outcome := position.outcome()) is None:
                if self.match_seconds is not None:
                    left = self.match_seconds - (SYSTEM_CLOCK.now() - started)
                    if left <= 0:
                        outcome = Outcome(None)
                        break
                    limit = Limit(seconds=max(SHORTEST, left))
                if position.to_move is seat:
                    position = self.turn(position)
                    continue
                decision = mind.decide(position, limit)
                self.opponent_seconds += decision.seconds
                self.opponent_nodes += decision.nodes
                begun = position.ply > seat  # the learner has moved before
                if begun and self.ends_episode(decision.move):
                    self.answered(position, ended=True)
                    self.count(None, seat, position)
                    return None
                position = position.play(decision.move)
                if position.outcome() is None and begun:
                    self.answered(position)
        except IllegalMove as error:
            raise TrainingError(f"the opponent {opponent} can't play on: {error}") from None
        finally:
            mind.close()
        self.over(outcome, seat)
        self.count(outcome, seat, position)
        return outcome

    def turn(self, position: Position) -> Position:
        """Make a move and learn from it."""
        choice = self.agent.choose(self.table, position, self.stream, self.epsilon)
        self.played(position, choice.move, choice.rule)
        self.moves += not choice.rule
        return position.play(choice.move)

    def result(self, outcome: Outcome, player: Player) -> float:
        """Return the reward of an ending."""
        settings = self.settings
        return settings.draw if outcome.winner is None else settings.win if outcome.winner is player else settings.loss

    def learn(self, pair: Pair, target: float) -> None:
        """Move the value of a state–action pair towards a target."""
        self.counts["errors"] += abs(self.table.move_towards(pair, target, self.alpha))
        self.counts["updates"] += 1

    def count(self, outcome: Outcome | None, seat: Player, last: Position) -> None:
        """Add a match to the tally and the log."""
        score = None if outcome is None else outcome.score(seat)
        self.counts[{1.0: "wins", 0.5: "draws", 0.0: "losses", None: "cut_short"}[score]] += 1
        self.counts["plies"] += last.ply
        reward = 0.0 if outcome is None else self.result(outcome, seat)
        self.counts["rewards"] += reward
        if self.log is not None:
            self.log.add(2 if score is None else int(2 * score - 1), self.gained + reward, last.ply)

    def tally(self) -> dict[str, float]:
        counts, self.counts = self.counts, dict.fromkeys(_COUNTED, 0.0)
        episodes = max(1.0, sum(counts[name] for name in _COUNTED[:4]))
        found: dict[str, float] = {name: int(counts[name]) for name in _COUNTED[:3]}
        found |= {"plies": counts["plies"] / episodes, "reward": counts["rewards"] / episodes}
        return found | {"error": counts["errors"] / max(1.0, counts["updates"])}

    def size(self) -> dict[str, int]:
        return {"entries": len(self.table), "bytes": self.table.nbytes}

    def mind(self, seed: int) -> Mind:
        return ReportQMind(self.agent, self.table, Stream(seed))

    def header(self) -> dict[str, Any]:
        return self.table.header()

    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        arrays = self.table.arrays(slim)
        if slim:
            return arrays
        (first, second), move = self.last or ((0, 0), -1)
        state = [self.episodes, self.moves, self.stream.state, first, second, move]
        return {**arrays, "state": np.array(state), "counts": np.array(list(self.counts.values()))}

    def restore(self, file: ModelFile) -> None:
        table = self.agent.table.read(file, self.game)
        if table.header() != self.table.header():
            raise ModelError(f"{file.path}: its table does not match its settings; it can't be resumed")
        state = file.array("state", np.int64, (6,)).tolist()
        counts = file.array("counts", np.float64, (len(_COUNTED),))
        if min(state[:5]) < 0 or state[0] != file.header["episodes"] or not np.isfinite(counts).all():
            raise ModelError(f"{file.path}: the state of its training is damaged; start again without --resume")
        self.table = table
        self.episodes, self.moves, self.stream.state = state[:3]
        self.last = ((state[3], state[4]), state[5]) if state[5] >= 0 else None
        self.counts = dict(zip(_COUNTED, counts.tolist(), strict=True))
