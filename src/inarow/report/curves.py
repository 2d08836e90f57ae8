"""Charts of one quantity against another: by depth, by ply, by episode, by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from inarow.report.cells import Column
from inarow.report.style import COLOURS, DASHES, MARKERS, Figure, fresh_axes, plain_ticks
from inarow.report.tables import table
from inarow.stats import Interval

MOST_TICKS = 12
"""A whole or logarithmic axis with no more places than this has its ticks there."""


MOST_MARKERS = 40
"""A line of more points than this has no markers."""


@dataclass(frozen=True)
class Axis:
    """What an axis shows: its name with the unit, whether it is logarithmic, and the kind of its numbers."""

    name: str
    kind: str = "number"
    log: bool = False
    whole: bool = False
    """Whether its ticks are whole numbers."""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Curve:
    """A line of a chart: points (x, y), y with an interval where there is one."""

    label: str
    points: Sequence[tuple[float, float | Interval]]
    quiet: bool = False
    """Whether it is a figure of someone else's, drawn in grey."""


def curves(key: str, title: str, x: Axis, y: Axis, lines: Sequence[Curve], caption: str = "") -> Figure:
    """Lines with markers, and bands where points have intervals."""
    rows = [(line.label, at, value) for line in lines for at, value in line.points]
    data = table(f"{key}-data", title, ("line", Column(x.name, x.kind), Column(y.name, y.kind)), rows)
    scale_y = 100 if y.kind == "percent" else 1

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="both")
        for index, line in enumerate(lines):
            if not line.points:
                continue
            colour = "#8a8a8a" if line.quiet else COLOURS[index % len(COLOURS)]
            style = index + index // len(COLOURS)  # a colour that comes again has another marker and dash
            xs = [at for at, _ in line.points]
            ys = [scale_y * (v.estimate if isinstance(v, Interval) else v) for _, v in line.points]
            bands = [v for _, v in line.points if isinstance(v, Interval)]
            if len(bands) == len(xs):
                low, high = [scale_y * v.low for v in bands], [scale_y * v.high for v in bands]
                axes.fill_between(xs, low, high, color=colour, alpha=0.18, linewidth=0)
            axes.plot(
                xs,
                ys,
                color=colour,
                marker=MARKERS[style % len(MARKERS)] if len(xs) <= MOST_MARKERS else None,
                linestyle=DASHES[style % len(DASHES)],
                label=line.label,
            )
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
        places = sorted({at for line in lines for at, _ in line.points})
        if (x.whole or x.log) and len(places) <= MOST_TICKS:
            axes.set_xticks(places)
        axes.set_xlabel(x.name + (" (log scale)" if x.log else ""))
        axes.set_ylabel(y.name + (" (%)" if y.kind == "percent" else "") + (" (log scale)" if y.log else ""))
        if len(lines) > 4:
            canvas.legend(loc="outside right upper")
        elif len(lines) > 1:
            canvas.legend(loc="outside upper center", ncols=len(lines))

    return Figure(key, title, caption, data, draw, (7.2 if len(lines) > 4 else 6.4, 3.7))
