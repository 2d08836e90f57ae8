"""A training: run a learner through its episodes, evaluate it, keep its history, save and resume it."""

from __future__ import annotations

import csv
import itertools
import shutil
import tempfile
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from inarow.agents import Agent, AgentError, Mind, agent
from inarow.errors import (
    as_path,
    check_callback,
    check_flags,
    check_instance,
    check_integer,
    check_list,
    check_number,
)
from inarow.formatting import counted
from inarow.limits import MAX_EPISODES, MAX_MATCHES, MAX_WORKERS
from inarow.match import play_match
from inarow.match.series import Tally, match_seed
from inarow.models.files import ModelError, ModelFile, save
from inarow.randomness import derive
from inarow.rules import FIRST, SECOND, Game, Player
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop
from inarow.training.opponents import Stage, TrainingError, parse_stage, stage_ends, total_episodes, training_opponents
from inarow.training.trainer import EpisodeLog, Learner, Rates, Trainer, read_log
from inarow.truth.accuracy import ValueAccuracy
from inarow.truth.grading import grade_values
from inarow.truth.positions import SolvedPositions, all_positions, quick_ply, random_positions, value_positions

if TYPE_CHECKING:
    from inarow.arena import Executor

TruthMeasure = Callable[[Callable[[int], Mind]], Mapping[str, float]]
"""A measurement of a learner, given a function from seed to mind; returns values by name."""

USUAL = ("random", "rules")
"""Evaluation opponents after self-play."""
KEPT, BEST, SKILL = "keeps the verdict", "best score", "skill of the value"
"""Measures against exact values: two shares, and the Brier skill score of the values."""
SAMPLE = 300
"""Number of positions to grade a learner's moves on, in games too large to grade all."""
VALUE_SAMPLE = 90
"""Number of positions to grade its values on."""


@dataclass(frozen=True)
class Held(Agent):
    """An agent around an object in memory that makes minds, such as a learner between two episodes."""

    name = "held"
    summary = "a model in training"
    make: Callable[[int], Mind] | None = None
    label: str = "held"
    game: Game | None = None
    """The only game that it can play; None: not checked."""

    @property
    def spec(self) -> str:
        return self.label

    def check(self, game: Game) -> None:
        if self.game is not None and game != self.game:
            raise AgentError(f"{self.label} was trained on {self.game} and can't play {game}")

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        assert self.make is not None
        return self.make(seed)


