"""Find a kernel's machine code: in the package, in the cache, or by compiling it.

There is one file for a kernel, its argument kinds, its sources, the compiler and the processor: an edit recompiles only
the kernels that contain it. Files are written under another name and renamed, so that processes can compile at the same
time; each begins with a hash of the rest, so that a damaged one is not run. The most recently used entries of a kernel
are kept.

While kernels compile, a user is told on standard error: by a bar on a terminal, else by one line.
``INAROW_QUIET_COMPILE`` silences it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import linecache
import os
import re
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inarow.errors import InarowError, Unsupported
from inarow.kernels.lang import jit, loader
from inarow.kernels.lang.jit import Compiled, function_of
from inarow.kernels.lang.kinds import FunctionOf, Signature, functions_in
from inarow.paths import cache_folder, read_only_cache

_COMPILER = Path(__file__).parent / "lang"
_LIBRARIES = sys.stdlib_module_names | {"numpy"}
_NAME = re.compile(r"[^\W\d]\w*")
_MAKING_CODE = ("builtins.py", "entry.py", "kinds.py", "native.py", "operations.py", "records.py", "translate.py")
"""The files of the compiler that decide what machine code is."""
_WIDTH = 20
KEPT = 8
"""Entries kept of each kernel: of several versions, checkouts or processors that share a folder."""
_STALE = 3600.0
_DIGEST = 32
SHIPPED = Path(__file__).parents[1] / "data" / "kernels"
"""Code inside the package, put there by ``make wheel``."""


def content_of(kernel: Compiled, kinds: Signature) -> str:
    """Identify what determines a kernel's machine code: its sources and the kinds of its arguments."""
    return f"{_content(kernel.function, kinds)}\n{'checked' if jit.CHECKED else ''}"


@functools.cache
def _content(function: Callable[..., Any], kinds: Signature) -> str:
    return f"{sources_digest(function, *functions_in(kinds))}\n{kinds!r}"


def key_of(content: str, made_for: object) -> str:
    """Return the name of code in a folder: a hash of its content, target and compiler."""
    return hashlib.sha256(f"{content}\n{made_for}".encode()).hexdigest()[:24]


def load(kernel: Compiled, kinds: Signature) -> tuple[Callable[..., Any], int]:
    """Return the kernel as a function for arguments of these kinds, and its address."""
    code = kept_code(kernel, kinds)
    if code is None:
        code = _build(kernel, kinds)
        write(kernel.name, key_of(content_of(kernel, kinds), loader.here()), code)
    return loader.load_code(code, kernel.function)


def kept_code(kernel: Compiled, kinds: Signature) -> bytes | None:
    """Return the kernel's machine code from the package or the cache, if it is there."""
    content = content_of(kernel, kinds)
    return read_shipped(kernel.name, content, loader.targets()) or read(kernel.name, key_of(content, loader.here()))


def _build(kernel: Compiled, kinds: Signature) -> bytes:
    with needing_compiler(kernel.name):
        from inarow.kernels.lang import native
    with compiling(kernel.name), without_collector():
        return native.build(kernel, kinds, jit.CHECKED)


