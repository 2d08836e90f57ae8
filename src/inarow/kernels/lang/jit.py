"""The decorators that make a function a compiled kernel. Nothing here imports the compiler.

Python calls kernels. A kernel's machine code is built at its first call, from it and everything that it calls as one
unit, and kept on disk (`kernels.cache`); later processes load it (`loader`). A kernel calls plain functions: they are
compiled as a part of it, and run as Python where Python calls them. What kernels may be made of: docs/kernels.md.

``INAROW_JIT=0`` runs kernels uncompiled, slowly, under a debugger; ``INAROW_JIT=check`` compiles them with checks of
array bounds. If it is not set, kernels are compiled, on new versions of Python only if that works (`trial`).
"""

from __future__ import annotations

import ctypes
import importlib
import threading
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar, cast

from inarow.kernels.lang import trial
from inarow.kernels.lang.kinds import Signature, kinds_of, takes_function

F = TypeVar("F", bound=Callable[..., Any])
Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and the arguments of a call."""
Watcher = Callable[["Compiled", Callable[..., Any], tuple[Any, ...]], Any]

MODE = trial.mode()
COMPILED = MODE != "0"
CHECKED = MODE == "check"

PATIENCE = 1000
"""Calls after which a hot kernel is compiled."""
LOOK = 50
"""Calls between looks at the disk for its code, which another process may have compiled."""
_MARK = "is_kernel"
"""The attribute that marks an uncompiled kernel."""
_LOCK = threading.RLock()
_METH_FASTCALL, _METH_KEYWORDS = 0x80, 0x02


class _MethodDefinition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def built_in(function: Callable[..., Any], address: int | None, called: Any) -> tuple[Any, _MethodDefinition]:
    """Return a Python function for the code at an address, and its definition, which must live as long.

    It is given ``called`` as its first argument, and the others as `PyObject_Vectorcall` takes them: with no address it
    is that function itself, so that ``called`` is called.
    """
    doc = (function.__doc__ or "").encode()
    vectorcall = ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value
    flags = _METH_FASTCALL | _METH_KEYWORDS
    definition = _MethodDefinition(function.__name__.encode(), address or vectorcall, flags, doc)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    return make(ctypes.addressof(definition), called, function.__module__), definition


class Compiled:
    """A function that runs as machine code, built or loaded for the kinds of arguments that it is called with.

    Python calls `entry`, a function that leads to the machine code used last. If that code does not fit the arguments,
    or nothing is compiled yet, it calls this object, which finds the right code.
    """

    def __init__(self, function: Callable[..., Any], patience: int = 0) -> None:
        self.function = function
        self._patience = patience
        """Calls that run as Python rather than wait for the compiler."""
        self._missing: set[Signature] = set()
        """Kinds of arguments for which no code was on disk."""
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self.versions: dict[Signature, tuple[Callable[..., Any], int]] = {}
        self.entry, self._definition = built_in(function, None, self)
        setattr(self, self.__name__, self.entry)  # where pickle looks for it
        State.kernels.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _kernel_at, (self.__module__, self.__name__)

    def __call__(self, *arguments: Any) -> Any:
        kinds = kinds_of(arguments)
        if self._patience > 0 and State.watcher is None and not self._is_at_hand(kinds):
            self._patience -= 1
            return self.function(*arguments)
        with _LOCK:
            self.make_ready(kinds)
            (run, address), watcher = self.versions[kinds], State.watcher
            if watcher is None and not takes_function(kinds):  # which machine code can't tell from another
                self._definition.function = address
        return run(*arguments) if watcher is None else watcher(self, run, arguments)

    def __repr__(self) -> str:
        return f"<compiled {self.name}>"

    def _is_at_hand(self, kinds: Signature) -> bool:
        """Like `is_ready`, but look on disk only at the first call with these kinds and every `LOOK` calls."""
        if kinds in self._missing and self._patience % LOOK and kinds not in self.versions:
            return False
        self._missing.add(kinds)
        return self.is_ready(kinds)

    def is_ready(self, kinds: Signature) -> bool:
        """Return True if arguments of these kinds need no compiling: the code is loaded or on disk."""
        from inarow.kernels.cache import kept_code

        return kinds in self.versions or kept_code(self, kinds) is not None

    def make_ready(self, kinds: Signature) -> None:
        """Load or compile the code for arguments of these kinds."""
        with _LOCK:
            if kinds not in self.versions:
                from inarow.kernels.cache import load

                self.versions[kinds] = load(self, kinds)

    @property
    def name(self) -> str:
        """Return the module and the function, below ``inarow``."""
        return f"{self.__module__.removeprefix('inarow.').removeprefix('kernels.')}.{self.__name__}"

    def forget_code(self) -> None:
        """Have the next call go through this object."""
        _, definition = built_in(self.function, None, self)
        self._definition.function = definition.function


def _kernel_at(module: str, name: str) -> Compiled | None:
    """Return the kernel of this name in a module, in whichever process this is."""
    return compiled(getattr(importlib.import_module(module), name))


class State:
    """All kernels, the watcher of their calls, and whether this process has compiled any."""

    kernels: ClassVar[weakref.WeakSet[Compiled]] = weakref.WeakSet()
    watcher: Watcher | None = None
    has_compiled = False


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Have calls of kernels go through ``watcher(kernel, run, arguments)`` in this block."""
    for one in list(State.kernels):
        one.forget_code()
    State.watcher = watcher
    try:
        yield
    finally:
        State.watcher = None


