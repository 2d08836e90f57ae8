"""The decorators by which functions become compiled kernels. Nothing here imports numba: it is needed only to compile.

- `kernel`: a function that Python calls. Its machine code is built at its first call, from it and everything that
  it calls as one unit, and kept on disk (`cache`); later processes load it without numba (`native`).
- `primitive`: a function that kernels call, as a part of them.
- `compiled`: the same for a plain function of `bits`, `randomness` or `stopping`.
- `Instruction`: a function that is one instruction in kernels and a plain one elsewhere (`pointers`, `intrinsics`).

With ``NUMBA_DISABLE_JIT=1`` the same code runs uncompiled, slowly, under a debugger.

One integer type: kernels see signed 64-bit integers only. Sums and products that may overflow go through
``randomness.plus`` and ``times``; shifts and masks are safe. Arrays are arguments, never globals, and contiguous.
Arrays that a kernel makes with ``np.zeros`` or ``np.empty`` are on its stack: keep them small and out of loops.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

from inarow.kernels.compiler.signatures import Signature, signature_of

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

_LOCK = threading.RLock()
_MISMATCH = (TypeError, BufferError, ValueError)


class Compiled:
    """A function that runs as machine code: built, or loaded, when it is first called with arguments of some types."""

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
        """The module and the function, below ``inarow``."""
        return f"{self.__module__.removeprefix('inarow.').removeprefix('kernels.')}.{self.__name__}"

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of a value that a kernel calls."""
        from inarow.kernels.compiler.target import type_of

        return type_of(self)

    def _choose(self, *arguments: Any) -> Any:
        """Find the version for arguments of these types, or make it."""
        signature = signature_of(arguments)
        with _LOCK:
            if signature not in self._versions:
                from inarow.kernels.compiler.loading import load

                self._versions[signature] = load(self, signature)
            self._run = self._versions[signature]
        return self._versions[signature](*arguments)


def runs_at_once(function: Callable[..., Any], *arguments: Any) -> bool:
    """Whether a call with arguments of these types needs no compiling: the machine code is loaded or on disk."""
    if not isinstance(function, Compiled):
        return True
    signature = signature_of(arguments)
    if signature in function._versions:
        return True
    from inarow.kernels.compiler.loading import kept_code

    return kept_code(function, signature) is not None


class Instruction:
    """One instruction in kernels, by its name in `intrinsics`. Python can't call it while kernels are compiled."""

    def __init__(self, name: str, called_by_python: Callable[..., Any] | None = None) -> None:
        self.name = name
        self._called_by_python = called_by_python

    def __call__(self, *arguments: Any) -> Any:
        if self._called_by_python is None:
            raise TypeError(f"only kernels can call {self.name}")
        return self._called_by_python(*arguments)

    @property
    def _numba_type_(self) -> Any:
        from inarow.kernels.compiler.target import type_of

        return type_of(self)


def kernel(function: F) -> F:
    """Compile a function that Python calls; its machine code is kept on disk."""
    return cast(F, Compiled(function)) if COMPILED else function


def primitive(function: F) -> F:
    """Compile a function that kernels call, as a part of them."""
    return kernel(function)


_compiled: dict[Callable[..., Any], Any] = {}


def compiled(function: F) -> F:
    """The compiled twin of a plain function; the same one each time."""
    if not COMPILED:
        return function
    return cast(F, _compiled.setdefault(function, Compiled(function)))


def instruction(name: str, plain: F, called_by_python: Callable[..., Any] | None = None) -> F:
    """A function that is one instruction in kernels, and a plain one where the compiler is off."""
    return cast(F, Instruction(name, called_by_python)) if COMPILED else plain
