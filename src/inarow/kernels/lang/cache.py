"""Machine code on disk: one file for a kernel, its argument types, its sources and the processor.

A file is written beside its place and renamed, so that processes that compile at once don't disturb one another; it
begins with a hash of the rest, so that a damaged one is not run. The entries of a kernel that were used last are kept.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from inarow.errors import InarowError
from inarow.kernels.lang import message, native
from inarow.paths import cache_folder, read_only_cache

KEPT = 8
"""Entries kept of each kernel: of several versions, checkouts or processors that share a folder."""
_STALE = 3600.0
_DIGEST = 32
SHIPPED = Path(__file__).parents[2] / "data" / "kernels"
"""Machine code inside the package, made by ``make wheel``."""


@functools.cache
def folder() -> Path:
    """The folder of all entries."""
    return cache_folder("compiled")


def _checked(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    code = content[_DIGEST:]
    return code if content[:_DIGEST] == hashlib.sha256(code).digest() else None


def sealed(code: bytes) -> bytes:
    """What a file holds: a hash, and the code."""
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


def read_shipped(name: str, key: Callable[[native.Processor], str]) -> bytes | None:
    """The code that came with the package, if there is any for a processor of this kind."""
    if not SHIPPED.is_dir():
        return None
    baseline = native.baseline()
    if baseline is None or not native.this_processor().runs_baseline:
        return None
    return _checked(SHIPPED / f"{name}-{key(baseline)}.o")


def write(name: str, key: str, code: bytes) -> None:
    """Store an entry; if that fails, say so and continue without it."""
    try:
        part = folder() / f"{name}-{os.getpid()}.part"
        try:
            part.write_bytes(sealed(code))
            part.replace(folder() / f"{name}-{key}.o")
        except OSError:
            part.unlink(missing_ok=True)
            raise
    except (OSError, InarowError) as error:
        message.not_kept(error)
    else:
        remove_old(f"{name}-*.o")


def remove_old(pattern: str) -> None:
    """Keep the files of this pattern that were used last; remove parts that a killed process left behind."""
    with contextlib.suppress(OSError):
        entries = sorted(folder().glob(pattern), key=lambda path: path.stat().st_mtime, reverse=True)
        parts = [path for path in folder().glob("*.part") if path.stat().st_mtime < time.time() - _STALE]
        for path in (*entries[KEPT:], *parts):
            path.unlink(missing_ok=True)
