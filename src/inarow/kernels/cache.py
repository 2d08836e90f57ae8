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
import os
import sys
import time
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from inarow.errors import InarowError, Unsupported
from inarow.kernels.lang import jit, loader
from inarow.kernels.lang.jit import Compiled, function_of
from inarow.kernels.lang.kinds import Signature, takes_function
from inarow.paths import cache_folder, read_only_cache

_COMPILER = Path(__file__).parent / "lang"
_MAKING_CODE = ("builtins.py", "entry.py", "kinds.py", "native.py", "operations.py", "records.py", "translate.py")
"""The files of the compiler that decide what machine code is."""
_WIDTH = 20
KEPT = 8
"""Entries kept of each kernel: of several versions, checkouts or processors that share a folder."""
_STALE = 3600.0
_DIGEST = 32
SHIPPED = Path(__file__).parents[1] / "data" / "kernels"
"""Code inside the package, put there by ``make wheel``."""


@functools.cache
def content_of(kernel: Compiled, kinds: Signature) -> str:
    """Identify what determines a kernel's machine code: its sources and the kinds of its arguments."""
    return "\n".join((sources_digest(kernel.function), repr(kinds), "checked" if jit.CHECKED else ""))


def key_of(content: str, made_for: object) -> str:
    """Return the name of code in a folder: a hash of its content, target and compiler."""
    return hashlib.sha256(f"{content}\n{made_for}".encode()).hexdigest()[:24]


def load(kernel: Compiled, kinds: Signature) -> tuple[Callable[..., Any], int]:
    """Return the kernel as a function for arguments of these kinds, and its address."""
    ours = kernel.function.__module__.startswith("inarow.")
    if not ours or takes_function(kinds):  # of a test, a script or a user: its sources may be anywhere
        return loader.load_code(_build(kernel, kinds), kernel.function)
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


@functools.cache
def parts(whole: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Return the modules, the constants and the number of functions that a kernel, given as Python, is made of."""
    modules: set[str] = set()
    constants: set[str] = set()
    seen: set[types.FunctionType] = set()
    waiting: list[Any] = [whole]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        modules.add(function.__module__)
        names = function.__code__.co_names
        for name in names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                if value.__name__.startswith("inarow."):
                    modules.add(value.__name__)
                    waiting += [f for f in map(function_of, (getattr(value, n, None) for n in names)) if f]
            elif (called := function_of(value)) is not None:
                waiting.append(called)
            elif isinstance(value, type) and value.__module__.startswith("inarow."):
                modules.add(value.__module__)
            elif isinstance(value, (int, float)):
                constants.add(f"{function.__module__}.{name}={value!r}")
    return tuple(sorted(modules)), tuple(sorted(constants)), len(seen)


@functools.cache
def _file_digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def sources_digest(*functions: Callable[..., Any]) -> str:
    """Return a hash of the sources and constants that kernels are made of, and of what compiles them."""
    found = [parts(function) for function in functions]
    modules = sorted({name for names, _, _ in found for name in names})
    constants = sorted({text for _, texts, _ in found for text in texts})
    digest = hashlib.sha256("\n".join(constants).encode())
    files = [(name, sys.modules[name].__file__) for name in modules]
    for name, file in [
        *((name, Path(file)) for name, file in files if file),
        *((n, _COMPILER / n) for n in _MAKING_CODE),
    ]:
        digest.update(name.encode() + _file_digest(file))
    return digest.hexdigest()[:24]


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
