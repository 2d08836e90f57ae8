"""Bare pointers to arrays, for kernels in many functions: one word to pass where an array is several.

An array behind a handle is contiguous and outlives the call: Python hands it in. It is of int64 for `peek` and `poke`,
of int32 or float32 for those that say so. Uncompiled, a handle is the array itself.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from inarow.kernels.lang.jit import COMPILED


def handle(array: NDArray[Any]) -> Any:
    """The handle of an array."""
    return int(array.ctypes.data) if COMPILED else array


def peek(handle: Any, index: int) -> int:
    """The word at an index."""
    return int(handle[index])


def poke(handle: Any, index: int, value: Any) -> None:
    """Set the word at an index."""
    handle[index] = value


def peek_int32(handle: Any, index: int) -> int:
    """The int32 at an index."""
    return int(handle[index])


def poke_int32(handle: Any, index: int, value: Any) -> None:
    """Set the int32 at an index."""
    handle[index] = value


def peek_float(handle: Any, index: int) -> float:
    """The float32 at an index."""
    return handle[index]  # type: ignore[no-any-return]


def poke_float(handle: Any, index: int, value: Any) -> None:
    """Set the float32 at an index."""
    handle[index] = value


def prefetch(handle: Any, index: int) -> None:
    """Begin to fetch the eight bytes at an index, counted in such words, into the processor's cache."""
