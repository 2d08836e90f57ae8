"""What a table's cells hold, and how they read: values in, text out, the same in every format."""

from __future__ import annotations

import math
from dataclasses import dataclass

from inarow.stats import Interval

MINUS = "−"


@dataclass(frozen=True)
class Blank:
    """A cell without a figure; the reason goes under the table."""

    reason: str


Cell = str | int | float | Interval | Blank

KINDS = ("text", "count", "number", "percent", "seconds", "elo")


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
        return "–"
    if isinstance(cell, str):
        return cell
    return _interval(kind, cell) if isinstance(cell, Interval) else _value(kind, cell)


def _value(kind: str, value: float) -> str:
    if kind == "percent":
        return f"{percent(value)} %"
    if kind == "seconds":
        return duration(value)
    if kind == "elo":
        return signed(value)
    if kind == "count":
        return f"{round(value):,}"
    return number(value)


def _interval(kind: str, cell: Interval) -> str:
    if kind == "percent":
        return f"{percent(cell.estimate)} % ({percent(cell.low)}–{percent(cell.high)})"
    if kind == "elo":
        return f"{signed(cell.estimate)} ({signed(cell.low)} to {signed(cell.high)})"
    if kind == "seconds":
        return f"{duration(cell.estimate)} ({duration(cell.low)} to {duration(cell.high)})"
    return f"{number(cell.estimate)} ({number(cell.low)} to {number(cell.high)})"


def percent(rate: float) -> str:
    """A rate in percent: whole, with one decimal right at the ends, where rounding would make it look certain."""
    value = 100 * rate
    near = min(value, 100 - value)
    return f"{value:.1f}" if 0 < near < 0.995 and abs(value - round(value)) >= 0.05 else f"{value:.0f}"


def signed(value: float) -> str:
    """A whole number with its sign."""
    rounded = round(value)
    return "0" if rounded == 0 else f"+{rounded}" if rounded > 0 else f"{MINUS}{-rounded}"


def number(value: float) -> str:
    """Three digits that count; thousands apart."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    sign = MINUS if value < 0 else ""
    size = abs(value)
    if size >= 1e15:
        mantissa, _, power = f"{size:.2e}".partition("e")
        return f"{sign}{float(mantissa):g}×10^{int(power)}"
    if size >= 99.5 or isinstance(value, int):
        return f"{sign}{round(size):,}"
    digits = max(0, 2 - math.floor(math.log10(size)))
    text = f"{size:.{min(digits, 6)}f}"
    return sign + (text.rstrip("0").rstrip(".") if "." in text else text)


def duration(seconds: float) -> str:
    """A time in the unit that fits."""
    if seconds <= 0:
        return "0 s"
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 0.9995:
            return f"{number(seconds * scale)} {unit}"
    return f"{number(seconds * 1e9)} ns"


def raw(cell: Cell) -> list[str]:
    """A cell for CSV: full precision, no units; an interval is three."""
    if isinstance(cell, Blank):
        return [""]
    if isinstance(cell, Interval):
        return [_raw(part) for part in cell]
    return [cell if isinstance(cell, str) else _raw(cell)]


def _raw(value: float) -> str:
    return str(value) if isinstance(value, int) else format(value, ".6g")
