"""Style of figures: colours safe for the colour-blind, and reproducible files."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, NullFormatter

from inarow.report.tables import Table, shown

# Okabe and Ito's palette, in an order whose neighbours also differ in grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#7A5C00", "#5A5A5A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (3, 2)), (0, (1, 1)), (0, (6, 2)))
WIN, DRAW, LOSS = "#0071B0", "#D8D8D8", "#E69F00"
"""First player's wins, draws, second player's wins; the same in every theme, because labels are drawn on them."""

# In a page these follow its light or dark ground.
INK = "#1f2328"
FAINT = "#c9ced6"
FOLLOWS = {
    INK: "currentColor",
    FAINT: "var(--faint)",
    COLOURS[0]: "var(--blue)",
    COLOURS[6]: "var(--brown)",
    COLOURS[7]: "var(--grey)",
}

RC = {
    "svg.hashsalt": "inarow",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.0,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "path.simplify": True,
}


@dataclass(frozen=True)
class Figure:
    """A figure: how to draw it, and the numbers behind it. ``key`` names its files."""

    key: str
    title: str
    caption: str
    data: Table
    draw: Callable[[Canvas], None]
    size: tuple[float, float] = (6.8, 3.6)
    """Width and height in inches."""

    @cached_property
    def svg(self) -> str:
        """The figure as SVG, with tooltips."""
        return _with_titles(self._saved("svg", {"Date": None, "Creator": "inarow"}).decode())

    def png(self, dpi: float = 300) -> bytes:
        """Render the figure as a bitmap on white."""
        return self._saved("png", {"Software": "inarow"}, dpi, "white")

    @cached_property
    def pdf(self) -> bytes:
        """The figure as PDF."""
        return self._saved("pdf", {"CreationDate": None, "ModDate": None, "Creator": "inarow", "Producer": "inarow"})

    @cached_property
    def _canvas(self) -> Canvas:
        """The canvas, laid out once for all formats because layout takes most of the time."""
        canvas = Canvas(figsize=self.size, layout="constrained")
        self.draw(canvas)
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")
        return canvas

    def _saved(self, format: str, metadata: dict[str, Any], dpi: float = 72, ground: str = "none") -> bytes:
        settings: Any = {**matplotlib.rcParamsDefault, **RC}
        with matplotlib.rc_context(rc=settings):
            out = io.BytesIO()
            self._canvas.savefig(out, format=format, metadata=metadata, dpi=dpi, facecolor=ground)
        return out.getvalue()


_TIP = "tip:"


def tip(artist: Artist, text: str) -> None:
    """Let a mark of a figure say its value when it is pointed at: in SVG files and in pages."""
    artist.set_gid(_TIP + text)


def tip_at(axes: Axes, x: float, y: float, text: str, size: float = 14.0) -> None:
    """Add a tooltip at (x, y), carried by an invisible mark."""
    (mark,) = axes.plot([x], [y], "o", markersize=size, alpha=0.0, zorder=9, markeredgewidth=0)
    tip(mark, text)


def _with_titles(svg: str) -> str:
    """Turn the ids that carry tips into titles, which browsers show."""
    numbers = itertools.count(1)

    def titled(found: re.Match[str]) -> str:
        return f'<g id="tip_{next(numbers)}" class="tip"><title>{found[1]}</title>'

    return re.sub(rf'<g id="{_TIP}([^"]*)">', titled, svg)


def inline(figure: Figure) -> str:
    """Adapt an SVG for an HTML page: unique ids, theme colours, full width."""
    svg = figure.svg
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{figure.key}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{figure.key}-", svg)
    for colour, variable in FOLLOWS.items():
        svg = svg.replace(colour.lower(), variable)
    return re.sub(r' width="([\d.]+)pt" height="[\d.]+pt"', r' style="max-width:\1pt"', svg, count=1)


def fresh_axes(canvas: Canvas, grid: str = "y") -> Axes:
    """Return a figure's only axes, with a light grid."""
    axes: Axes = canvas.add_subplot()
    if grid:
        axes.grid(axis=grid)  # type: ignore[arg-type]
    return axes


def plain_ticks(axis: Any, kind: str) -> None:
    """Label ticks with units (1 ms, 10,000); on a log axis at powers of ten."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: shown(kind, value)))
    axis.set_minor_formatter(NullFormatter())


def reads_on(colour: tuple[float, float, float]) -> str:
    """Return black or white, whichever is more readable on this background (RGB from 0 to 1)."""
    red, green, blue = colour
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "#ffffff"
