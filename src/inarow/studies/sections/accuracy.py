"""Kept value: how often agents play a move that keeps the exact value, as experiments, a table and a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inarow.formatting import listed
from inarow.report.cells import Blank, Cell, Column
from inarow.report.curves import Axis, Curve, curves
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.rules import Game
from inarow.stats import Interval, wilson
from inarow.studies.framework.measurements import grade
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults

WHAT = (
    "Only positions where it matters what is played: not all moves have the same exact verdict. Those of Tic Tac Toe "
    "are drawn from all of each ply; those of Connect 4 are of the shipped truth set, with the exact score of every "
    "move, in bands of five plies from 8 to 37."
)
FEW = 30
"""Positions of each band that a player is graded on who solves each of them."""


def gradings(game: Game, agents: Sequence[str], plan: Plan) -> list[Measurement]:
    """One measurement for each agent."""
    made = []
    for spec in agents:
        count = plan.pick(FEW, FEW) if spec.startswith("perfect") else plan.pick(80, 200)
        settings = {"agent": spec, "game": game.name, "count": count, "seed": plan.seed}
        made.append(Measurement(f"{game.name}-grade-{spec}", grade, settings, weight=20))
    return made


def graded(found: StudyResults, game: Game) -> dict[str, dict[str, Any]]:
    """What was found, by agent."""
    start = f"{game.name}-grade-"
    known = {key.removeprefix(start): found.measured(key) for key in found.keys("measure") if key.startswith(start)}
    # What a limit in seconds decides is kept under timing.
    return {spec: {**m, **m["timing"]} for spec, m in known.items() if m is not None}


def kept_rate(measured: Mapping[str, Any]) -> Interval | None:
    """The share of positions whose value was kept."""
    return wilson(measured["kept"], measured["positions"])


def _by_share(item: tuple[str, Mapping[str, Any]]) -> tuple[float, str]:
    """For sorting: the greatest share of kept values first."""
    return -item[1]["kept"] / max(1, item[1]["positions"]), item[0]


def accuracy_table(game: Game, known: Mapping[str, Mapping[str, Any]], key: str) -> Table:
    """Agents by kept value, the best first."""
    rows: list[tuple[Cell, ...]] = []
    for spec, m in sorted(known.items(), key=_by_share):
        rows.append((spec, m["positions"], m["kept"], kept_rate(m) or Blank("no position was graded")))
    heads = ("agent", Column("positions", "count"), Column("value kept", "count"), Column("share", "percent"))
    return table(key, f"{game.title}: how often the exact value is kept", heads, rows, WHAT)


def accuracy_figure(game: Game, known: Mapping[str, Mapping[str, Any]], key: str) -> Figure:
    """Kept value by the number of stones on the board."""
    lines = []
    for spec, m in sorted(known.items(), key=_by_share):
        points = [(float(ply), kept / count) for ply, (kept, count) in m["by_ply"].items()]
        lines.append(Curve(spec, points))
    return curves(
        key,
        f"{game.title}: accuracy by ply against the truth",
        Axis("stones on the board", whole=True),
        Axis("value kept", "percent", low=-3, high=103),
        lines,
        "Share of positions in which the move keeps the exact verdict.",
    )


def accuracy_sentences(game: Game, known: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Who keeps the value most often, if that is shown."""
    from inarow.report.cells import shown
    from inarow.report.sentences import rate_difference

    rates = {
        spec: rate for spec, m in known.items() if (rate := kept_rate(m)) is not None and not spec.startswith("perfect")
    }
    if len(rates) < 2:
        return []
    order = sorted(rates, key=lambda spec: (-rates[spec].estimate, spec))
    best = order[0]
    level = [spec for spec in order[1:] if rate_difference(rates[best], rates[spec]).low <= 0]
    said = f"{game.title}: apart from the solver itself, {best} keeps the exact value most often, in "
    said += f"{shown('percent', rates[best])} of positions where it matters"
    if not level:
        return [f"{said}."]
    return [f"{said}; no difference to {listed(level)} is shown."]
