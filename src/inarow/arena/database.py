"""The SQLite file of a store: its tables, its format, its lock, and its errors."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from inarow.arena.rows import TABLES, create_statement
from inarow.errors import InarowError

APPLICATION = 0x694E4152
FORMAT = 4
"""The version of the tables and of what is in them. A store of an earlier format can't be used."""
SCHEMA = f"""
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY, hash TEXT UNIQUE NOT NULL, name TEXT NOT NULL, config TEXT NOT NULL, crc INTEGER NOT NULL
);
CREATE TABLE pairing (
    id INTEGER PRIMARY KEY, tournament INTEGER NOT NULL REFERENCES tournament, a TEXT NOT NULL, b TEXT NOT NULL,
    crc INTEGER NOT NULL
);
{"; ".join(map(create_statement, TABLES))};
CREATE TABLE measurement (
    hash TEXT PRIMARY KEY, config TEXT NOT NULL, result TEXT NOT NULL, timing TEXT NOT NULL, crc INTEGER NOT NULL
);
"""


class StoreError(InarowError):
    """A store that can't be used as asked; the message says why."""


class NotAStore(StoreError):
    """A file of another kind, or a damaged one."""


def inode(path: Path) -> tuple[int, int] | None:
    """What tells the file at a path from another one there; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def locked(path: Path) -> sqlite3.Connection:
    """A connection for writing that no other process shares."""
    try:
        database = sqlite3.connect(path, timeout=0.2, isolation_level=None)
    except sqlite3.Error as error:
        raise StoreError(f"{path} can't be opened: {error}") from None
    try:
        database.execute("PRAGMA locking_mode=EXCLUSIVE")
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("BEGIN IMMEDIATE")
        database.execute("COMMIT")
    except sqlite3.Error as error:
        database.close()
        raise unreadable(path, error) from None
    return database


def unreadable(path: Path, error: sqlite3.Error) -> StoreError:
    """An error that says what is wrong with a file that SQLite refuses."""
    if "locked" in str(error):
        return StoreError(f"{path} is in use by another process; wait for it, or stop it")
    if "readonly" in str(error):
        return StoreError(f"{path} can't be written; `inarow results` can still read it")
    if "not a database" in str(error):
        return NotAStore(f"{path} is not a store of inarow; give a file that a tournament has written")
    return NotAStore(f"{path} can't be used ({error}); `inarow results` shows what is left in it")
