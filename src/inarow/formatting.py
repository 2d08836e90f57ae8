"""Format numbers, lists and sentences: the one place for rounding, units and commas."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarow.stats import Interval

MINUS = "−"
NOTHING = "–"
"""Placeholder for a missing figure."""


def percent(rate: float, decimals: int = 0) -> str:
    """Return a rate in percent, without the % sign; near 0 and 100 with a decimal, so that it does not look certain."""
    value = 100 * rate
    if decimals:
        return f"{value:.{decimals}f}"
    near = min(value, 100 - value)
    return f"{value:.1f}" if 0 < near < 0.995 and abs(value - round(value)) >= 0.05 else f"{value:.0f}"


def share(rate: float | Interval | None, decimals: int = 0) -> str:
    """Return a rate with the % sign and, if it has one, its interval: ``62 %`` or ``62 % (55–69)``."""
    if rate is None:
        return NOTHING
    if isinstance(rate, tuple):
        return f"{percent(rate.estimate, decimals)} % ({_end(rate.low, decimals)}–{_end(rate.high, decimals)})"
    return f"{percent(rate, decimals)} %"


def _end(rate: float, decimals: int) -> str:
    """Return an end of an interval in percent, with enough decimals that only 50 itself is printed as 50."""
    text = percent(rate, decimals)
    while float(text) == 50 and rate != 0.5 and decimals < 6:
        decimals += 1
        text = percent(rate, decimals)
    return text


def elo_range(elo: Interval) -> str:
    """Return a difference in Elo with its interval, ``+120 (+64 to +182)``; ``> +247``, a bound, if it is infinite."""
    if math.isinf(elo.estimate):
        return f"> {signed(elo.low)}" if elo.estimate > 0 else f"< {signed(elo.high)}"
    return f"{signed(elo.estimate)} ({signed(elo.low)} to {signed(elo.high)})"


def signed(value: float) -> str:
    """Return an integer with its sign."""
    if math.isinf(value):
        return "+∞" if value > 0 else f"{MINUS}∞"
    rounded = round(value)
    return "0" if rounded == 0 else f"+{rounded}" if rounded > 0 else f"{MINUS}{-rounded}"


def number(value: float) -> str:
    """Return a number with three significant digits and thousands separators."""
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


def fixed(value: float, decimals: int = 2) -> str:
    """Return a number with this many decimals and a minus sign; never ``−0.00``."""
    text = f"{value:.{decimals}f}"
    return text.replace("-", MINUS if float(text) else "")


def duration(seconds: float | None) -> str:
    """Return a time in the unit that fits: ``1.5 s``, ``20 ms``, ``300 µs``, ``80 ns``."""
    if seconds is None:
        return NOTHING
    if seconds <= 0:
        return "0 s"
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 0.9995:
            return f"{number(seconds * scale)} {unit}"
    return f"{number(seconds * 1e9)} ns"


def listed(words: Sequence[str]) -> str:
    """Join words as in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def sentence(text: str) -> str:
    """End a string with a full stop unless it ends with other punctuation."""
    return text if text.endswith((".", "!", "?", "…", ":")) else f"{text}."


def capitalised(text: str) -> str:
    """Capitalise the first letter only."""
    return text[:1].upper() + text[1:]


def counted(count: int, singular: str, plural: str) -> str:
    """Return a count with its noun: ``1 match``, ``20 matches``."""
    return f"{count:,} {singular if count == 1 else plural}"


@functools.cache
def _sentences() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(files("inarow").joinpath("data/sentences.json").read_bytes())
    return found


def sentences(kind: str) -> tuple[str, ...]:
    """Return the templates of a kind in ``data/sentences.json``, in their order."""
    return tuple(_sentences()[kind].values())


def say(kind: str, code: int | str, **values: str | int | Sequence[str]) -> str:
    """Return a sentence of ``data/sentences.json``, by its name or its index within its kind.

    ``{name}`` is replaced by a value, a list joined by *or*; ``{name:move|moves}`` by a number and its noun.
    """
    templates = _sentences()[kind]

    def value(found: re.Match[str]) -> str:
        one = values[found[1]]
        if isinstance(one, int):
            return counted(one, found[2], found[3]) if found[2] else f"{one:,}"
        return one if isinstance(one, str) else " or ".join(filter(None, (", ".join(one[:-1]), *one[-1:])))

    template = templates[code] if isinstance(code, str) else list(templates.values())[code]
    return re.sub(r"\{(\w+)(?::(\w+)\|(\w+))?\}", value, template)


def slug(title: str) -> str:
    """Return a title as the id of a heading, or as the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
