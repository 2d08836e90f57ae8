"""The grammar of specs: ``name``, ``name:key=value,key=value``; a value may be quoted or have parentheses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
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


def read_arguments(
    owner: str,
    kinds: Sequence[Kind],
    text: str,
    old_spellings: Mapping[tuple[str, str], tuple[str, str]] = MappingProxyType({}),
) -> dict[str, Any]:
    """The values of a text of ``key=value`` pairs, by parameter name; old spellings are taken for the new ones."""
    by_name = {kind.name: kind for kind in kinds}
    values: dict[str, Any] = {}
    for given, given_value in split_arguments(owner, text).items():
        key, value = old_spellings.get((given, given_value), (given, given_value))
        if key in values:
            old = ", ".join(f"{a}={b} is an old spelling of {c}={d}" for (a, b), (c, d) in old_spellings.items())
            raise AgentError(f"{owner}: {key} is given twice ({old})")
        if key not in by_name:
            if not by_name:
                raise AgentError(f"{owner} takes no parameters, {printable(f'{key}={value}')} was given")
            raise AgentError(f"{owner}: {unknown('parameter', key, by_name)}")
        values[key] = by_name[key].parse(owner, value)
    return values
