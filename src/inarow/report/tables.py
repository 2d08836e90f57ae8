"""Tables and figures as values: tables as CSV, Markdown, LaTeX and HTML; the style of figures."""

from __future__ import annotations

import csv
import html
import io
import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, NullFormatter

import inarow
from inarow.arena import Results
from inarow.formatting import NOTHING, counted, duration, elo_range, fixed, listed, number, share, signed
from inarow.match.claims import USUAL, Finding, Rule, claim
from inarow.match.series import Series
from inarow.stats import Interval


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns. ``key`` names its files."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            assert len(row) == len(self.columns), f"{self.key}: {len(row)} cells under {len(self.columns)} columns"

    def texts(self) -> list[list[str]]:
        """Return the formatted cells of each row."""
        return [[shown(c.kind, cell) for c, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def footnotes(self) -> list[str]:
        """Return the notes, and the reasons for blank cells."""
        reasons = dict.fromkeys(cell.reason for row in self.rows for cell in row if isinstance(cell, Blank))
        return [*self.notes, *(f"–: {reason}" for reason in reasons)]

    def widths(self) -> list[int]:
        """Return the length of the longest cell of each column."""
        texts = self.texts()
        return [max((len(row[i]) for row in texts), default=0) for i in range(len(self.columns))]

    def aligned_right(self) -> list[bool]:
        """Return which columns hold numbers."""
        return [column.kind != "text" for column in self.columns]


Heads = str | Sequence["Column | str"]
"""Columns: one by one, or all in a string such as ``agent | wins:count | rate:percent | limit:published``."""


def table(key: str, title: str, columns: Heads, rows: Sequence[Sequence[Cell]], *notes: str) -> Table:
    """Make a table. A column may be written as ``name``, ``name:kind`` or ``name:kind:published`` (see `Column`)."""
    named = columns.split(" | ") if isinstance(columns, str) else columns
    heads = tuple(one if isinstance(one, Column) else Column.parse(one) for one in named)
    return Table(key, title, heads, tuple(tuple(row) for row in rows), notes)


def to_csv(table: Table) -> str:
    """Format a table as CSV at full precision; an interval takes three columns."""
    wide = [any(isinstance(row[i], Interval) for row in table.rows) for i in range(len(table.columns))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads: list[str] = []
    for column, three in zip(table.columns, wide, strict=True):
        heads += [column.name, f"{column.name} low", f"{column.name} high"] if three else [column.name]
    writer.writerow(heads)
    for row in table.rows:
        cells: list[str] = []
        for cell, three in zip(row, wide, strict=True):
            parts = raw(cell)
            cells += parts + [""] * (2 if three and len(parts) == 1 else 0)
        writer.writerow(cells)
    return out.getvalue()


def to_markdown(table: Table) -> str:
    """Format a table as a Markdown pipe table under its title."""
    lines = [f"**{table.title}**", "", _pipes(column.name for column in table.columns)]
    lines.append(_pipes("---:" if right else "---" for right in table.aligned_right()))
    lines += [_pipes(row) for row in table.texts()]
    lines += [line for note in table.footnotes() for line in ("", note)]
    return "\n".join(lines) + "\n"


def _pipes(cells: object) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"  # type: ignore[attr-defined]


_CODE = re.compile(r"`([^`]+)`")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "—": "---", "−": "$-$", "×": r"$\times$",
    "µ": r"$\mu$", "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\to$", "√": r"$\surd$",
    "≈": r"$\approx$", "∞": r"$\infty$", "·": r"$\cdot$", "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}",
    "⁶": r"\textsuperscript{6}", "“": "``", "”": "''", "…": r"\ldots{}", "\u00a0": "~", "½": r"\textonehalf{}",
    "α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "ε": r"$\varepsilon$", "λ": r"$\lambda$", "’": "'",
}  # fmt: skip


def latex(text: str) -> str:
    """Escape a string for LaTeX; `code` is set in typewriter."""
    parts = ["".join(_LATEX.get(character, character) for character in part) for part in _CODE.split(text)]
    return "".join(f"\\texttt{{{part}}}" if place % 2 else part for place, part in enumerate(parts))


TEMPLATES = Path(inarow.__file__).parent / "data" / "report"

LONG = 50
"""Longer tables break over pages in LaTeX."""
ACROSS = 75
"""Tables with wider rows are set smaller in LaTeX."""
ROOM = 90
"""Longer strings wrap in LaTeX."""
PARAGRAPH = 40
"""A column with longer strings wraps in LaTeX and gets more room on a page."""
NAME = 12
"""A column with longer strings gets some room on a page."""


def to_latex(table: Table) -> str:
    """Format a table as LaTeX that fits the page or breaks over pages; its first line names the packages needed."""
    texts, widest = table.texts(), table.widths()
    kinds = ["r" if right else "l" for right in table.aligned_right()]
    wide = [i for i, kind in enumerate(kinds) if kind == "l" and widest[i] > PARAGRAPH]
    for i in wide:
        kinds[i] = f"p{{{1 / len(wide) * 0.8:.2f}\\linewidth}}"
    breaks = sum(math.ceil(sum(map(len, row)) / ROOM) for row in texts) > LONG
    if breaks and sum(widest) > ROOM:
        long = [i for i, right in enumerate(table.aligned_right()) if not right and widest[i] > NAME]
        left = ROOM - sum(width for i, width in enumerate(widest) if i not in long)
        parts = sum(math.sqrt(widest[i]) for i in long)
        for i in long:
            room = max(NAME, left * math.sqrt(widest[i]) / parts)
            kinds[i] = f">{{\\raggedright\\arraybackslash}}p{{{room / ROOM * 0.9:.2f}\\linewidth}}"
    head = (
        " & ".join(_latex_head(c.name, r) for c, r in zip(table.columns, table.aligned_right(), strict=True)) + r" \\"
    )
    cells = [[latex(cell) for cell in row] for row in texts]
    if breaks:
        cells = [[_BREAK.sub(r"\1\\allowbreak{}", cell) for cell in row] for row in cells]
    rows = [" & ".join(row) + r" \\" for row in cells]
    notes = [f"\\par\\smallskip\\footnotesize {latex(note)}" for note in table.footnotes()]
    caption = f"\\caption{{{latex(table.title)}}}"
    label = f"\\label{{tab:{table.key}}}"
    body = ["\\toprule", head, "\\midrule"]
    if breaks:
        size = "scriptsize" if sum(widest) > ACROSS else "footnotesize"
        lines = [
            "% needs \\usepackage{array,booktabs,longtable}",
            f"{{\\{size}\\setlength{{\\tabcolsep}}{{3pt}}",
            f"\\begin{{longtable}}{{{''.join(kinds)}}}",
            rf"{caption}{label}\\",
            *body,
            "\\endfirsthead",
            *body,
            "\\endhead",
            *rows,
            "\\bottomrule",
            "\\end{longtable}",
            *notes,
            "}",
        ]
    else:
        lines = [
            "% needs \\usepackage{booktabs,adjustbox}",
            "\\begin{table}[htbp]",
            "\\centering",
            caption,
            label,
            "\\begin{adjustbox}{max totalsize={\\textwidth}{.8\\textheight}}",
            f"\\begin{{tabular}}{{{''.join(kinds)}}}",
            *body,
            *rows,
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{adjustbox}",
            *notes,
            "\\end{table}",
        ]
    return "\n".join(lines) + "\n"


def _latex_head(name: str, right: bool) -> str:
    """Format a column head, a long one on two lines."""
    words = name.split()
    if len(name) <= NAME or len(words) < 2:
        return latex(name)
    cut = min(range(1, len(words)), key=lambda i: abs(len(" ".join(words[:i])) - len(" ".join(words[i:]))))
    first, second = latex(" ".join(words[:cut])), latex(" ".join(words[cut:]))
    return rf"\shortstack[{'r' if right else 'l'}]{{{first}\\{second}}}"


_UNIT = re.compile(r"(?<=\d) (?=%|(?:s|ms|µs|ns|Elo)\b)")


_BREAK = re.compile(r"([:/,=])(?=[a-z0-9])")
"""Characters after which a spec or a path may break in LaTeX."""

_SPEC = re.compile(r"(=[^\s,]+,)(?=[a-z])")
"""Characters after which a spec may break in HTML."""


def text_to_html(text: str) -> str:
    """Format a string as HTML with sensible line breaks; `code` is set as code.

    Numbers stay with their units, counts such as 3 / 0 / 7 stay on one line, and long specs may break.
    """
    kept = _UNIT.sub("\u00a0", text.replace(" / ", "\u00a0/\u00a0"))
    return _CODE.sub(r"<code>\1</code>", _SPEC.sub(r"\1<wbr>", html.escape(kept)))


WIDE = 8
"""A table of this many columns or more is set smaller on paper."""
CARDS = 4
"""On a phone, each row of a table of this many columns or more is set as a block, a line for each cell."""
SHORT = 16
"""A table of at most this many rows is kept on one page."""


def to_html(table: Table, title: str | None = None) -> str:
    """Format a sortable HTML table with its caption; published columns are marked.

    ``title`` replaces the table's own title; an empty one is hidden.
    """
    title = table.title if title is None else title
    classes = [
        " ".join(filter(None, ("n" if right else _room(width), "pub" if column.published else "")))
        for column, right, width in zip(table.columns, table.aligned_right(), table.widths(), strict=True)
    ]
    marks = [f' class="{name}"' if name else "" for name in classes]
    heads = "".join(
        f'<th scope="col"{mark}>{html.escape(column.name)}</th>'
        for column, mark in zip(table.columns, marks, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f'<td data-head="{html.escape(column.name)}"{mark}{_sorts_by(cell) if right else ""}>'
            f"{text_to_html(text)}</td>"
            for column, cell, text, mark, right in zip(
                table.columns, row, texts, marks, table.aligned_right(), strict=True
            )
        )
        + "</tr>"
        for row, texts in zip(table.rows, table.texts(), strict=True)
    )
    kinds = ["table", *["short"] * (len(table.rows) <= SHORT), *["wide"] * (len(table.columns) >= WIDE)]
    kinds += ["cards"] * (len(table.columns) >= CARDS)
    notes = "".join(f'<p class="note">{text_to_html(note)}</p>' for note in table.footnotes())
    link = f'<a class="anchor" href="#{table.key}" aria-label="Link to this table">#</a>'
    hidden = f'<caption class="unseen">{html.escape(table.title)}'
    caption = f"<caption><span>{html.escape(title)}{link}</span>" if title else hidden
    return (
        f'<div class="{" ".join(kinds)}"><table id="{table.key}">{caption}</caption>'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{notes}"
    )


def _room(width: int) -> str:
    """Return the CSS class of a column of strings."""
    return "long" if width > PARAGRAPH else "mid" if width > NAME else ""


def _sorts_by(cell: Cell) -> str:
    """Return the sort key of a cell; an interval sorts by its estimate."""
    value = cell.estimate if isinstance(cell, Interval) else cell
    return f' data-v="{value:.6g}"' if isinstance(value, int | float) else ""


@dataclass(frozen=True)
class Blank:
    """A blank cell; the reason is given below the table."""

    reason: str


Cell = str | int | float | Interval | Blank

KINDS = ("text", "count", "number", "fixed", "percent", "seconds", "elo")


@dataclass(frozen=True)
class Column:
    """The head and the kind of a column: rates from 0 to 1 are shown in percent, times in suitable units."""

    name: str
    kind: str = "text"
    published: bool = False
    """Marks published figures, quoted exactly as in their source."""

    def __post_init__(self) -> None:
        assert self.kind in KINDS, self.kind

    @classmethod
    def parse(cls, text: str) -> Column:
        """Return the column written as ``name``, ``name:kind``, ``name:published`` or ``name:kind:published``."""
        rest = text.removesuffix(":published")
        name, _, kind = rest.rpartition(":")
        return cls(*((name, kind) if kind in KINDS and name else (rest, "text")), published=rest != text)


def shown(kind: str, cell: Cell) -> str:
    """Format a cell for readers."""
    if isinstance(cell, Blank):
        return NOTHING
    if isinstance(cell, str):
        return cell
    return _interval(kind, cell) if isinstance(cell, Interval) else _value(kind, cell)


def _value(kind: str, value: float) -> str:
    if kind == "percent":
        return share(value)
    if kind == "seconds":
        return duration(value)
    if kind == "elo":
        return signed(value)
    if kind == "count":
        return f"{round(value):,}"
    return fixed(value) if kind == "fixed" else number(value)


def _interval(kind: str, cell: Interval) -> str:
    if kind == "percent":
        return share(cell)
    if kind == "elo":
        return elo_range(cell)
    estimate, low, high = (_value(kind, part) for part in cell)
    return f"{estimate} ({low} to {high})"


def raw(cell: Cell) -> list[str]:
    """Format a cell for CSV: full precision, no units; an interval gives three values."""
    if isinstance(cell, Blank):
        return [""]
    if isinstance(cell, Interval):
        return [_raw(part) for part in cell]
    return [cell if isinstance(cell, str) else _raw(cell)]


def _raw(value: float) -> str:
    return str(value) if isinstance(value, int) else format(value, ".6g")


MAX_GROUPS = 6
"""A ranking in a headline names at most this many groups."""


def meeting_sentence(series: Series, where: str = "", rule: Rule = USUAL) -> str:
    """State the claim about two agents, prefixed by ``where``."""
    said = claim(series, rule).sentence
    return f"{where}: {said[0].lower() + said[1:] if said.startswith('No ') else said}" if where else said


def ranking_sentence(where: str, results: Results, rule: Rule = USUAL) -> str:
    """State the leader of a pool and whether the lead is significant.

    Unlike a `claim`, this uses ratings, which weigh all matches of the pool. The minimum number of matches is the same.
    """
    names, ratings = results.agents, results.ratings
    order = sorted(range(len(names)), key=lambda i: (-ratings.elo[i], names[i]))
    if len(order) < 2:
        return f"{where}: one agent alone can't be ranked."
    best = order[0]
    if not rule.could_show(results.standings()[0]):
        return f"{where}: {counted(results.matches, 'match is', 'matches are')} too few for a ranking."
    level = [names[i] for i in order[1:] if ratings.difference(best, i).low <= 0]
    elo = shown("elo", ratings.rating(best))
    if not level:
        return f"{where}: {names[best]} is the strongest of {len(names)}, ahead of each other agent; Elo {elo}."
    if len(level) == len(order) - 1:
        return f"{where}: these matches don't tell the agents apart."
    return f"{where}: {names[best]} has the highest Elo, {elo}, but is not shown to be stronger than {listed(level)}."


def ranking(groups: Iterable[Iterable[str]], most: int | None = None) -> str:
    """Format a ranking: ``a > b, c > d``, where > is a claim and a comma joins agents that are not told apart."""
    texts = [", ".join(group) for group in groups]
    return " > ".join([*texts[:most], "…"] if most is not None and len(texts) > most else texts)


def ranking_of(
    results: Results, names: Sequence[str], most: int | None = None, short: Mapping[str, str] | None = None
) -> str:
    """Format the ranking of some agents, or state that there is none; ``short`` maps names to shorter ones."""
    groups = results.ranked(names)
    if len(groups) > 1:
        return ranking([[(short or {}).get(name, name) for name in group] for group in groups], most)
    who = listed([short.get(name, name) for name in names]) if short else "the agents"
    if any(results.beats(a, b) for a, b in permutations(names, 2)):
        return f"the pairings do not rank {who}"
    return f"no difference is shown between {who}"


def headline(results: Results) -> str:
    """Format the ranking of a pool as a headline."""
    return f"{results.game.title}: {ranking_of(results, results.names, MAX_GROUPS)}"


def findings(results: Results) -> list[str]:
    """Return the ranking of a pool, or the claim about two agents."""
    game, claims = results.game.title, [results.claim(series) for series in results.series.values()]
    if len(claims) == 1:
        return [meeting_sentence(next(iter(results.series.values())), game, results.rule)]
    better, equal = (sum(one.finding is finding for one in claims) for finding in (Finding.BETTER, Finding.EQUAL))
    count = f"{better} of {len(claims)} pairings show a difference" + (f", {equal} equality" if equal else "")
    return [f"{game}: {ranking_of(results, results.names)} ({count})."]


def lead_in_elo(gap: Interval) -> str:
    """Format an Elo lead without signs: ``257 Elo (174 to 340)``."""
    return f"{round(gap.estimate)} Elo ({round(gap.low)} to {round(gap.high)})"


def rate_difference(a: Interval, b: Interval) -> Interval:
    """Return Newcombe's interval of a − b for two independent rates."""
    gap = a.estimate - b.estimate
    down = math.hypot(a.estimate - a.low, b.high - b.estimate)
    up = math.hypot(a.high - a.estimate, b.estimate - b.low)
    return Interval(gap, gap - down, gap + up)


# Okabe and Ito's palette, in an order whose neighbours also differ in grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#7A5C00", "#5A5A5A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (3, 2)), (0, (1, 1)), (0, (6, 2)))
WIN, DRAW, LOSS = "#0071B0", "#D8D8D8", "#E69F00"
"""First player's wins, draws, second player's wins; the same in every theme, because labels are drawn on them."""

# In a page these follow its light or dark theme.
INK = "#1f2328"
FAINT = "#c9ced6"
FOLLOWS = {
    INK: "currentColor",
    FAINT: "var(--faint)",
    COLOURS[0]: "var(--blue)",
    COLOURS[6]: "var(--brown)",
    COLOURS[7]: "var(--grey)",
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

    def noted(self, note: str) -> Figure:
        """Return the figure with a note drawn below it."""

        def draw(canvas: Canvas) -> None:
            self.draw(canvas)
            canvas.supxlabel(note, x=0.99, ha="right", fontsize=8)

        return replace(self, draw=draw)

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
        """The canvas, laid out once for all formats because layout is slow."""
        canvas = Canvas(figsize=self.size, layout="constrained")
        self.draw(canvas)
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")
        return canvas

    def _saved(self, format: str, metadata: dict[str, Any], dpi: float = 72, ground: str = "none") -> bytes:
        with matplotlib.rc_context(rc=matplotlib.rc_params_from_file(TEMPLATES / "figures.mplstyle")):
            out = io.BytesIO()
            self._canvas.savefig(out, format=format, metadata=metadata, dpi=dpi, facecolor=ground)
        return out.getvalue()


_TIP = "tip:"


def tip(artist: Artist, text: str) -> None:
    """Add a tooltip to a mark of a figure, shown in SVG files and pages."""
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
    return re.sub(r' width="[\d.]+pt" height="[\d.]+pt"', "", svg, count=1)


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
    """Return black or white, whichever contrasts more with this background (RGB from 0 to 1)."""
    red, green, blue = colour
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "#ffffff"
