"""Reading stores that can't be written: write-protected, of a later version, or damaged.

Whatever can be read of a damaged store is copied into a new one in memory: rows from the first until one can't be read,
then from the last backwards.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from inarow import __version__
from inarow.arena.rows import TABLES
from inarow.arena.store import FORMAT, Store, StoreError, unreadable

T = TypeVar("T")

ALL_TABLES = ("about", "tournament", "pairing", *TABLES, "measurement")


@contextlib.contextmanager
def read_store(path: Path) -> Iterator[tuple[Store, list[str]]]:
    """A store for reading, and notes for the reader: that it is damaged, or from another version."""
    if not path.is_file():
        raise StoreError(f"{path} is a folder; give a store's file" if path.is_dir() else f"{path} does not exist")
    with contextlib.ExitStack() as stack:
        store = Store(_open(path, stack), path)
        store.check()
        made, notes = store.format, []
        if (damage := _damage(store, path)) is not None:
            store, read = _salvaged(store)
            stack.callback(store.database.close)
            notes.append(f"{path} is damaged ({damage}); {read:,} matches can still be read and are shown")
        if store.version != __version__:
            notes.append(f"{path} was written by inarow {store.version}; this is {__version__}")
        if made != FORMAT:
            notes.append(f"{path} has format {made}, this version writes {FORMAT}; what it understands is shown")
        yield store, notes


def _open(path: Path, stack: contextlib.ExitStack) -> sqlite3.Connection:
    """A connection that writes nothing: to the file itself or, where that can't be, to a copy."""
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.2, isolation_level=None)
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
    """What is damaged in a store, if anything; rows are counted, their content is not looked at."""
    size = store.database.execute("PRAGMA page_size").fetchone()[0]
    with path.open("rb") as file:
        pages = int.from_bytes(file.read(32)[28:])  # as the file's own head has it
    if not path.with_name(path.name + "-wal").exists() and path.stat().st_size < pages * size:
        return f"it is cut short: {path.stat().st_size:,} of {pages * size:,} bytes are there"
    try:
        for table in ALL_TABLES:
            store.database.execute(f"SELECT count(*) FROM {table}").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None


def _is_json(texts: tuple[str, ...]) -> bool:
    """Whether texts are complete: a long text that was cut is read as something else."""
    try:
        return all(isinstance(json.loads(text), dict) for text in texts)
    except (TypeError, ValueError):
        return False


def _salvaged(store: Store) -> tuple[Store, int]:
    """A copy in memory of all rows that can be read, and how many matches are among them."""
    copy = Store.in_memory()
    copy.path = store.path
    for table in ALL_TABLES:
        for order in ("ASC", "DESC"):
            with contextlib.suppress(sqlite3.DatabaseError):
                for row in store.database.execute(f"SELECT * FROM {table} ORDER BY rowid {order}"):
                    if table == "measurement" and not _is_json(row[1:]):
                        continue
                    marks = ", ".join("?" * len(row))
                    copy.database.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)
                break
    if not copy.runs() and not copy.database.execute("SELECT count(*) FROM measurement").fetchone()[0]:
        raise StoreError(f"{store.path} is damaged, and nothing of it can be read")
    return copy, int(copy.database.execute("SELECT count(*) FROM match").fetchone()[0])
