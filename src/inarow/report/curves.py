"""Charts of one quantity against another: by depth, by ply, by episode, by time; and strength against its cost."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, MaxNLocator

from inarow.errors import InarowError
from inarow.report.tables import (
    COLOURS,
    DASHES,
    FAINT,
    MARKERS,
    Cell,
    Column,
    Figure,
    fresh_axes,
    plain_ticks,
    shown,
    table,
    tip_at,
)
from inarow.stats import Interval, wilson

MAX_TICKS = 12
"""An integer or logarithmic axis with at most this many distinct values has its ticks there."""


MAX_TIPS = 60
"""Maximum number of points per line with a tooltip."""
MAX_MARKERS = 40
"""Maximum number of points of a line with markers."""


@dataclass(frozen=True)
class Axis:
    """An axis: name, kind of numbers, scale and range."""

    name: str
    kind: str = "number"
    log: bool = False
    whole: bool = False
    """Restricts ticks to integers."""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Curve:
    """A line of a chart: points (x, y), where y may have an interval."""

    label: str
    points: Sequence[tuple[float, float | Interval]]
    quiet: bool = False
    """Marks a published curve: dotted, with open marks, in the colour of the line before it."""


def curves(
    key: str, title: str, x: Axis, y: Axis, lines: Sequence[Curve], caption: str = "",
    size: tuple[float, float] | None = None,
) -> Figure:  # fmt: skip
    """Plot lines with markers, and bands where points have intervals."""
    beside = len(lines) > 4 and size is None
    rows = [(line.label, at, value) for line in lines for at, value in line.points]
    data = table(f"{key}-data", title, ("line", Column(x.name, x.kind), Column(y.name, y.kind)), rows)
    scale_y = 100 if y.kind == "percent" else 1

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="both")
        index = -1
        for line in lines:
            index += not line.quiet
            if not line.points:
                continue
            colour = COLOURS[index % len(COLOURS)]
            style = index + index // len(COLOURS)  # reused colours get another marker and dash
            xs, ys = draw_band(axes, line.points, scale_y, colour)
            axes.plot(
                xs,
                ys,
                color=colour,
                marker=MARKERS[style % len(MARKERS)] if len(xs) <= MAX_MARKERS else None,
                linestyle=":" if line.quiet else DASHES[style % len(DASHES)],
                markerfacecolor="none" if line.quiet else colour,
                label=line.label,
            )
            add_tips(axes, line, x, y, ys)
        for axis, drawn, set_scale, set_limits in (
            (x, axes.xaxis, axes.set_xscale, axes.set_xlim),
            (y, axes.yaxis, axes.set_yscale, axes.set_ylim),
        ):
            if axis.log:
                set_scale("log")
            if axis.log or axis.kind == "count":
                plain_ticks(drawn, axis.kind)
            if axis.log:
                continue
            if axis.low is not None or axis.high is not None:
                set_limits(axis.low, axis.high)
            if axis.whole:
                drawn.set_major_locator(MaxNLocator(integer=True))
        ticks = sorted({at for line in lines for at, _ in line.points})
        if (x.whole or x.log) and len(ticks) <= MAX_TICKS:
            axes.set_xticks(ticks)
        axes.set_xlabel(x.name + (" (log scale)" if x.log else ""))
        axes.set_ylabel(y.name + (" (%)" if y.kind == "percent" else "") + (" (log scale)" if y.log else ""))
        if beside:
            canvas.legend(loc="outside right upper")
        elif len(lines) > 1:
            canvas.legend(loc="outside upper center", ncols=len(lines) if size is None else 2)

    return Figure(key, title, caption, data, draw, size or (7.2 if beside else 6.4, 3.7))


def places(points: Sequence[tuple[float, float | Interval]], scale: float) -> tuple[list[float], list[float]]:
    """Return the coordinates of a line's points."""
    ys = [scale * (value.estimate if isinstance(value, Interval) else value) for _, value in points]
    return [at for at, _ in points], ys


def draw_band(
    axes: Axes, points: Sequence[tuple[float, float | Interval]], scale: float, colour: str, zorder: float = 1
) -> tuple[list[float], list[float]]:
    """Draw a band if all points have intervals; return the coordinates of the points."""
    bands = [value for _, value in points if isinstance(value, Interval)]
    xs, ys = places(points, scale)
    if bands and len(bands) == len(xs):
        low, high = [scale * band.low for band in bands], [scale * band.high for band in bands]
        axes.fill_between(xs, low, high, color=colour, alpha=0.18, linewidth=0, zorder=zorder)
    return xs, ys


