"""The figures that the five reports published, exactly as their tables have them."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


def published_tables(report: str) -> list[str]:
    """Return the names of a report's tables, such as ``r3_stated``."""
    return [f"{report}_{path.stem}" for path in sorted((FOLDER / report / "published").glob("*.csv"))]


@cache
def published(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of one table, such as ``r3_stated``: strings by column."""
    report, _, table = name.partition("_")
    with (FOLDER / report / "published" / f"{table}.csv").open(encoding="utf-8", newline="") as lines:
        return tuple(dict(row) for row in csv.DictReader(lines))
