"""Accuracy against exact values, of moves and of values: experiments, tables and a figure by phase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarow.formatting import counted
from inarow.report.charts import small_multiples
from inarow.report.curves import Axis, Curve
from inarow.report.style import Figure
from inarow.report.tables import Blank, Cell, Column, Table, shown, table
from inarow.rules import Game
from inarow.studies.framework.measurements import VALUES, grade
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.truth import Accuracy
from inarow.truth.accuracy import NAMES, ValueAccuracy

WHAT = (
    "Positions with a choice (moves differ in exact value), the same for every agent, {source}. Best score: the "
    "quickest win, or the longest resistance."
)
SOURCES = {"connect4": "from the shipped truth set, in bands of five plies"}
DRAWN = "drawn from all of each band of plies and solved"
VALUES_NOTE = (
    "A value above 1/3 reads as a win, below −1/3 as a loss, otherwise as a draw; balanced accuracy is the mean over "
    "the three outcomes. Skill is the Brier skill score of the expected score: 1 for exact values, 0 for the best "
    "constant, which the last row shows."
)
GRADED = (60, 200)
"""Positions of each band, at either scale."""


def gradings(game: Game, agents: Sequence[str], plan: Plan) -> list[Measurement]:
    """One measurement for each agent, all on the same positions."""
    settings = {"game": game.name, "count": plan.pick(*GRADED), "values": plan.pick(VALUES, VALUES), "seed": plan.seed}
    return [Measurement(f"{game.name}-grade-{spec}", grade, {"agent": spec, **settings}, weight=20) for spec in agents]


class Graded(NamedTuple):
    """An agent's accuracy, over all positions and by the number of stones on the board."""

    total: Accuracy
    by_ply: Mapping[int, Accuracy]
    values: Mapping[int, ValueAccuracy] = {}
    """How good its values are, by the number of stones."""


def graded(found: StudyResults, game: Game) -> dict[str, Graded]:
    """The accuracy of each agent that was graded."""
    start = f"{game.name}-grade-"
    keys = [key for key in found.keys("measurement") if key.startswith(start)]
    known = {key.removeprefix(start): read_grade(found, key) for key in keys}
    return {spec: graded for spec, graded in known.items() if graded is not None}


def read_grade(found: StudyResults, key: str) -> Graded | None:
    """The accuracy that a measurement by `grade` has stored; None if it has not run yet."""
    measured = found.measured(key)
    if measured is None:
        return None
    counts = {**measured, **measured["timing"]}  # under timing if a limit in seconds decided it
    by_ply = {int(ply): Accuracy.from_json(one) for ply, one in counts["by_ply"].items()}
    values = {int(ply): ValueAccuracy.from_json(one) for ply, one in counts.get("values_by_ply", {}).items()}
    return Graded(sum(by_ply.values(), Accuracy()), by_ply, values)


def accuracy_table(game: Game, known: Mapping[str, Graded], key: str, order: Sequence[str]) -> Table:
    """Agents by kept value, in this order."""
    rows: list[tuple[Cell, ...]] = []
    for name in _ordered(known, order):
        total = known[name].total
        rates = (rate or Blank("no position was graded") for rate in (total.kept_rate, total.perfect_rate))
        rows.append((name, total.moves, *rates))
    heads = (
        "agent",
        Column("positions with a choice", "count"),
        Column("exact value kept", "percent"),
        Column("best score", "percent"),
    )
    return table(
        key,
        f"{game.title}: accuracy of moves",
        heads,
        rows,
        WHAT.format(source=SOURCES.get(game.name, DRAWN)),
    )


def values_table(game: Game, known: Mapping[str, Graded], key: str, order: Sequence[str]) -> Table | None:
    """How well each agent's values tell outcomes apart, above the best constant; None if no agent has values."""
    bands = sorted({middle for one in known.values() for middle in one.values})
    rows: list[tuple[Cell, ...]] = []
    positions = 0
    for name in _ordered(known, order):
        values = known[name].values
        total = sum(values.values(), ValueAccuracy())
        if (skill := total.skill) is None:
            continue
        positions = max(positions, total.positions)
        recalls = [total.recall(outcome) or 0.0 for outcome in NAMES]
        by_band = [values.get(middle, ValueAccuracy()).skill for middle in bands]
        cells = [Blank("no values there") if one is None else one.estimate for one in by_band]
        rows.append((name, *recalls, total.balanced_accuracy or 0.0, skill, *cells))
    if not rows:
        return None
    rows.append(("best constant (0)", 0.0, 1.0, 0.0, 1 / 3, 0.0, *(0.0 for _ in bands)))
    heads: list[Column | str] = ["agent", *(Column(f"{name} recognised", "percent") for name in NAMES.values())]
    heads += [Column("balanced accuracy", "percent"), Column("skill", "fixed")]
    heads += [Column(f"skill at {counted(middle, 'stone', 'stones')}", "fixed") for middle in bands]
    sample = f"{positions} positions, a third each won, drawn and lost for the side to move, in every band of plies. "
    return table(key, f"{game.title}: accuracy of values", heads, rows, sample + VALUES_NOTE)


def _ordered(known: Mapping[str, Graded], order: Sequence[str]) -> list[str]:
    """Those of an order that are known, and then the others."""
    return [*(name for name in order if name in known), *(name for name in known if name not in order)]


def accuracy_multiples(game: Game, known: Mapping[str, Graded], key: str, order: Sequence[str]) -> Figure:
    """Kept value by the number of stones on the board, a panel for each agent."""
    lines = []
    for name in _ordered(known, order):
        points = [(float(ply), rate) for ply, one in known[name].by_ply.items() if (rate := one.kept_rate) is not None]
        lines.append(Curve(name, points))
    return small_multiples(
        key,
        f"{game.title}: accuracy of moves by phase",
        Axis("stones on the board", whole=True),
        Axis("exact value kept", "percent", low=-3, high=103),
        lines,
        "Share of positions in which the move keeps the exact value, with 95 % intervals; grey: the other agents.",
    )


def accuracy_finding(game: Game, known: Mapping[str, Graded]) -> list[str]:
    """The share of kept values of each agent, with its interval, the highest first."""
    rates = {name: rate for name, one in known.items() if (rate := one.total.kept_rate) is not None}
    told = [f"{name} {shown('percent', rates[name])}" for name in sorted(rates, key=lambda name: -rates[name].estimate)]
    return [f"{game.title}, moves that keep the exact value where it can be lost: {', '.join(told)}."] if told else []
