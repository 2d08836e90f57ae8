"""What the pages of the five reports share: quotations, tables of errors and of assumptions."""

from __future__ import annotations

from collections.abc import Sequence

from inarow.report.cells import Blank, Cell
from inarow.report.tables import Table, table

NOT_PLAYED = Blank("not played here")
NOT_GIVEN = Blank("the report gives no figure")


def quoted(text: str) -> Cell:
    """Return a published figure exactly as it is printed, or why there is none."""
    return text if text else NOT_GIVEN


def errors_table(report: str, rows: Sequence[tuple[str, str]]) -> Table:
    """Return where a report is in error: what it says or does, and what is right."""
    return table(f"{report}-errors", f"Errors of {report.upper()}", ("in the report", "in truth, and here"), rows)


def unstated_table(report: str, rows: Sequence[tuple[str, str]]) -> Table:
    """Return what a report does not state, and what is assumed here."""
    title = f"What {report.upper()} does not state"
    return table(f"{report}-unstated", title, ("not stated", "assumed here"), rows)
