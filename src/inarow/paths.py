"""Folders for the cache and settings; reading, hashing and atomically writing files."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import itertools
import json
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from inarow.errors import InarowError

MAX_TEXT = 100_000_000
"""Maximum characters read from a text file; some devices never end."""


def read_text(path: Path, error: type[InarowError] = InarowError) -> str:
    """Read a text file given by the user. Raises ``error`` with the reason if it can't be read."""
    try:
        with path.open(encoding="utf-8-sig") as file:  # skip a byte order mark
            text = file.read(MAX_TEXT + 1)
    except UnicodeDecodeError:
        raise error(f"{path} can't be read: it is not a text file") from None
    except OSError as reason:
        raise error(f"{path} can't be read: {reason.strerror}") from None
    if len(text) > MAX_TEXT:
        raise error(f"{path} can't be read: it is longer than {MAX_TEXT:,} characters")
    return text


def parse_json(text: str | bytes) -> Any:
    """Parse untrusted JSON. Raises ``JSONDecodeError`` also for huge numbers and deep nesting."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise json.JSONDecodeError(str(error).partition(":")[0], "", 0) from None


def is_file(path: Path) -> bool:
    """Return True if the path is an existing file; False also for an invalid name."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Return True if the path is an existing folder; False also for an invalid name."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file in hex; a file is read again only if it has changed."""
    status = path.stat()
    return _fingerprint(path.absolute(), (status.st_ino, status.st_mtime_ns, status.st_size))


@functools.lru_cache(maxsize=256)
def _fingerprint(path: Path, _state: tuple[int, ...]) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def cache_folder(*parts: str) -> Path:
    """Return a folder below the user's cache (``INAROW_CACHE`` overrides it); a temporary one if that is read-only."""
    base = _cache_base()
    return _create_folder(base, *parts) or _create_folder(str(_fallback_folder(base)), *parts) or _private_folder()


def read_only_cache(*parts: str) -> Path | None:
    """Return the folder below the user's cache if it is read-only, such as a shared one."""
    folder = Path(_cache_base(), *parts)
    return folder if os.access(folder, os.R_OK | os.X_OK) and not os.access(folder, os.W_OK) else None


def _cache_base() -> str:
    import platformdirs  # imported here: the grader of an assignment runs without it

    return os.environ.get("INAROW_CACHE") or platformdirs.user_cache_dir("inarow", appauthor=False)


def settings_folder() -> Path:
    """Return the folder of remembered settings (``INAROW_CONFIG`` overrides it)."""
    import platformdirs

    base = os.environ.get("INAROW_CONFIG") or platformdirs.user_config_dir("inarow", appauthor=False)
    return _create_folder(base) or _create_folder(str(_fallback_folder(base)), "settings") or _private_folder()


def _create_folder(base: str, *parts: str) -> Path | None:
    folder = Path(base, *parts)
    if base.startswith("~"):  # there is no home
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


@functools.cache
def _fallback_folder(base: str) -> Path:
    """Return a fallback in the temporary folder that only this user can write to (cached code is executed), or else a
    folder that is deleted when the process ends."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    try:
        folder = Path(tempfile.gettempdir(), f"inarow-{user}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        used = folder if _is_private(folder) else _private_folder()
    except OSError:
        raise InarowError(f"can't write to {base}, nor to a temporary folder: name a folder in INAROW_CACHE") from None
    lasts = "" if used == folder else ", which is deleted when this program ends"
    if not os.environ.get("INAROW_QUIET_COMPILE"):
        sys.stderr.write(f"inarow: can't write to {base}; using {used} instead{lasts}\n")
    return used


def _is_private(folder: Path) -> bool:
    """Return True if the path is a real folder that only this user can access."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) == 0o700)


@functools.cache
def _private_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="inarow-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


_count = itertools.count()
WINDOWS = os.name == "nt"
SYNCHRONIZE, WAIT_TIMEOUT, ERROR_INVALID_PARAMETER = 0x100000, 0x102, 87
"""Windows constants: the right to wait for a process, and two results."""
_LONGEST = 200
"""Maximum bytes of a file's name that its temporary name repeats; a name may have 255."""


@contextlib.contextmanager
def text_writer(path: Path, error: type[InarowError] = InarowError, *, durable: bool = True) -> Iterator[IO[str]]:
    """Open a text file (UTF-8, newlines unchanged) for atomic writing; see `binary_writer`.

    Characters that can't be encoded, such as surrogates from file names, are written as escapes.
    """
    with _writer(path, error, durable, "w", encoding="utf-8", errors="backslashreplace", newline="") as out:
        yield out


@contextlib.contextmanager
def binary_writer(path: Path, error: type[InarowError] = InarowError, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Open a binary file that replaces the path when the block ends. Raises ``error`` if it can't be written.

    ``durable`` flushes it to disk. A device or a pipe is written directly.
    """
    with _writer(path, error, durable, "wb") as out:
        yield cast(BinaryIO, out)


def write_text(path: Path, text: str, error: type[InarowError] = InarowError, *, durable: bool = True) -> None:
    """Write a text file atomically."""
    with text_writer(path, error, durable=durable) as out:
        out.write(text)


def write_bytes(path: Path, data: bytes, error: type[InarowError] = InarowError, *, durable: bool = True) -> None:
    """Write a binary file atomically."""
    with binary_writer(path, error, durable=durable) as out:
        out.write(data)


@contextlib.contextmanager
def _writer(path: Path, error: type[InarowError], durable: bool, mode: str, **options: Any) -> Iterator[IO[Any]]:
    try:
        place = path.resolve()  # a link stays a link
        direct = place.exists() and not stat.S_ISREG(place.stat().st_mode)
        part = place if direct else _temporary_path(place)
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
        raise error(f"{path} can't be written: {reason.strerror or reason}{_unchanged_note(path)}") from None


def _unchanged_note(path: Path) -> str:
    with contextlib.suppress(OSError):
        return "; the existing file is unchanged" if path.is_file() else ""
    return ""


def _temporary_path(place: Path) -> Path:
    """Return a temporary name next to the file; remove leftovers of killed processes."""
    host = f"{zlib.crc32(platform.node().encode()):08x}"
    stem = os.fsdecode(os.fsencode(place.name)[:_LONGEST])
    pattern = re.compile(re.escape(f".{stem}.{host}-") + r"(\d+)-\d+\.part")
    for other in place.parent.glob(".*.part"):
        found = pattern.fullmatch(other.name)
        if found is not None and not is_alive(int(found[1])):
            with contextlib.suppress(OSError):
                other.unlink()
    return place.with_name(f".{stem}.{host}-{os.getpid()}-{next(_count)}.part")


def is_alive(process: int) -> bool:
    """Return True if a process with this id exists, or if that is unknown."""
    if WINDOWS:  # os.kill(process, 0) would send Ctrl-C here
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
