"""Trainings as experiments: settings, measurement, and training curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inarow.report.curves import Axis, Curve, curves
from inarow.report.style import Figure
from inarow.report.tables import Cell, Column, Table, shown, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import Interval, wilson
from inarow.studies.base import Measured, Measurement, Plan, StudyResults, measurement
from inarow.training.training import KEPT

if TYPE_CHECKING:
    from inarow.training.training import TruthMeasure


def training(
    spec: str, game: Game, episodes: int, plan: Plan, *, every: int = 0, matches: int = 0, model: str = "",
    opponents: Sequence[str] = (), against: Sequence[str] = (), seed: int | None = None, truth: bool = False,
    sample: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """Return the settings of a training.

    The learner trains against ``opponents``, one stage each (by default its own), and is evaluated after every
    ``every`` episodes in ``matches`` matches per seat against each agent of ``against``. With ``truth`` it is also
    graded in ``sample`` exactly solved positions, before the first episode too.
    """
    return {
        "trainer": spec,
        "game": game.name,
        "episodes": episodes,
        "opponents": list(opponents),
        "every": every,
        "matches": matches,
        "against": list(against),
        "seed": plan.seed if seed is None else seed,
        "truth": truth,
        "model": model,
        **({"sample": sample} if sample else {}),
    }


@measurement("train")
def train(settings: dict[str, Any]) -> Measured:
    """Train an agent; the result is the history, and the model is saved if a file is named."""
    from inarow.rules import game
    from inarow.training import Training, TrainingPlan, parse_stages, trainer
    from inarow.training.training import Evaluation

    board, made = game(settings["game"]), trainer(settings["trainer"])
    usual, _ = made.defaults(board)
    truth = truth_of(board, settings.get("sample")) if settings["truth"] else None
    plan = TrainingPlan(
        trainer=made,
        game=board,
        episodes=settings["episodes"],
        stages=parse_stages(settings["opponents"] or usual, board),
        seed=settings["seed"],
        evaluate_every=settings["every"],
        evaluation=Evaluation(settings["against"], max(1, settings["matches"]), truth),
    )
    training = Training(plan)
    untrained = []
    if truth is not None:
        found = plan.evaluation.measure(board, training.learner.mind, plan.seed)
        untrained = [{"episodes": 0, **training.learner.tally(), **training.learner.size(), **found}]
    training.run()
    if settings["model"]:
        path = Path(settings["model"])
        path.parent.mkdir(exist_ok=True)
        training.save(path, slim=True)
    last = training.history[-1]
    said = f"{settings['trainer']} learnt from {settings['episodes']:,} episodes; {last['entries']:,} entries"
    timing = [{"episodes": 0, "seconds": 0.0} for _ in untrained] + training.timing
    return Measured({"history": untrained + training.history, "verdict": said}, {"history": timing})


@cache
def truth_of(game: Game, sample: int | None = None) -> TruthMeasure:
    """Return the truth measure of a game, with all positions solved beforehand so that timing excludes it."""
    from inarow.agents import agent
    from inarow.rules import FIRST
    from inarow.training.training import truth_measure

    measure = truth_measure(game, sample)
    measure(lambda seed: agent("random").start(game, FIRST, seed))
    return measure


def win_rates(entry: Mapping[str, Any]) -> Interval | None:
    """Return the win rate of an evaluation over all opponents and seats, or of training if there was none."""
    counts = [seat for seats in entry["matches"].values() for seat in seats.values()]
    if not counts:
        counts = [{name: entry[name] for name in ("wins", "draws", "losses")}]
    return wilson(sum(c["wins"] for c in counts), sum(sum(c.values()) for c in counts))


def curve_figure(
    key: str, title: str, lines: Mapping[str, Sequence[Mapping[str, Any]]], measure: str = "", by: str = "episodes"
) -> Figure:
    """Plot training curves, one line per name; several seeds give a mean with a band from minimum to maximum.

    Shows the win rate, or the named truth measure, against episodes or seconds.
    """
    drawn = []
    for name, runs in lines.items():
        points: list[tuple[float, float | Interval]] = []
        for index, entry in enumerate(runs[0]["history"]):
            at = entry["episodes"] if by == "episodes" else runs[0]["timing"]["history"][index]["seconds"]
            seen = [_figure_of(run["history"][index], measure) for run in runs if index < len(run["history"])]
            known = [value for value in seen if value is not None]
            if not known:
                continue
            if len(runs) == 1:
                points.append((at, known[0]))
            else:
                rates = [value.estimate if isinstance(value, Interval) else value for value in known]
                points.append((at, Interval(sum(rates) / len(rates), min(rates), max(rates))))
        drawn.append(Curve(name, points))
    x = Axis("episodes", "count") if by == "episodes" else Axis("seconds of training and evaluation", "number")
    y = Axis(measure or "win rate", "percent", low=-3, high=103)
    several = any(len(runs) > 1 for runs in lines.values())
    band = "Bands: minimum to maximum over the seeds." if several else "Bands: 95 % intervals." if not measure else ""
    return curves(key, title, x, y, drawn, band)


def _figure_of(entry: Mapping[str, Any], measure: str) -> float | Interval | None:
    if not measure:
        return win_rates(entry)
    value = entry.get("truth", {}).get(measure)
    return None if value is None else float(value)


RUNS = 5
POINTS = 8
"""Evaluations per run, in addition to the one before training."""
SAMPLE = 300
"""Number of positions in evaluations."""


class LearnerPlan(NamedTuple):
    """A learner of one game, trained in several runs from different seeds."""

    game: Game
    key: str
    label: str
    spec: str
    episodes: tuple[int, int]
    """At each scale."""

    def model(self, run: int = 0) -> str:
        """Return the path of a run's model in the study's folder."""
        return f"models/{self.game.name}-{self.key}-{run}.npz"


LEARNERS = (
    LearnerPlan(TICTACTOE, "qlearning", "Q-learning", "qlearning", (10_000, 100_000)),
    LearnerPlan(TICTACTOE, "guided", "guided Q-learning", "qlearning:guide=heuristic", (10_000, 100_000)),
    LearnerPlan(TICTACTOE, "ntuple", "n-tuple", "ntuple:tuples=8,length=6", (10_000, 100_000)),
    LearnerPlan(CONNECT4, "qlearning", "Q-learning", "qlearning", (80_000, 1_000_000)),
    LearnerPlan(CONNECT4, "guided", "guided Q-learning", "qlearning:guide=heuristic", (80_000, 1_000_000)),
    LearnerPlan(CONNECT4, "ntuple", "n-tuple", "ntuple", (40_000, 500_000)),
)


def trainings(plan: Plan) -> list[Measurement]:
    """Return every run of every learner, longest first."""
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


def _runs(found: StudyResults, learner: LearnerPlan) -> list[Mapping[str, Any]]:
    """Return the finished runs of a learner."""
    known = [found.measured(f"{learner.game.name}-train-{learner.key}-{run}") for run in range(RUNS)]
    return [run for run in known if run is not None]


def _spread(runs: Sequence[Mapping[str, Any]], point: int) -> Interval:
    """Return mean, minimum and maximum over the runs at one evaluation."""
    rates = [float(run["history"][point]["truth"][KEPT]) for run in runs]
    return Interval(sum(rates) / len(rates), min(rates), max(rates))


class Learnt(NamedTuple):
    """The runs of one learner: the spread over them before, during and after training."""

    learner: LearnerPlan
    runs: int
    episodes: int
    points: list[tuple[float, Interval]]
    entries: float
    seconds: float
    """Time of one run, evaluations included."""


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
    """Plot the mean of the runs with a band from minimum to maximum."""
    lines = [Curve(one.learner.label, one.points) for one in found]
    x, y = Axis("episodes of training", "count"), Axis("exact value kept", "percent", low=-3, high=103)
    caption = (
        f"Share of positions whose move keeps the exact value; mean of {found[0].runs} runs, bands from minimum to "
        "maximum. At 0 episodes the table or network is empty."
    )
    return curves(f"{game.name}-learning", f"{game.title}: learning curves", x, y, lines, caption)


def learning_table(game: Game, found: Sequence[Learnt]) -> Table:
    """Return every learner before and after its training."""
    rows: list[tuple[Cell, ...]] = [
        (one.learner.label, one.runs, one.episodes, one.points[0][1], one.points[-1][1], one.entries, one.seconds)
        for one in found
    ]
    heads = (
        "learner", Column("runs", "count"), Column("episodes", "count"), Column("untrained", "percent"),
        Column("trained", "percent"), Column("entries", "count"), Column("time", "seconds"),
    )  # fmt: skip
    note = "Exact value kept: mean over the runs (minimum–maximum). Time: one run, evaluations included."
    return table(f"{game.name}-trained", f"{game.title}: before and after training", heads, rows, note)


def learning_findings(game: Game, found: Sequence[Learnt]) -> list[str]:
    """State the effect of training, with the range over the runs."""
    parts = [
        f"{one.learner.label} from {_range(one.points[0][1])} to {_range(one.points[-1][1])} in "
        f"{shown('count', one.episodes)} episodes"
        for one in found
    ]
    measure = "moves that keep the exact value before and after training, mean (range)"
    return [f"{game.title}, {measure} of {found[0].runs} runs: {', '.join(parts)}."] if found else []


def _range(rate: Interval) -> str:
    return shown("percent", rate if rate.low < rate.high else rate.estimate)
