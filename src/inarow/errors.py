"""Errors in what a user gave. Each message says what was given, what was expected and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InarowError(ValueError):
    """A mistake in the input; the command line prints the message and exits with code 2."""


class Unsupported(InarowError):
    """An optional part is not installed, or this machine lacks what it needs."""


class HostFailure(Exception):
    """The machine failed, not an agent: a full disk, no processes left, processes that something else kills.

    The command line prints the message and exits with code 1. Nothing is stored against anyone.
    """


def printable(text: str, most: int = 500) -> str:
    """Text from elsewhere as one line that can be stored and shown: no control characters, no surrogates, no escapes.

    At most ``most`` characters; 0 for any number.
    """
    kept = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)
    line = " ".join(kept.split())
    return line if not most or len(line) <= most else line[: most - 1] + "…"


def visible(text: str) -> str:
    """Text from elsewhere as it may be printed: its lines and spaces stay, but nothing in it moves the cursor, colours
    or reorders what is on the screen."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else " " if c.isspace() else "\ufffd" for c in text)


def unknown(kind: str, given: str, known: Iterable[str], hint: str = "") -> str:
    """Return a message for a name that does not exist, with the nearest that do."""
    names = sorted(known)
    near = difflib.get_close_matches(given[:100].lower(), names, n=3, cutoff=0.5)
    message = f"unknown {kind} {printable(given)!r}"
    message += f"; did you mean {' or '.join(near)}?" if near else f"; known: {', '.join(names)}"
    return f"{message}{'' if near else '.'} {hint}" if hint else message