def compiled(function: Any) -> Compiled | None:
    """Return the kernel behind a function that Python calls; None if it is not compiled."""
    found = function if isinstance(function, Compiled) else getattr(function, "__self__", None)
    return found if isinstance(found, Compiled) else None


def source_of(function: F) -> F:
    """Return the Python function behind a kernel: the same algorithm, uncompiled."""
    found = compiled(function)
    return function if found is None else cast(F, found.function)


def interpreted(function: F) -> F:
    """Return a function that runs a kernel as Python; NumPy's integers wrap around, as compiled ones do."""
    import numpy as np

    source = source_of(function)

    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return source(*arguments)

    return cast(F, run)


def function_of(value: Any) -> types.FunctionType | None:
    """Return the Python function behind a value that a kernel may call."""
    value = source_of(value)
    return value if isinstance(value, types.FunctionType) else None


def runs_at_once(function: Callable[..., Any], *arguments: Any) -> bool:
    """Return True if a call with arguments of these kinds needs no compiling: the code is loaded or on disk."""
    found = compiled(function)
    return found is None or found.is_ready(kinds_of(arguments))


def compile_now(function: Callable[..., Any], *arguments: Any) -> None:
    """Load or compile the code for a call with such arguments, without the call."""
    found = compiled(function)
    if found is not None:
        found.make_ready(kinds_of(arguments))


def compile_all(calls: Iterable[Call]) -> None:
    """Load or compile the code for these calls, without calling."""
    for function, arguments in calls:
        compile_now(function, *arguments)


def kernel(function: F) -> F:
    """Compile a function that Python calls; its machine code is kept on disk."""
    if COMPILED:
        return cast(F, Compiled(function).entry)
    function.__dict__[_MARK] = True
    return function


def hot_kernel(function: F) -> F:
    """Compile a function once Python has called it often. Until then it runs as Python, unless its code is kept: for
    functions that take microseconds either way, and the compiler long."""
    return cast(F, Compiled(function, 0 if CHECKED else PATIENCE).entry) if COMPILED else kernel(function)


def is_kernel(function: Any) -> bool:
    """Return True if a function was made a kernel."""
    return compiled(function) is not None or _MARK in getattr(function, "__dict__", ())


def prefetch(array: Any, index: int) -> None:
    """Begin to fetch an element into the processor's cache, for a kernel that reads it soon."""
