"""Bare pointers to arrays, for kernels in many functions: one word to pass where an array is seven, and no counting of
references, which numba does for every array that a function takes.

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


handle = jit.instruction(_handle, jit.take_handle)
peek = jit.instruction(_peek, jit.load_word)
poke = jit.instruction(_poke, jit.store_word)
peek_int32 = jit.instruction(_peek, jit.load_half)
poke_int32 = jit.instruction(_poke, jit.store_half)
peek_float = jit.instruction(_peek_float, jit.load_float)
poke_float = jit.instruction(_poke, jit.store_float)
prefetch = jit.instruction(_prefetch, jit.prefetch_word)
