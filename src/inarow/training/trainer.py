"""Trainers, the learning algorithms with their parameters, by name; and learners, the state of a training."""

from __future__ import annotations

import contextlib
import csv
import importlib
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Agent, Mind
from inarow.agents.parameters import Configured, read_arguments
from inarow.agents.registry import agent_class
from inarow.errors import as_path, check_callback, check_flags, printable
from inarow.models.files import ModelError, ModelFile
from inarow.plugins import TRAINERS, load_class, plugins
from inarow.rules import FIRST, SECOND, Game, Player, game
from inarow.stopping import Stop, stop_on_interrupt
from inarow.training.opponents import Schedule, Stage, TrainingError

if TYPE_CHECKING:
    from inarow.arena import Executor
    from inarow.training.training import Training


_game = game  # methods have parameters of this name
_WHERE = {"qlearning": "qlearning:QLearning", "ntuple": "ntuple:NTuple"}


@dataclass(frozen=True)
class Trainer(Configured, ABC):
    """An algorithm that learns. A subclass is a frozen dataclass whose fields are its parameters.

    It has the name of the agent that plays with its models.
    """

    what = "trainer"

    @abstractmethod
    def learner(
        self, game: Game, seed: int, episodes: int, workers: int | None = None, pool: Executor | None = None
    ) -> Learner:
        """Return a new learner for a training of this many episodes."""

    def refuse_workers(self, workers: int | None, pool: Executor | None) -> None:
        """Raise `TrainingError` for more than one worker: this trainer learns after every match."""
        if pool is not None:
            raise TrainingError(f"{self.name} learns after every match, so a cluster can't help; ntuple can use one")
        if workers not in (None, 1):
            raise TrainingError(f"{self.name} trains in one worker, got {workers}; ntuple can use several")

    def agent_of(self, model: Path) -> Agent:
        """Return the agent that plays with a model of this trainer, as it played in training."""
        playing: dict[str, Any] = {"model": str(model)}
        return agent_class(self.name)(**playing)

    def defaults(self, game: Game) -> tuple[Sequence[str], int]:
        """Return the default opponents, one stage each, and the default number of episodes."""
        return ("self",), 50_000

    def learn(
        self,
        game: Game | str,
        episodes: int | None = None,
        *,
        opponents: Sequence[Stage | str] = (),
        resume: str | Path | None = None,
        evaluate_every: int | None = None,
        evaluation_opponents: Sequence[str] | None = None,
        evaluation_matches: int = 50,
        log_episodes: bool = False,
        seed: int = 0,
        workers: int | None = None,
        cluster: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Training:
        """Train on a game by self-play, or against ``opponents``.

        Each opponent is a stage of the training: ``"random | rules"`` draws one for each episode, and
        ``"opponent=random,episodes=5000,epsilon=0.3"`` has its own settings. ``resume`` continues the training of a
        model file, if it exists. The learner is evaluated ten times, or every ``evaluate_every`` episodes (0: only
        at the end), against its training opponents, or against random and rules after self-play. ``log_episodes``
        keeps the reward and the length of every episode. With ``workers`` `NTuple` learns in batches, on this number of
        threads; with ``cluster``, the address of a Dask scheduler, its workers play them. The result does not depend
        on their number.
        """
        from inarow.arena import open_executor
        from inarow.training.training import Training, plan_training

        stop_on_interrupt()
        check_callback("progress", progress)
        check_flags(log_episodes=log_episodes)
        plan = plan_training(
            self, _game(game), episodes, opponents, evaluate_every, evaluation_opponents, evaluation_matches,
            log_episodes=log_episodes, seed=seed, workers=1 if cluster is not None else workers,
        )  # fmt: skip
        path = None if resume is None else as_path("resume", resume)
        with contextlib.ExitStack() as stack:
            pool = None if cluster is None else stack.enter_context(open_executor(cluster=cluster))
            resumed = path is not None and path.exists()
            training = Training.resume(plan, path, pool=pool) if path and resumed else Training(plan, pool=pool)
            training.run(on_step=None if progress is None else lambda done: progress(done, training.end))
        return training


def trainer_names() -> list[str]:
    """Return the names of all trainers: built-in ones, then those of installed packages."""
    return [*_WHERE, *(name for name in plugins(TRAINERS) if name not in _WHERE)]


def trainer(spec: Trainer | str) -> Trainer:
    """Return the trainer of a spec such as ``qlearning:alpha=0.3``; a trainer is returned as it is."""
    if isinstance(spec, Trainer):
        return spec
    if not isinstance(spec, str):
        raise TrainingError(f"{spec!r:.60} is not a trainer; give a spec such as 'qlearning', or a Trainer")
    name, _, rest = spec.strip().partition(":")
    if name in _WHERE:
        module, _, kind = _WHERE[name].partition(":")
        made = cast(type[Trainer], getattr(importlib.import_module(f"inarow.training.{module}"), kind))
    elif name in plugins(TRAINERS):
        made = load_class(TRAINERS, name, Trainer)
    else:
        raise TrainingError(f"{printable(name)!r} is not a trainer; known: {', '.join(trainer_names())}")
    return made(**read_arguments(f"trainer {name}", made.parameters(), rest)) if rest.strip() else made()


RESULTS = {1: "win", 0: "draw", -1: "loss", 2: "none"}
"""Results of an episode for the learner (in self-play, the first player); none if it was interrupted."""


class EpisodeLog:
    """A log of consecutive episodes, starting with number ``first``."""

    def __init__(self, first: int = 1) -> None:
        self.first = first
        self.results, self.rewards, self.plies = array("b"), array("f"), array("h")

    def __len__(self) -> int:
        return len(self.results)

    def add(self, result: int, reward: float, plies: int) -> None:
        """Add an episode."""
        self.results.append(result)
        self.rewards.append(reward)
        self.plies.append(plies)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays for a model file."""
        return {
            "log_first": np.array([self.first]),
            "log_results": np.array(self.results, np.int8),
            "log_rewards": np.array(self.rewards, np.float32),
            "log_plies": np.array(self.plies, np.int16),
        }

    def write(self, out: IO[str]) -> None:
        """Write one row for each episode as CSV."""
        writer = csv.writer(out)
        writer.writerow(["episode", "result", "reward", "plies"])
        rows = zip(self.results, self.rewards, self.plies, strict=True)
        for number, (result, reward, plies) in enumerate(rows, self.first):
            writer.writerow([number, RESULTS[result], f"{reward:.6g}", plies])


def read_log(file: ModelFile) -> EpisodeLog | None:
    """Return the log in a model file, or None if it has none."""
    if not file.has("log_results"):
        return None
    log = EpisodeLog(int(file.array("log_first", np.int64, (1,))[0]))
    results = file.array("log_results", np.int8, (None,))
    rewards, plies = (
        file.array(name, kind, results.shape) for name, kind in (("log_rewards", np.float32), ("log_plies", np.int16))
    )
    known = np.isin(results, list(RESULTS)).all() and np.isfinite(rewards).all() and (plies >= 0).all()
    if not known or log.first < 1 or log.first - 1 + len(results) > file.header["episodes"]:
        raise ModelError(f"{file.path}: its log of episodes is damaged")
    log.results, log.rewards, log.plies = (
        array(kind, values.tolist()) for kind, values in (("b", results), ("f", rewards), ("h", plies))
    )
    return log


class Rates(NamedTuple):
    """The learning rate and the exploration rate. Their schedules span ``length`` episodes and start after ``episodes``
    and ``moves``."""

    alpha: Schedule
    epsilon: Schedule
    length: int
    episodes: int = 0
    moves: int = 0

    @property
    def endless(self) -> bool:
        """True if they don't depend on the length of the training."""
        return not (self.alpha.spans_training or self.epsilon.spans_training)

    def to_json(self) -> dict[str, Any]:
        """Return them for a model file."""
        return {**self._asdict(), "alpha": asdict(self.alpha), "epsilon": asdict(self.epsilon)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rates:
        """Read the output of `to_json`. Raises TypeError, ValueError or KeyError if it is invalid."""
        numbers = [data[name] for name in ("length", "episodes", "moves")]
        if any(type(one) is not int or one < 0 for one in numbers):
            raise ValueError("not a count")
        return cls(Schedule(**data["alpha"]), Schedule(**data["epsilon"]), *numbers)


class Learner(ABC):
    """A model that learns. ``run`` continues from the current state; the same seed gives the same model."""

    kind: str
    """The name of the agent that it trains."""
    game: Game
    seed: int
    episodes: int = 0
    moves: int = 0
    """Moves played, for schedules by move."""
    rates: Rates | None = None
    """The current rates, initially those of its settings over the whole training; None if rates can't be set."""
    seats: tuple[Player, ...] = (FIRST, SECOND)
    """Its seats against opponents."""
    log: EpisodeLog | None = None
    """The log of episodes, if one is kept."""
    step: int = 1
    """Minimum number of episodes per call of `run`."""

    def set_rates(self, rates: Rates) -> None:
        """Change the learning and exploration rates."""
        raise NotImplementedError

    @abstractmethod
    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        """Learn from ``count`` episodes; return how many were done before ``stop`` was set."""

    @abstractmethod
    def tally(self) -> dict[str, float]:
        """Return totals since the last call: wins, draws and losses (of the learner; in self-play, the first player),
        plies, reward, error."""

    @abstractmethod
    def size(self) -> dict[str, int]:
        """Return the numbers of entries and bytes of the model."""

    @abstractmethod
    def mind(self, seed: int) -> Mind:
        """Return a mind that plays with the current model, without exploring."""

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return the header from which the model can be rebuilt."""

    @abstractmethod
    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        """Return the arrays of the model; ``slim`` omits those that only training needs."""

    @abstractmethod
    def restore(self, file: ModelFile) -> None:
        """Restore the state saved in a file, to continue exactly from it."""
