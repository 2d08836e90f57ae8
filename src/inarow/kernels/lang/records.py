"""Records: memory with named fields that Python and kernels share.

```
@record
class Search:
    nodes: int
    table: NDArray[np.int64]
    history: NDArray[np.int64] = shape(2, 64)
    moves: Array[Move] = shape(7)
```

A field is a number, a reference to a one-dimensional array of numbers or records, or, with `shape`, an array inside the
record. To Python the fields are ordinary attributes; what they refer to lives as long as the record. A new record is
all zeros.
"""

from __future__ import annotations

import ctypes
import functools
import math
import operator
from collections.abc import Iterator
from typing import Annotated, Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from inarow.kernels.lang.kinds import INT, Fixed, Pointer, Scalar, Struct

T = TypeVar("T")
Int8 = Annotated[int, "int8"]
Int32 = Annotated[int, "int32"]
Float32 = Annotated[float, "float32"]
"""Fields that take less room."""

_MEMORY = "_memory"
"""Under what a record keeps its memory."""
_NUMBERS = {int: "int64", float: "float64", bool: "bool", Int8: "int8", Int32: "int32", Float32: "float32"}


class Array(Generic[T]):
    """The type of a field that is an array of records inside the record."""

    def __getitem__(self, index: int) -> T:
        raise NotImplementedError

    def __setitem__(self, index: int, value: T) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError


class _Shape(tuple[int, ...]):
    """The lengths of an array inside a record."""


def shape(*lengths: int) -> Any:
    """Place an array of these lengths inside the record."""
    return _Shape(lengths)


def record(declared: type[T]) -> type[T]:
    """Make a class whose annotated fields lie in memory, one after another."""
    namespace = {name: value for name, value in vars(declared).items() if name not in ("__dict__", "__weakref__")}
    fields: list[tuple[str, Any]] = []
    contents: list[tuple[str, str, Any]] = []
    references = []
    for name, hint in get_type_hints(declared, include_extras=True).items():
        lengths = namespace.pop(name, None)
        if hint in _NUMBERS:
            contents.append((name, name, Scalar(_NUMBERS[hint])))
            fields.append((name, np.ctypeslib.as_ctypes_type(np.dtype(_NUMBERS[hint]))))
        elif isinstance(lengths, _Shape):
            if get_origin(hint) is Array:
                element = innermost(hint)
                place, kind = name, functools.reduce(lambda kind, length: kind * length, reversed(lengths), element)
                contents.append((name, place, Fixed(element.__struct__, lengths)))
            else:
                place, number = f"_{name}", _element(hint)
                kind = np.ctypeslib.as_ctypes_type(np.dtype(number.name)) * math.prod(lengths)
                contents.append((name, place, Fixed(number, lengths)))
                namespace[name] = _view(place, number.name, lengths)
            fields.append((place, kind))
        else:
            referred = innermost(hint).__struct__ if get_origin(hint) is Array else _element(hint)
            contents.append((name, f"_{name}", Pointer(referred)))
            fields.append((f"_{name}", ctypes.c_int64 * 2))
            namespace[name] = _reference(name, _dtype(referred))
            references.append(name)
    namespace |= {"_fields_": fields, "__references__": tuple(references), "__new__": _new}
    made: Any = type(declared.__name__, (ctypes.Structure,), namespace)
    placed = tuple((name, content, getattr(made, place).offset) for name, place, content in contents)
    made.__struct__ = Struct(placed, ctypes.sizeof(made), made.__name__)
    return made  # type: ignore[no-any-return]


def _new(kind: Any) -> Any:
    """Make a record in memory of NumPy's: arrays inside it refer to the memory, not to the record, which would keep
    itself alive in a cycle that the garbage collector can't see."""
    memory = np.zeros(ctypes.sizeof(kind), dtype=np.uint8)
    made = kind.from_buffer(memory)
    made.__dict__[_MEMORY] = memory
    return made


def _element(hint: Any) -> Scalar:
    """Return the elements of ``NDArray[…]``, which is ``ndarray[…, dtype[…]]`` before NumPy 2.5, and an alias since."""
    found = get_args(hint)[-1]
    return Scalar(np.dtype(*(get_args(found) or [found])).name)


@functools.cache
def _dtype(content: Scalar | Struct) -> np.dtype[Any]:
    """Return NumPy's type for what memory holds; the fields of records are attributes of an array's elements."""
    if isinstance(content, Scalar):
        return np.dtype(content.name)
    names, contents, offsets = zip(*content.fields, strict=True)
    layout = {"names": names, "formats": [one.name for one in contents], "offsets": offsets, "itemsize": content.size}
    items = {name: _item(name, one.kind is INT) for name, one in zip(names, contents, strict=True)}
    return np.dtype((type(content.name, (np.void,), items), layout))


def _item(name: str, integer: bool) -> Any:
    """Return an attribute that is an item of the same name; integers of any size are Python's."""
    get = (lambda self: int(self[name])) if integer else operator.itemgetter(name)
    return property(get, lambda self, value: operator.setitem(self, name, value))


def array_of(kind: type[T], length: int) -> Array[T]:
    """Return a NumPy array of this many records, whose fields are numbers; all zeros."""
    return cast(Array[T], np.zeros(length, _dtype(kind.__struct__)))  # type: ignore[attr-defined]


def enlarged(array: Array[T]) -> Array[T]:
    """Return an array of records twice as long, with the same records at its beginning."""
    given: Any = array
    return cast(Array[T], np.concatenate([given, np.zeros_like(given)]))


def size_of(kind: type[Any]) -> int:
    """Return the size of a record in bytes."""
    return ctypes.sizeof(kind)


def innermost(hint: Any) -> Any:
    """Return the record in ``Array[Array[…]]``."""
    while get_origin(hint) is Array:
        (hint,) = get_args(hint)
    return hint


def _view(place: str, name: str, lengths: tuple[int, ...]) -> Any:
    """Return an attribute that is an array inside the record."""

    def get(self: Any) -> Any:
        array = self.__dict__.get(place)
        if array is None and _MEMORY in self.__dict__:
            field = getattr(type(self), place)
            whole = self.__dict__[_MEMORY][field.offset : field.offset + field.size]
            array = self.__dict__[place] = whole.view(name).reshape(lengths)
        elif array is None:  # of a record inside another one
            array = np.ctypeslib.as_array(getattr(self, place)).view(name).reshape(lengths)
        return array

    return property(get)


def _reference(name: str, dtype: np.dtype[Any]) -> Any:
    """Return an attribute that refers to an array elsewhere."""

    def get(self: Any) -> Any:
        return self.__dict__[name]

    def put(self: Any, array: Any) -> None:
        if array.dtype != dtype or array.ndim != 1 or not array.flags.carray:
            raise TypeError(f"{name}: expected a contiguous one-dimensional array of {dtype}")
        self.__dict__[name] = array
        getattr(self, f"_{name}")[:] = array.ctypes.data, len(array)

    return property(get, put)


def write_fields(value: Any, *contents: Any) -> None:
    """Write numbers to the first fields of a record, in their order."""
    for (name, *_), content in zip(value.__struct__.fields, contents, strict=False):
        setattr(value, name, content)


def copied(value: T) -> T:
    """Return a copy of a record; arrays that it refers to are shared."""
    given: Any = value
    twin = type(given)()
    ctypes.memmove(ctypes.addressof(twin), ctypes.addressof(given), ctypes.sizeof(given))
    for name in given.__references__:
        if name in given.__dict__:
            setattr(twin, name, getattr(given, name))
    return twin  # type: ignore[no-any-return]
