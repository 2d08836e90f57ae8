"""Figures of several panels: the same chart once for each agent, and a match as a strip of boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import FancyBboxPatch

from inarow.drawing.board import Board, last_cell, stones
from inarow.drawing.palette import LIGHT, hexadecimal
from inarow.report.cells import Cell, Column, shown
from inarow.report.curves import Axis, Curve
from inarow.report.style import COLOURS, FAINT, INK, Figure, tip, tip_at
from inarow.report.tables import table
from inarow.stats import Interval

ACROSS = 3
"""Panels side by side."""
FRAMES_ACROSS = 6
WRONG = COLOURS[3]


def _estimate(value: float | Interval) -> float:
    return value.estimate if isinstance(value, Interval) else value


def small_multiples(key: str, title: str, x: Axis, y: Axis, lines: Sequence[Curve], caption: str = "") -> Figure:
    """One panel for each line, all on the same axes, the others behind it in grey."""
    rows = [(line.label, at, value) for line in lines for at, value in line.points]
    data = table(f"{key}-data", title, ("agent", Column(x.name, x.kind), Column(y.name, y.kind)), rows)
    scale = 100 if y.kind == "percent" else 1
    down = -(-len(lines) // ACROSS)

    def draw(canvas: Canvas) -> None:
        grid = canvas.subplots(down, ACROSS, sharex=True, sharey=True, squeeze=False)
        for panel in grid.flat[len(lines) :]:
            panel.set_visible(False)
        for index, line in enumerate(lines):
            axes: Axes = grid.flat[index]
            axes.grid(axis="y")
            for other in lines:
                axes.plot(*_points(other, scale), color=FAINT, linewidth=1, zorder=1)
            xs, ys = _points(line, scale)
            bands = [value for _, value in line.points if isinstance(value, Interval)]
            if len(bands) == len(xs):
                low, high = [scale * band.low for band in bands], [scale * band.high for band in bands]
                axes.fill_between(xs, low, high, color=COLOURS[0], alpha=0.18, linewidth=0, zorder=2)
            axes.plot(xs, ys, "o-", color=COLOURS[0], linewidth=1.8, markersize=3.5, zorder=3)
            for (at, value), height in zip(line.points, ys, strict=True):
                said = f"{line.label}\n{x.name}: {shown(x.kind, at)}\n{y.name}: {shown(y.kind, value)}"
                tip_at(axes, at, height, said, 10.0)
            axes.set_title(line.label, loc="left", fontsize=9)
            axes.set_ylim(y.low, y.high)
            if index + ACROSS >= len(lines):
                axes.tick_params(labelbottom=True)
        canvas.supxlabel(x.name, fontsize=9)
        canvas.supylabel(y.name + (" (%)" if y.kind == "percent" else ""), fontsize=9)

    return Figure(key, title, caption, data, draw, (7.4, 0.5 + 1.75 * down))


def _points(line: Curve, scale: float) -> tuple[list[float], list[float]]:
    return [at for at, _ in line.points], [scale * _estimate(value) for _, value in line.points]


class Frame(NamedTuple):
    """One position of a match: the board after a move, who made it, and what is true then."""

    board: Board
    move: int | None
    """None: the opening."""
    by: str
    text: str
    """The move as people write it."""
    truth: str
    better: str = ""
    """Moves that would have kept the verdict, if this one did not."""
    ply: int | None = None
    """The number of the move, in a strip that leaves some out."""


def film_strip(
    key: str, title: str, frames: Sequence[Frame], caption: str = "", beneath: str = "exact value then"
) -> Figure:
    """A match ply by ply: boards with the exact truth beneath, or something else, mistakes framed."""
    rows: list[tuple[Cell, ...]] = []
    for number, frame in enumerate(frames):
        mistake = f"yes; better: {frame.better}" if frame.better else "no"
        rows.append((number if frame.ply is None else frame.ply, frame.by, frame.text, frame.truth, mistake))
    heads = (Column("move", "count"), "agent", "plays", beneath, "mistake")
    data = table(f"{key}-data", title, heads, rows)
    down = -(-len(frames) // FRAMES_ACROSS)
    shape = frames[0].board.game

    def draw(canvas: Canvas) -> None:
        grid = canvas.subplots(down, FRAMES_ACROSS, squeeze=False)
        for panel in grid.flat:
            panel.set_axis_off()
        for number, frame in enumerate(frames):
            _frame(grid.flat[number], number if frame.ply is None else frame.ply, frame)

    return Figure(key, title, caption, data, draw, (7.4, down * (0.5 + 1.1 * shape.rows / shape.columns) + 0.1))


def _frame(axes: Axes, number: int, frame: Frame) -> None:
    shape = frame.board.game
    held = dict(stones(frame.board))
    last, line = last_cell(frame.board, frame.move), set(frame.board.winning_cells())
    edge = WRONG if frame.better else FAINT
    box = FancyBboxPatch(
        (-0.5, -0.5), shape.columns, shape.rows, boxstyle="round,pad=0.05,rounding_size=0.3", facecolor="none",
        edgecolor=edge, linewidth=2.2 if frame.better else 1.0,
    )  # fmt: skip
    who = f"{number}. {frame.by}: {frame.text}" if frame.move is not None else "after the opening"
    tip(axes.add_patch(box), who + f"\n{frame.truth}" + (f"\nbetter: {frame.better}" if frame.better else ""))
    places = [divmod(cell, shape.columns) for cell in range(shape.rows * shape.columns)]
    for player, colour in ((0, hexadecimal(LIGHT.first)), (1, hexadecimal(LIGHT.second)), (None, FAINT)):
        own = [place for cell, place in enumerate(places) if held.get(cell) == player]
        size = 40.0 if player is not None else 5.0
        axes.scatter([x for _, x in own], [y for y, _ in own], s=size, color=colour, linewidths=0, zorder=2)
    marked = line or ({last} if last is not None else set())
    spots = [places[cell] for cell in sorted(marked)]
    axes.scatter([x for _, x in spots], [y for y, _ in spots], s=52, facecolors="none", edgecolors=INK, linewidths=1)
    axes.set_xlim(-0.8, shape.columns - 0.2)
    axes.set_ylim(shape.rows - 0.2, -0.8)
    axes.set_aspect("equal")
    head = "opening" if frame.move is None else f"{number}. {frame.text}{'?' if frame.better else ''}"
    colour = WRONG if frame.better else INK
    axes.set_title(head, fontsize=8, pad=2, color=colour)
    axes.text(0.5, -0.02, frame.truth, transform=axes.transAxes, ha="center", va="top", fontsize=7.5, color=colour)
