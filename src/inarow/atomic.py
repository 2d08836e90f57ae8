"""Writing a file whole or not at all: under a temporary name first, then renamed.

A failure (a full disk, a write-protected folder, an interruption) leaves what was there before. A process that is
killed leaves its part, ``.NAME.HOST-PID-COUNT.part``; the next write of the same file removes it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import platform
import re
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from inarow.errors import InarowError

_count = itertools.count()
WINDOWS = os.name == "nt"
SYNCHRONIZE, WAIT_TIMEOUT, ERROR_INVALID_PARAMETER = 0x100000, 0x102, 87
"""Of Windows: the right to wait for a process, and two answers."""
_LONGEST = 200
"""Bytes of a file's name that its part's name takes over; a name may have 255."""


@contextlib.contextmanager
def text_writer(path: Path, error: type[InarowError] = InarowError, *, durable: bool = True) -> Iterator[IO[str]]:
    """A file for text (UTF-8, lines as given) that takes its place when the block ends; see `binary_writer`.

    Characters that UTF-8 lacks, which a file name may have, are written as escapes.
    """
    with _writer(path, error, durable, "w", encoding="utf-8", errors="backslashreplace", newline="") as out:
        yield out


@contextlib.contextmanager
def binary_writer(path: Path, error: type[InarowError] = InarowError, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A file for bytes that takes its place when the block ends; raises ``error`` if it can't be written.

    ``durable`` waits until the disk has it. A device or a pipe is written directly.
    """
    with _writer(path, error, durable, "wb") as out:
        yield cast(BinaryIO, out)


def write_text(path: Path, text: str, error: type[InarowError] = InarowError, *, durable: bool = True) -> None:
    """Write a text file whole or not at all."""
    with text_writer(path, error, durable=durable) as out:
        out.write(text)


def write_bytes(path: Path, data: bytes, error: type[InarowError] = InarowError, *, durable: bool = True) -> None:
    """Write a file of bytes whole or not at all."""
    with binary_writer(path, error, durable=durable) as out:
        out.write(data)


@contextlib.contextmanager
def _writer(path: Path, error: type[InarowError], durable: bool, mode: str, **options: Any) -> Iterator[IO[Any]]:
    try:
        place = path.resolve()  # a link stays a link
        direct = place.exists() and not stat.S_ISREG(place.stat().st_mode)
        part = place if direct else _new_part(place)
        try:
            with part.open(mode, **options) as out:
                yield out
                if durable and not direct:
                    out.flush()
                    os.fsync(out.fileno())
            if not direct:
                if place.exists():
                    part.chmod(stat.S_IMODE(place.stat().st_mode))
                part.replace(place)
        finally:
            if not direct:
                with contextlib.suppress(OSError):
                    part.unlink(missing_ok=True)
    except OSError as reason:
        raise error(f"{path} can't be written: {reason.strerror or reason}{_kept(path)}") from None


def _kept(path: Path) -> str:
    with contextlib.suppress(OSError):
        return "; what was there before is kept" if path.is_file() else ""
    return ""


def _new_part(place: Path) -> Path:
    """A name beside the file for writing it; parts of it that a killed process has left are removed."""
    host = f"{zlib.crc32(platform.node().encode()):08x}"
    short = os.fsdecode(os.fsencode(place.name)[:_LONGEST])
    ours = re.compile(re.escape(f".{short}.{host}-") + r"(\d+)-\d+\.part")
    for other in place.parent.glob(".*.part"):
        found = ours.fullmatch(other.name)
        if found is not None and not is_alive(int(found[1])):
            with contextlib.suppress(OSError):
                other.unlink()
    return place.with_name(f".{short}.{host}-{os.getpid()}-{next(_count)}.part")


def is_alive(process: int) -> bool:
    """Return True if there is a process with this id, or if that can't be told."""
    if WINDOWS:  # where os.kill(process, 0) would send Ctrl-C
        return _is_alive_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _is_alive_on_windows(process: int) -> bool:
    import ctypes

    kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    handle = kernel32.OpenProcess(SYNCHRONIZE, False, process)
    if not handle:
        missing: bool = ctypes.get_last_error() == ERROR_INVALID_PARAMETER  # type: ignore[attr-defined]
        return not missing
    try:
        return bool(kernel32.WaitForSingleObject(handle, 0) == WAIT_TIMEOUT)
    finally:
        kernel32.CloseHandle(handle)
