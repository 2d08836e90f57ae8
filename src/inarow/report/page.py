"""A page with findings, sections of tables and figures, and methods, as one self-contained HTML file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

import inarow
from inarow import __version__
from inarow.formatting import capitalised, slug
from inarow.frontend import match_template, script_json, template
from inarow.paths import write_bytes, write_text
from inarow.report.tables import (
    NAME,
    TEMPLATES,
    Figure,
    Table,
    inline,
    latex,
    text_to_html,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
)

NARROW = 78
"""Maximum width in characters of a table next to a figure or another table."""

Item = Table | Figure | str | tuple[str, ...]
"""A table, a figure, a paragraph, or a list of sentences."""


@dataclass(frozen=True)
class Section:
    """A heading with paragraphs, tables and figures."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Page:
    """The content of a report."""

    title: str
    lead: str
    """The subject, in a sentence or two."""
    summary: tuple[str, ...]
    """The findings, in sentences; each number in them is in a table."""
    sections: tuple[Section, ...]
    methods: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    """Warnings, such as a damaged store or an unfinished study."""
    headline: str = ""
    """The main result in one sentence; without one the page is headed by its title."""
    references: tuple[Citation, ...] = ()
    """The literature behind the methods, how to cite inarow first."""
    matches: tuple[Mapping[str, Any], ...] = ()
    """Matches to replay with exact values, as `frontend.replay_of` makes them."""
    figure: Figure | None = None
    """The figure that shows the findings, right below them."""
    details: tuple[Section, ...] = ()
    """Sections that are folded at the end, together with the methods."""

    def tables(self) -> Iterator[Table]:
        """Yield every table, including those behind figures."""
        for item in self._items():
            if isinstance(item, Table):
                yield item
            elif isinstance(item, Figure):
                yield item.data

    def figures(self) -> Iterator[Figure]:
        """Yield every figure."""
        return (item for item in self._items() if isinstance(item, Figure))

    def _items(self) -> Iterator[Item]:
        if self.figure is not None:
            yield self.figure
        for section in (*self.sections, *self.details, *self.methods):
            yield from section.items

    def sentences(self) -> list[str]:
        """Return the headline, the findings, and the sentences in lists."""
        lists = (item for section in self.sections for item in section.items if isinstance(item, tuple))
        return [self.headline, *self.summary, *(sentence for item in lists for sentence in item)]


_DASH = re.compile(r"(?<=\d)–(?=\d)")
_NUMBER = re.compile(r"[+−]?\d[\d,]*(?:\.\d+)?")


def unbacked_numbers(page: Page) -> list[str]:
    """Return the numbers in the headline and findings that no table shows."""
    known: set[str] = set()
    for table in page.tables():
        for text in (table.title, *(cell for row in table.texts() for cell in row), *(c.name for c in table.columns)):
            known.update(_plain(number) for number in _NUMBER.findall(text))
    return [n for text in page.sentences() for n in _NUMBER.findall(text) if _plain(n) not in known]


def _plain(number: str) -> str:
    return number.lstrip("+−").rstrip(",")


def to_page(page: Page) -> str:
    """Render a page as HTML."""
    return template(TEMPLATES, "page.html").render(
        page=page,
        version=inarow.__version__,
        slug=slug,
        blocks=_blocks,
        kind=_kind,
        text=lambda said: Markup(_DASH.sub("–\u2060", text_to_html(said))),  # no line breaks in a range
        short=_short,
        table=lambda item, title: Markup(to_html(item, title)),
        svg=lambda item: Markup(inline(item)),
        style=Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),
        script=Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),
        matches=Markup(script_json(page.matches)) if page.matches else "",
        board=Markup(script_json(match_template())) if page.matches else "",
    )


def _kind(item: Item) -> str:
    """Return the kind of an item, for templates: table, figure, str or tuple."""
    return type(item).__name__.lower()


def _short(title: str, section: str) -> str:
    """Return a title without the part that repeats its section's heading."""
    start = section.partition(": ")[0] + ": "
    return "" if title == section else capitalised(title.removeprefix(start))


def _blocks(section: Section) -> list[list[Item]]:
    """Group the items of a section that may stand side by side."""
    made: list[list[Item]] = []
    before = False
    for item in section.items:
        narrow = isinstance(item, Figure) or (isinstance(item, Table) and _across(item) <= NARROW)
        if narrow and before:
            made[-1].append(item)
        else:
            made.append([item])
        before = narrow
    return made


def _across(table: Table) -> int:
    """Return the width of a table in characters; long strings wrap."""
    heads = [max(map(len, column.name.split())) for column in table.columns]
    cells = [
        width if right else min(width, NAME + 4)
        for width, right in zip(table.widths(), table.aligned_right(), strict=True)
    ]
    return sum(max(head, cell) + 2 for head, cell in zip(heads, cells, strict=True))


def findings_text(page: Page) -> str:
    """Return the headline or title as a heading, and the findings and those of each section as lists, in Markdown."""
    lines = [f"# {page.headline or page.title}", "", *(f"- {said}" for said in page.summary)]
    for section in page.sections:
        if said := [f"- {one}" for item in section.items if isinstance(item, tuple) for one in item]:
            lines += ["", f"## {section.title}", "", *said]
    return "\n".join([*lines, ""])


