"""An agent's files as they were when they were read: what is hashed is what plays, wherever it is sent."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from inarow.agents.parameters import AgentError
from inarow.errors import printable

MOST_FILES = 500
MOST_BYTES = 64 << 20
_ENTRIES = ("main.py", "agent.py", "my_agent.py", "submission.py", "tictactoe.py")
_LEFT_OUT = ("__pycache__", ".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache")
_lock = threading.Lock()


@dataclass(frozen=True)
class Snapshot:
    """The files of an agent, by their paths below its folder, and the one that is run."""

    entry: str
    files: tuple[tuple[str, bytes], ...]

    @cached_property
    def digest(self) -> str:
        """SHA-256: of the file, or of the names and contents of all files of a folder."""
        if len(self.files) == 1:
            return hashlib.sha256(self.files[0][1]).hexdigest()
        parts = (f"{name}\n{hashlib.sha256(data).hexdigest()}\n" for name, data in self.files)
        text = "".join((self.entry, "\n", *parts))
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()  # a name need not be UTF-8

    def stage(self, base: Path) -> Path:
        """Write the files, once, to a folder of their own below this one; returns that folder."""
        folder = base / hashlib.sha256(f"{self.entry}/{self.digest}".encode(errors="surrogatepass")).hexdigest()[:24]
        with _lock:
            self._write(folder)
        return folder

    def _write(self, folder: Path) -> None:
        if folder.exists():
            return
        partial = folder.with_suffix(".partial")
        try:
            for name, data in self.files:
                path = partial / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                path.chmod(0o444)
            partial.rename(folder)
        except BaseException:  # such as a full disk
            shutil.rmtree(partial, ignore_errors=True)
            raise


def read(path: Path) -> Snapshot:
    """The files of an agent; raises `AgentError` if there is none, or they are too many or too large."""
    try:
        if path.is_symlink():
            raise AgentError(f"agent file: {path} is a symbolic link; give the file itself")
        if path.is_dir():
            return _folder(path)
        if not path.exists():
            raise AgentError(f"agent file: {path} does not exist")
    except OSError as error:  # a name that no file can have, or a folder that can't be read
        raise AgentError(f"agent file: {printable(str(path))} can't be read: {error.strerror}") from None
    return Snapshot(path.name, ((path.name, _content(path)),))


def _content(path: Path) -> bytes:
    """What a file holds; links and devices are not followed."""
    try:
        flags = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))  # not all systems have all
        handle = os.open(path, os.O_RDONLY | sum(flags))
        with open(handle, "rb") as file:  # noqa: PTH123
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise AgentError(f"agent file: {path} is neither a file nor a folder")
            if about.st_size > MOST_BYTES:
                raise AgentError(f"agent file: {path} has more than {MOST_BYTES >> 20} MB")
            return file.read(MOST_BYTES)
    except OSError as error:
        raise AgentError(f"agent file: {path} can't be read: {error.strerror}") from None


def _folder(folder: Path) -> Snapshot:
    entry = _entry(folder)
    paths: list[Path] = []
    size = 0
    for path in _walk(folder):
        paths.append(path)
        size += path.lstat().st_size
        if len(paths) > MOST_FILES or size > MOST_BYTES:
            raise AgentError(f"agent file: {folder} has more than {MOST_FILES} files or {MOST_BYTES >> 20} MB")
    return Snapshot(entry, tuple((path.relative_to(folder).as_posix(), _content(path)) for path in sorted(paths)))


def _walk(folder: Path) -> Iterator[Path]:
    """The files below a folder; raises `AgentError` for a link."""
    for path in folder.iterdir():
        if path.is_symlink():
            raise AgentError(f"agent file: {path} is a symbolic link; an agent's folder must hold its files itself")
        if not path.is_dir():
            yield path
        elif path.name not in _LEFT_OUT:
            yield from _walk(path)


def _entry(folder: Path) -> str:
    """The file of a folder that is run."""
    programs = sorted(path.name for path in folder.glob("*.py"))
    for name in (*_ENTRIES, f"{folder.resolve().name}.py"):
        if name in programs:
            return name
    if len(programs) == 1:
        return programs[0]
    found = f"has {', '.join(programs[:5])}" if programs else "has no Python file"
    raise AgentError(f"agent file: the folder {folder} {found}; name the one to run {_ENTRIES[0]} or {_ENTRIES[1]}")
