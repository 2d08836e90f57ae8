"""A learner: a model, how it learns, and all the state that a resumed training needs; and the log of its episodes."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import IO, Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Mind
from inarow.models.files import ModelError, ModelFile
from inarow.rules import FIRST, SECOND, Game, Player
from inarow.stopping import Stop
from inarow.training.opponents import Stage
from inarow.training.schedules import Schedule

T = TypeVar("T")
RESULTS = {1: "win", 0: "draw", -1: "loss", 2: "none"}
"""Of the learner, in self-play of the first player; none: the episode was broken off."""


class EpisodeLog:
    """Episodes in order, from ``first`` on, which is above 1 if those before it were not logged."""

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
        """Return what a model file keeps."""
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
    """The learning rate and the exploration rate: their schedules run over ``length`` episodes, and begin after so many
    ``episodes`` and ``moves``."""

    alpha: Schedule
    epsilon: Schedule
    length: int
    episodes: int = 0
    moves: int = 0

    @property
    def endless(self) -> bool:
        """Whether they don't depend on the length."""
        return not (self.alpha.spans_training or self.epsilon.spans_training)

    def to_json(self) -> dict[str, Any]:
        """Return them as a model file keeps them."""
        return {**self._asdict(), "alpha": asdict(self.alpha), "epsilon": asdict(self.epsilon)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rates:
        """Read what `to_json` made. Raises TypeError, ValueError or KeyError for anything else."""
        numbers = [data[name] for name in ("length", "episodes", "moves")]
        if any(type(one) is not int or one < 0 for one in numbers):
            raise ValueError("not a count")
        return cls(Schedule(**data["alpha"]), Schedule(**data["epsilon"]), *numbers)


class Pool(Protocol):
    """Workers on other machines, such as an `arena.Executor`."""

    @property
    def size(self) -> int:
        """How many calls are done at the same time."""

    def map(self, function: Callable[..., T], *arguments: Iterable[Any]) -> Iterable[T]:
        """Yield the results of calls in order, like the built-in ``map``."""


class Learner(ABC):
    """A model that learns. ``run`` continues from the current state; the same seed gives the same model."""

    kind: str
    """The name of the agent that it trains."""
    game: Game
    seed: int
    episodes: int = 0
    moves: int = 0
    """Those that schedules by move count."""
    rates: Rates | None = None
    """In use now; at first those of its settings, over the whole training. None: it has none that can be set."""
    seats: tuple[Player, ...] = (FIRST, SECOND)
    """Where it sits against opponents."""
    log: EpisodeLog | None = None
    """What every episode is added to, if anything."""
    step: int = 1
    """Episodes that it should learn from at a time, at least."""

    def set_rates(self, rates: Rates) -> None:
        """Learn and explore at other rates."""
        raise NotImplementedError

    @abstractmethod
    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        """Learn from ``count`` episodes; how many were done before ``stop`` was raised."""

    @abstractmethod
    def tally(self) -> dict[str, float]:
        """What the episodes since the last call showed: wins, draws, losses (of the learner; in self-play of the
        first player), plies, reward, error."""

    @abstractmethod
    def size(self) -> dict[str, int]:
        """Entries and bytes of the model."""

    @abstractmethod
    def mind(self, seed: int) -> Mind:
        """A mind that plays with the current model, without exploring."""

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """What a file must say to rebuild the model."""

    @abstractmethod
    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        """The arrays of the model; ``slim`` leaves out what only training needs."""

    @abstractmethod
    def restore(self, file: ModelFile) -> None:
        """Take the state of a file, to continue exactly from there."""
