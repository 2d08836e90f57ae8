"""A learner: a model, how it learns, and all the state that a resumed training needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from inarow.agents import Agent, Mind
from inarow.agents.ntuple import NTuple
from inarow.agents.qlearning import QLearning
from inarow.errors import InarowError
from inarow.models.files import ModelFile
from inarow.plugins import TRAINERS, load_class, plugins
from inarow.rules import Game
from inarow.stopping import Stop
from inarow.training.opponents import Stage


class TrainingError(InarowError):
    """A training that can't be run as asked."""


class Learner(ABC):
    """A model that learns. ``run`` continues from the current state; the same seed and number of workers give the same
    model."""

    kind: str
    """The name of the agent that it trains."""
    game: Game
    seed: int
    episodes: int = 0

    @classmethod
    def defaults(cls, agent: Agent, game: Game) -> tuple[Sequence[str], int]:
        """Return the opponents to train against, one stage each, and how many episodes, by default."""
        return ("self",), 50_000

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


def new_learner(given: Agent, game: Game, seed: int, episodes: int, workers: int = 1) -> Learner:
    """Return a new learner of this agent's kind and settings."""
    from inarow.training.network_learner import NTupleLearner
    from inarow.training.report_learner import ReportLearner
    from inarow.training.table_learner import QLearner

    if isinstance(given, QLearning):
        if workers != 1:
            raise TrainingError(f"qlearning trains in one worker, {workers} were asked for; ntuple can use several")
        settings = given.check_training(game)
        if given.preset != "none":
            return ReportLearner(given.preset, settings, game, seed, episodes)
        return QLearner(settings, game, seed, episodes)
    if isinstance(given, NTuple):
        return NTupleLearner(given.check_training(game), game, seed, episodes, workers)
    made = plugin_learner(given)
    if made is None:
        known = ", ".join(["qlearning", "ntuple", *plugins(TRAINERS)])
        raise TrainingError(f"{given.spec} does not learn; these do: {known}")
    if workers != 1:
        raise TrainingError(f"{given.name} trains in one worker, {workers} were asked for; ntuple can use several")
    return made(given, game, seed, episodes)  # type: ignore[call-arg]


def plugin_learner(given: Agent) -> type[Learner] | None:
    """Return the learner that a plugin adds for this agent; it is made from the agent, game, seed and episodes."""
    return load_class(TRAINERS, given.name, Learner, "kind") if given.name in plugins(TRAINERS) else None
