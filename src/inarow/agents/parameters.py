"""Parameters of agents and evaluators: typed, ranged, documented fields of frozen dataclasses.

The command line's help, the errors and the canonical specs all come from these.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from inarow.errors import InarowError, printable


class AgentError(InarowError):
    """An agent that can't be made as asked, or can't play this game."""


@dataclass(frozen=True)
class Kind:
    """What values a parameter takes, and its texts."""

    name: str
    default: Any
    help: str
    hidden: bool = False
    """Whether menus and the list of all agents leave it out."""

    @property
    def wanted(self) -> str:
        """What may be given, in words."""
        return "a text"

    def read(self, text: str) -> Any:
        """The value of a text; raises ValueError if it is none."""
        return text

    def fits(self, value: Any) -> bool:
        """Whether this value may be given."""
        return isinstance(value, str)

    def format(self, value: Any) -> str:
        """The text of a value, quoted where the grammar needs it."""
        text = str(value)
        return f'"{text}"' if any(c in text for c in ',()" =') else text

    def parse(self, owner: str, text: str) -> Any:
        """The value of a text, or an `AgentError` that says what was expected."""
        try:
            value = self.read(text)
        except ValueError:
            raise AgentError(f"{owner}: {self.name}={printable(text)} is not {self.wanted} ({self.help})") from None
        self.check(owner, value)
        return value

    def check(self, owner: str, value: Any) -> None:
        """Raise `AgentError` if the value may not be given."""
        if not self.fits(value):
            given = printable(self.format(value))
            raise AgentError(f"{owner}: {self.name}={given} is not {self.wanted} ({self.help})")


@dataclass(frozen=True)
class Number(Kind):
    """An integer or a decimal number in a range; ``none`` is the word for no number at all."""

    whole: bool = True
    low: float | None = None
    high: float | None = None
    none: str | None = None

    @property
    def wanted(self) -> str:
        text = "a whole number" if self.whole else "a number"
        if self.low is not None and self.high is not None:
            text += f" from {self.low:.12g} to {self.high:.12g}"
        elif self.low is not None:
            text += f" from {self.low:.12g}"
        return f"{text}, or {self.none}" if self.none else text

    def read(self, text: str) -> Any:
        if self.none is not None and text == self.none:
            return None
        return int(text) if self.whole else float(text)

    def fits(self, value: Any) -> bool:
        if value is None:
            return self.none is not None
        if not isinstance(value, int if self.whole else (int, float)) or isinstance(value, bool):
            return False
        low, high = self.low, self.high
        if value != value or (isinstance(value, float) and math.isinf(value)):  # noqa: PLR0124 - NaN
            return False
        return (low is None or value >= low) and (high is None or value <= high)

    def format(self, value: Any) -> str:
        if value is None and self.none is not None:
            return self.none
        if not isinstance(value, float):
            return str(value)
        text = format(value, ".12g")
        return text if float(text) == value else repr(value)


@dataclass(frozen=True)
class Choice(Kind):
    """One of some words."""

    options: tuple[str, ...] = ()

    @property
    def wanted(self) -> str:
        return f"one of {', '.join(self.options)}"

    def fits(self, value: Any) -> bool:
        return value in self.options


@dataclass(frozen=True)
class Switch(Kind):
    """On or off."""

    @property
    def wanted(self) -> str:
        return "on or off"

    def read(self, text: str) -> Any:
        try:
            return {"on": True, "off": False}[text]
        except KeyError:
            raise ValueError(text) from None

    def fits(self, value: Any) -> bool:
        return isinstance(value, bool)

    def format(self, value: Any) -> str:
        return "on" if value is True else "off" if value is False else str(value)


@dataclass(frozen=True)
class Names(Kind):
    """Any number of some words, joined by plus signs; ``none`` for no word. The value is a tuple."""

    options: tuple[str, ...] = ()

    @property
    def wanted(self) -> str:
        return f"none, or some of {', '.join(self.options)}, joined by +"

    def read(self, text: str) -> Any:
        given = () if text == "none" else tuple(text.split("+"))
        return tuple(sorted(given, key=self.options.index)) if set(given) <= set(self.options) else given

    def fits(self, value: Any) -> bool:
        return isinstance(value, tuple) and set(value) <= set(self.options) and len(set(value)) == len(value)

    def format(self, value: Any) -> str:
        return "+".join(value) or "none" if isinstance(value, tuple) else str(value)


def _parameter(make: Callable[..., Kind], default: Any, **kind: Any) -> Any:
    return dataclasses.field(default=default, metadata={"kind": (make, kind)})


def integer(
    default: int | None, help: str, low: int | None = None, high: int | None = None, none: str | None = None
) -> Any:
    """A field for a whole number; ``none`` is the word for no number."""
    return _parameter(Number, default, help=help, whole=True, low=low, high=high, none=none)


def number(
    default: float | None,
    help: str,
    low: float | None = None,
    high: float | None = None,
    none: str | None = None,
    hidden: bool = False,
) -> Any:
    """A field for a decimal number."""
    return _parameter(Number, default, help=help, whole=False, low=low, high=high, none=none, hidden=hidden)


def choice(default: str, options: Sequence[str], help: str, hidden: bool = False) -> Any:
    """A field for one of some words."""
    return _parameter(Choice, default, help=help, options=tuple(options), hidden=hidden)


def switch(default: bool, help: str) -> Any:
    """A field for on or off."""
    return _parameter(Switch, default, help=help)


def text(default: str, help: str) -> Any:
    """A field for a text, such as a path."""
    return _parameter(Kind, default, help=help)


def faults_field(faults: Mapping[str, str]) -> Any:
    """A hidden field for errors of the reports' programs, by name with what each is; none of them by default."""
    text = "; ".join(f"{name}: {what}" for name, what in faults.items())
    return _parameter(Names, (), help=f"errors of the reports' programs: {text}", options=tuple(faults), hidden=True)


def kind_of(field: dataclasses.Field[Any]) -> Kind:
    """The kind of a dataclass field made by one of the functions above."""
    make, kind = field.metadata["kind"]
    result: Kind = make(name=field.name, default=field.default, **kind)
    return result


@dataclass(frozen=True)
class Configured:
    """Something made from named parameters: a subclass is a frozen dataclass, its fields come from the above."""

    what: ClassVar[str]
    """The word for such a thing, used in errors."""
    name: ClassVar[str]
    """What a spec calls it."""
    summary: ClassVar[str]
    """One line of help."""
    old_spellings: ClassVar[Mapping[tuple[str, str], tuple[str, str]]] = {}
    """Parameters of earlier versions with their values, and what stands for them now."""

    def __post_init__(self) -> None:
        for parameter in self.parameters():
            parameter.check(f"{self.what} {self.name}", getattr(self, parameter.name))

    @classmethod
    def parameters(cls) -> list[Kind]:
        """The parameters of this kind of thing, in their order."""
        return [kind_of(f) for f in fields(cls) if "kind" in f.metadata]

    @property
    def arguments(self) -> str:
        """The parameters that differ from their defaults, as ``key=value`` with commas."""
        values = ((p, getattr(self, p.name)) for p in self.parameters())
        return ",".join(f"{p.name}={p.format(value)}" for p, value in values if self.differs(p, value))

    def differs(self, parameter: Kind, value: Any) -> bool:
        """Whether the canonical text must name this value."""
        return bool(value != parameter.default)
