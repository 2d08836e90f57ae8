"""What the studies of the five reports share: tournaments by labels, quotations, tables of errors and assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inarow.report.cells import Blank, Cell
from inarow.report.tables import Table, table

NOT_PLAYED = Blank("not played here")
NOT_GIVEN = Blank("the report gives no figure")


def quoted(text: str) -> Cell:
    """A published figure exactly as it is printed, or why there is none."""
    return text if text else NOT_GIVEN


def cut(made: Table, shared: int, at: int, title: str) -> tuple[Table, Table]:
    """A wide table as two: the columns before ``at``, and the rest beside the first ``shared`` columns again."""
    rows = [row[:shared] + row[at:] for row in made.rows]
    rest = table(f"{made.key}-cost", title, made.columns[:shared] + made.columns[at:], rows, *made.notes)
    return replace(made, columns=made.columns[:at], rows=tuple(row[:at] for row in made.rows), notes=()), rest


def faults(key: str, report: str, rows: Sequence[tuple[str, str]]) -> Table:
    """Where a report is in error: what it says or does, and what is right."""
    return table(key, f"Errors of {report}", ("in the report", "in truth, and here"), rows)


def unstated(key: str, report: str, rows: Sequence[tuple[str, str]]) -> Table:
    """What a report does not state, and what is assumed here."""
    return table(key, f"What {report} does not state", ("not stated", "assumed here"), rows)
