"""Learning curves: how often a learner's move keeps the exact value, by episodes of training, over several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inarow.report.cells import Cell, Column, shown
from inarow.report.curves import Axis, Curve, curves
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import Interval
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections.trainings import train, training
from inarow.training.evaluation import KEPT

RUNS = 5
POINTS = 8
"""Evaluations of a run, besides the one before it."""
SAMPLE = 300
"""Positions that a learner is evaluated in."""


class Learner(NamedTuple):
    """A learner of one game, trained in several runs from different seeds."""

    game: Game
    key: str
    label: str
    spec: str
    episodes: tuple[int, int]
    """At either scale."""

    def model(self, run: int = 0) -> str:
        """The file of a run's model in the study's folder."""
        return f"models/{self.game.name}-{self.key}-{run}.npz"


LEARNERS = (
    Learner(TICTACTOE, "qlearning", "Q-learning", "qlearning", (10_000, 100_000)),
    Learner(TICTACTOE, "guided", "guided Q-learning", "qlearning:guide=heuristic", (10_000, 100_000)),
    Learner(TICTACTOE, "ntuple", "n-tuple", "ntuple:tuples=8,length=6", (10_000, 100_000)),
    Learner(CONNECT4, "qlearning", "Q-learning", "qlearning", (80_000, 1_000_000)),
    Learner(CONNECT4, "guided", "guided Q-learning", "qlearning:guide=heuristic", (80_000, 1_000_000)),
    Learner(CONNECT4, "ntuple", "n-tuple", "ntuple", (40_000, 500_000)),
)


def trainings(plan: Plan) -> list[Measurement]:
    """Every run of every learner, the longest first."""
    made = []
    for learner in reversed(LEARNERS):
        episodes = plan.pick(*learner.episodes)
        for run in range(RUNS):
            settings = training(
                learner.spec, learner.game, episodes, plan, every=max(1, episodes // POINTS), seed=plan.seed + run,
                model="" if run or learner.key == "ntuple" else learner.model(), truth=True,
                sample=plan.pick(SAMPLE, SAMPLE),
            )  # fmt: skip
            key = f"{learner.game.name}-train-{learner.key}-{run}"
            made.append(Measurement(key, train, settings, weight=2 + episodes // 2_000))
    return made


def _runs(found: StudyResults, learner: Learner) -> list[Mapping[str, Any]]:
    """The finished runs of a learner."""
    known = [found.measured(f"{learner.game.name}-train-{learner.key}-{run}") for run in range(RUNS)]
    return [run for run in known if run is not None]


def _spread(runs: Sequence[Mapping[str, Any]], point: int) -> Interval:
    """The mean over the runs at one evaluation, with the least and the greatest."""
    rates = [float(run["history"][point]["truth"][KEPT]) for run in runs]
    return Interval(sum(rates) / len(rates), min(rates), max(rates))


class Learnt(NamedTuple):
    """The runs of one learner: the spread over them before, during and after training."""

    learner: Learner
    runs: int
    episodes: int
    points: list[tuple[float, Interval]]
    entries: float
    seconds: float
    """Of a run, with its evaluations."""


def learnt(found: StudyResults, game: Game) -> list[Learnt]:
    """Read the finished runs of each learner of a game."""
    made = []
    for learner in LEARNERS:
        if learner.game == game and (runs := _runs(found, learner)):
            history = runs[0]["history"]
            points = [(float(entry["episodes"]), _spread(runs, point)) for point, entry in enumerate(history)]
            last = [run["history"][-1] for run in runs]
            entries = sum(entry["entries"] for entry in last) / len(last)
            seconds = sum(run["timing"]["history"][-1]["seconds"] for run in runs) / len(runs)
            made.append(Learnt(learner, len(runs), int(points[-1][0]), points, entries, seconds))
    return made


def learning_figure(game: Game, found: Sequence[Learnt]) -> Figure:
    """The mean of the runs with the band from the least to the greatest."""
    lines = [Curve(one.learner.label, one.points) for one in found]
    x, y = Axis("episodes of training", "count"), Axis("exact value kept", "percent", low=-3, high=103)
    caption = (
        f"Share of positions in which the move keeps the exact value; mean of {found[0].runs} runs, bands from the "
        "least to the greatest. At 0 episodes the table or network is empty."
    )
    return curves(f"{game.name}-learning", f"{game.title}: learning curves", x, y, lines, caption)


def learning_table(game: Game, found: Sequence[Learnt]) -> Table:
    """Every learner before and after its training."""
    rows: list[tuple[Cell, ...]] = [
        (one.learner.label, one.runs, one.episodes, one.points[0][1], one.points[-1][1], one.entries, one.seconds)
        for one in found
    ]
    heads = (
        "learner", Column("runs", "count"), Column("episodes", "count"), Column("untrained", "percent"),
        Column("trained", "percent"), Column("entries", "count"), Column("time", "seconds"),
    )  # fmt: skip
    note = "Exact value kept: mean over the runs (least–greatest). Time: of one run, with its evaluations."
    return table(f"{game.name}-trained", f"{game.title}: before and after training", heads, rows, note)


def learning_findings(game: Game, found: Sequence[Learnt]) -> list[str]:
    """What training changed, with the range over the runs."""
    parts = [
        f"{one.learner.label} from {_range(one.points[0][1])} to {_range(one.points[-1][1])} in "
        f"{shown('count', one.episodes)} episodes"
        for one in found
    ]
    measure = "moves that keep the exact value before and after training, mean (range)"
    return [f"{game.title}, {measure} of {found[0].runs} runs: {', '.join(parts)}."] if found else []


def _range(rate: Interval) -> str:
    return shown("percent", rate if rate.low < rate.high else rate.estimate)
