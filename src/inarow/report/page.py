"""A page: findings, sections of tables and figures, methods; as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

import inarow
from inarow.formatting import capitalised, slug
from inarow.report.references import Reference
from inarow.report.style import Figure, inline
from inarow.report.tables import NAME, Table, text_to_html, to_html, to_markdown

TEMPLATES = Path(inarow.__file__).parent / "data" / "report"
NARROW = 78
"""A table of at most this many characters across may stand beside a figure or another table."""

Item = Table | Figure | str


@dataclass(frozen=True)
class Section:
    """A heading, and texts, tables and figures in order."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Page:
    """All that a report says."""

    title: str
    lead: str
    """What was studied, in a sentence or two."""
    summary: tuple[str, ...]
    """The findings, in sentences; each number in them is in a table."""
    sections: tuple[Section, ...]
    methods: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    """What a reader must know first: that a store was damaged, or a study is unfinished."""
    headline: str = ""
    """The main result in one sentence; without one the page is headed by its title."""
    references: tuple[Reference, ...] = ()
    """The literature behind the methods, how to cite inarow first."""

    def tables(self) -> Iterator[Table]:
        """Every table, those behind figures too."""
        for item in self._items():
            if isinstance(item, Table):
                yield item
            elif isinstance(item, Figure):
                yield item.data

    def figures(self) -> Iterator[Figure]:
        """Every figure."""
        return (item for item in self._items() if isinstance(item, Figure))

    def _items(self) -> Iterator[Item]:
        for section in (*self.sections, *self.methods):
            yield from section.items

    def sentences(self) -> list[str]:
        """All that is claimed at the top of the page."""
        return [self.headline, *self.summary]


_NUMBER = re.compile(r"[+−]?\d[\d,]*(?:\.\d+)?")


def unbacked_numbers(page: Page) -> list[str]:
    """The numbers of the headline and the findings that no table of the page shows."""
    known: set[str] = set()
    for table in page.tables():
        for text in (table.title, *(cell for row in table.texts() for cell in row), *(c.name for c in table.columns)):
            known.update(_plain(number) for number in _NUMBER.findall(text))
    return [n for text in page.sentences() for n in _NUMBER.findall(text) if _plain(n) not in known]


def _plain(number: str) -> str:
    return number.lstrip("+−").rstrip(",")


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html")


def to_page(page: Page) -> str:
    """The HTML of a page."""
    return _template().render(
        page=page,
        version=inarow.__version__,
        slug=slug,
        blocks=_blocks,
        kind=lambda item: type(item).__name__.lower(),
        text=lambda said: Markup(text_to_html(said)),
        short=_short,
        table=lambda item, title: Markup(to_html(item, title)),
        svg=lambda item: Markup(inline(item)),
        style=Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),
        script=Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),
    )


def _short(title: str, section: str) -> str:
    """A title without what the heading of its section says already: a game's name, or all of it."""
    start = section.partition(": ")[0] + ": "
    return "" if title == section else capitalised(title.removeprefix(start))


def _blocks(section: Section) -> list[list[Item]]:
    """The items of a section in order, those that may stand side by side together."""
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
    """How many characters a table takes across, with room between columns; long texts break into lines."""
    heads = [max(map(len, column.name.split())) for column in table.columns]
    cells = [
        width if right else min(width, NAME + 4)
        for width, right in zip(table.widths(), table.aligned_right(), strict=True)
    ]
    return sum(max(head, cell) + 2 for head, cell in zip(heads, cells, strict=True))


def findings_text(page: Page) -> str:
    """The headline, or else the title, as a heading, and the findings as a list, in Markdown."""
    return "\n".join([f"# {page.headline or page.title}", "", *(f"- {said}" for said in page.summary), ""])


def methods_text(page: Page) -> str:
    """The methods and references as Markdown."""
    parts = ["# Methods"]
    for section in page.methods:
        parts.append(f"## {section.title}")
        parts += [to_markdown(item).rstrip() if isinstance(item, Table) else str(item) for item in section.items]
    if page.references:
        parts += ["## References", "\n".join(f"- {one.text}" for one in page.references)]
    return "\n\n".join(parts) + "\n"
