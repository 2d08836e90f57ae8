"""The kinds of values in kernels: numbers, tuples, arrays, and records.

A kind says which machine words a value is made of: a number is one word, an array a pointer and its lengths, a tuple
the words of its parts. Kinds come from Python values (`kind_of`) and from annotations (`annotated_kinds`).
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """A number, by NumPy's name. Values are int64, float64, float32 or bool; memory also holds smaller integers."""

    name: str

    @property
    def size(self) -> int:
        """Return the number of bytes."""
        return np.dtype(self.name).itemsize

    @property
    def kind(self) -> Scalar:
        """Return the kind of the value that is read from memory: all integers become words."""
        return {"float64": FLOAT, "float32": FLOAT32, "bool": BOOL}.get(self.name, INT)

    @property
    def spoken(self) -> str:
        """Return the name for messages, as all kinds do."""
        return {"int64": "an int", "float64": "a float"}.get(self.name, f"a {self.name}")


INT, FLOAT, FLOAT32, BOOL = (Scalar(name) for name in ("int64", "float64", "float32", "bool"))
_WIDTH = {BOOL: 0, INT: 1, FLOAT32: 2, FLOAT: 3}


@dataclass(frozen=True)
class Fixed:
    """An array inside a record."""

    element: Scalar | Struct
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class Pointer:
    """A reference in a record to a one-dimensional array: its address and its length."""

    element: Scalar | Struct


@dataclass(frozen=True)
class Struct:
    """A record as memory holds it: names, contents and offsets of its fields, and its size in bytes."""

    fields: tuple[tuple[str, Content, int], ...]
    size: int
    name: str = field(default="", compare=False, repr=False)
    """The class, for other languages."""

    def find(self, name: str) -> tuple[Content, int] | None:
        """Return the content and the offset of a field."""
        return next(((content, offset) for known, content, offset in self.fields if known == name), None)


Content = Scalar | Struct | Fixed | Pointer


@dataclass(frozen=True)
class ArrayOf:
    """A contiguous array."""

    element: Scalar | Struct
    ndim: int
    writeable: bool = True
    spoken = "an array"


@dataclass(frozen=True)
class Reference:
    """A record, by its address."""

    struct: Struct
    spoken = "a record"


@dataclass(frozen=True)
class TupleOf:
    """A tuple, or a named tuple of this class; None is the empty one."""

    parts: tuple[Kind, ...]
    named: type | None = None

    def __repr__(self) -> str:
        named = self.named and f"{self.named.__module__}.{self.named.__qualname__}{self.named._fields}"  # type: ignore[attr-defined]
        return f"TupleOf({self.parts}, {named})"

    @property
    def spoken(self) -> str:
        """Return the name for messages."""
        return self.named.__name__ if self.named else f"a tuple of {len(self.parts)}" if self.parts else "None"


@dataclass(frozen=True)
class FunctionOf:
    """A function that is given as an argument: it is compiled as a part of the kernel and takes no words."""

    function: types.FunctionType
    spoken = "a function"

    def __repr__(self) -> str:
        code = self.function.__code__
        return f"{self.function.__module__}.{self.function.__qualname__}, line {code.co_firstlineno}"


NONE = TupleOf(())
Kind = Scalar | ArrayOf | Reference | TupleOf | FunctionOf
Signature = tuple[Kind, ...]


def kinds_of(values: tuple[Any, ...]) -> Signature:
    """Return the kinds of a call's arguments."""
    return tuple(kind_of(value) for value in values)


def functions_in(kinds: Signature) -> Iterator[types.FunctionType]:
    """Yield the functions among the arguments, also those in tuples."""
    for kind in kinds:
        if isinstance(kind, FunctionOf):
            yield kind.function
        elif isinstance(kind, TupleOf):
            yield from functions_in(kind.parts)


def takes_function(kinds: Signature) -> bool:
    """Return True if one of the arguments is a function, or a tuple that has one."""
    return any(functions_in(kinds))