def methods_text(page: Page) -> str:
    """Return the methods and references as Markdown."""
    parts = ["# Methods"]
    for section in page.methods:
        parts.append(f"## {section.title}")
        parts += [to_markdown(item).rstrip() if isinstance(item, Table) else str(item) for item in section.items]
    if page.references:
        parts += ["## References", "\n".join(f"- {one.text}" for one in page.references)]
    return "\n\n".join(parts) + "\n"


PAGE = "report.html"
FINDINGS = "findings.md"
METHODS = "methods.md"
SKELETON = "paper.tex"
PRINTED = "report.pdf"
FILES = (PAGE, FINDINGS, METHODS, SKELETON, PRINTED)
FOLDERS = ("tables", "figures")


@dataclass(frozen=True)
class Formats:
    """Optional formats, in addition to HTML, tables and figures."""

    pdf: bool = False
    """The page as ``report.pdf``, by an installed browser."""
    png: bool = False
    """The figures as bitmaps of 300 dots per inch."""


PLAIN = Formats()
Note = Callable[[str], None]
"""Callback with messages about files that could not be made."""


def write_page(page: Page, folder: Path, formats: Formats = PLAIN, note: Note | None = None) -> Path:
    """Write the report, removing an earlier one from its two folders; return the HTML file."""
    for name in FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    (folder / PRINTED).unlink(missing_ok=True)
    for table in page.tables():
        for ending, text in (("csv", to_csv(table)), ("md", to_markdown(table)), ("tex", to_latex(table))):
            _write(folder / "tables" / f"{table.key}.{ending}", text)
    for figure in page.figures():
        _write(folder / "figures" / f"{figure.key}.svg", figure.svg)
        write_bytes(folder / "figures" / f"{figure.key}.pdf", figure.pdf, durable=False)
        if formats.png:
            write_bytes(folder / "figures" / f"{figure.key}.png", figure.png(), durable=False)
    _write(folder / FINDINGS, findings_text(page))
    _write(folder / METHODS, methods_text(page))
    _write(folder / SKELETON, to_skeleton(page))
    _write(folder / PAGE, to_page(page))
    printed = print_page(folder / PAGE) if formats.pdf else None
    if isinstance(printed, str) and note is not None:
        note(printed)
    return folder / PAGE


def _write(path: Path, text: str) -> None:
    write_text(path, text, durable=False)  # the report can be regenerated from the store


def to_skeleton(page: Page) -> str:
    """Render the LaTeX document: placeholders, findings, tables, figures, methods, data and bibliography."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, block_start_string="<%", block_end_string="%>", variable_start_string="<<",
        variable_end_string=">>", comment_start_string="<#", comment_end_string="#>", keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["latex"] = latex
    return environment.get_template("paper.tex").render(page=page, kind=_kind)


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = "install Chromium or WeasyPrint and try again, or print the page from a browser"
SECONDS = 120
"""Time limit of printing in seconds."""
_DATE = re.compile(rb"\(D:\d{14}[^)]*\)")
_NODE = re.compile(rb"(?<=\(node)\d{8}(?=\))")
"""Chromium's numbers of a document's parts, which differ from one run to the next."""


def print_page(page: Path, target: Path | None = None) -> Path | str:
    """Print an HTML page to PDF, by default next to it; return its path, or the reason for failure.

    The same page gives the same bytes each time.
    """
    target = target or page.with_name(PRINTED)
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    with tempfile.TemporaryDirectory(prefix="inarow-print-") as folder:
        made = Path(folder) / PRINTED
        if browser is not None:
            said = _run(_chromium(browser, page, made, Path(folder)))
        elif shutil.which("weasyprint"):
            said = _run(["weasyprint", str(page), str(made)])
        else:
            return f"{target.name} was not made because no browser was found: {HOW}"
        if not made.is_file():
            return f"{target.name} was not written: {said}; {HOW}"
        data = made.read_bytes()
    write_bytes(target, same_each_time(data), durable=False)
    return target


def same_each_time(pdf: bytes) -> bytes:
    """Make a PDF reproducible: remove its dates and renumber its objects, keeping its length."""
    pdf = _DATE.sub(lambda date: b"(D:" + b"0" * (len(date[0]) - 4) + b")", pdf)
    numbers: dict[bytes, bytes] = {}
    return _NODE.sub(lambda node: numbers.setdefault(node[0], b"%08d" % len(numbers)), pdf)


def _chromium(browser: str, page: Path, made: Path, folder: Path) -> list[str]:
    """Return Chromium's arguments: headless, a temporary profile, no sandbox for root (as in containers)."""
    options = ["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    options += [f"--user-data-dir={folder / 'profile'}", "--no-pdf-header-footer", f"--print-to-pdf={made}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--no-sandbox")
    return [browser, *options, page.absolute().as_uri()]


def _run(command: list[str]) -> str:
    """Run a printer; return the reason for failure, or an empty string."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return f"{Path(command[0]).name} ended with code {done.returncode}"


class Citation(NamedTuple):
    """A cited work with its LaTeX key."""

    key: str
    text: str


def references(agents: Iterable[str]) -> tuple[Citation, ...]:
    """Return the references for these agents, by name, and for the statistics; inarow comes first."""
    known = tomllib.loads((TEMPLATES / "references.toml").read_text(encoding="utf-8"))
    keys = [*(key for name in agents for key in known["agents"].get(name, ())), *known["statistics"]]
    own = f"The inarow authors. inarow: a lab for adversarial game AI on k-in-a-row games, version {__version__}."
    return (Citation("inarow", own), *(Citation(key, known["works"][key]) for key in dict.fromkeys(keys)))
