"""Whether a store is as it was written: its structure, the checksum of every row, its write-ahead log."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inarow.arena.rows import PLAIN_TABLES, TABLES, MatchRow, TimingRow, checksum, columns

ALL_TABLES = (*PLAIN_TABLES, *TABLES)

_QUERIES = {
    **{table: f"SELECT rowid, {', '.join(names)}, crc FROM {table}" for table, names in PLAIN_TABLES.items()},
    "match": (
        f"SELECT match.id, {columns(MatchRow, 'match')}, ifnull(thought.nodes, x''), ifnull(thought.estimates, x''), "
        "match.crc FROM match LEFT JOIN thought USING (id)"
    ),
    "timing": f"SELECT id, {columns(TimingRow)}, crc FROM timing",
}
"""Of each table: the row's id, what its checksum is made of, and the checksum."""
_TWIN = "(match.id + 1 - 2 * (match.id & 1))"  # the other match of a pair
_HALF_PAIRS = f"FROM match WHERE NOT EXISTS (SELECT 1 FROM match AS twin WHERE twin.id = {_TWIN})"
_UNTIMED = "FROM match WHERE id NOT IN (SELECT id FROM timing)"
_ORPHANS = (
    "DELETE FROM pairing WHERE tournament NOT IN (SELECT id FROM tournament)",
    "DELETE FROM match WHERE pairing NOT IN (SELECT id FROM pairing)",
    f"DELETE {_HALF_PAIRS}",
    "DELETE FROM thought WHERE id NOT IN (SELECT id FROM match)",
    "DELETE FROM timing WHERE id NOT IN (SELECT id FROM match)",
)


def damage(database: sqlite3.Connection) -> list[str]:
    """What is damaged, in a few words each; empty if everything is sound."""
    said = []
    with _any_text(database):
        try:
            checked = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if checked != "ok":
                said.append(str(checked).replace("\n", " ").removeprefix("*** in database main *** "))
        except sqlite3.DatabaseError as error:
            said.append(str(error))
        for table in _QUERIES:
            try:
                bad = sum(1 for _ in _unsound(database, table))
            except sqlite3.DatabaseError as error:
                said.append(f"table {table}: {error}")
            else:
                said += [f"{bad:,} bad {'row' if bad == 1 else 'rows'} in table {table}"] if bad else []
        for what, query in (("matches without the other of their pair", _HALF_PAIRS), ("without a timing", _UNTIMED)):
            with contextlib.suppress(sqlite3.DatabaseError):
                if count := database.execute(f"SELECT count(*) {query}").fetchone()[0]:
                    said.append(f"{count:,} {what}")
    return said


def purge(database: sqlite3.Connection, *, timed: bool) -> None:
    """Remove damaged rows, and all that depend on them, from a store whose structure is sound.

    With ``timed`` also matches whose timing is lost: so a resumed tournament plays them again.
    """
    with _any_text(database):
        for table in _QUERIES:
            bad = [(row,) for row in _unsound(database, table)]
            database.executemany(f"DELETE FROM {table} WHERE rowid = ?", bad)
        for number, config in database.execute("SELECT id, config FROM tournament").fetchall():
            found = database.execute("SELECT count(*) FROM pairing WHERE tournament = ?", (number,)).fetchone()[0]
            if found != _pairings(json.loads(config)):
                database.execute("DELETE FROM tournament WHERE id = ?", (number,))
        if timed:
            database.execute(f"DELETE {_UNTIMED}")
        for statement in _ORPHANS:
            database.execute(statement)


def _unsound(database: sqlite3.Connection, table: str) -> Iterator[int]:
    """The ids of a table's rows whose checksum does not fit."""
    for number, *values, crc in database.execute(_QUERIES[table]):
        if checksum(values) != crc:
            yield number


def _pairings(config: dict[str, Any]) -> int:
    """How many pairings a configuration has."""
    agents = len(config["agents"])
    others = agents - 1 if config["format"] == "gauntlet" else agents * (agents - 1) // 2
    return others + (agents if config["self"] else 0)


@contextlib.contextmanager
def _any_text(database: sqlite3.Connection) -> Iterator[None]:
    """Damaged texts can be read while the block runs; their checksum does not fit."""
    before = database.text_factory
    database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        database.text_factory = before


def log_damage(path: Path) -> str | None:
    """What is damaged in the write-ahead log that a killed process has left beside a store.

    SQLite reads a log up to its first bad frame and is silent about the rest
    (https://www.sqlite.org/fileformat2.html#walformat).
    """
    try:
        data = path.with_name(path.name + "-wal").read_bytes()
    except OSError:
        return None
    if not data:
        return None
    magic, _, page, _, *salts_and_sums = struct.unpack(">8I", data[:32].ljust(32, b"\0"))
    order = {0x377F0682: "<", 0x377F0683: ">"}.get(magic)
    salts, sums = salts_and_sums[:2], tuple(salts_and_sums[2:])
    if order is None or page < 512 or _wal_sums(order, data[:24], (0, 0)) != sums:
        return "its log can't be read"
    # Frames with other salts at the end were written before the log was last emptied.
    starts = range(32, len(data), 24 + page)
    heads = [struct.unpack(">6I", data[at : at + 24].ljust(24, b"\0")) for at in starts]
    count = max((number for number, head in enumerate(heads, start=1) if list(head[2:4]) == salts), default=0)
    for number, (at, head) in enumerate(zip(starts[:count], heads, strict=False)):
        if len(data) < at + 24 + page:
            return "its log ends within a page"
        sums = _wal_sums(order, data[at : at + 8] + data[at + 24 : at + 24 + page], sums)
        if sums != head[4:]:
            return f"{count - number:,} of the {count:,} pages of its log can't be read"
    return None


def _wal_sums(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