def kind_of(value: Any) -> Kind:
    """Return the kind of a Python value. Raises TypeError for a value that kernels can't take."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError(f"a kernel takes contiguous arrays; this one has strides {value.strides}")
        return ArrayOf(element_of(value.dtype), value.ndim, value.flags.writeable)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return TupleOf(kinds_of(value), type(value))
    if hasattr(value, "__struct__"):
        return Reference(value.__struct__)
    if value is None:
        return NONE
    if isinstance(value, types.FunctionType):
        return FunctionOf(value)
    for types_, kind in (((bool, np.bool_), BOOL), ((int, np.integer), INT), ((float, np.floating), FLOAT)):
        if isinstance(value, types_):
            return kind
    raise TypeError(
        f"a kernel takes numbers, arrays, records, functions and named tuples of them, not {type(value).__name__}"
    )


@functools.cache
def element_of(dtype: np.dtype[Any]) -> Scalar | Struct:
    """Return what memory holds for a NumPy type."""
    if dtype.fields is None:
        return Scalar(dtype.name)
    places = [(name, *dtype.fields[name][:2]) for name in dtype.names or ()]
    fields = tuple((name, Scalar(kind.name), offset) for name, kind, offset in places)
    return Struct(fields, dtype.itemsize, dtype.type.__name__)


def unified(a: Kind, b: Kind) -> Kind | None:
    """Return the kind that holds values of both, as arithmetic promotes them; None if no kind does.

    An integer and a float32 make a float: a float32 would not hold the integer.
    """
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        low, high = sorted((a, b), key=_WIDTH.__getitem__)
        return FLOAT if (low, high) == (INT, FLOAT32) else high
    if isinstance(a, TupleOf) and isinstance(b, TupleOf) and a.named is b.named and len(a.parts) == len(b.parts):
        return _tuple_kind([unified(x, y) for x, y in zip(a.parts, b.parts, strict=True)], a.named)
    return a if a == b else None


@functools.cache
def annotated_kinds(function: Callable[..., Any]) -> dict[str, Kind | None]:
    """Return the kinds that the annotations of a function fix; None for those that leave it open, such as NDArray."""
    return {name: class_kind(hint) for name, hint in get_type_hints(function).items()}


def parameter_kinds(function: Callable[..., Any], given: Signature) -> dict[str, Kind]:
    """Return the kinds of a function's parameters, by name: those given, but numbers as they are annotated."""
    code, fixed = function.__code__, annotated_kinds(function)
    if code.co_argcount != len(given):
        raise TypeError(f"{function.__name__} takes {code.co_argcount} arguments, {len(given)} were given")
    found: dict[str, Kind] = {}
    for name, kind in zip(code.co_varnames, given, strict=False):
        wanted = fixed.get(name)
        found[name] = wanted if isinstance(wanted, Scalar) and isinstance(kind, Scalar) else kind
    return found


def result_kind(function: Callable[..., Any], given: Mapping[str, Kind]) -> Kind | None:
    """Return the kind of a function's result: the one that its annotation fixes, or, where it is annotated as one of
    the arguments is, the kind of that argument."""
    hints, fixed = get_type_hints(function), annotated_kinds(function)
    same = (kind for name, kind in given.items() if hints.get(name) is hints.get("return"))
    return fixed.get("return") or next(same, None)


def class_kind(found: Any) -> Kind | None:
    """Return the kind of the values of a type; None if it leaves it open."""
    if found is types.NoneType:
        return NONE
    if get_origin(found) is tuple:
        return _tuple_kind([class_kind(part) for part in get_args(found)], None)
    if hasattr(found, "__struct__"):
        return Reference(found.__struct__)
    if isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields"):
        hints = get_type_hints(found)
        return _tuple_kind([class_kind(hints.get(name)) for name in found._fields], found)
    return {int: INT, float: FLOAT, bool: BOOL}.get(found) if isinstance(found, type) else None


def _tuple_kind(parts: list[Kind | None], named: type | None) -> TupleOf | None:
    return None if None in parts else TupleOf(tuple(part for part in parts if part is not None), named)