@dataclass(frozen=True)
class Evaluation:
    """Opponents and seats of an evaluation, the matches per seat, and optionally a measure against exact values.

    ``opponents`` are by default those of the training, in the learner's own seats; after self-play `USUAL` in both.
    """

    opponents: Sequence[str] | None = ()
    matches: int = 50
    truth: TruthMeasure | None = None
    seats: tuple[Player, ...] = (FIRST, SECOND)

    def __post_init__(self) -> None:
        if self.opponents is not None:
            check_list("evaluation_opponents", self.opponents, str, "specs", TrainingError)
        check_integer("evaluation_matches", self.matches, 0, MAX_MATCHES, TrainingError)

    def settled(self, stages: Sequence[Stage], seats: tuple[Player, ...]) -> Evaluation:
        """Return the evaluation with its defaults for a training with these stages and seats of the learner."""
        if self.opponents is not None:
            return self
        met = training_opponents(stages)
        return replace(self, opponents=met, seats=seats) if met else replace(self, opponents=USUAL)

    def measure(self, game: Game, make: Callable[[int], Mind], seed: int) -> dict[str, Any]:
        """Return wins, draws and losses by opponent and seat, and the measures against exact values."""
        learner = Held(make)
        found: dict[str, Any] = {"matches": {}}
        for spec in self.opponents or ():
            opponent = agent(spec)
            by_seat = {}
            for seat in self.seats:
                tally = Tally()
                for number in range(self.matches):
                    pair = (learner, opponent) if seat is FIRST else (opponent, learner)
                    outcome = play_match(game, *pair, seed=match_seed(seed, game, number, seat is SECOND)).outcome
                    if outcome is not None:
                        tally.count(outcome.score(seat))
                by_seat[seat.name.lower()] = {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
            found["matches"][opponent.spec] = by_seat
        if self.truth is not None:
            found["truth"] = dict(self.truth(make))
        return found


def truth_measure(game: Game, sample: int | None = None) -> TruthMeasure:
    """Return a measurement of a learner's moves and values against exact values.

    It uses all positions of a small game, else a random sample of late positions whose moves differ in verdict, or
    always a sample of this size. Positions are solved on first use. Values are measured only if the learner has some.
    """

    def measure(make: Callable[[int], Mind]) -> Mapping[str, float]:
        exact = _exact_sample(game, sample)
        mind = make(1)
        moves, _ = mind.answers(exact.positions)
        found = dict(zip((KEPT, BEST), exact.shares(moves), strict=True))
        asked = [position for band in exact.balanced.values() for position in band]
        values = dict(zip(asked, mind.answers(asked)[1], strict=True))
        graded = grade_values(values.__getitem__, exact.solved, exact.balanced)
        skill = sum(graded.values(), ValueAccuracy()).skill
        return found if skill is None else {**found, SKILL: skill.estimate}

    return measure


ILLEGAL = -1000
"""Below any score."""


class ExactSample:
    """Positions with the exact scores of their moves, to grade all moves at once, and positions to grade values on."""

    def __init__(self, game: Game, sample: int | None) -> None:
        self.solved = solved = SolvedPositions(game)
        self.balanced = value_positions(solved, VALUE_SAMPLE, 1, quick_ply(game))
        every = all_positions(game) if sample is None else None
        self.positions = every or random_positions(solved, sample or SAMPLE, 1, quick_ply(game))
        scores = np.full((len(self.positions), game.moves), ILLEGAL)
        for row, position in zip(scores, self.positions, strict=True):
            for move, score in (solved.scores(position) or {}).items():
                row[move] = score
        best = scores.max(axis=1, keepdims=True)
        self._keeps, self._is_best = np.sign(scores) == np.sign(best), scores == best

    def shares(self, moves: Sequence[int]) -> tuple[float, float]:
        """Return the shares of positions whose move, a legal one, keeps the verdict and has the best score."""
        rows, count = np.arange(len(moves)), max(1, len(moves))
        return int(self._keeps[rows, moves].sum()) / count, int(self._is_best[rows, moves].sum()) / count


@lru_cache(maxsize=4)
def _exact_sample(game: Game, sample: int | None) -> ExactSample:
    return ExactSample(game, sample)


def merit(found: Mapping[str, Any]) -> float:
    """Return the figure of merit of an evaluation: the share of verdicts kept, if measured, else the mean score."""
    truth = found.get("truth", {})
    if KEPT in truth:
        return float(truth[KEPT])
    scores = [
        (seat["wins"] + seat["draws"] / 2) / max(1, sum(seat.values()))
        for by_seat in found["matches"].values()
        for seat in by_seat.values()
    ]
    return sum(scores) / len(scores) if scores else 0.0


SLICE = 0.3
"""Seconds of learning between two reports of progress."""


EVALUATIONS = 10
"""Default number of evaluations in a training."""


@dataclass(frozen=True)
class TrainingPlan:
    """The plan of a training: learner, game, opponents, length, evaluations and checkpoints."""

    trainer: Trainer
    game: Game
    episodes: int
    stages: tuple[Stage, ...] = (Stage(),)
    seed: int = 0
    workers: int | None = None
    """Threads that play while another learns; None: learn after every match."""
    evaluate_every: int = 0
    """Episodes between two evaluations; 0: at the end only."""
    evaluation: Evaluation = field(default_factory=Evaluation)
    save_every: int = 0
    """Episodes between two checkpoints; 0: at the end only."""
    backups: bool = False
    """True if each checkpoint is also kept under a dated name."""
    patience: int = 0
    """Stop after this many evaluations without a better one; 0: never."""
    minutes: float | None = None
    """Stop after this time; time before a resume is not counted."""
    log_episodes: bool = False
    """Log the result, reward and length of every episode; this slows compiled learners down."""

    def __post_init__(self) -> None:
        for name, least, most in (
            ("episodes", 1, MAX_EPISODES),
            ("workers", 1, MAX_WORKERS),
            ("evaluate_every", 0, MAX_EPISODES),
            ("save_every", 0, MAX_EPISODES),
            ("patience", 0, MAX_EPISODES),
            ("seed", None, None),
        ):
            if name != "workers" or self.workers is not None:
                value = check_integer(name, getattr(self, name), least, most, TrainingError)
                object.__setattr__(self, name, value)
        if self.minutes is not None:
            check_number("minutes", self.minutes, positive=True, error=TrainingError)
        if self.patience and not self.evaluate_every:
            raise TrainingError("stopping early needs evaluations: set their interval with --eval-every")

        stage_ends(self.stages, self.episodes)

    @property
    def identity(self) -> dict[str, Any]:
        """Return the settings that must be equal for this plan to finish an interrupted training."""
        return {
            "kind": self.trainer.name,
            "game": self.game.name,
            "spec": self.trainer.spec,
            "seed": self.seed,
            "batched": self.workers is not None,
            "opponents": [str(stage) for stage in self.stages],
            "planned": self.episodes,
        }


def plan_training(
    trainer: Trainer,
    game: Game,
    episodes: int | None = None,
    stages: Sequence[Stage | str] = (),
    evaluate_every: int | None = None,
    opponents: Sequence[str] | None = None,
    matches: int = 50,
    *,
    truth: bool = True,
    **more: Any,
) -> TrainingPlan:
    """Return a plan, with defaults for stages, length and evaluation interval."""
    usual, length = trainer.defaults(game)
    check_list("opponents", stages, Stage | str, "specs or stages, such as ['random', 'rules']", TrainingError)
    parsed = tuple(parse_stage(one, game) if isinstance(one, str) else one for one in stages or usual)
    length = episodes if episodes is not None else total_episodes(parsed) or length
    length = check_integer("episodes", length, 1, MAX_EPISODES, TrainingError)
    return TrainingPlan(
        trainer,
        game,
        length,
        parsed,
        evaluate_every=-(-length // EVALUATIONS) if evaluate_every is None else evaluate_every,
        evaluation=Evaluation(opponents, matches, truth_measure(game) if truth else None),
        **more,
    )


@dataclass(repr=False)
class Training:
    """A training, in progress or finished: the learner, its history and the resulting agent."""

    plan: TrainingPlan
    clock: Clock = SYSTEM_CLOCK
    pool: Executor | None = None
    """Plays matches on other machines, if the learner can use it."""
    learner: Learner = field(init=False)
    history: list[dict[str, Any]] = field(init=False, default_factory=list)
    timing: list[dict[str, float]] = field(init=False, default_factory=list)
    stopped: str = field(init=False, default="")
    """The reason that it stopped early, or empty."""
    start: int = field(init=False, default=0)
    """Episodes of earlier plans."""
    earlier: list[dict[str, Any]] = field(init=False, default_factory=list)
    """The spec, the opponents and the number of episodes of each earlier plan."""

    def __post_init__(self) -> None:
        plan = self.plan
        plan.game.check_usual("training")
        if plan.workers is not None and any(stage.opponents != ("self",) for stage in plan.stages):
            raise TrainingError(f"{plan.trainer.name} trains against other agents without workers; omit --workers")
        self.learner = plan.trainer.learner(plan.game, plan.seed, plan.episodes, plan.workers, self.pool)
        if plan.log_episodes:
            self.learner.log = EpisodeLog()
        self._rates = self.learner.rates
        self._stage: Stage | None = None
        self._begun = self.clock.now()
        self._before = 0.0

    @property
    def end(self) -> int:
        """The last episode of the plan."""
        return self.start + self.plan.episodes

    @classmethod
    def resume(
        cls, plan: TrainingPlan, path: Path, clock: Clock = SYSTEM_CLOCK, pool: Executor | None = None
    ) -> Training:
        """Continue the training in a file.

        If it was interrupted and the plan is the same, the result is exactly the same as without the interruption.
        Otherwise the plan follows the earlier training, with its own number of episodes, opponents and rates.
        """
        check_instance("plan", plan, TrainingPlan, "a TrainingPlan", TrainingError)
        check_instance("clock", clock, Clock, "a Clock", TrainingError)
        path = as_path("path", path, TrainingError)
        with ModelFile(path) as file:
            kept = read_training(file)
            _check_continued(path, kept, plan)
            training = cls(plan, clock, pool)
            learner, planned = training.learner, training.learner.rates
            learner.restore(file)
            learner.log = read_log(file) or (EpisodeLog(learner.episodes + 1) if plan.log_episodes else None)
            training.history = file.header["history"]
            training.timing = file.header.get("timing", [])
        training._before = training.timing[-1]["seconds"] if training.timing else 0.0
        training.start, training.earlier, training._rates = kept["start"], list(kept["earlier"]), kept["rates"]
        if kept["now"] is not None and kept["now"] != learner.rates:
            learner.set_rates(kept["now"])
        if learner.episodes < training.end and all(kept[name] == value for name, value in plan.identity.items()):
            stage, begin, _ = training._stage_now()
            training._stage = stage if learner.episodes > begin else None
            return training
        training.earlier.append(
            {"spec": kept["spec"], "opponents": kept["opponents"], "episodes": learner.episodes - training.start}
        )
        training.start = learner.episodes
        before = training._rates
        if planned is None or before is None or not planned.endless or planned[:2] != before[:2]:
            training._rates = planned and planned._replace(episodes=learner.episodes, moves=learner.moves)
        return training

    def continued(self, plan: TrainingPlan) -> Training:
        """Return a training that continues this one by another plan."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.npz"
            self.save(path)
            return Training.resume(plan, path, self.clock)

    def _stage_now(self) -> tuple[Stage, int, int]:
        """Return the stage of the next episode, and the episodes at which it begins and ends."""
        ends = [self.start + end for end in stage_ends(self.plan.stages, self.plan.episodes)]
        index = min(bisect_right(ends, self.learner.episodes), len(ends) - 1)
        return self.plan.stages[index], ends[index - 1] if index else self.start, ends[index]

    def _enter(self, stage: Stage, length: int) -> None:
        """Set the rates of a stage that begins: its own, else those of the whole plan."""
        self._stage, learner, rates = stage, self.learner, self._rates
        if rates is None:
            if stage.alpha is not None or stage.epsilon is not None:
                raise TrainingError(f"{learner.kind} has no rates for a stage to set: {stage}")
            return
        if stage.alpha is not None or stage.epsilon is not None:
            alpha, epsilon = stage.alpha or rates.alpha, stage.epsilon or rates.epsilon
            rates = Rates(alpha, epsilon, length, learner.episodes, learner.moves)
        if rates != learner.rates:
            learner.set_rates(rates)

    def steps(self, stop: Stop | None = None, out: Path | None = None) -> Iterator[int]:
        """Train to the end and yield the number of episodes done several times a second. Evaluates, saves and stops
        early as planned; when ``stop`` is set, it saves and ends."""
        plan, learner = self.plan, self.learner
        check_instance("stop", stop, Stop | None, "a Stop or None", TrainingError)
        if out is not None:
            out = as_path("out", out, TrainingError)
        stop = stop or Stop()
        chunk = max(100, learner.step)
        while not self._done and not self.stopped:
            stage, begin, end = self._stage_now()
            if learner.episodes == begin or self._stage is None:
                self._enter(stage, end - begin)
            target = min(end, *self._marks())
            start = time.perf_counter()
            with self.clock.alarm(None, stop):
                done = learner.run(stage, min(chunk, target - learner.episodes), stop)
            elapsed = time.perf_counter() - start
            chunk = max(learner.step, min(10 * chunk, int(done * SLICE / max(elapsed, 1e-6)))) if done else chunk
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
        return self.learner.episodes >= self.end

    def _marks(self) -> list[int]:
        """Return the next episodes at which to evaluate, save or end."""
        plan, now = self.plan, self.learner.episodes
        every = [n for n in (plan.evaluate_every, plan.save_every) if n]
        return [self.end, *((now // n + 1) * n for n in every)]

    def _at_mark(self, out: Path | None) -> None:
        plan, now = self.plan, self.learner.episodes
        recorded = self.history[-1]["episodes"] if self.history else 0
        if plan.evaluate_every and now % plan.evaluate_every == 0 and now > recorded:
            self._record()
            if plan.patience and self._without_progress() >= plan.patience:
                self.stopped = f"{plan.patience} evaluations without improvement"
        if plan.save_every and now % plan.save_every == 0 and out is not None and now < self.end:
            self.save(out)
            if plan.backups:
                shutil.copy2(out, backup_name(out))

    def _record(self) -> None:
        learner, plan = self.learner, self.plan
        evaluation = plan.evaluation.settled(plan.stages, learner.seats)
        found = evaluation.measure(plan.game, learner.mind, derive(plan.seed, "evaluation", learner.episodes))
        self.history.append({"episodes": learner.episodes, **learner.tally(), **learner.size(), **found})
        seconds = self._before + self.clock.now() - self._begun
        self.timing.append({"episodes": learner.episodes, "seconds": round(seconds, 3)})

    def _without_progress(self) -> int:
        merits = [merit(entry) for entry in self.history]
        return len(merits) - 1 - merits.index(max(merits))

    def save(self, path: str | Path, *, slim: bool = False) -> Agent:
        """Write the model with its history and return the agent that plays with it.

        ``slim`` omits what only a resumed training needs.
        """
        file = as_path("path", path, TrainingError)
        check_flags(slim=slim)
        plan = self.plan
        header = {
            "kind": plan.trainer.name,
            "game": plan.game.name,
            "spec": plan.trainer.spec,
            "seed": plan.seed,
            "episodes": self.learner.episodes,
            "model": self.learner.header(),
            "training": {
                **plan.identity,
                "start": self.start,
                "earlier": self.earlier,
                "rates": self._rates and self._rates.to_json(),
                "now": self.learner.rates and self.learner.rates.to_json(),
            },
            "history": self.history,
            "timing": self.timing,
        }
        log = {} if slim or self.learner.log is None else self.learner.log.arrays()
        save(file, header, {**self.learner.arrays(slim), **log})
        return plan.trainer.agent_of(file)

    @property
    def agent(self) -> Agent:
        """The agent as trained so far, ready to play in this process."""
        plan, episodes = self.plan, self.learner.episodes
        return Held(self.learner.mind, f"{plan.trainer.spec} after {episodes} episodes", plan.game)

    def run(
        self, stop: Stop | None = None, out: Path | None = None, on_step: Callable[[int], None] | None = None
    ) -> None:
        """Train to the end."""
        check_callback("on_step", on_step)
        for episodes in self.steps(stop, out):
            if on_step is not None:
                on_step(episodes)

    def learn(
        self,
        episodes: int | None = None,
        *,
        trainer: Trainer | None = None,
        opponents: Sequence[Stage | str] = (),
        evaluate_every: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Training:
        """Train on: more episodes, other opponents, or a ``trainer`` with other parameters, such as its rates.

        Arguments that are not given keep their values. An unchanged schedule continues; a changed one starts anew.
        """
        before = self.plan
        check_instance("trainer", trainer, Trainer | None, "a Trainer or None", TrainingError)
        check_list("opponents", opponents, Stage | str, "specs or stages", TrainingError)
        check_callback("progress", progress)
        planned = before.episodes if episodes is None and not opponents else episodes
        plan = plan_training(
            trainer or before.trainer, before.game, planned, opponents or before.stages, evaluate_every,
            before.evaluation.opponents, before.evaluation.matches,
            log_episodes=before.log_episodes, seed=before.seed, workers=before.workers,
        )  # fmt: skip
        after = self.continued(plan)
        after.run(on_step=None if progress is None else lambda done: progress(done, after.end))
        return after

    def __repr__(self) -> str:
        plan, episodes = self.plan, counted(self.learner.episodes, "episode", "episodes")
        return f"<Training {plan.trainer.spec} on {plan.game.name}: {episodes}>"

    def _repr_html_(self) -> str:
        """Show the training curves in a notebook."""
        from inarow.drawing.svg import figure
        from inarow.report.curves import training_figure

        plan = self.plan
        if not self.history:
            return figure("", repr(self))
        drawn = training_figure([{"game": plan.game.name, "spec": plan.trainer.spec, "history": self.history}])
        return figure(drawn.svg[drawn.svg.index("<svg") :], f"{repr(self)[1:-1]}. {drawn.caption}")


def read_training(file: ModelFile) -> dict[str, Any]:
    """Return the training settings and state in a model file."""
    training = file.header.get("training")
    if not isinstance(training, dict) or not file.has("state"):
        raise ModelError(f"{file.path} has no training state in it (a slim model?); it can be played, not continued")
    try:
        found = {**training, **{name: training[name] and Rates.from_json(training[name]) for name in ("rates", "now")}}
        counts = [found[name] for name in ("start", "planned", "seed")]
        if any(type(one) is not int for one in counts) or not 0 <= found["start"] <= file.header["episodes"]:
            raise ValueError("not a count")
        if (
            not all(isinstance(found[name], str) for name in ("kind", "game", "spec"))
            or type(found["batched"]) is not bool
        ):
            raise TypeError("not a name")
        return {**found, "earlier": training["earlier"], "opponents": training["opponents"]}
    except (KeyError, TypeError, ValueError):
        raise ModelError(f"{file.path}: its training is not described; start again without --resume") from None


def _check_continued(path: Path, kept: Mapping[str, Any], plan: TrainingPlan) -> None:
    """Raise `TrainingError` if the training of a file can't be continued by a plan."""
    if kept["kind"] != plan.trainer.name:
        raise TrainingError(f"{path} is a model of {kept['kind']}; {plan.trainer.name} can't continue it")
    if kept["game"] != plan.game.name:
        raise TrainingError(f"{path} was trained on {kept['game']} and can't be continued on {plan.game}")
    if kept["seed"] != plan.seed:
        raise TrainingError(f"{path} was trained with seed {kept['seed']}, which can't become {plan.seed}; omit --seed")
    if kept["batched"] != (plan.workers is not None):
        how = "with" if kept["batched"] else "without"
        raise TrainingError(f"{path} was trained {how} --workers, which learn in batches; continue it {how} them")


def backup_name(path: Path) -> Path:
    """Return an unused path with date, time and number in its name."""
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    names = (path.with_name(f"{path.stem}.{stamp}-{number}{path.suffix}") for number in itertools.count(1))
    return next(name for name in names if not name.exists())


def curve_rows(header: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one row per evaluation: the training's tally, win rates by opponent and seat, and accuracy."""
    rows = []
    for entry, timing in zip(header["history"], header.get("timing") or [{}] * len(header["history"]), strict=False):
        row = {name: value for name, value in entry.items() if name not in ("matches", "truth")}
        matches = max(1, entry["wins"] + entry["draws"] + entry["losses"])
        row["win_rate"] = entry["wins"] / matches
        row["seconds"] = timing.get("seconds")
        for opponent, seats in entry.get("matches", {}).items():
            for seat, counts in seats.items():
                total = max(1, sum(counts.values()))
                for name in ("wins", "draws", "losses"):
                    row[f"{opponent} as {seat} {name}"] = counts[name] / total
        row.update(entry.get("truth", {}))
        rows.append(row)
    return rows


def write_table(headers: Sequence[Mapping[str, Any]], out: IO[str]) -> None:
    """Write the histories of models as CSV, one row for each evaluation."""
    rows = [{"spec": one["spec"], "seed": one["seed"], **row} for one in headers for row in curve_rows(one)]
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    writer.writerows(rows)
