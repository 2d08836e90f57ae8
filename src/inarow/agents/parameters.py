"""Parameters of agents and evaluators: typed, ranged, documented fields of frozen dataclasses.

The command line's help, the errors and the canonical specs all come from these.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

from inarow.errors import InarowError, check_integer, check_list, check_number, printable, unknown, wanted_number


class AgentError(InarowError):
    """The agent can't be made from this spec, or can't play this game."""


@dataclass(frozen=True)
class Kind:
    """The type of a parameter: its accepted values and their notation."""

    name: str
    default: Any
    help: str
    hidden: bool = False
    """True if menus and the list of all agents omit it."""
    is_file: bool = False
    """True for the path of a file, whose content is part of an agent's identity."""
    field: str = ""
    """The dataclass field, if the parameter's name is a Python keyword."""

    def of(self, owner: Any) -> Any:
        """Return the value of this parameter."""
        return getattr(owner, self.field or self.name)

    @property
    def wanted(self) -> str:
        """The accepted values, in words."""
        return "the path of a file" if self.is_file else "a string"

    def read(self, text: str) -> Any:
        """Parse a value. Raises ValueError if it is invalid."""
        return text

    def convert(self, value: Any) -> Any:
        """Convert a value given in Python to the stored one."""
        return value

    def fits(self, value: Any) -> bool:
        """Return True if this value is accepted."""
        return isinstance(value, str)

    def format(self, value: Any) -> str:
        """Format a value, quoted where the grammar needs it."""
        text = str(value)
        return f'"{text}"' if any(c in text for c in ',()" =') else text

    def parse(self, owner: str, text: str) -> Any:
        """Parse a value. Raises `AgentError` with the expected values if it is invalid."""
        try:
            value = self.read(text)
        except ValueError:
            raise AgentError(f"{owner}: {self.name}={printable(text)} is not {self.wanted} ({self.help})") from None
        self.check(owner, value)
        return value

    def check(self, owner: str, value: Any) -> None:
        """Raise `AgentError` if the value is not accepted."""
        if not self.fits(value):
            given = printable(self.format(value))
            raise AgentError(f"{owner}: {self.name}={given} is not {self.wanted} ({self.help})")


@dataclass(frozen=True)
class Number(Kind):
    """An integer or a decimal number in a range; ``none`` is the word for None."""

    whole: bool = True
    low: float | None = None
    high: float | None = None
    none: str | None = None

    @property
    def wanted(self) -> str:
        text = wanted_number("an integer" if self.whole else "a number", self.low, self.high)
        return f"{text}, or {self.none}" if self.none else text

    def read(self, text: str) -> Any:
        if self.none is not None and text == self.none:
            return None
        return int(text) if self.whole else float(text)

    def convert(self, value: Any) -> Any:
        """Return NumPy's numbers as Python's."""
        try:
            return self._checked(value)
        except InarowError:
            return value  # `check` rejects it

    def _checked(self, value: Any) -> float:
        if self.whole:
            return check_integer(self.name, value, self.low, self.high)
        return check_number(self.name, value, self.low, self.high)

    def fits(self, value: Any) -> bool:
        if value is None:
            return self.none is not None
        try:
            self._checked(value)
        except InarowError:
            return False
        return True

    def format(self, value: Any) -> str:
        if value is None and self.none is not None:
            return self.none
        if not isinstance(value, float):
            return str(value)
        text = format(value, ".12g")
        return text if float(text) == value else repr(float(value))


