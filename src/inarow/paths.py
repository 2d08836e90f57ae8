"""The folders for what inarow can make again (cache) and for a user's settings; reading and hashing a user's files."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

from inarow.errors import InarowError

MOST_TEXT = 100_000_000
"""Characters of a text file that are read; some devices never end."""


def read_text(path: Path, error: type[InarowError] = InarowError) -> str:
    """The text of a file that a user named; raises ``error`` with the reason if it can't be read."""
    try:
        with path.open(encoding="utf-8-sig") as file:  # Windows begins a file with a mark
            text = file.read(MOST_TEXT + 1)
    except UnicodeDecodeError:
        raise error(f"{path} can't be read: it is not a text file") from None
    except OSError as reason:
        raise error(f"{path} can't be read: {reason.strerror}") from None
    if len(text) > MOST_TEXT:
        raise error(f"{path} can't be read: it is longer than {MOST_TEXT:,} characters")
    return text


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text from elsewhere; ``JSONDecodeError`` also for endless numbers and nesting."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise json.JSONDecodeError(str(error).partition(":")[0], "", 0) from None


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether there is such a folder; a name that no file can have is none."""
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
    return _made(base, *parts) or _made(str(_instead_of(base)), *parts) or _private_folder()


def read_only_cache(*parts: str) -> Path | None:
    """Return the folder below the user's cache if it can be read but not written, as one that is shared may be."""
    folder = Path(_cache_base(), *parts)
    return folder if os.access(folder, os.R_OK | os.X_OK) and not os.access(folder, os.W_OK) else None


def _cache_base() -> str:
    import platformdirs  # only here: the grader of an assignment runs without it

    return os.environ.get("INAROW_CACHE") or platformdirs.user_cache_dir("inarow", appauthor=False)


def settings_folder() -> Path:
    """The folder of remembered settings (``INAROW_CONFIG`` overrides it)."""
    import platformdirs

    base = os.environ.get("INAROW_CONFIG") or platformdirs.user_config_dir("inarow", appauthor=False)
    return _made(base) or _made(str(_instead_of(base)), "settings") or _private_folder()


def _made(base: str, *parts: str) -> Path | None:
    folder = Path(base, *parts)
    if base.startswith("~"):  # there is no home
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


@functools.cache
def _instead_of(base: str) -> Path:
    """A folder in the temporary one, if nobody else can write to it: what is kept there is run. Else one that goes
    when the process ends."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    try:
        folder = Path(tempfile.gettempdir(), f"inarow-{user}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        used = folder if _is_ours_alone(folder) else _private_folder()
    except OSError:
        raise InarowError(f"can't write to {base}, nor to a temporary folder: name a folder in INAROW_CACHE") from None
    lasts = "" if used == folder else ", which goes when this program ends"
    if not os.environ.get("INAROW_QUIET_COMPILE"):
        sys.stderr.write(f"inarow: can't write to {base}; what is new goes to {used}{lasts}\n")
    return used


def _is_ours_alone(folder: Path) -> bool:
    """Whether a folder, and no link to one, belongs to this user and is closed to all others."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) == 0o700)


@functools.cache
def _private_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="inarow-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
