"""Bare pointers to arrays, for a kernel that calls itself: one word to pass where an array is seven.

An array behind a handle is of int64, contiguous, and outlives the call. Uncompiled, a handle is the array itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.kernels import door


def _handle(array: NDArray[np.int64]) -> Any:
    """The handle of an array."""
    return array


def _peek(handle: Any, index: int) -> int:
    """The word at an index."""
    return int(handle[index])


def _poke(handle: Any, index: int, value: int) -> None:
    """Set the word at an index."""
    handle[index] = value


def _prefetch(handle: Any, index: int) -> None:
    """Begin to fetch the word at an index into the processor's cache."""


handle = door.instruction(_handle, door.take_handle)
peek = door.instruction(_peek, door.load_word)
poke = door.instruction(_poke, door.store_word)
prefetch = door.instruction(_prefetch, door.prefetch_word)
