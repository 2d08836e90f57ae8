"""The lock of a store: one process writes at a time, and the others can say which one it is.

The lock is a small SQLite file next to the store, ``FILE.lock``. Its owner has written down the host, the process id
and the command, and holds a transaction open: others can still read the row but not begin one of their own. SQLite's
locks end with the process, however it ends, and child processes don't inherit them. The file is removed with the lock,
so a lock file that nobody holds belongs to a process that was killed.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from inarow.errors import InarowError

PATIENCE = 0.3
"""Seconds to wait for a process that only looks whether the lock is held."""


class StoreError(InarowError):
    """A store that can't be used as asked; the message says why."""


class StoreInUse(StoreError):
    """Another process writes the store."""


class Lock:
    """The right to write a store, held until `release`. Raises `StoreInUse` if another process has it."""

    def __init__(self, path: Path) -> None:
        self.path = lock_path(path)
        while True:
            try:
                self.path.touch()
                before = inode(self.path)
                self._held = _taken(self.path)
                if inode(self.path) == before:
                    return
                self._held.close()  # of a file that its last owner has removed
            except OSError as error:
                raise StoreError(f"{path} can't be written: {error.strerror}") from None
            except sqlite3.Error as error:
                if "locked" in str(error):
                    raise StoreInUse(f"{path} is in use by {owner(path)}; wait for it, or stop it") from None
                if inode(self.path) == before:
                    raise StoreError(f"{self.path} can't be used ({error}); remove it if nothing uses {path}") from None

    def release(self) -> None:
        """Remove the lock."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
        self._held.close()


def lock_path(path: Path) -> Path:
    """Return the place of a store's lock."""
    place = path.resolve()
    return place.with_name(f"{place.name}.lock")


def inode(path: Path) -> tuple[int, int] | None:
    """Return the file's (device, inode), or None if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def owner(path: Path) -> str:
    """Describe the process that holds the lock of a store, or held it last."""
    with contextlib.suppress(sqlite3.Error), _opened(path, "ro") as lock:
        if (row := lock.execute("SELECT command, pid, host FROM owner").fetchone()) is not None:
            return "{} (process {} on {})".format(*row)
    return "another process"


def is_held(path: Path) -> bool:
    """Return True if a process holds the lock of a store; False if that can't be found out."""
    if not lock_path(path).exists():
        return False
    try:
        with _opened(path, "rw") as lock:
            lock.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False


@contextlib.contextmanager
def _opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(_connect(f"{lock_path(path).as_uri()}?mode={mode}", 0)) as lock:
        yield lock


def _connect(place: Path | str, timeout: float) -> sqlite3.Connection:
    return sqlite3.connect(
        place, timeout=timeout, isolation_level=None, uri=isinstance(place, str), check_same_thread=False
    )


def _taken(place: Path) -> sqlite3.Connection:
    """Write down this process as the owner and keep the file locked."""
    lock = _connect(place, PATIENCE)
    try:
        lock.execute("PRAGMA synchronous=OFF")
        lock.execute("BEGIN IMMEDIATE")
        lock.execute("CREATE TABLE IF NOT EXISTS owner (host TEXT, pid INTEGER, command TEXT)")
        lock.execute("DELETE FROM owner")
        lock.execute("INSERT INTO owner VALUES (?, ?, ?)", (socket.gethostname(), os.getpid(), _command()))
        lock.execute("COMMIT")
        lock.execute("BEGIN IMMEDIATE")
    except BaseException:
        lock.close()
        raise
    return lock


def _command() -> str:
    """Return the command without its options, which may hold a secret."""
    program = {"__main__.py": "inarow", "-c": "python", "": "python"}.get(name := Path(sys.argv[0]).name, name)
    words = itertools.takewhile(lambda word: not word.startswith("-"), sys.argv[1:])
    return " ".join([program, *words])[:100]