@contextlib.contextmanager
def needing_compiler(name: str) -> Iterator[None]:
    """Raise an error that says what to install if the compiler can't be imported."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Unsupported(f'{name} must be compiled, which needs llvmlite: pip install "inarow[compile]"') from error


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Disable the garbage collector while the compiler, which frees little, allocates a lot: 10 % faster."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Parts:
    """What a function itself is made of."""

    def __init__(self, function: types.FunctionType) -> None:
        self.files = {(function.__module__, function.__code__.co_filename)}
        """Source files, each with the name of its module."""
        self.values = {repr(FunctionOf(function))}
        """What its names stand for."""
        self.called: set[types.FunctionType] = set()
        self._seen: set[tuple[int, bool]] = set()
        names, scope = _names_in(function.__code__), function.__globals__
        self._add_names(names, function.__module__, scope, names)
        self._add_names(_names_in_hints(function) - names, function.__module__, scope, set())

    def _add_names(self, names: set[str], place: str, scope: Mapping[str, Any], used: set[str]) -> None:
        for name in names & scope.keys():
            self._add(f"{place}.{name}", scope[name], used)

    def _add(self, place: str, value: Any, used: set[str]) -> None:
        """Add what a name stands for, as the compiler reads it, with those attributes whose names are used."""
        if isinstance(value, np.generic):
            self.values.add(f"{place}={value.dtype} {value.item()!r}")
        elif value is None or isinstance(value, (int, float, str, np.dtype)):
            self.values.add(f"{place}={value!r}")
        elif isinstance(value, tuple):
            for i, part in enumerate(value):
                self._add(f"{place}.{i}", part, used)
        elif (function := function_of(value)) is not None:
            self.values.add(f"{place}={FunctionOf(function)!r}")
            if not _is_library(function.__module__):
                self.called.add(function)
        else:
            if isinstance(value, (type, types.BuiltinFunctionType)):
                self.values.add(f"{place}={value.__module__}.{value.__qualname__}")
            self._add_object(place, value, used)

    def _add_object(self, place: str, value: Any, used: set[str]) -> None:
        """Add the file of a module, a class or an instance, and its attributes."""
        kind = value if isinstance(value, type) else type(value)
        module = value if isinstance(value, types.ModuleType) else sys.modules.get(kind.__module__)
        if module is None or _is_library(module.__name__) or (id(value), bool(used)) in self._seen:
            return
        self._seen.add((id(value), bool(used)))
        if module.__file__:
            self.files.add((module.__name__, module.__file__))
        if module is value:
            self._add_names(used, place, vars(module), used)
            return
        self._add_names(_names_in_hints(kind), module.__name__, vars(module), set())
        self._add_names(used, place, {name: getattr(value, name) for name in used if hasattr(value, name)}, used)


def _names_in(code: types.CodeType) -> set[str]:
    """Return the global names and the attributes that a code uses."""
    nested = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return {*code.co_names, *(name for part in nested for name in _names_in(part))}


@functools.cache
def _names_in_hints(value: Any) -> set[str]:
    """Return the names in the annotations of a function or a class."""
    hints = getattr(value, "__annotations__", {}).values()
    return {name for hint in hints for name in _NAME.findall(hint if isinstance(hint, str) else repr(hint))}


@functools.cache
def _is_library(module: str) -> bool:
    """Return True for modules of Python and NumPy: what kernels use of them the compiler knows itself."""
    return module.partition(".")[0] in _LIBRARIES


_parts_of = functools.cache(_Parts)


@functools.cache
def parts(whole: types.FunctionType) -> tuple[set[tuple[str, str]], set[str]]:
    """Return the source files, with the names of their modules, and the values that a kernel, given as Python, is made
    of."""
    files: set[tuple[str, str]] = set()
    values: set[str] = set()
    seen: set[types.FunctionType] = set()
    waiting = {whole}
    while waiting:
        function = waiting.pop()
        seen.add(function)
        own = _parts_of(function)
        files |= own.files
        values |= own.values
        waiting |= own.called - seen
    return files, values


DIGESTS: dict[str, str] = {}
"""Hashes of the source files that this process has read, by path."""


def digest_of(file: str) -> str:
    """Return a hash of a source file, or of the cell of a notebook."""
    if file not in DIGESTS:
        try:
            content = Path(file).read_bytes()
        except OSError:
            content = "".join(linecache.getlines(file)).encode()
        DIGESTS[file] = hashlib.sha256(content).hexdigest()
    return DIGESTS[file]


def sources_digest(*functions: Callable[..., Any]) -> str:
    """Return a hash of the sources and values that kernels are made of, and of what compiles them."""
    files = {(name, str(_COMPILER / name)) for name in _MAKING_CODE}
    values: set[str] = set()
    for function in functions:
        own = parts(function)
        files |= own[0]
        values |= own[1]
    text = "\n".join((*sorted(values), *(f"{name} {digest_of(file)}" for name, file in sorted(files))))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@functools.cache
def folder() -> Path:
    """Return the folder of all entries."""
    return cache_folder("compiled")


def _checked(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    code = content[_DIGEST:]
    return code if content[:_DIGEST] == hashlib.sha256(code).digest() else None


def sealed(code: bytes) -> bytes:
    """Return the content of a file: a hash, then the code."""
    return hashlib.sha256(code).digest() + code


def read(name: str, key: str) -> bytes | None:
    """Return the code of an entry, if it is there and sound; from a cache that can't be written, too."""
    shared = read_only_cache("compiled")
    if shared is not None and (code := _checked(shared / f"{name}-{key}.o")) is not None:
        return code
    try:
        path = folder() / f"{name}-{key}.o"
    except InarowError:
        return None
    code = _checked(path)
    if code is not None:
        with contextlib.suppress(OSError):
            os.utime(path)
    return code


