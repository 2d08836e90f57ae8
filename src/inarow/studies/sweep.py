"""The study ``sweep``: strength, accuracy and cost of an agent as its parameters vary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Any, NamedTuple

from inarow.agents import agent
from inarow.agents.registry import absolute_spec
from inarow.arena import Tournament
from inarow.match.series import Tally
from inarow.report.charts import cost_dots
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Item, Section
from inarow.report.tables import Blank, Cell, Figure, Table, table
from inarow.rules import CONNECT4, Game, game
from inarow.stats import Interval
from inarow.studies.base import Content, Experiment, Plan, Study, StudyError, StudyResults
from inarow.studies.sections import graded, gradings

MAX_AGENTS = 60
"""Maximum number of agents."""
SOLVABLE_CELLS = 20
"""Accuracy is measured on Connect 4 and on boards with at most this many cells, which are solved instantly."""
AGAINST = ("mcts:simulations=500",)
"""Default opponents."""
_BRACES = re.compile(r"\{([^{}]*)\}")


class Variant(NamedTuple):
    """One agent of a sweep: its canonical spec, and the values of the swept parameters, as written."""

    spec: str
    values: tuple[str, ...]


def expand(template: str) -> tuple[tuple[str, ...], list[Variant]]:
    """Expand a template such as ``alphabeta:depth={2..8}``; return the swept parameters and the agents.

    ``{2..8}`` counts by 1, ``{2..8..2}`` by 2, ``{1,10,100}`` lists values. Several braces make a grid.
    """
    parts = _BRACES.split(template)
    if len(parts) == 1:
        raise StudyError(f"{template!r} has no values in braces, expected for example 'alphabeta:depth={{2..8}}'")
    names = tuple(_name(before, template) for before in parts[:-1:2])
    found: dict[str, Variant] = {}
    for values in product(*(_values(part) for part in parts[1::2])):
        spec = "".join(text for pair in zip(parts[::2], (*values, ""), strict=True) for text in pair)
        made = absolute_spec(spec)
        found.setdefault(made, Variant(made, values))
        if len(found) > MAX_AGENTS:
            raise StudyError(f"{template!r} makes more than {MAX_AGENTS} agents; use fewer values")
    return names, list(found.values())


def _name(before: str, template: str) -> str:
    written = re.search(r"(\w+)=[^=,]*$", before)
    if written is None:
        raise StudyError(f"{template!r}: braces must hold the values of a parameter, as in depth={{2..8}}")
    return written[1]


def _values(braces: str) -> list[str]:
    if ".." not in braces:
        values = [one.strip() for one in braces.split(",")]
        if not all(values):
            raise StudyError(f"{{{braces}}} has an empty value; write {{2..8}} or {{1,10,100}}")
        return values
    try:
        ends = [Decimal(part) for part in braces.split("..")]
    except InvalidOperation:
        ends = []
    if len(ends) not in (2, 3) or not all(end.is_finite() for end in ends):
        raise StudyError(f"{{{braces}}} is not a range; write {{2..8}}, or {{2..8..2}} to count by 2")
    low, high, step = (*ends, Decimal(1))[:3]
    if step <= 0 or high < low or (high - low) / step > MAX_AGENTS:
        raise StudyError(f"{{{braces}}} is not an ascending range of 1 to {MAX_AGENTS} values")
    return [str(low + number * step) for number in range(int((high - low) / step) + 1)]


class Sweep(Study):
    """Varies parameters of an agent, with the same opponents and positions."""

    name = "sweep"
    summary = "one agent with one or several parameters varied"
    figure = "sweep-score-1"

    def __init__(self, game: str, spec: str, against: Sequence[str] = AGAINST, pairs: int = 50) -> None:
        self.board, self.spec, self.pairs = game, spec, pairs
        self.against = [absolute_spec(one) for one in against]
        self.title = f"{spec} on {self.game.title}"
        self.parameters, self.variants = expand(spec)
        self.opponents = [agent(one).label for one in self.against]

    @property
    def game(self) -> Game:
        """The board."""
        return game(self.board)

    @property
    def options(self) -> dict[str, Any]:
        return {"game": self.board, "spec": self.spec, "against": self.against, "pairs": self.pairs}

    @property
    def graded(self) -> bool:
        """True if accuracy is measured."""
        return self.game == CONNECT4 or self.game.cells <= SOLVABLE_CELLS

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        specs = [one.spec for one in self.variants]
        made: list[Experiment] = []
        for number, opponent in enumerate(self.against, start=1):
            met = [spec for spec in specs if spec != agent(opponent).spec]
            if not met:
                raise StudyError(f"{opponent} would meet only itself; give another --against")
            made.append(
                Tournament.of(
                    self.game, [opponent, *met], "random", self.pairs, format="gauntlet", seed=plan.seed,
                    key=f"against-{number}",
                )
            )  # fmt: skip
        return [*made, *(gradings(self.game, specs, plan) if self.graded else ())]

    def content(self, found: StudyResults) -> Content:
        rows = self._rows(found)
        items: list[Item] = [self.table(found, rows), *self._figures(rows)]
        lead = (
            f"{self.spec} on {self.game.title}, {self.pairs} pairs of matches against each opponent, from random "
            "openings, each played twice with seats swapped."
        )
        return Content(lead, (), [Section("Results", tuple(items))], headline=self.title)

    def _rows(self, found: StudyResults) -> list[_Row]:
        results = [found.results(f"against-{number}") for number in range(1, len(self.against) + 1)]
        accuracy = graded(found, self.game)
        rows = []
        for one in self.variants:
            scores: list[Interval | None] = []
            whole = Tally()
            for there in results:
                sides = [series.opponent for series in (there.series.values() if there else ())]
                mine = next((side for side in sides if side.spec == one.spec), None)
                scores.append(None if mine is None else mine.score)
                if mine is not None:
                    whole.count_effort(mine)
            kept = accuracy[one.spec].total.kept_rate if one.spec in accuracy else None
            rows.append(_Row(one, scores, kept, whole))
        return rows

    def table(self, found: StudyResults, rows: Sequence[_Row] | None = None) -> Table:
        """Make the table of all variants."""
        cells: list[tuple[Cell, ...]] = []
        for row in rows if rows is not None else self._rows(found):
            scores = [score or Blank("not played") for score in row.scores]
            kept = [row.kept or Blank("not graded")] if self.graded else []
            cost = (row.effort.nodes_per_move, row.effort.seconds_per_move)
            cells.append((*row.variant.values, *scores, *kept, *cost))
        heads = [
            *self.parameters, *(f"score against {one}:percent" for one in self.opponents),
            *(["exact value kept:percent"] if self.graded else []), "nodes per move:number",
            "time per move:seconds",
        ]  # fmt: skip
        notes = ["Scores and shares with 95 % intervals for a fixed number of pairs; a draw is half a point."]
        if self.graded:
            notes.append("Exact value kept: share of positions with a choice whose move keeps the exact value.")
        return table("sweep", self.title, heads, cells, *notes)

    def _figures(self, rows: Sequence[_Row]) -> list[Figure]:
        """Draw each measure against the first parameter, with a line for each value of the others."""
        measures: list[tuple[str, str, str, list[float | Interval | None]]] = [
            (f"score-{number}", f"Score against {opponent}", "percent", [row.scores[number - 1] for row in rows])
            for number, opponent in enumerate(self.opponents, start=1)
        ]
        if self.graded:
            measures.append(("accuracy", "Exact value kept", "percent", [row.kept for row in rows]))
        measures.append(("nodes", "Nodes a move", "number", [row.effort.nodes_per_move for row in rows]))
        measures.append(("time", "Time a move", "seconds", [row.effort.seconds_per_move for row in rows]))
        made = []
        for key, title, kind, values in measures:
            known = [(row.variant.values, value) for row, value in zip(rows, values, strict=True) if value is not None]
            made.append(self._figure(f"sweep-{key}", title, kind, known))
        return made

    def _figure(
        self, key: str, title: str, kind: str, known: Sequence[tuple[tuple[str, ...], float | Interval]]
    ) -> Figure:
        try:
            places = [float(values[0]) for values, _ in known]
        except ValueError:  # strings can't be put on an axis
            plain = [
                (", ".join(values), value.estimate if isinstance(value, Interval) else value) for values, value in known
            ]
            return cost_dots(key, title, plain, title.lower(), kind)
        lines: dict[str, list[tuple[float, float | Interval]]] = {}
        for at, (values, value) in zip(places, known, strict=True):
            label = ", ".join(f"{n}={v}" for n, v in zip(self.parameters[1:], values[1:], strict=True))
            lines.setdefault(label or self.spec.partition(":")[0], []).append((at, value))
        numbers = [value.estimate if isinstance(value, Interval) else value for _, value in known]
        log = kind != "percent" and bool(numbers) and 0 < 10 * min(numbers) < max(numbers)
        low, high = (-3.0, 103.0) if kind == "percent" else (None, None)
        whole = all(at.is_integer() for at in places)
        wide = min(places, default=0) > 0 and max(places) > 20 * min(places)
        return curves(
            key, title, Axis(self.parameters[0], whole=whole and not wide, log=wide),
            Axis(title.partition(" against")[0].lower(), kind, log=log, low=low, high=high),
            [Curve(label, sorted(points, key=lambda point: point[0])) for label, points in lines.items()],
            "Bands: 95 % intervals." if kind == "percent" else "",
        )  # fmt: skip


class _Row(NamedTuple):
    variant: Variant
    scores: Sequence[Interval | None]
    kept: Interval | None
    effort: Tally
