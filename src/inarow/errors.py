"""Errors in a user's input. Each message says what was given, what was expected and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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