@dataclass(frozen=True)
class Choice(Kind):
    """One of several words."""

    options: tuple[str, ...] = ()

    @property
    def wanted(self) -> str:
        return f"one of {', '.join(self.options)}"

    def fits(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.options


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


def parameter(make: Callable[..., Kind], default: Any, **kind: Any) -> Any:
    """Return a field for a parameter; ``kind`` are the arguments of ``make``."""
    return dataclasses.field(default=default, metadata={"kind": (make, kind)})


def integer(
    default: int | None,
    help: str,
    low: int | None = None,
    high: int | None = None,
    none: str | None = None,
    hidden: bool = False,
) -> Any:
    """Return a field for an integer; ``none`` is the word for None."""
    return parameter(Number, default, help=help, whole=True, low=low, high=high, none=none, hidden=hidden)


def number(
    default: float | None,
    help: str,
    low: float | None = None,
    high: float | None = None,
    none: str | None = None,
    spelling: str = "",
) -> Any:
    """Return a field for a decimal number; ``spelling`` is its name in specs if it is not the field's."""
    name = {"name": spelling} if spelling else {}
    return parameter(Number, default, help=help, whole=False, low=low, high=high, none=none, **name)


def choice(default: str, options: Sequence[str], help: str) -> Any:
    """Return a field for one of several words."""
    check_list("options", options, str, "words", AgentError)
    return parameter(Choice, default, help=help, options=tuple(options))


def switch(default: bool, help: str) -> Any:
    """Return a field for a switch, on or off."""
    return parameter(Switch, default, help=help)


def string(default: str, help: str) -> Any:
    """Return a field for a string."""
    return parameter(Kind, default, help=help)


def file(default: str, help: str) -> Any:
    """Return a field for a file path, such as a model; the file's content is part of the agent's identity."""
    return parameter(Kind, default, help=help, is_file=True)


_PLAIN: Mapping[str, Callable[..., Any]] = {"bool": switch, "int": integer, "float": number, "str": string}
"""The function that declares a field with only an annotation, by type."""


def kind_of(field: dataclasses.Field[Any]) -> Kind | None:
    """Return the kind of a field made by one of the functions above, or of a plain one by its annotation.

    None if a field of this type can't be written in a spec.
    """
    declared = field
    if "kind" not in field.metadata:
        annotation = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", "")
        if annotation not in _PLAIN:
            return None
        declared = _PLAIN[annotation](field.default, field.name.replace("_", " "))
    make, kind = declared.metadata["kind"]
    result: Kind = make(**{"name": field.name, "default": field.default, "field": field.name, **kind})
    return result


@dataclass(frozen=True)
class Configured:
    """The base of classes with named parameters: a subclass is a frozen dataclass whose fields are the parameters."""

    what: ClassVar[str]
    """The noun for it in errors, such as agent."""
    name: ClassVar[str]
    """Its name in a spec."""
    summary: ClassVar[str]
    """One line of help."""

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Raise `AgentError` for an unknown keyword argument, with similar names."""
        known = cls._keywords()
        for key in given:
            if known is not None and key not in known:
                raise no_parameter(f"{cls.what} {getattr(cls, 'name', cls.__name__)}", key, known)
        return super().__new__(cls)

    @classmethod
    @functools.cache
    def _keywords(cls) -> Collection[str] | None:
        """Return the names of its arguments, or None if it takes any."""
        _, *arguments = inspect.signature(cls.__init__).parameters.values()
        takes_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in arguments)
        return None if takes_any else [one.name for one in arguments]

    def __post_init__(self) -> None:
        for parameter in self.parameters():
            value = parameter.convert(parameter.of(self))
            object.__setattr__(self, parameter.field or parameter.name, value)
            parameter.check(f"{self.what} {self.name}", value)

    @classmethod
    @functools.cache
    def parameters(cls) -> list[Kind]:
        """Return the parameters in order."""
        return [kind for f in cls.counted_fields() if (kind := kind_of(f)) is not None]

    @classmethod
    def counted_fields(cls) -> list[dataclasses.Field[Any]]:
        """Return the fields that are part of the identity: not computed, and not declared with compare=False."""
        return [f for f in fields(cls) if f.init and f.compare]

    def files(self) -> Iterator[tuple[str, Path]]:
        """Yield the files that it depends on, each with the name of the parameter."""
        for parameter in self.parameters():
            value = parameter.of(self)
            if isinstance(value, Configured):
                yield from value.files()
            elif parameter.is_file and value:
                yield parameter.name, Path(value)

    @property
    def arguments(self) -> str:
        """The parameters that differ from their defaults, as ``key=value`` with commas."""
        values = ((p, p.of(self)) for p in self.parameters())
        return ",".join(f"{p.name}={p.format(value)}" for p, value in values if self.differs(p, value))

    @property
    def spec(self) -> str:
        """The canonical spec: the name, and the parameters that differ from their defaults."""
        arguments = self.arguments
        return f"{self.name}:{arguments}" if arguments else self.name

    def differs(self, parameter: Kind, value: Any) -> bool:
        """Return True if the canonical spec includes this value."""
        return bool(value != parameter.default)


def split_arguments(owner: str, text: str) -> dict[str, str]:
    """Split ``key=value`` pairs at commas outside quotes and parentheses."""
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
                raise AgentError(f"{owner}: an unmatched closing parenthesis in {printable(text)!r}")
        elif not quoted and depth == 0 and character == ",":
            parts.append(text[start:at])
            start = at + 1
    if quoted or depth:
        raise AgentError(f"{owner}: an unclosed {'quote' if quoted else 'parenthesis'} in {printable(text)!r}")
    return [*parts, text[start:]]


def read_arguments(owner: str, kinds: Sequence[Kind], text: str) -> dict[str, Any]:
    """Parse ``key=value`` pairs; return the values by field."""
    values: dict[str, Any] = {}
    for key, value in split_arguments(owner, text).items():
        kind = parameter_of(owner, kinds, key)
        values[kind.field or key] = kind.parse(owner, value)
    return values


def parameter_of(owner: str, kinds: Sequence[Kind], key: str) -> Kind:
    """Return the parameter of this name. Raises `AgentError` with similar names if there is none."""
    by_name = {kind.name: kind for kind in kinds}
    if key not in by_name:
        raise no_parameter(owner, key, by_name)
    return by_name[key]


def no_parameter(owner: str, key: str, known: Collection[str]) -> AgentError:
    """Return the error for an unknown parameter."""
    if not known:
        return AgentError(f"{owner} takes no parameters, got {printable(key)}")
    return AgentError(f"{owner}: {unknown('parameter', key, known)}")
