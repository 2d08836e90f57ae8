"""Bare pointers to arrays, for kernels in many functions: one word to pass where an array is seven.

An array behind a handle is contiguous and outlives the call: Python hands it in. It is of int64 for `peek` and `poke`,
of int32 or float32 for those that say so. Uncompiled, a handle is the array itself.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from inarow.kernels.compiler import jit


def _handle(array: NDArray[Any]) -> Any:
    """The handle of an array."""
    return array


def _peek(handle: Any, index: int) -> int:
    """The word at an index."""
    return int(handle[index])


def _poke(handle: Any, index: int, value: Any) -> None:
    """Set the word at an index."""
    handle[index] = value


def _peek_float(handle: Any, index: int) -> float:
    """The float32 at an index."""
    return handle[index]  # type: ignore[no-any-return]


def _prefetch(handle: Any, index: int) -> None:
    """Begin to fetch the eight bytes at an index, counted in such words, into the processor's cache."""


def _address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)


handle = jit.instruction("take_handle", _handle, _address)
peek = jit.instruction("load_word", _peek)
poke = jit.instruction("store_word", _poke)
peek_int32 = jit.instruction("load_half", _peek)
poke_int32 = jit.instruction("store_half", _poke)
peek_float = jit.instruction("load_float", _peek_float)
poke_float = jit.instruction("store_float", _poke)
prefetch = jit.instruction("prefetch_word", _prefetch)