def read_shipped(name: str, content: str, targets: Sequence[object]) -> bytes | None:
    """Return the code that came with the package for the first of these targets, if there is any."""
    if not SHIPPED.is_dir():
        return None
    found = (_checked(SHIPPED / f"{name}-{key_of(content, target)}.o") for target in targets)
    return next((code for code in found if code is not None), None)


def write(name: str, key: str, code: bytes) -> None:
    """Store an entry; if that fails, warn and continue without it."""
    try:
        part = folder() / f"{name}-{os.getpid()}.part"
        try:
            part.write_bytes(sealed(code))
            part.replace(folder() / f"{name}-{key}.o")
        except OSError:
            part.unlink(missing_ok=True)
            raise
    except (OSError, InarowError) as error:
        not_kept(error)
    else:
        remove_old(f"{name}-*.o")


def remove_old(pattern: str) -> None:
    """Keep the files of this pattern that were used last; remove parts that a killed process left behind."""
    with contextlib.suppress(OSError):
        entries = sorted(folder().glob(pattern), key=lambda path: path.stat().st_mtime, reverse=True)
        parts = [path for path in folder().glob("*.part") if path.stat().st_mtime < time.time() - _STALE]
        for path in (*entries[KEPT:], *parts):
            path.unlink(missing_ok=True)


class _Told:
    """Warnings given so far."""

    not_kept_told = False


def _quiet() -> bool:
    return bool(os.environ.get("INAROW_QUIET_COMPILE"))


@contextlib.contextmanager
def compiling(name: str) -> Iterator[None]:
    """Show that a kernel is compiled."""
    bar = not _quiet() and sys.stderr.isatty()
    if bar:
        _write(f"\r\x1b[Kinarow: compiling for this machine, once: {name}")
    elif not _quiet() and not jit.State.has_compiled:
        _write("inarow: compiling its fast kernels for this machine (once; about a second each) …\n")
    jit.State.has_compiled = True
    try:
        yield
    finally:
        if bar:
            _write("\r\x1b[K")


@contextlib.contextmanager
def several(modules: int) -> Iterator[Callable[[], None]]:
    """Show progress while other processes compile this many modules; call the function given after each."""
    done = 0

    def one_more() -> None:
        nonlocal done
        done += 1
        if not _quiet() and sys.stderr.isatty():
            full = round(_WIDTH * min(1.0, done / modules))
            _write(f"\r\x1b[Kinarow: compiling for this machine, once: {'█' * full}{'░' * (_WIDTH - full)} all kernels")

    with compiling("all kernels"):
        yield one_more


def not_kept(error: OSError | InarowError) -> None:
    """Warn once that compiled kernels can't be stored."""
    if not _Told.not_kept_told and not _quiet():
        _Told.not_kept_told = True
        _write(f"inarow: compiled kernels can't be kept ({error}); they are compiled again next time\n")


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
