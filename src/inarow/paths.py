"""Where inarow keeps what it can make again (cache) and what a user has set (settings); reading a user's text files."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import platformdirs

from inarow.errors import InarowError


def read_text(path: Path, error: type[InarowError] = InarowError) -> str:
    """The text of a file that a user named; raises ``error`` with the reason if it can't be read."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise error(f"{path} can't be read: it is not a text file") from None
    except OSError as reason:
        raise error(f"{path} can't be read: {reason.strerror}") from None


def cache_folder(*parts: str) -> Path:
    """A folder below the user's cache (``INAROW_CACHE`` overrides it); a temporary one if it can't be written."""
    base = os.environ.get("INAROW_CACHE") or platformdirs.user_cache_dir("inarow", appauthor=False)
    return _made(Path(base, *parts)) or _fallback(*parts)


def settings_folder() -> Path:
    """The folder of remembered settings (``INAROW_CONFIG`` overrides it)."""
    base = os.environ.get("INAROW_CONFIG") or platformdirs.user_config_dir("inarow", appauthor=False)
    return _made(Path(base)) or _fallback("settings")


def _made(folder: Path) -> Path | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _fallback(*parts: str) -> Path:
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    folder = Path(tempfile.gettempdir(), f"inarow-{user}", *parts)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder
