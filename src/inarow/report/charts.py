"""Charts of matches: head-to-head scores, outcomes, ratings, costs."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.ticker import LogLocator

from inarow.drawing.board import LIGHT, Drawable, hexadecimal, last_cell, stones
from inarow.formatting import percent
from inarow.report.curves import Axis, Curve, add_tips, draw_band, places
from inarow.report.tables import (
    COLOURS,
    DRAW,
    FAINT,
    INK,
    LOSS,
    WIN,
    Blank,
    Cell,
    Column,
    Figure,
    fresh_axes,
    plain_ticks,
    reads_on,
    shown,
    table,
    tip,
    tip_at,
)
from inarow.stats import Interval, wilson

_SCORES = LinearSegmentedColormap.from_list("scores", [LOSS, "#f7f7f7", WIN])
NOT_PLAYED = Blank("the two did not meet")
HATCH = "#5b6470"
"""Hatching of undecided cells, visible on every colour of a score on light and dark pages."""


def heat_map(
    key: str,
    title: str,
    labels: Sequence[str],
    scores: Mapping[tuple[int, int], Interval],
    caption: str = "",
    undecided: Container[tuple[int, int]] = (),
) -> Figure:
    """Draw head-to-head scores: row against column, points per match; empty where a pair never met.

    ``undecided`` cells are hatched.
    """
    places = [(i, j) for i in range(len(labels)) for j in range(len(labels)) if i != j or (i, j) in scores]
    hatched = any(place in undecided for place in places)
    rows = [
        (labels[i], labels[j], scores.get((i, j), NOT_PLAYED), *(("no" if (i, j) in undecided else "yes",) * hatched))
        for i, j in places
    ]
    heads = ["agent", "against", "score:percent"]
    heads += ["decided"] * hatched
    data = table(f"{key}-data", title, heads, rows)

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="")
        for (i, j), score in scores.items():
            colour = _SCORES(score.estimate)
            patch = Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=colour, edgecolor="#ffffff", linewidth=1)
            said = f"{labels[i]} against {labels[j]}: {shown('percent', score)}"
            tip(axes.add_patch(patch), said + ("\nnot decided" if (i, j) in undecided else ""))
            if (i, j) in undecided:
                cell = Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, hatch="////", edgecolor=HATCH, linewidth=0)
                axes.add_patch(cell)
            box = (
                {"facecolor": colour, "edgecolor": "none", "boxstyle": "round,pad=0.15"}
                if (i, j) in undecided
                else None
            )
            ink = reads_on(colour[:3])
            axes.text(j, i, _in_cell(scores, i, j), ha="center", va="center", color=ink, fontsize=8.5, bbox=box)
        _grid_of_names(axes, labels, labels)
        axes.set_ylabel("score of (%)")
        axes.set_xlabel("against")

    side = 1.9 + 0.55 * len(labels)
    default = "Points per match of the row’s agent in percent, a draw counting half; both seats together."
    default += " Hatched: not decided." if hatched else ""
    return Figure(key, title, caption or default, data, draw, (min(8.5, side + 0.9), side))


def _in_cell(scores: Mapping[tuple[int, int], Interval], i: int, j: int) -> str:
    """Return a score in percent, below the diagonal as the complement of the one above, so that both add up to 100."""
    upper = scores.get((j, i))
    if i > j and upper is not None and abs(upper.estimate + scores[i, j].estimate - 1) < 1e-9:
        return f"{100 - float(percent(upper.estimate)):.3g}"
    return percent(scores[i, j].estimate)


def _grid_of_names(axes: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), columns, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


class Shares(NamedTuple):
    """Outcomes of matches between a first and a second player."""

    first: int
    draws: int
    second: int

    @property
    def matches(self) -> int:
        """The number of matches."""
        return self.first + self.draws + self.second


def share_matrix(
    key: str, title: str, labels: Sequence[str], cells: Mapping[tuple[int, int], Shares],
    published: Mapping[tuple[int, int], str] | None = None,
) -> Figure:  # fmt: skip
    """Draw a matrix of outcome shares: rows move first, columns second.

    Published shares, as strings, are printed below the cells.
    """
    rows: list[tuple[Cell, ...]] = []
    for i, first in enumerate(labels):
        for j, second in enumerate(labels):
            shares = cells.get((i, j))
            quote: tuple[Cell, ...] = ((published.get((i, j)) or Blank("none is published")),) if published else ()
            if shares is None or not shares.matches:
                rows.append((first, second, *[NOT_PLAYED] * 4, *quote))
            else:
                parts = [wilson(count, shares.matches) or NOT_PLAYED for count in shares]
                rows.append((first, second, *parts, shares.matches, *quote))
    heads = [f"{name}:percent" for name in ("first wins", "draws", "second wins")]
    more = ["first / draw / second:published"] if published else []
    data = table(f"{key}-data", title, ("first", "second", *heads, "matches:count", *more), rows)
    height = 0.56 if published else 0.8

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="")
        for (i, j), shares in cells.items():
            left = j - 0.46
            said = f"{labels[i]} first, {labels[j]} second\n"
            said += f"{shares.first} won by the first, {shares.draws} drawn, {shares.second} won by the second"
            for count, colour in zip(shares, (WIN, DRAW, LOSS), strict=True):
                width = 0.92 * count / max(1, shares.matches)
                tip(axes.add_patch(Rectangle((left, i - 0.4), width, height, facecolor=colour, linewidth=0)), said)
                if width > 0.3:
                    dark = colour == WIN
                    axes.text(
                        left + width / 2,
                        i - 0.4 + height / 2,
                        percent(count / shares.matches),
                        ha="center",
                        va="center",
                        fontsize=7.5,
                        color="#ffffff" if dark else "#000000",
                    )
                left += width
        for (i, j), quote in (published or {}).items():
            axes.text(j, i + 0.3, quote, ha="center", va="center", fontsize=6.5)
        _grid_of_names(axes, labels, labels)
        axes.set_ylabel("first player")
        axes.set_xlabel("second player")
        _outcome_legend(canvas, ("first player wins", "draw", "second player wins"))

    caption = "Rows: first player, columns: second player. Shares of all matches in percent."
    caption += " Written below: the published shares, first / draw / second." if published else ""
    tall = 0.62 if published else 0.5
    return Figure(key, title, caption, data, draw, (min(9.0, 2.2 + 1.1 * len(labels)), 1.9 + tall * len(labels)))


def _outcome_legend(canvas: Canvas, names: Sequence[str]) -> None:
    patches = [Rectangle((0, 0), 1, 1, facecolor=colour) for colour in (WIN, DRAW, LOSS)]
    canvas.legend(patches, list(names), loc="outside upper center", ncols=3)


class Bar(NamedTuple):
    """One row of outcome bars."""

    label: str
    wins: int
    draws: int
    losses: int

    @property
    def matches(self) -> int:
        """The number of matches."""
        return self.wins + self.draws + self.losses


def outcome_bars(key: str, title: str, bars: Sequence[Bar], caption: str = "") -> Figure:
    """Draw stacked bars of wins, draws and losses, with the interval of the win rate."""
    rows = [
        (
            bar.label,
            wilson(bar.wins, bar.matches) or NOT_PLAYED,
            bar.draws / bar.matches if bar.matches else NOT_PLAYED,
            bar.losses / bar.matches if bar.matches else NOT_PLAYED,
            bar.matches,
        )
        for bar in bars
    ]
    heads = ["wins:percent", "draws:percent", "losses:percent"]
    data = table(f"{key}-data", title, ("agent", *heads, "matches:count"), rows)

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="x")
        for y, bar in enumerate(bars):
            said = f"{bar.label}: {bar.wins} won, {bar.draws} drawn, {bar.losses} lost"
            widths = [100 * count / max(1, bar.matches) for count in (bar.wins, bar.draws, bar.losses)]
            _stack(axes, y, widths, (WIN, DRAW, LOSS), [said] * 3)
            rate = wilson(bar.wins, bar.matches)
            if rate is not None:
                low, high = 100 * rate.low, 100 * rate.high
                axes.plot([low, high], [y, y], color="#ffffff", linewidth=3.4, solid_capstyle="butt")
                axes.plot([low, high], [y, y], color="#000000", linewidth=1.4, solid_capstyle="butt")
        _name_rows(axes, [bar.label for bar in bars])
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of matches (%)")
        _outcome_legend(canvas, ("wins", "draws", "losses"))

    default = "The black line is the 95 % interval of the share of wins."
    return Figure(key, title, caption or default, data, draw, (6.8, 1.3 + 0.3 * len(bars)))


def _stack(axes: Axes, y: int, widths: Sequence[float], colours: Sequence[str], tips: Sequence[str]) -> None:
    """Draw one row of stacked bars."""
    left = 0.0
    for width, colour, said in zip(widths, colours, tips, strict=False):
        bar = Rectangle((left, y - 0.33), width, 0.66, facecolor=colour, linewidth=0)
        tip(axes.add_patch(bar), said)
        left += width


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a chart, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def stacked_counts(
    key: str, title: str, names: Sequence[str], rows: Mapping[str, Sequence[int]], caption: str = ""
) -> Figure:
    """Draw horizontal stacked bars of counts, such as rows by verdict."""
    data = table(f"{key}-data", title, ("of", *(f"{name}:count" for name in names)), [(r, *c) for r, c in rows.items()])

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="x")
        for y, (label, counts) in enumerate(rows.items()):
            said = [f"{label}: {count} {name}" for name, count in zip(names, counts, strict=True)]
            _stack(axes, y, counts, COLOURS, said)
        _name_rows(axes, list(rows))
        axes.set_xlim(0, max(sum(counts) for counts in rows.values()) * 1.02)
        patches = [Rectangle((0, 0), 1, 1, facecolor=COLOURS[place]) for place in range(len(names))]
        canvas.legend(patches, list(names), loc="outside upper center", ncols=len(names))

    return Figure(key, title, caption, data, draw, (6.8, 1.3 + 0.3 * len(rows)))


def elo_chart(key: str, title: str, ratings: Sequence[tuple[str, Interval]], caption: str = "") -> Figure:
    """Plot the Elo of each agent of a pool with its 95 % interval, strongest on top."""
    ordered = sorted(ratings, key=lambda row: -row[1].estimate)
    data = table(f"{key}-data", title, "agent | Elo:elo", ordered)

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="x")
        for y, (name, rating) in enumerate(ordered):
            axes.plot([rating.low, rating.high], [y, y], color=COLOURS[0], linewidth=2, solid_capstyle="round")
            axes.plot([rating.estimate], [y], "o", color=COLOURS[0], markersize=6)
            tip_at(axes, rating.estimate, y, f"{name}: Elo {shown('elo', rating)}")
        axes.axvline(0, color=INK, linewidth=0.8)
        _name_rows(axes, [name for name, _ in ordered])
        axes.set_xlabel("Elo against the mean of this pool")

    default = "Bradley–Terry model on points; lines are 95 % intervals. Ratings hold within this pool only."
    return Figure(key, title, caption or default, data, draw, (6.8, 1.0 + 0.3 * len(ordered)))


def overview(
    key: str, title: str, labels: Sequence[str], measures: Mapping[str, Sequence[float | None]], caption: str,
    published: Container[str] = (),
) -> Figure:  # fmt: skip
    """Draw several measures of each agent side by side, each from 0 to 1.

    Published measures are open bars in the colour of the measure before them.
    """
    rows = [(label, *(_or_blank(values[i]) for values in measures.values())) for i, label in enumerate(labels)]
    data = table(f"{key}-data", title, ("agent", *(f"{name}:number" for name in measures)), rows)

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas)
        width, colour = 0.8 / len(measures), -1
        for index, (name, values) in enumerate(measures.items()):
            colour += name not in published
            xs = [i - 0.4 + (index + 0.5) * width for i, v in enumerate(values) if v is not None]
            bars = axes.bar(
                xs,
                [v for v in values if v is not None],
                width=0.88 * width,
                facecolor="none" if name in published else COLOURS[colour],
                edgecolor=COLOURS[colour],
                label=name,
                linewidth=1.1,
            )
            measured = [(label, v) for label, v in zip(labels, values, strict=True) if v is not None]
            for bar, (label, value) in zip(bars, measured, strict=True):
                tip(bar, f"{label}, {name}: {shown('number', value)}")
        axes.set_xticks(range(len(labels)), labels)
        axes.set_ylim(0, 1.04)
        canvas.legend(loc="outside upper center", ncols=2)

    return Figure(key, title, caption, data, draw, (max(5.6, 1.6 + 0.85 * len(labels)), 3.8))


def _or_blank(value: float | None) -> float | Blank:
    return Blank("not measured") if value is None else value


def cost_dots(
    key: str, title: str, rows: Sequence[tuple[str, float]], unit: str, kind: str = "number", caption: str = "",
    published: Mapping[str, float] | None = None,
) -> Figure:  # fmt: skip
    """Plot a cost of each agent, on a log scale if the values differ by more than tenfold.

    Published values, by label, are open diamonds.
    """
    theirs = {label: value for label, value in (published or {}).items() if value > 0}
    positive = [(label, value) for label, value in rows if value > 0 or label in theirs]
    values = [value for _, value in positive if value > 0] + list(theirs.values()) or [1.0]
    log = max(values) > 10 * min(values)
    low = min(values) / 2 if log else 0.0
    heads = ["agent", f"{unit}:{kind}"]
    heads += [f"{unit}, published:{kind}"] if published else []
    given = {label: (theirs.get(label, Blank("none is published")),) if published else () for label, _ in rows}
    data = table(f"{key}-data", title, heads, [(label, value, *given[label]) for label, value in rows])

    def draw(canvas: Canvas) -> None:
        axes = fresh_axes(canvas, grid="x")
        if log:
            axes.set_xscale("log")
        if log and max(values) < 1000 * min(values):
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        for y, (label, value) in enumerate(positive):
            if value > 0:
                axes.plot([low, value], [y, y], color=FAINT, linewidth=1.2, zorder=1)
                axes.plot([value], [y], "o", color=COLOURS[0], markersize=6, label="ours" if y == 0 else None)
                tip_at(axes, value, y, f"{label}: {shown(kind, value)}")
            if label in theirs:
                first = label == next(name for name, _ in positive if name in theirs)
                said = "published" if first else None
                axes.plot(
                    [theirs[label]], [y], "D", color=COLOURS[3], markersize=6.5, markerfacecolor="none", label=said
                )
                tip_at(axes, theirs[label], y, f"{label}, published: {shown(kind, theirs[label])}")
        _name_rows(axes, [label for label, _ in positive])
        axes.set_xlim(left=low)
        plain_ticks(axes.xaxis, kind)
        axes.set_xlabel(f"{unit} (log scale)" if log else unit)
        if theirs:
            canvas.legend(loc="outside upper center", ncols=2)

    missing = [label for label, value in rows if value <= 0 and label not in theirs]
    note = f" Not shown, as they have none: {', '.join(missing)}." if missing else ""
    return Figure(key, title, (caption + note).strip(), data, draw, (6.8, 1.3 + 0.3 * max(1, len(positive))))


ACROSS = 3
"""Maximum panels per row."""
FRAMES_ACROSS = 6
WRONG = COLOURS[3]


def small_multiples(key: str, title: str, x: Axis, y: Axis, lines: Sequence[Curve], caption: str = "") -> Figure:
    """Draw one panel per line, with the other lines in grey behind it."""
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
                axes.plot(*places(other.points, scale), color=FAINT, linewidth=1, zorder=1)
            xs, ys = draw_band(axes, line.points, scale, COLOURS[0], zorder=2)
            axes.plot(xs, ys, "o-", color=COLOURS[0], linewidth=1.8, markersize=3.5, zorder=3)
            add_tips(axes, line, x, y, ys)
            axes.set_title(line.label, loc="left", fontsize=9)
            axes.set_ylim(y.low, y.high)
            if index + ACROSS >= len(lines):
                axes.tick_params(labelbottom=True)
        canvas.supxlabel(x.name, fontsize=9)
        canvas.supylabel(y.name + (" (%)" if y.kind == "percent" else ""), fontsize=9)

    return Figure(key, title, caption, data, draw, (7.4, 0.5 + 1.75 * down))


class StripFrame(NamedTuple):
    """One position of a match: the board after a move, who made it, and the exact value."""

    board: Drawable
    move: int | None
    """None for the opening."""
    by: str
    text: str
    """The move in notation."""
    truth: str
    better: str = ""
    """Moves that would have kept the verdict, if the played one did not."""
    ply: int | None = None
    """The move number, in a strip that omits some moves."""


def film_strip(
    key: str, title: str, frames: Sequence[StripFrame], caption: str = "", beneath: str = "exact value then"
) -> Figure:
    """Draw a match ply by ply, with a caption such as the exact value under each board; mistakes are framed."""
    rows: list[tuple[Cell, ...]] = []
    for number, frame in enumerate(frames):
        mistake = f"yes; better: {frame.better}" if frame.better else "no"
        rows.append((number if frame.ply is None else frame.ply, frame.by, frame.text, frame.truth, mistake))
    heads = ("move:count", "agent", "plays", beneath, "mistake")
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


def _frame(axes: Axes, number: int, frame: StripFrame) -> None:
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
