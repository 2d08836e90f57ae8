"""How many episodes of training a learner needs to judge positions as well as a search: experiments and a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.agents import agent
from inarow.formatting import listed
from inarow.report.cells import shown
from inarow.report.curves import Axis, Curve
from inarow.report.page import Section
from inarow.report.panels import overtaking
from inarow.rules import Game
from inarow.stats import Interval
from inarow.studies.framework.measurements import train_and_grade
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections.accuracy import Graded, read_grade
from inarow.studies.sections.takeaways import series_of

MARKS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
"""Episodes of training."""
MOST = (100_000, 1_000_000)
"""At either scale."""
SEARCHES = ("minimax", "alphabeta", "mcts")


def trainings(game: Game, spec: str, count: int, plan: Plan) -> list[Measurement]:
    """One training for each number of episodes, the longest first: it decides how long they all take."""
    most = plan.pick(*MOST)
    settings = {"agent": spec, "game": game.name, "count": count, "values": 0, "seed": plan.seed}
    return [
        Measurement(_key(game, mark), train_and_grade, {**settings, "episodes": mark}, weight=10 + mark // 1000)
        for mark in sorted(MARKS, reverse=True)
        if mark <= most
    ]


def _key(game: Game, mark: int) -> str:
    return f"{game.name}-trained-{mark}"


def overtaking_section(
    found: StudyResults, game: Game, known: Mapping[str, Graded], specs: Mapping[str, str]
) -> Section | None:
    """The learner's accuracy by episodes of training, beside that of the searches; None if nothing was trained."""
    points: list[tuple[float, Interval]] = []
    for mark in MARKS:
        graded = read_grade(found, _key(game, mark))
        if graded is not None and (rate := graded.total.kept_rate) is not None:
            points.append((float(mark), rate))
    searches = [name for name in known if specs.get(name, "").partition(":")[0] in SEARCHES]
    levels = [(name, rate.estimate) for name in searches if (rate := known[name].total.kept_rate) is not None]
    if not points or not levels:
        return None
    key = f"{game.name}-overtaking"
    trained = agent(found.config(_key(game, int(points[0][0])))["settings"]["agent"]).spec
    label = next((name for name, spec in specs.items() if spec == trained), trained)
    figure = overtaking(
        key,
        f"{game.title}: training {'overtakes' if _passed(points, levels) else 'against'} search",
        Axis("episodes of training", "count", log=True),
        Axis("value kept", "percent"),
        Curve(f"{label}, trained anew", points),
        levels,
        "Share of the same positions in which the move keeps the exact verdict. Each point is a training of its own, "
        "from nothing, by self-play; the band is its 95 % interval.",
    )
    return Section(f"{game.title}: training against search", (_sentence(label, points, levels), figure))


def _passed(points: Sequence[tuple[float, Interval]], levels: Sequence[tuple[str, float]]) -> dict[float, list[str]]:
    """The searches that the learner draws level with, by the episodes after which it does."""
    passed: dict[float, list[str]] = {}
    for name, level in sorted(levels, key=lambda one: one[1]):
        mark = next((at for at, rate in points if rate.estimate >= level), None)
        if mark is not None:
            passed.setdefault(mark, []).append(name)
    return passed


def _sentence(label: str, points: Sequence[tuple[float, Interval]], levels: Sequence[tuple[str, float]]) -> str:
    """When the learner draws level with each search, by the estimates; and which it is shown to have overtaken."""
    passed = _passed(points, levels)
    told = [f"with {listed(names)} after {shown('count', mark)}" for mark, names in sorted(passed.items())]
    left = [name for name, _ in levels if not any(name in names for names in passed.values())]
    last, rate = points[-1]
    beaten = [name for name, level in levels if rate.low > level]
    said = []
    if told:
        said.append(
            f"By the estimates {label}, starting from nothing, draws level {series_of(told)} episodes of self-play."
        )
    if beaten:
        said.append(f"After {shown('count', last)} episodes its interval lies above {listed(beaten)}.")
    if left:
        said.append(f"After {shown('count', last)} episodes it has not reached {listed(left)}.")
    return " ".join(said)
