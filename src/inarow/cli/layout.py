"""Tables that fit the screen: no name is cut and no word broken. What is too wide is shown in several tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table

_GAP, _EDGES = 3, 2
"""Columns between two columns of a table, and at its edges."""
_PROSE = 30
"""Columns that a text needs to be readable."""
_NAME = 28
"""Columns that names get where the table is too wide; they are wrapped after commas and spaces."""

Row = Sequence[str]


def tables(head: Row, rows: Sequence[Row], width: int, *, numbers: bool) -> Iterator[Table]:
    """One table if it fits; else several, each with the first column and as many others as fit."""
    widths = [max(map(_widest_line, cells)) for cells in zip(head, *rows, strict=True)]
    width -= _EDGES
    if not numbers:
        widths[-1] = min(widths[-1], _PROSE)  # the last column is prose, and is wrapped
    if sum(widths) + _GAP * (len(widths) - 1) > width:
        rows = [[_wrapped(row[0]), *row[1:]] for row in rows]
        widths[0] = max(_widest_line(cells[0]) for cells in (head, *rows))
    for columns in _shares(widths, width):
        yield _table(columns, head, rows, numbers)


def _shares(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """The columns of each table; the first is in all of them."""
    columns, used = [0], widths[0]
    for column in range(1, len(widths)):
        if used + _GAP + widths[column] > width and len(columns) > 1:
            yield columns
            columns, used = [0], widths[0]
        columns.append(column)
        used += _GAP + widths[column]
    yield columns


def _table(columns: Sequence[int], head: Row, rows: Sequence[Row], numbers: bool) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    made = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        prose = not numbers and column == len(head) - 1
        side: JustifyMethod = "right" if numbers and column else "left"
        made.add_column(Text(head[column]), justify=side, no_wrap=not prose, overflow="fold")
    for row in rows:
        made.add_row(*(Text(row[column]) for column in columns))
    return made


def _wrapped(name: str) -> str:
    """A name over several lines; a spec is parted after its commas."""
    lines = [""]
    for part in re.findall(r"[^, ]*[, ]*", name):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > _NAME:
            lines.append("  ")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def _widest_line(text: str) -> int:
    return max(map(len, text.split("\n")))
