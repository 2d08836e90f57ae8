"""The types of a kernel's arguments, as text that names a cache entry and that every Python understands."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

Kind = Any
"""A text for a number or an array; for a named tuple its module, class, field names, and the kinds of its fields."""
Signature = tuple[Kind, ...]

INT, FLOAT, BOOL = "int64", "float64", "bool"


def signature_of(arguments: tuple[Any, ...]) -> Signature:
    """The types of these arguments."""
    return tuple(_type_of(value) for value in arguments)


def _type_of(value: Any) -> Kind:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value).__module__, type(value).__qualname__, value._fields, signature_of(value)
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError(f"a kernel takes contiguous arrays; this one has strides {value.strides}")
        return array_type(value.dtype, value.ndim, value.flags.writeable)
    if isinstance(value, (bool, np.bool_)):
        return BOOL
    if isinstance(value, (int, np.integer)):
        return INT
    if isinstance(value, (float, np.floating)):
        return FLOAT
    raise TypeError(f"a kernel takes numbers, arrays and named tuples of them, not {type(value).__name__}")


@functools.cache
def array_type(dtype: np.dtype[Any], ndim: int, writeable: bool) -> str:
    """The text for an array: its dtype (fields by name), dimensions, and whether it may be written to."""
    fields = dtype.fields
    kind = dtype.name if fields is None else ",".join(f"{name}:{fields[name][0].name}" for name in dtype.names or ())
    return f"{kind}[{ndim}]{'' if writeable else ' read-only'}"


def parse_array(text: str) -> tuple[np.dtype[Any], int, bool]:
    """What `array_type` was given."""
    kind, _, rest = text.rpartition("[")
    dtype = np.dtype([(n, t) for n, _, t in (f.partition(":") for f in kind.split(","))] if ":" in kind else kind)
    return dtype, int(rest.partition("]")[0]), not text.endswith("read-only")


def arrays_in(signature: Signature) -> int:
    """How many arrays there are among arguments, also in named tuples."""
    return sum(arrays_in(kind[3]) if isinstance(kind, tuple) else kind not in (INT, FLOAT, BOOL) for kind in signature)
