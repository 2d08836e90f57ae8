"""What can be wrong with what a user gave. Each message says what was given, what was wanted and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InarowError(ValueError):
    """A mistake in the input; the command line prints the message and exits with code 2."""


class Unsupported(InarowError):
    """An optional part is not installed, or this machine lacks what it needs."""


def unknown(kind: str, given: str, known: Iterable[str], hint: str = "") -> str:
    """A message for a name that does not exist, with the nearest that do."""
    names = sorted(known)
    near = difflib.get_close_matches(given.lower(), names, n=3, cutoff=0.5)
    message = f"unknown {kind} {given!r}"
    message += f"; did you mean {' or '.join(near)}?" if near else f"; known: {', '.join(names)}"
    return f"{message} {hint}".rstrip()
