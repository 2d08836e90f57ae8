"""The kinds of values in kernels: numbers, tuples, arrays, and records in arrays.

A kind says which machine words a value is made of: a number is one word, an array a pointer and its lengths, a tuple
the words of its parts. Kinds come from Python values (`kind_of`) and from annotations (`annotated_kind`).
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import numpy as np


@dataclass(frozen=True)
class Number:
    """A number: a signed 64-bit integer, a float of 64 or 32 bits, or a truth value."""

    name: str


INT, FLOAT, FLOAT32, BOOL = Number("int"), Number("float"), Number("float32"), Number("bool")
RANK = {BOOL: 0, INT: 1, FLOAT32: 2, FLOAT: 3}


@dataclass(frozen=True)
class Nothing:
    """The kind of None, which a function without a result returns."""


NONE = Nothing()


@dataclass(frozen=True)
class Scalar:
    """A number as memory holds it, by NumPy's name."""

    name: str

    @property
    def size(self) -> int:
        """Return the number of bytes."""
        return np.dtype(self.name).itemsize

    @property
    def kind(self) -> Number:
        """Return the kind of the value that is read: all integers become words."""
        if self.name in ("float64", "float32", "bool"):
            return {"float64": FLOAT, "float32": FLOAT32, "bool": BOOL}[self.name]
        return INT


@dataclass(frozen=True)
class Fixed:
    """An array inside a record."""

    element: Scalar | Struct
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class Pointer:
    """A reference to a one-dimensional array: its address and its length."""

    element: Scalar | Struct


@dataclass(frozen=True)
class Struct:
    """A record as memory holds it: names, contents and offsets of its fields, and its size in bytes."""

    fields: tuple[tuple[str, Content, int], ...]
    size: int

    def field(self, name: str) -> tuple[Content, int] | None:
        """Return the content and the offset of a field."""
        return next(((content, offset) for known, content, offset in self.fields if known == name), None)


Content = Scalar | Struct | Fixed | Pointer


@dataclass(frozen=True)
class ArrayOf:
    """A contiguous array."""

    element: Scalar | Struct
    ndim: int
    writeable: bool = True


@dataclass(frozen=True)
class Reference:
    """A record, by its address."""

    struct: Struct


@dataclass(frozen=True)
class TupleOf:
    """A tuple, or a named tuple of this class."""

    parts: tuple[Kind, ...]
    named: type | None = None


Kind = Number | Nothing | ArrayOf | Reference | TupleOf
Signature = tuple[Kind, ...]


def kinds_of(values: tuple[Any, ...]) -> Signature:
    """Return the kinds of a call's arguments."""
    return tuple(kind_of(value) for value in values)


def kind_of(value: Any) -> Kind:
    """Return the kind of a Python value. Raises TypeError for a value that kernels can't take."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError(f"a kernel takes contiguous arrays; this one has strides {value.strides}")
        return array_kind(value.dtype, value.ndim, value.flags.writeable)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return TupleOf(kinds_of(value), type(value))
    if hasattr(value, "__struct__"):
        return Reference(value.__struct__)
    if isinstance(value, (bool, np.bool_)):
        return BOOL
    if isinstance(value, (int, np.integer)):
        return INT
    if isinstance(value, (float, np.floating)):
        return FLOAT
    raise TypeError(f"a kernel takes numbers, arrays, records and named tuples of them, not {type(value).__name__}")


@functools.cache
def array_kind(dtype: np.dtype[Any], ndim: int, writeable: bool) -> ArrayOf:
    """Return the kind of an array."""
    return ArrayOf(element_of(dtype), ndim, writeable)


def element_of(dtype: np.dtype[Any]) -> Scalar | Struct:
    """Return what memory holds for a NumPy type."""
    if dtype.fields is None:
        return Scalar(dtype.name)
    places = [(name, *dtype.fields[name][:2]) for name in dtype.names or ()]
    return Struct(tuple((name, Scalar(kind.name), offset) for name, kind, offset in places), dtype.itemsize)


def unified(a: Kind, b: Kind) -> Kind | None:
    """Return the kind that holds values of both, as arithmetic promotes them; None if there is none.

    An integer and a float32 make a float: a float32 would not hold the integer.
    """
    if a == b:
        return a
    if isinstance(a, Number) and isinstance(b, Number):
        low, high = sorted((a, b), key=RANK.__getitem__)
        return FLOAT if (low, high) == (INT, FLOAT32) else high
    if isinstance(a, TupleOf) and isinstance(b, TupleOf) and a.named is b.named and len(a.parts) == len(b.parts):
        parts = [unified(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
        return None if None in parts else TupleOf(tuple(part for part in parts if part is not None), a.named)
    return None


def annotated_kind(node: ast.expr | None, scope: Mapping[str, Any]) -> Kind | None:
    """Return the kind that an annotation fixes; None if it leaves it open, such as ``NDArray`` or ``Any``."""
    if node is None:
        return None
    if isinstance(node, ast.Constant) and node.value is None:
        return NONE
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "tuple":
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return _tuple_kind([annotated_kind(part, scope) for part in parts], None)
    if isinstance(node, ast.Name):
        return class_kind({"int": int, "float": float, "bool": bool}.get(node.id, scope.get(node.id)))
    return None


@functools.cache
def _hints(named: type) -> dict[str, Any]:
    return get_type_hints(named)


def class_kind(found: Any) -> Kind | None:
    """Return the kind of the instances of a class; None if it leaves it open."""
    if found in (int, float, bool):
        return {int: INT, float: FLOAT, bool: BOOL}[found]
    if found is types.NoneType:
        return NONE
    if hasattr(found, "__struct__"):
        return Reference(found.__struct__)
    if isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields"):
        return _tuple_kind([class_kind(_hints(found).get(name)) for name in found._fields], found)
    return None


def _tuple_kind(parts: list[Kind | None], named: type | None) -> TupleOf | None:
    return None if None in parts else TupleOf(tuple(part for part in parts if part is not None), named)
