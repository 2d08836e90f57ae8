"""The figures that the five reports published, exactly as their tables have them."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import inarow

FOLDER = Path(inarow.__file__).parent / "data" / "published"


@cache
def published(name: str) -> tuple[dict[str, str], ...]:
    """The rows of one table, such as ``r3_stated``: texts by column."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return tuple(dict(row) for row in csv.DictReader(lines))
