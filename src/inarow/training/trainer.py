"""Trainers: an algorithm that learns a game, with its parameters; every trainer by name."""

from __future__ import annotations

import contextlib
import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from inarow.agents.parameters import Configured, read_arguments
from inarow.errors import printable
from inarow.plugins import TRAINERS, load_class, plugins
from inarow.rules import Game, game
from inarow.stopping import stop_on_interrupt
from inarow.training.opponents import Stage, TrainingError
from inarow.training.schedules import ScheduleKind

if TYPE_CHECKING:
    from inarow.training.learner import Learner, Pool
    from inarow.training.training import Training

_game = game  # methods have parameters of this name
_WHERE = {"qlearning": "qlearning:QLearning", "ntuple": "ntuple:NTuple"}


@dataclass(frozen=True)
class Trainer(Configured, ABC):
    """An algorithm that learns. A subclass is a frozen dataclass whose fields are its parameters.

    It has the name of the agent that plays by its models.
    """

    what = "trainer"

    def __post_init__(self) -> None:
        for one in self.parameters():
            value = one.of(self)
            if isinstance(one, ScheduleKind) and isinstance(value, int | float | str) and not isinstance(value, bool):
                made = one.parse(f"{self.what} {self.name}", str(value))
                object.__setattr__(self, one.field, made)
        super().__post_init__()

    @abstractmethod
    def learner(
        self, game: Game, seed: int, episodes: int, workers: int | None = None, pool: Pool | None = None
    ) -> Learner:
        """Return a new learner for a training of this many episodes."""

    def refuse_workers(self, workers: int | None, pool: Pool | None) -> None:
        """Raise `TrainingError` if more than one worker is asked for: this trainer learns after every match."""
        if pool is not None:
            raise TrainingError(f"{self.name} learns after every match, so a cluster can't help; ntuple can use one")
        if workers not in (None, 1):
            raise TrainingError(f"{self.name} trains in one worker, {workers} were asked for; ntuple can use several")

    def defaults(self, game: Game) -> tuple[Sequence[str], int]:
        """Return the opponents to train against, one stage each, and how many episodes, by default."""
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
        ``"opponent=random,episodes=5000,epsilon=0.3"`` has settings of its own. ``resume`` continues the training of a
        model file, if it exists. The learner is evaluated about 40 times, or every ``evaluate_every`` episodes (0: only
        at the end), against its training opponents, or against random and rules after self-play. ``log_episodes``
        keeps the reward and the length of every episode. With ``workers`` `NTuple` learns in batches, on that many
        threads; with ``cluster``, the address of a Dask scheduler, its workers play them. The result does not depend
        on how many.
        """
        from inarow.arena import open_executor
        from inarow.training.training import Training, plan_training

        stop_on_interrupt()
        plan = plan_training(
            self, _game(game), episodes, opponents, evaluate_every, evaluation_opponents, evaluation_matches,
            log_episodes=log_episodes, seed=seed, workers=1 if cluster is not None else workers,
        )  # fmt: skip
        path = None if resume is None else Path(resume)
        with contextlib.ExitStack() as stack:
            pool = None if cluster is None else stack.enter_context(open_executor(cluster=cluster))
            resumed = path is not None and path.exists()
            training = Training.resume(plan, path, pool=pool) if path and resumed else Training(plan, pool=pool)
            training.run(on_step=None if progress is None else lambda done: progress(done, training.end))
        return training


def trainer_names() -> list[str]:
    """Return the names of all trainers: ours, then those of installed packages."""
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
        raise TrainingError(f"{printable(name)!r} does not learn; these do: {', '.join(trainer_names())}")
    return made(**read_arguments(f"trainer {name}", made.parameters(), rest)) if rest.strip() else made()
