"""What is printed on a terminal that lacks some of our characters: similar ones, not escapes."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Mapping
from typing import TextIO

_SIMILAR = {
    "−": "-",
    "–": "-",
    "—": "-",
    "…": "...",
    "·": ".",
    "×": "x",
    "±": "+/-",
    "µ": "u",
    "→": "->",
    "≤": "<=",
    "≥": ">=",
    "¼": "1/4",
    "½": "1/2",
    "¾": "3/4",
}
_HANDLER = "inarow-similar"


def similar(text: str) -> str:
    """A text with other characters for those outside ASCII; what is like none is written as Python would write it."""
    return "".join(_SIMILAR.get(one) or one.encode("ascii", "backslashreplace").decode() for one in text)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return similar(error.object[error.start : error.end]), error.end


def settle_encoding() -> None:
    """Let nothing that is printed fail, nor appear as signs that the terminal does not have."""
    codecs.register_error(_HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        _settle(stream, os.environ, bool(sys.flags.utf8_mode))


def _settle(stream: TextIO, environment: Mapping[str, str], utf8_mode: bool) -> None:
    if not isinstance(stream, io.TextIOWrapper):
        return
    plain = stream.isatty() and is_plain_locale(environment, utf8_mode)
    stream.reconfigure(encoding="ascii" if plain else None, errors=_HANDLER)


def is_plain_locale(environment: Mapping[str, str], utf8_mode: bool) -> bool:
    """Whether the user asked for the locale C, for which Python takes UTF-8.

    Python then also sets ``LC_CTYPE`` to ``C.UTF-8``, which therefore says nothing.
    """
    kind = environment.get("LC_CTYPE", "")
    asked = environment.get("LC_ALL") or ("" if kind == "C.UTF-8" else kind) or environment.get("LANG", "")
    return utf8_mode and asked in ("C", "POSIX")