def add_tips(axes: Axes, line: Curve, x: Axis, y: Axis, heights: Sequence[float]) -> None:
    """Add tooltips to the points of a line, thinned out if there are many."""
    step = -(-len(line.points) // MAX_TIPS)
    for (at, value), height in list(zip(line.points, heights, strict=True))[::step]:
        said = f"{line.label}\n{x.name}: {shown(x.kind, at)}\n{y.name}: {shown(y.kind, value)}"
        tip_at(axes, at, height, said, 10.0)


class Priced(NamedTuple):
    """An agent with its cost per move and its rating."""

    label: str
    cost: float
    rating: Interval


def frontier(agents: Sequence[Priced]) -> list[Priced]:
    """Return the Pareto frontier of cost and rating, cheapest first."""
    best: list[Priced] = []
    for one in sorted(agents, key=lambda one: (one.cost, -one.rating.estimate)):
        if not best or one.rating.estimate > best[-1].rating.estimate:
            best.append(one)
    return best


def strength_by_cost(key: str, title: str, agents: Sequence[Priced], unit: str, kind: str) -> Figure:
    """Plot Elo against cost per move on a log axis, with the Pareto frontier."""
    shown_agents = [one for one in agents if one.cost > 0]
    best = frontier(shown_agents)
    rows = [
        (one.label, one.cost, one.rating, "yes" if one in best else "no")
        for one in sorted(shown_agents, key=lambda one: one.cost)
    ]
    data = table(f"{key}-data", title, f"agent | {unit}:{kind} | Elo:elo | on the frontier", rows)

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas)
        axes.set_xscale("log")
        xs, ys = [one.cost for one in best], [one.rating.estimate for one in best]
        axes.step(xs, ys, where="post", color=FAINT, linewidth=2, zorder=1)
        for one in shown_agents:
            colour = COLOURS[0] if one in best else COLOURS[7]
            axes.plot([one.cost] * 2, [one.rating.low, one.rating.high], color=colour, linewidth=1.2)
            axes.plot([one.cost], [one.rating.estimate], "o", color=colour, markersize=6)
            said = f"{one.label}: Elo {shown('elo', one.rating)}\n{unit}: {shown(kind, one.cost)}"
            tip_at(axes, one.cost, one.rating.estimate, said)
        axes.margins(0.08, 0.1)
        left, right = axes.get_xlim()
        axes.set_xlim(left, right * (right / left) ** 0.34)  # room for the rightmost names
        _name(axes, shown_agents)
        if right < 100 * left:
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        plain_ticks(axes.xaxis, kind)
        axes.set_xlabel(f"{unit} (log scale)")
        axes.set_ylabel("Elo")

    caption = "Blue and the line: no other agent has a higher Elo at the same cost or less. Bars: 95 % intervals."
    return Figure(key, title, caption, data, draw, (6.8, 4.0))


def _name(axes: Axes, agents: Sequence[Priced]) -> None:
    """Label each agent's mark, at the approximate position of the axes."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    wide, tall = _PLOT
    marks = [
        (wide * math.log(one.cost / left) / math.log(right / left), tall * (one.rating.estimate - low) / (high - low))
        for one in agents
    ]
    places = spots(marks, [one.label for one in agents], _NAME_SIZE, wide)
    for one, spot in zip(agents, places, strict=True):
        axes.annotate(
            one.label,
            (one.cost, one.rating.estimate),
            (BESIDE if spot.right else -BESIDE, spot.up),
            textcoords="offset points",
            ha="left" if spot.right else "right",
            va="center",
            fontsize=_NAME_SIZE,
            arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.8} if abs(spot.up) > FAR else None,
        )


_PLOT = 430.0, 235.0
"""The size of the axes of a figure of strength and cost, in typographic points."""
_NAME_SIZE = 8.0


WIDTH, HEIGHT = 0.55, 1.25
"""Width of a character relative to the font size."""
BESIDE = 7.0
"""Distance in points between a mark and a name beside it."""
FAR = 9.0
"""Vertical distance above which a line connects a name to its mark."""


class LabelPlace(NamedTuple):
    """The position of a name relative to its mark, in points."""

    right: bool
    """True if the name is to the right of the mark."""
    up: float
    """Vertical offset of the name's middle."""


class _Box(NamedTuple):
    left: float
    low: float
    right: float
    high: float

    def overlap(self, other: _Box) -> float:
        """Return the area of the intersection."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.high, other.high) - max(self.low, other.low)
        return wide * high if wide > 0 and high > 0 else 0.0


def spots(marks: Sequence[tuple[float, float]], names: Sequence[str], size: float, width: float) -> list[LabelPlace]:
    """Place each name at the nearest free spot, in the order of the marks.

    Marks are in points in a chart of this width; ``size`` is the font size.
    """
    taken = [_Box(x - 5, y - 5, x + 5, y + 5) for x, y in marks]
    step = size * HEIGHT
    tried = [
        LabelPlace(right, up * step) for up in (0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5, -3.5) for right in (True, False)
    ]
    chosen = []
    for (x, y), name in zip(marks, names, strict=True):
        boxes = {spot: _box(x, y, spot, len(name) * WIDTH * size, step) for spot in tried}
        cost = {
            spot: sum(map(box.overlap, taken)) + 1e6 * (box.left < 0 or box.right > width)
            for spot, box in boxes.items()
        }
        best = min(tried, key=lambda spot: cost[spot])
        chosen.append(best)
        taken.append(boxes[best])
    return chosen


def _box(x: float, y: float, spot: LabelPlace, wide: float, high: float) -> _Box:
    left = x + BESIDE if spot.right else x - BESIDE - wide
    return _Box(left, y + spot.up - high / 2, left + wide, y + spot.up + high / 2)


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
    data = table(f"{key}-data", title, "measure | learner | episodes:count | share:percent", rows)
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
    """Return the seat of the evaluations against an opponent, if it is always the same."""
    seats = {seat for entry in entries for seat in entry.get("matches", {}).get(opponent, {})}
    return f" as {seats.pop()}" if len(seats) == 1 else ""


def _line(histories: Sequence[Sequence[Mapping[str, Any]]], measure: str) -> list[tuple[int, Interval | float]]:
    """Return the points of one line: a single run, or the mean of several at their common episodes."""
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
        xs, ys = draw_band(axes, points, 100, colour)
        style = DASHES[index % len(DASHES)]
        axes.plot(xs, ys, color=colour, linestyle=style, marker="o", markersize=2.5, label=label)
        for (at, value), height in zip(points, ys, strict=True):
            tip_at(axes, at, height, f"{label}\nepisodes: {at:,}\n{panel.title}: {shown('percent', value)}", 8.0)
    axes.set_title(textwrap.fill(panel.title, TITLE), loc="left", fontsize=8.5)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    plain_ticks(axes.xaxis, "count")
