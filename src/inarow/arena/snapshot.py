"""Reading a store that another process may be writing: a copy of what it has committed, so that neither waits.

The writer holds the store locked (see `store`), so a reader copies the file and its write-ahead log and opens the copy.
While the log's head stays the same, the log only grows and the file only takes pages from it: a copy of the file and
then of the log is the state of some commit. A log that was restarted in between has another head, and the copy is made
again.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inarow.arena.database import StoreError, unreadable
from inarow.arena.integrity import damage
from inarow.arena.store import Store

_TRIES = 40
_WAIT = 0.025
_HEAD = 32
"""Bytes of the head of a write-ahead log."""

Stamp = tuple[object, ...]


@dataclass(frozen=True)
class Snapshot:
    """A store as it was at some commit; for reading only, from any thread but one at a time."""

    store: Store
    running: bool
    """Whether another process has the store open for writing."""


@contextlib.contextmanager
def snapshot(path: Path) -> Iterator[Snapshot]:
    """What a store holds now. Raises `StoreError` if it is not there, not a store, or damaged."""
    if not path.is_file():
        raise StoreError(f"{path} is a folder; give a store's file" if path.is_dir() else f"{path} does not exist")
    with tempfile.TemporaryDirectory(prefix="inarow-watch-") as folder:
        copy = Path(folder) / "copy"
        _copy_whole(path, copy)
        running = in_use(path)
        database = sqlite3.connect(copy, isolation_level=None, check_same_thread=False)
        with contextlib.closing(database):
            store = Store(database, path)
            store.check()
            said = [] if running else damage(database)
            if said:
                raise StoreError(f"{path} is damaged ({said[0]}); `inarow results` shows what can still be read")
            yield Snapshot(store, running)


def stamp(path: Path) -> Stamp:
    """What changes whenever something is committed, or the writer comes or goes."""
    seen: list[object] = []
    for part in (path, _log(path)):
        try:
            status = part.stat()
        except OSError:
            seen.append(None)
        else:
            seen += [status.st_ino, status.st_size, status.st_mtime_ns]
    return (*seen, in_use(path))


def in_use(path: Path) -> bool:
    """Whether another process is writing the store; a log without a writer is one that was killed."""
    if not _log(path).exists():
        return False
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True, timeout=0)) as database:
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _copy_whole(path: Path, copy: Path) -> None:
    """Copy a store and its log as of one moment."""
    for _ in range(_TRIES):
        try:
            before = _head(path)
            shutil.copyfile(path, copy)
            _log(copy).unlink(missing_ok=True)
            if _log(path).exists():
                shutil.copyfile(_log(path), _log(copy))
            if _head(path) == before:
                return
        except FileNotFoundError:  # the log has just been removed
            pass
        except OSError as error:
            raise StoreError(f"{path} can't be read: {error.strerror}") from None
        time.sleep(_WAIT)
    raise unreadable(path, sqlite3.OperationalError("it changes too often to be copied"))


def _head(path: Path) -> Stamp:
    """What is the same before and after a sound copy: the log's head or, without a log, when the file was written."""
    try:
        with _log(path).open("rb") as file:
            return (file.read(_HEAD),)
    except FileNotFoundError:
        status = path.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns
