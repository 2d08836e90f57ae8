"""Trainings as experiments: what they are given, what they keep, and their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarow.report.curves import Axis, Curve, curves
from inarow.report.style import Figure
from inarow.rules import Game
from inarow.stats import Interval, wilson
from inarow.studies.framework.study import Measured, Plan, measurement

if TYPE_CHECKING:
    from inarow.training.evaluation import TruthMeasure


def training(
    spec: str, game: Game, episodes: int, plan: Plan, *, every: int = 0, matches: int = 0, model: str = "",
    opponents: Sequence[str] = (), against: Sequence[str] = (), seed: int | None = None, truth: bool = False,
    sample: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """The settings of a training: against ``opponents`` (one stage each; none given: the learner's own), evaluated
    after each ``every`` episodes in ``matches`` matches in each seat against each of ``against``, and against the exact
    truth if asked for, before the first episode too: in ``sample`` positions, or as many as is usual."""
    return {
        "agent": spec,
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
    """Train as set; the history is the result, and the model is kept if a file is named."""
    from inarow.agents import agent
    from inarow.rules import game
    from inarow.training import Trainer, TrainingPlan, parse_stages
    from inarow.training.evaluation import Evaluation
    from inarow.training.opponents import defaults

    board, learner = game(settings["game"]), agent(settings["agent"])
    usual, _ = defaults(learner, board)
    truth = truth_of(board, settings.get("sample")) if settings["truth"] else None
    plan = TrainingPlan(
        agent=learner,
        game=board,
        episodes=settings["episodes"],
        stages=parse_stages(settings["opponents"] or usual, board),
        seed=settings["seed"],
        evaluate_every=settings["every"],
        evaluation=Evaluation(settings["against"], max(1, settings["matches"]), truth),
    )
    trainer = Trainer(plan)
    untrained = []
    if truth is not None:
        found = plan.evaluation.measure(board, trainer.learner.mind, plan.seed)
        untrained = [{"episodes": 0, **trainer.learner.tally(), **trainer.learner.size(), **found}]
    trainer.run()
    if settings["model"]:
        path = Path(settings["model"])
        path.parent.mkdir(exist_ok=True)
        trainer.save(path, slim=True)
    last = trainer.history[-1]
    said = f"{settings['agent']} learnt from {settings['episodes']:,} episodes; {last['entries']:,} entries"
    timing = [{"episodes": 0, "seconds": 0.0} for _ in untrained] + trainer.timing
    return Measured({"history": untrained + trainer.history, "verdict": said}, {"history": timing})


@cache
def truth_of(game: Game, sample: int | None = None) -> TruthMeasure:
    """The measure of truth of a game, with all that must be solved for it solved before a clock runs."""
    from inarow.agents import agent
    from inarow.rules import FIRST
    from inarow.training.evaluation import truth_measure

    measure = truth_measure(game, sample)
    measure(lambda seed: agent("random").start(game, FIRST, seed))
    return measure


def win_rates(entry: Mapping[str, Any]) -> Interval | None:
    """The share of wins of one evaluation, all opponents and both seats together; of training itself if there was
    no evaluation."""
    counts = [seat for seats in entry["matches"].values() for seat in seats.values()]
    if not counts:
        counts = [{name: entry[name] for name in ("wins", "draws", "losses")}]
    return wilson(sum(c["wins"] for c in counts), sum(sum(c.values()) for c in counts))


def curve_figure(
    key: str, title: str, lines: Mapping[str, Sequence[Mapping[str, Any]]], measure: str = "", by: str = "episodes"
) -> Figure:
    """Training curves, one line for each name, over one training or, as mean with least and most, over several seeds.

    Shown is the win rate, or a measure of truth by its name; against episodes or seconds.
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
    x = Axis("episodes", "count") if by == "episodes" else Axis("seconds of training and judging", "number")
    y = Axis(measure or "win rate", "percent", low=-3, high=103)
    several = any(len(runs) > 1 for runs in lines.values())
    band = "Bands: least to most over the seeds." if several else "Bands: 95 % intervals." if not measure else ""
    return curves(key, title, x, y, drawn, band)


def _figure_of(entry: Mapping[str, Any], measure: str) -> float | Interval | None:
    if not measure:
        return win_rates(entry)
    value = entry.get("truth", {}).get(measure)
    return None if value is None else float(value)
