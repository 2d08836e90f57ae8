"""Errors in a user's input. Each message says what was given, what was expected and what to do.

The functions ``check_…`` and `as_…` check a value where it enters, and return it as a plain int, float or Path.
"""

from __future__ import annotations

import difflib
import math
import numbers
import operator
import os
from collections.abc import Iterable
from pathlib import Path
from types import UnionType
from typing import Any, SupportsIndex


class InarowError(ValueError):
    """A mistake in the input; the command line prints the message and exits with code 2."""


class Unsupported(InarowError):
    """An optional part is not installed, or this machine lacks what it needs."""


class HostFailure(Exception):
    """A failure of the machine, not of an agent: a full disk, no more processes, processes killed from outside.

    The command line prints the message and exits with code 1. No agent loses a match by it.
    """


def printable(text: str, most: int = 500) -> str:
    """Return untrusted text as one line that is safe to store and show: no control characters, surrogates or escapes.

    At most ``most`` characters; 0 for any number.
    """
    kept = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)
    line = " ".join(kept.split())
    return line if not most or len(line) <= most else line[: most - 1] + "…"


def visible(text: str) -> str:
    """Return untrusted text that is safe to print: line breaks and spaces are kept, but nothing moves the cursor, sets
    colours or reorders the screen."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else " " if c.isspace() else "\ufffd" for c in text)


def unknown(kind: str, given: str, known: Iterable[str], hint: str = "") -> str:
    """Return a message for an unknown name that suggests the closest known ones."""
    names = sorted(known)
    near = difflib.get_close_matches(given[:100].lower(), names, n=3, cutoff=0.6)
    message = f"unknown {kind} {printable(given)!r}"
    message += f"; did you mean {' or '.join(near)}?" if near else f"; known: {', '.join(names)}"
    return f"{message}{'' if near else '.'} {hint}" if hint else message


def shown(value: object) -> str:
    """Return a value as an error shows it, in a few characters."""
    if isinstance(value, int) and abs(value) >= 10**15:
        try:
            return f"{value:.4g}"
        except OverflowError:  # too large for a float
            return "over 10^308" if value > 0 else "below −10^308"
    return printable(f"{value!r:.60}")


def _is_bool(value: object) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")  # Python's and NumPy's


def as_index(value: SupportsIndex) -> int:
    """Return anything with ``__index__`` as a plain int. Raises TypeError for others and for booleans."""
    if _is_bool(value):
        raise TypeError(f"{value!r} is not an integer")
    return operator.index(value)


def wanted_number(kind: str, low: float | None, high: float | None) -> str:
    """Return ``an integer from 1 to 5``, given the kind of number and its range."""
    text = kind if low is None else f"{kind} from {_bound(low)}"
    return text if high is None else f"{text} {'up ' if low is None else ''}to {_bound(high)}"


def _bound(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.12g}"


def check_integer(
    name: str,
    value: Any,
    low: float | None = None,
    high: float | None = None,
    error: type[InarowError] = InarowError,
) -> int:
    """Return an integer in this range, NumPy's as Python's; booleans are none. Raises ``error``."""
    try:
        number = as_index(value)
    except TypeError:
        number = None
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise error(f"{name} must be {wanted_number('an integer', low, high)}, got {shown(value)}")
    return number


def check_number(
    name: str,
    value: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    positive: bool = False,
    error: type[InarowError] = InarowError,
) -> float:
    """Return a finite number in this range; integers stay integers, and booleans are no numbers. Raises ``error``."""
    is_number = isinstance(value, numbers.Real) and not _is_bool(value)
    if (
        not is_number
        or not -math.inf < value < math.inf
        or (positive and not value > 0)
        or (low is not None and value < low)
        or (high is not None and value > high)
    ):
        kind = "a positive number" if positive else "a number"
        raise error(f"{name} must be {wanted_number(kind, low, high)}, got {shown(value)}")
    return operator.index(value) if isinstance(value, numbers.Integral) else float(value)


def check_instance(
    name: str, value: Any, kind: type | UnionType, wanted: str, error: type[InarowError] = InarowError
) -> None:
    """Raise ``error`` unless a value is an instance; ``wanted`` describes one, such as ``a string``."""
    if not isinstance(value, kind):
        is_class = isinstance(value, type) and issubclass(value, kind)
        meant = f"; an instance was meant: {value.__name__}(…)" if is_class else ""
        raise error(f"{name} must be {wanted}, got {shown(value)}{meant}")


def check_list(
    name: str, value: Any, kind: type | UnionType, wanted: str, error: type[InarowError] = InarowError
) -> None:
    """Raise ``error`` unless a value is a list or tuple of instances; ``wanted`` describes them."""
    if not isinstance(value, list | tuple) or not all(isinstance(one, kind) for one in value):
        raise error(f"{name} must be a list of {wanted}, got {shown(value)}")


def check_flags(**flags: Any) -> None:
    """Raise `InarowError` for a flag that is not a boolean: a string such as ``"off"`` would be true."""
    for name, value in flags.items():
        if not _is_bool(value):
            raise InarowError(f"{name} must be True or False, got {shown(value)}")


def check_callback(name: str, value: Any) -> None:
    """Raise `InarowError` unless a value is a function or None."""
    if value is not None and not callable(value):
        raise InarowError(f"{name} must be a function or None, got {shown(value)}")


def as_path(name: str, value: Any, error: type[InarowError] = InarowError) -> Path:
    """Return a path given as a string or Path. Raises ``error`` for others, and for names that no file can have."""
    try:
        path = os.fspath(value)
        fits = isinstance(path, str) and path != "" and b"\0" not in os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        fits = False
    if not fits:
        raise error(f"{name} must be a path, as a string or a Path, got {shown(value)}")
    return Path(value)
