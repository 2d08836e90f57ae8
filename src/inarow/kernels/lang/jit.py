"""The decorator by which a function becomes a compiled kernel. Nothing here imports the compiler.

Python calls kernels. A kernel's machine code is built at its first call, from it and everything that it calls as one
unit, and kept on disk (`cache`); later processes load it (`native`). A kernel calls plain functions: they are compiled
as a part of it, and run as Python where Python calls them. What kernels may be made of: docs/kernels.md.

``INAROW_JIT=0`` runs kernels uncompiled, slowly, under a debugger; ``INAROW_JIT=check`` compiles them with checks of
array bounds.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

from inarow.kernels.lang.kinds import Signature, kinds_of

F = TypeVar("F", bound=Callable[..., Any])

MODE = os.environ.get("INAROW_JIT", "1") or "1"
COMPILED = MODE != "0"
CHECKED = MODE == "check"

_LOCK = threading.RLock()
_MISMATCH = (TypeError, BufferError, ValueError)


class Compiled:
    """A function that runs as machine code: built, or loaded, when it is first called with arguments of some kinds."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self._versions: dict[Signature, Callable[..., Any]] = {}
        self._run: Callable[..., Any] = self._choose

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self._run(*arguments)
        except _MISMATCH:
            if self._run == self._choose:
                raise
            return self._choose(*arguments)

    def __repr__(self) -> str:
        return f"<compiled {self.name}>"

    @property
    def name(self) -> str:
        """Return the module and the function, below ``inarow``."""
        return f"{self.__module__.removeprefix('inarow.').removeprefix('kernels.')}.{self.__name__}"

    def _choose(self, *arguments: Any) -> Any:
        """Find the version for arguments of these kinds, or make it."""
        kinds = kinds_of(arguments)
        with _LOCK:
            if kinds not in self._versions:
                from inarow.kernels.lang.loading import load

                self._versions[kinds] = load(self, kinds)
            self._run = self._versions[kinds]
        return self._versions[kinds](*arguments)


def runs_at_once(function: Callable[..., Any], *arguments: Any) -> bool:
    """Return True if a call with arguments of these kinds needs no compiling: the code is loaded or on disk."""
    if not isinstance(function, Compiled):
        return True
    kinds = kinds_of(arguments)
    if kinds in function._versions:
        return True
    from inarow.kernels.lang.loading import kept_code

    return kept_code(function, kinds) is not None


def kernel(function: F) -> F:
    """Compile a function that Python calls; its machine code is kept on disk."""
    return cast(F, Compiled(function)) if COMPILED else function


def prefetch(array: Any, index: int) -> None:
    """Begin to fetch an element into the processor's cache, for a kernel that reads it soon."""
