"""What a table's cells hold, and how they read: values in, text out, the same in every format."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.formatting import NOTHING, duration, elo_range, fixed, number, share, signed
from inarow.stats import Interval


@dataclass(frozen=True)
class Blank:
    """A cell without a figure; the reason goes under the table."""

    reason: str


Cell = str | int | float | Interval | Blank

KINDS = ("text", "count", "number", "fixed", "percent", "seconds", "elo")


@dataclass(frozen=True)
class Column:
    """The head of a column and what its cells are: rates from 0 to 1 are shown in percent, times in fitting units."""

    name: str
    kind: str = "text"
    published: bool = False
    """Whether its figures are quoted: texts exactly as their source has them."""

    def __post_init__(self) -> None:
        assert self.kind in KINDS, self.kind


def shown(kind: str, cell: Cell) -> str:
    """A cell as people read it."""
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
    """A cell for CSV: full precision, no units; an interval is three."""
    if isinstance(cell, Blank):
        return [""]
    if isinstance(cell, Interval):
        return [_raw(part) for part in cell]
    return [cell if isinstance(cell, str) else _raw(cell)]


def _raw(value: float) -> str:
    return str(value) if isinstance(value, int) else format(value, ".6g")
