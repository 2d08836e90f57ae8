"""The trainer: runs a learner through its episodes, evaluates it, keeps its history, saves and resumes it."""

from __future__ import annotations

import itertools
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inarow.agents import Agent
from inarow.limits import MOST_EPISODES, MOST_WORKERS, check_count
from inarow.models.files import ModelError, ModelFile, save
from inarow.randomness import derive
from inarow.rules import Game
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop
from inarow.training.evaluation import Evaluation, Held, merit
from inarow.training.learner import Learner, TrainingError, new_learner
from inarow.training.opponents import Stage, stage_at

SLICE = 0.3
"""Seconds of learning between two reports of progress."""


EVALUATIONS = 40
"""Of a training, where no interval is given."""
LEAST_INTERVAL = 250
"""Episodes between two evaluations, at least, where no interval is given."""


def usual_interval(episodes: int) -> int:
    """Return the episodes between two evaluations of a training of this length."""
    return max(LEAST_INTERVAL, episodes // EVALUATIONS)


@dataclass(frozen=True)
class TrainingPlan:
    """A whole training: who learns which game against whom, for how long, and what is measured and kept on the way."""

    agent: Agent
    game: Game
    episodes: int
    stages: tuple[Stage, ...] = (Stage(("self",)),)
    seed: int = 0
    workers: int = 1
    evaluate_every: int = 0
    """Episodes between two evaluations; 0: at the end only."""
    evaluation: Evaluation = field(default_factory=Evaluation)
    save_every: int = 0
    """Episodes between two checkpoints; 0: at the end only."""
    backups: bool = False
    """Whether each checkpoint is also kept under a name with its date."""
    patience: int = 0
    """Stop after this many evaluations without a better one; 0: never."""
    minutes: float | None = None
    """Stop after this time of training, not counting what was trained before a resume."""

    def __post_init__(self) -> None:
        check_count("episodes", self.episodes, MOST_EPISODES)
        check_count("workers", self.workers, MOST_WORKERS)
        for name in ("episodes", "workers"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("evaluate_every", "save_every", "patience"):
            check_count(name.replace("_", " "), getattr(self, name), MOST_EPISODES)
            if getattr(self, name) < 0:
                raise TrainingError(
                    f"{name.replace('_', ' ')} must be at least 0 (0: never), not {getattr(self, name)}"
                )
        if self.minutes is not None and not self.minutes > 0:
            raise TrainingError(f"minutes must be more than 0, not {self.minutes:g}")
        if self.patience and not self.evaluate_every:
            raise TrainingError("stopping early needs evaluations: set their interval with --eval-every")

    @property
    def identity(self) -> dict[str, Any]:
        """What must be the same for a training to be resumed."""
        return {
            "kind": self.agent.name,
            "game": self.game.name,
            "spec": self.agent.spec,
            "seed": self.seed,
            "workers": self.workers,
            "opponents": [str(stage) for stage in self.stages],
            "planned": self.episodes,
            "evaluate_every": self.evaluate_every,
        }


@dataclass
class Trainer:
    """A training in progress."""

    plan: TrainingPlan
    clock: Clock = SYSTEM_CLOCK
    learner: Learner = field(init=False)
    history: list[dict[str, Any]] = field(init=False, default_factory=list)
    timing: list[dict[str, float]] = field(init=False, default_factory=list)
    stopped: str = field(init=False, default="")
    """Why it ended before its last episode, if it did."""

    def __post_init__(self) -> None:
        plan = self.plan
        self.learner = new_learner(plan.agent, plan.game, plan.seed, plan.episodes, plan.workers)
        if plan.agent.name == "ntuple" and any(stage.opponents != ("self",) for stage in plan.stages):
            raise TrainingError("ntuple learns from self-play; other opponents are for qlearning")
        self._begun = self.clock.now()
        self._before = 0.0

    @classmethod
    def resume(cls, plan: TrainingPlan, path: Path, clock: Clock = SYSTEM_CLOCK) -> Trainer:
        """Resume the training of a file, exactly as if it had not been interrupted."""
        trainer = cls(plan, clock)
        with ModelFile(path) as file:
            kept = file.header.get("training")
            if not isinstance(kept, dict) or not file.has("state"):
                raise ModelError(f"{path} has no training state in it (a slim model?); it can be played, not resumed")
            for name, wanted in plan.identity.items():
                if kept.get(name) != wanted:
                    raise TrainingError(
                        f"{path} was trained with {name.replace('_', ' ')} {kept.get(name)!r}, now {wanted!r} is asked "
                        "for; to resume, ask for the same, or start again without --resume"
                    )
            trainer.learner.restore(file)
            trainer.history = file.header["history"]
            trainer.timing = file.header.get("timing", [])
            trainer._before = trainer.timing[-1]["seconds"] if trainer.timing else 0.0
        return trainer

    def steps(self, stop: Stop | None = None, out: Path | None = None) -> Iterator[int]:
        """Train to the end and yield the number of episodes done several times a second. Evaluates, saves and stops
        early as planned; when ``stop`` is raised it saves and ends."""
        plan, learner = self.plan, self.learner
        stop = stop or Stop()
        pace = 100
        while not self._done and not self.stopped:
            stage, stage_end = stage_at(plan.stages, learner.episodes, plan.episodes)
            goal = min(stage_end, *self._marks())
            began = time.perf_counter()
            with self.clock.alarm(None, stop):
                done = learner.run(stage, min(pace, goal - learner.episodes), stop)
            took = time.perf_counter() - began
            pace = max(1, min(10 * pace, int(done * SLICE / max(took, 1e-6)))) if done else pace
            self._at_mark(out)
            yield learner.episodes
            if stop.is_set():
                self.stopped = "interrupted"
            elif plan.minutes is not None and self.clock.now() - self._begun >= 60 * plan.minutes and not self._done:
                self.stopped = f"stopped after {plan.minutes:g} minutes"
        recorded = self.history[-1]["episodes"] if self.history else 0
        if self.stopped != "interrupted" and recorded < learner.episodes:
            self._record()
        if out is not None:
            self.save(out)

    @property
    def _done(self) -> bool:
        return self.learner.episodes >= self.plan.episodes

    def _marks(self) -> list[int]:
        """The next episodes at which to evaluate, save or end."""
        plan, now = self.plan, self.learner.episodes
        every = [n for n in (plan.evaluate_every, plan.save_every) if n]
        return [plan.episodes, *((now // n + 1) * n for n in every)]

    def _at_mark(self, out: Path | None) -> None:
        plan, now = self.plan, self.learner.episodes
        recorded = self.history[-1]["episodes"] if self.history else 0
        if plan.evaluate_every and now % plan.evaluate_every == 0 and now > recorded:
            self._record()
            if plan.patience and self._without_progress() >= plan.patience:
                self.stopped = f"{plan.patience} evaluations brought nothing better"
        if plan.save_every and now % plan.save_every == 0 and out is not None and now < plan.episodes:
            self.save(out)
            if plan.backups:
                shutil.copy2(out, backup_name(out))

    def _record(self) -> None:
        learner, plan = self.learner, self.plan
        found = plan.evaluation.measure(plan.game, learner.mind, derive(plan.seed, "evaluation", learner.episodes))
        self.history.append({"episodes": learner.episodes, **learner.tally(), **learner.size(), **found})
        seconds = self._before + self.clock.now() - self._begun
        self.timing.append({"episodes": learner.episodes, "seconds": round(seconds, 3)})

    def _without_progress(self) -> int:
        merits = [merit(entry) for entry in self.history]
        return len(merits) - 1 - merits.index(max(merits))

    def save(self, path: Path, slim: bool = False) -> None:
        """Write the model with its history; ``slim`` without what only training needs."""
        plan = self.plan
        header = {
            "kind": plan.agent.name,
            "game": plan.game.name,
            "spec": plan.agent.spec,
            "seed": plan.seed,
            "episodes": self.learner.episodes,
            "model": self.learner.header(),
            "training": plan.identity,
            "history": self.history,
            "timing": self.timing,
        }
        save(path, header, self.learner.arrays(slim))

    def agent(self) -> Agent:
        """What has been learnt so far, as an agent that plays in this process."""
        plan, episodes = self.plan, self.learner.episodes
        return Held(self.learner.mind, f"{plan.agent.spec} after {episodes} episodes", plan.game)

    def run(
        self, stop: Stop | None = None, out: Path | None = None, on_step: Callable[[int], None] | None = None
    ) -> None:
        """Train to the end."""
        for episodes in self.steps(stop, out):
            if on_step is not None:
                on_step(episodes)


def backup_name(path: Path) -> Path:
    """The path with the date, the time and a number in its name; no such file exists yet."""
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    names = (path.with_name(f"{path.stem}.{stamp}-{number}{path.suffix}") for number in itertools.count(1))
    return next(name for name in names if not name.exists())
