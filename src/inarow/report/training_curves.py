"""Training curves of one or several models: win, draw and loss against each opponent, and accuracy, by episode."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from inarow.errors import InarowError
from inarow.report.cells import Cell, Column, shown
from inarow.report.style import COLOURS, DASHES, Figure, plain_ticks, tip_at
from inarow.report.tables import table
from inarow.stats import Interval, wilson

TITLE = 34
"""Characters in a line of a panel's title."""
OUTCOMES = ("wins", "draws", "losses")
SEEDS = "Bands: least to most over the runs of a line."
ONE_RUN = "Bands: 95 % Wilson intervals of the evaluation matches."


class Panel(NamedTuple):
    """One chart: its title, and points (episodes, share) by line."""

    title: str
    lines: Mapping[str, Sequence[tuple[int, Interval | float]]]


def training_figure(headers: Sequence[Mapping[str, Any]], key: str = "training") -> Figure:
    """Draw the histories of models. Runs of one spec that differ in their seeds are one line with a band."""
    games = {header["game"] for header in headers}
    if len(games) > 1:
        raise InarowError(f"the models are for different games ({', '.join(sorted(games))}); give those of one game")
    runs: dict[str, list[Sequence[Mapping[str, Any]]]] = {}
    for header in headers:
        if not header["history"]:
            raise InarowError(f"a model of {header['spec']} has no history; train it with --eval-every to have curves")
        runs.setdefault(header["spec"], []).append(header["history"])
    panels = _panels(runs)
    several = any(len(histories) > 1 for histories in runs.values())
    rows: list[tuple[Cell, ...]] = [
        (panel.title, line, at, value)
        for panel in panels
        for line, points in panel.lines.items()
        for at, value in points
    ]
    title = f"Training on {next(iter(games))}"
    data = table(
        f"{key}-data", title, ("measure", "learner", Column("episodes", "count"), Column("share", "percent")), rows
    )
    across = len(OUTCOMES)
    down = -(-len(panels) // across)

    def draw(canvas: Canvas) -> None:
        grid = canvas.subplots(down, across, sharex=True, sharey=True, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            _draw(axes, panel)
            axes.tick_params(labelbottom=True)
        canvas.supxlabel("episodes", fontsize=9)
        canvas.supylabel("share (%)", fontsize=9)
        handles, labels = grid.flat[0].get_legend_handles_labels()
        if len(labels) > 1:
            canvas.legend(handles, labels, loc="outside upper center", ncols=2)

    return Figure(key, title, SEEDS if several else ONE_RUN, data, draw, (7.6, 0.8 + 1.9 * down))


def _panels(runs: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]) -> list[Panel]:
    entries = [entry for histories in runs.values() for history in histories for entry in history]
    opponents = dict.fromkeys(name for entry in entries for name in entry.get("matches", {}))
    measures = [f"{outcome} against {opponent}" for opponent in opponents for outcome in OUTCOMES]
    if any("keeps the verdict" in entry.get("truth", {}) for entry in entries):
        measures.append("exact value kept")
    return [
        Panel(
            f"{name}{_seat(entries, name.partition(' against ')[2])}",
            {spec: _line(histories, name) for spec, histories in runs.items()},
        )
        for name in measures
    ]


def _seat(entries: Sequence[Mapping[str, Any]], opponent: str) -> str:
    """Return the seat of all evaluations against an opponent, if it is one."""
    seats = {seat for entry in entries for seat in entry.get("matches", {}).get(opponent, {})}
    return f" as {seats.pop()}" if len(seats) == 1 else ""


def _line(histories: Sequence[Sequence[Mapping[str, Any]]], measure: str) -> list[tuple[int, Interval | float]]:
    """Return the points of one line: of one run, or the mean of several at the episodes that they share."""
    by_run = [
        {entry["episodes"]: value for entry in history if (value := _value(entry, measure)) is not None}
        for history in histories
    ]
    if len(by_run) == 1:
        return sorted(by_run[0].items())
    found: list[tuple[int, Interval | float]] = []
    for at in sorted(set.intersection(*(set(points) for points in by_run))):
        shares = [value.estimate if isinstance(value := points[at], Interval) else value for points in by_run]
        found.append((at, Interval(sum(shares) / len(shares), min(shares), max(shares))))
    return found


def _value(entry: Mapping[str, Any], measure: str) -> Interval | float | None:
    outcome, _, opponent = measure.partition(" against ")
    if not opponent:
        kept: float | None = entry.get("truth", {}).get("keeps the verdict")
        return kept
    seats = entry.get("matches", {}).get(opponent, {}).values()
    return wilson(sum(seat[outcome] for seat in seats), sum(sum(seat.values()) for seat in seats))


def _draw(axes: Axes, panel: Panel) -> None:
    axes.grid(axis="y")
    axes.set_ylim(-3, 103)
    for index, (label, points) in enumerate(panel.lines.items()):
        colour = COLOURS[index % len(COLOURS)]
        xs = [at for at, _ in points]
        ys = [100 * (value.estimate if isinstance(value, Interval) else value) for _, value in points]
        bands = [value for _, value in points if isinstance(value, Interval)]
        if bands and len(bands) == len(xs):
            low, high = [100 * band.low for band in bands], [100 * band.high for band in bands]
            axes.fill_between(xs, low, high, color=colour, alpha=0.18, linewidth=0)
        style = DASHES[index % len(DASHES)]
        axes.plot(xs, ys, color=colour, linestyle=style, marker="o", markersize=2.5, label=label)
        for (at, value), height in zip(points, ys, strict=True):
            tip_at(axes, at, height, f"{label}\nepisodes: {at:,}\n{panel.title}: {shown('percent', value)}", 8.0)
    axes.set_title(textwrap.fill(panel.title, TITLE), loc="left", fontsize=8.5)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    plain_ticks(axes.xaxis, "count")
