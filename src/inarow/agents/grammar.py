"""The grammar of specs: ``name``, ``name:key=value,key=value``; a value may be quoted or have parentheses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inarow.agents.parameters import AgentError, Kind
from inarow.errors import printable, unknown


def split_arguments(owner: str, text: str) -> dict[str, str]:
    """The ``key=value`` pairs of a text; commas within quotes or parentheses don't part them."""
    arguments: dict[str, str] = {}
    for part in _split(owner, text):
        key, equals, value = part.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not key:
            raise AgentError(f"{owner}: {printable(part.strip())!r} is not of the form key=value")
        if key in arguments:
            raise AgentError(f"{owner}: {key} is given twice")
        if len(value) >= 2 and value[0] == value[-1] == '"':
            value = value[1:-1]
        arguments[key] = value
    return arguments


def _split(owner: str, text: str) -> list[str]:
    parts, depth, quoted, start = [], 0, False, 0
    for at, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif not quoted and character in "()":
            depth += 1 if character == "(" else -1
            if depth < 0:
                raise AgentError(f"{owner}: a closing parenthesis too many in {printable(text)!r}")
        elif not quoted and depth == 0 and character == ",":
            parts.append(text[start:at])
            start = at + 1
    if quoted or depth:
        raise AgentError(f"{owner}: {'a quote' if quoted else 'a parenthesis'} is not closed in {printable(text)!r}")
    return [*parts, text[start:]]


FORMER: Mapping[str, Mapping[str, str]] = {
    "agent alphabeta": {
        "table": "tt", "table_mb": "tt_mb", "deepening": "iterative_deepening", "solve": "solver", "values": "root",
    },
    "agent minimax": {"solve": "solver"},
    "agent mcts": {"solve": "prove", "keep": "reuse_tree", "memory": "tree_mb"},
    "agent openspiel": {"solve": "prove"},
    "agent perfect": {"table_mb": "tt_mb"},
    "agent ntuple": {"trace": "lambda", "openings": "opening_share", "search": "", "learn": "", "simulations": ""},
}  # fmt: skip
"""Parameters of earlier versions, and what they are called now; nothing if they are gone."""


def read_arguments(owner: str, kinds: Sequence[Kind], text: str) -> dict[str, Any]:
    """The values of a text of ``key=value`` pairs, by field."""
    by_name = {kind.name: kind for kind in kinds}
    values: dict[str, Any] = {}
    for key, value in split_arguments(owner, text).items():
        if key not in by_name:
            if not by_name:
                raise AgentError(f"{owner} takes no parameters, {printable(f'{key}={value}')} was given")
            now = FORMER.get(owner, {}).get(key)
            if now is not None:
                raise AgentError(f"{owner}: {key} is called {now} now" if now else f"{owner}: {key} was removed")
            raise AgentError(f"{owner}: {unknown('parameter', key, by_name)}")
        kind = by_name[key]
        values[kind.field or key] = kind.parse(owner, value)
    return values
