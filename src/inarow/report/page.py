"""A page: summary, sections of tables and figures, methods; as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

import inarow
from inarow.formatting import slug
from inarow.report.style import Figure, inline
from inarow.report.tables import Table, to_html

TEMPLATE = Path(inarow.__file__).parent / "data" / "report" / "page.html"

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
    """What came out, in sentences; each number in them is in a table."""
    sections: tuple[Section, ...]
    methods: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    """What a reader must know first: that a store was damaged, or a study is unfinished."""

    def tables(self) -> Iterator[Table]:
        """Every table, those behind figures too."""
        for section in (*self.sections, *self.methods):
            for item in section.items:
                if isinstance(item, Table):
                    yield item
                elif isinstance(item, Figure):
                    yield item.data

    def figures(self) -> Iterator[Figure]:
        """Every figure."""
        for section in (*self.sections, *self.methods):
            yield from (item for item in section.items if isinstance(item, Figure))


_NUMBER = re.compile(r"[+−]?\d[\d,]*(?:\.\d+)?")


def unbacked_numbers(page: Page) -> list[str]:
    """The numbers of the summary that no table of the page shows."""
    known: set[str] = set()
    for table in page.tables():
        for text in (table.title, *(cell for row in table.texts() for cell in row), *(c.name for c in table.columns)):
            known.update(_plain(number) for number in _NUMBER.findall(text))
    return [n for text in page.summary for n in _NUMBER.findall(text) if _plain(n) not in known]


def _plain(number: str) -> str:
    return number.lstrip("+−").rstrip(",")


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8"))


def to_page(page: Page) -> str:
    """The HTML of a page."""
    return _template().render(
        page=page,
        version=inarow.__version__,
        slug=slug,
        is_table=lambda item: isinstance(item, Table),
        is_figure=lambda item: isinstance(item, Figure),
        table=lambda item: Markup(to_html(item)),
        svg=lambda item: Markup(inline(item)),
    )


def methods_text(sections: Sequence[Section]) -> str:
    """The methods as Markdown."""
    from inarow.report.tables import to_markdown

    parts = ["# Methods"]
    for section in sections:
        parts.append(f"## {section.title}")
        parts += [to_markdown(item).rstrip() if isinstance(item, Table) else str(item) for item in section.items]
    return "\n\n".join(parts) + "\n"
