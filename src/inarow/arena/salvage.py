"""Stores that can't be used as they are: write-protected, of a later version, or damaged.

Whatever is sound in a damaged store is copied into a new one, in memory to be read or in a file to be resumed: rows
from the first until one can't be read, then from the last backwards, and of those the ones whose checksum fits.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from inarow import __version__
from inarow.arena.database import FORMAT, NotAStore, StoreError, unreadable
from inarow.arena.integrity import ALL_TABLES, damage, log_damage, purge
from inarow.arena.store import Store
from inarow.formatting import counted

_FILES = ("", "-wal", "-shm")


@contextlib.contextmanager
def read_store(path: Path) -> Iterator[tuple[Store, list[str]]]:
    """A store for reading, and notes for the reader: that it is damaged, or from another version."""
    _check_is_file(path)
    with contextlib.ExitStack() as stack:
        log = log_damage(path)
        store = Store(_open(path, stack), path)
        store.check()
        made, notes = store.format, []
        if (damaged := _damage(store, path)) is not None:
            copy = Store.in_memory()
            stack.callback(copy.database.close)
            read = _copy_sound(store, copy, timed=False)
            copy.path, store = path, copy
            notes.append(f"{path} is damaged ({damaged}); {counted(read, 'match', 'matches')} can still be read")
        if log is not None:
            notes.append(f"{path} was not closed, and {log}: the last matches may be missing")
        notes += version_notes(store)
        if made > FORMAT:
            notes.append(f"{path} has format {made}, this version writes {FORMAT}; what it understands is shown")
        yield store, notes


def version_notes(store: Store) -> list[str]:
    """Return a note for the reader of a store that another version has written."""
    if store.version == __version__:
        return []
    return [f"{store.path} was written by inarow {store.version}; this is {__version__}"]


def resume_store(path: Path) -> tuple[Store, list[str]]:
    """A store for writing more into it, and notes. A damaged one is replaced by what is sound in it, and kept aside."""
    _check_is_file(path)
    log = log_damage(path)
    notes = [] if log is None else [f"{path} was not closed, and {log}: what is missing is done again"]
    try:
        store = Store.open(path)
    except NotAStore as error:
        with contextlib.ExitStack() as stack:
            there = Store(_open(path, stack), path)
            there.check()  # a file that is no store is refused here
            said = damage(there.database) or [str(error)]
    else:
        said = damage(store.database)
        if not said:
            return store, notes
        store.close()
    aside, kept = _replace_by_sound(path)
    notes.append(
        f"{path} is damaged ({_few(said)}); {counted(kept, 'match is', 'matches are')} sound and kept, what is "
        f"missing is done again. The damaged file is now {aside}"
    )
    return Store.open(path), notes


def _check_is_file(path: Path) -> None:
    try:
        if not path.is_file():
            raise StoreError(f"{path} is a folder; give a store's file" if path.is_dir() else f"{path} does not exist")
    except OSError as error:
        raise StoreError(f"{path} can't be read: {error.strerror}") from None


def _replace_by_sound(path: Path) -> tuple[Path, int]:
    """Put a store of what is sound in the place of a damaged one; where that is now, and how many matches are kept."""
    fresh = path.with_name(f".{path.name}.repaired")
    with contextlib.ExitStack() as stack:
        damaged = Store(_open(path, stack), path)
        with Store.create(fresh, replace=True) as copy:
            try:
                kept = _copy_sound(damaged, copy, timed=True)
            except BaseException:
                stack.callback(fresh.unlink)
                raise
    aside = path.with_name(f"{path.name}.damaged")
    for suffix in _FILES:
        if (part := path.with_name(path.name + suffix)).exists():
            part.replace(aside.with_name(aside.name + suffix))
    fresh.replace(path)
    return aside, kept


def _open(path: Path, stack: contextlib.ExitStack) -> sqlite3.Connection:
    """A connection that writes nothing: to the file itself or, where that can't be, to a copy."""
    try:
        database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.2, isolation_level=None)
    except sqlite3.Error as error:
        raise StoreError(f"{path} can't be opened: {error}") from None
    stack.callback(database.close)
    try:
        database.execute("PRAGMA writable_schema=ON")  # nothing is written: it lets SQLite look at a file cut short
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise unreadable(path, error) from None
        # A killed process has left a log, which can't be merged in a write-protected folder.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="inarow-store-")))
        for suffix in ("", "-wal"):
            if (part := path.with_name(path.name + suffix)).exists():
                shutil.copyfile(part, folder / f"copy{suffix}")
        database = sqlite3.connect(folder / "copy", isolation_level=None)
        stack.callback(database.close)
    except sqlite3.DatabaseError as error:
        raise unreadable(path, error) from None
    return database


def _damage(store: Store, path: Path) -> str | None:
    """What is damaged in a store, if anything."""
    with path.open("rb") as file:
        head = file.read(32)
    pages, size = int.from_bytes(head[28:]), int.from_bytes(head[16:18])  # as the file's own head has it
    wanted = pages * (65536 if size == 1 else size)
    if not path.with_name(path.name + "-wal").exists() and path.stat().st_size < wanted:
        return f"it is cut short: {path.stat().st_size:,} of {wanted:,} bytes are there"
    said = damage(store.database)
    return _few(said) if said else None


def _few(said: list[str]) -> str:
    return "; ".join(said[:2]) + (f"; and {len(said) - 2} more" if len(said) > 2 else "")


def _copy_sound(store: Store, copy: Store, *, timed: bool) -> int:
    """Copy all sound rows of a damaged store into an empty one; returns how many matches are among them."""
    store.database.text_factory = bytes  # a damaged text may not be UTF-8
    with copy.writing():
        for table in ALL_TABLES:
            names = [row[1] for row in copy.database.execute(f"PRAGMA table_info({table})")]
            marks = ", ".join("CAST(? AS TEXT)" if kind == "TEXT" else "?" for kind in _kinds(copy, table))
            insert = f"INSERT OR REPLACE INTO {table} VALUES ({marks})"
            for order in ("ASC", "DESC"):
                with contextlib.suppress(sqlite3.DatabaseError):
                    for row in store.database.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY rowid {order}"):
                        with contextlib.suppress(sqlite3.Error):
                            copy.database.execute(insert, row)
                    break
        purge(copy.database, timed=timed)
    if not copy.runs() and not copy.database.execute("SELECT count(*) FROM measurement").fetchone()[0]:
        raise StoreError(f"{store.path} is damaged, and nothing of it can be read")
    return int(copy.database.execute("SELECT count(*) FROM match").fetchone()[0])


def _kinds(copy: Store, table: str) -> list[str]:
    return [row[2] for row in copy.database.execute(f"PRAGMA table_info({table})")]
