"""Kept value: how often agents play a move that keeps the exact value, as experiments, a table and a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarow.formatting import capitalised, listed
from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.curves import Axis, Curve
from inarow.report.panels import small_multiples
from inarow.report.sentences import rate_difference
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.rules import Game
from inarow.studies.framework.measurements import grade
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.truth import Accuracy
from inarow.truth.estimates import ValueAccuracy

WHAT = (
    "Only positions where it matters what is played: not all moves have the same exact verdict. {source} The last "
    "column is the share of moves with the best score: the quickest win, or the longest resistance."
)
SOURCES = {
    "connect4": "They are from the shipped truth set, with the exact score of every move, in bands of five plies.",
}
DRAWN = "They are drawn from all of each ply, or of bands of plies, and solved."
VALUES = (
    "What an agent says the same positions are worth, against the exact verdict: how often the value of a won or lost "
    "position has the right sign, and the mean cross-entropy in nats, in all and by the number of stones (0 knows all, "
    "0.693 says 0 of every position; a draw costs at least that). Agents without values are left out."
)
GRADED = (80, 200)
"""Positions of each band, at either scale."""
FEW = 30
"""Positions of each band for a player that solves each of them, which takes longer."""


def gradings(game: Game, agents: Sequence[str], plan: Plan) -> list[Measurement]:
    """One measurement for each agent."""
    made = []
    for spec in agents:
        count = plan.pick(FEW, FEW) if spec.startswith("perfect") else plan.pick(*GRADED)
        settings = {"agent": spec, "game": game.name, "count": count, "seed": plan.seed}
        made.append(Measurement(f"{game.name}-grade-{spec}", grade, settings, weight=20))
    return made


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
        rows.append((name, total.moves, total.kept, *rates))
    heads = (
        "agent",
        Column("positions", "count"),
        Column("value kept", "count"),
        Column("share", "percent"),
        Column("best score", "percent"),
    )
    return table(
        key,
        f"{game.title}: how often the exact value is kept",
        heads,
        rows,
        WHAT.format(source=SOURCES.get(game.name, DRAWN)),
    )


def values_table(game: Game, known: Mapping[str, Graded], key: str, order: Sequence[str]) -> Table | None:
    """How good the agents' values are, in all and by the number of stones; None if no agent has values."""
    plies = sorted({ply for one in known.values() for ply in one.values})
    rows: list[tuple[Cell, ...]] = []
    for name in _ordered(known, order):
        values = known[name].values
        total = sum(values.values(), ValueAccuracy())
        if total.mean_entropy is not None:
            entropies = [values[ply].mean_entropy if ply in values else None for ply in plies]
            cells = [Blank("no value there") if entropy is None else entropy for entropy in entropies]
            rows.append((name, total.sign_rate or Blank("no position was won or lost"), total.mean_entropy, *cells))
    if not rows:
        return None
    by_ply = [Column(f"at {ply} stones", "number") for ply in plies]
    heads: list[Column | str] = ["agent", Column("right sign", "percent"), Column("cross-entropy", "number"), *by_ply]
    return table(key, f"{game.title}: how good the values are", heads, rows, VALUES)


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
        f"{game.title}: accuracy by ply against the truth",
        Axis("stones on the board", whole=True),
        Axis("value kept", "percent", low=-3, high=103),
        lines,
        "Share of positions in which the move keeps the exact verdict, with 95 % intervals; behind it, in grey, the "
        "other players.",
    )


def accuracy_sentences(game: Game, known: Mapping[str, Graded]) -> list[str]:
    """Who keeps the value most often, if that is shown, and why a player that always keeps it seldom plays best."""
    return [*_most_accurate(known), *_any_win(known)]


def _any_win(known: Mapping[str, Graded]) -> list[str]:
    best = {name: rate.estimate for name, one in known.items() if (rate := one.total.perfect_rate) is not None}
    exact = [name for name, one in known.items() if one.total.moves and one.total.kept == one.total.moves]
    odd = [name for name in exact if name in best and any(rate > best[name] for rate in best.values())]
    if not odd:
        return []
    name = odd[0]
    seldom = shown("percent", known[name].total.perfect_rate or best[name])
    return [
        f"{capitalised(name)} keeps every verdict, but plays a move with the best score in only {seldom}, less often "
        "than others: it takes any move that keeps the verdict, where they hurry to win and resist for long."
    ]


def _most_accurate(known: Mapping[str, Graded]) -> list[str]:
    rates = {
        spec: rate
        for spec, one in known.items()
        if (rate := one.total.kept_rate) is not None and not spec.startswith("perfect")
    }
    if len(rates) < 2:
        return []
    order = sorted(rates, key=lambda spec: (-rates[spec].estimate, spec))
    best = order[0]
    always = [spec for spec in order if rates[spec].estimate == 1]
    if len(always) > 1:
        return [
            f"Apart from the solver itself, {listed(always)} keep the exact value in every position that was graded."
        ]
    level = [spec for spec in order[1:] if rate_difference(rates[best], rates[spec]).low <= 0]
    said = f"Apart from the solver itself, {best} keeps the exact value most often, in "
    said += f"{shown('percent', rates[best])} of positions where it matters"
    if not level:
        return [f"{said}."]
    return [f"{said}; it is not shown to do so more often than {listed(level)}."]
