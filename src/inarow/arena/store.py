"""The store: one SQLite file with configurations, match records and measurements, identified by hashes.

A finished pair is committed as a whole, so the process can be killed at any moment. One process writes at a time (see
`Lock`); any number of others can read a snapshot meanwhile (SQLite's write-ahead log). A closed store is one plain
file. SQLite detects damage to the structure of a file, and a checksum at the end of each row damage within it. Times
are in a separate table; everything else depends on configurations and seeds alone. docs/store.md describes the tables.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
import operator
import os
import shutil
import socket
import sqlite3
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

from inarow import __version__
from inarow.arena.tournament import Tournament, config_hash, differences
from inarow.errors import InarowError, as_path, check_flags, check_instance, check_integer, check_list
from inarow.formatting import counted
from inarow.match import MatchRecord, Pair, Termination
from inarow.match.record import FAULTS, RESULTS
from inarow.match.series import effort_of, either
from inarow.randomness import MASK63
from inarow.rules import FIRST, SECOND, Game, format_moves, game
from inarow.rules.notation import parse_continuation

APPLICATION = 0x694E4152
FORMAT = 6
"""The version of the tables and their contents. A store of another format is rejected."""


class MatchRow(NamedTuple):
    """A row of the table ``match``."""

    id: int
    pairing: int
    pair: int
    swapped: int
    """1 if the pairing's second agent moved first."""
    result: str
    termination: str
    seed: int
    opening: str
    moves: str
    plies: int
    moves_hash: int
    """A 63-bit hash of all moves."""
    moves_first: int
    moves_second: int
    nodes_first: int
    nodes_second: int
    fault: str
    stochastic: int | None
    """1 if a random number decided a move, 0 if none did; NULL if unknown."""
    nodes: bytes
    """The nodes of each move as 64-bit integers; empty if all are 0."""
    estimates: bytes
    """The estimate of each move as a 64-bit float, NaN for None; empty if all are None."""


class TimingRow(NamedTuple):
    """A row of the table ``timing``: the seconds of the decisions of a match."""

    id: int
    seconds_first: float
    least_first: float | None
    most_first: float | None
    seconds_second: float
    least_second: float | None
    most_second: float | None
    seconds: bytes
    """The seconds of each move as 32-bit floats."""


_TYPES = {
    int: "INTEGER NOT NULL",
    int | None: "INTEGER",
    float: "REAL NOT NULL",
    float | None: "REAL",
    str: "TEXT NOT NULL",
    bytes: "BLOB NOT NULL",
}


def _columns(row: type[tuple[Any, ...]]) -> str:
    """Return the columns of a table for these rows; the first one is its key."""
    key, *others = get_type_hints(row).items()
    return ", ".join([f"{key[0]} INTEGER PRIMARY KEY", *(f"{name} {_TYPES[hint]}" for name, hint in others)])


SCHEMA = {
    "about": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    "tournament": (
        "id INTEGER PRIMARY KEY, hash TEXT UNIQUE NOT NULL, name TEXT NOT NULL, config TEXT NOT NULL, "
        "pairings TEXT NOT NULL"
    ),
    "match": _columns(MatchRow),
    "timing": _columns(TimingRow),
    "measurement": "hash TEXT PRIMARY KEY, config TEXT NOT NULL, result TEXT NOT NULL, timing TEXT NOT NULL",
}
"""The columns of each table; a checksum of the row follows them."""
WAIT = 2.0
"""Seconds that a writer waits for readers when it opens or closes a store."""
NETWORK = {"nfs", "nfs4", "lustre", "cifs", "smb3", "smbfs", "afs", "ceph", "beegfs", "gpfs", "glusterfs", "9p"}
"""Network file systems: SQLite's write-ahead log needs shared memory, which several machines don't have."""
_LOST = (
    "FROM match WHERE NOT EXISTS (SELECT 1 FROM match AS twin WHERE twin.id = match.id + 1 - 2 * (match.id & 1))",
    "FROM timing WHERE id NOT IN (SELECT id FROM match)",
    "FROM match WHERE id NOT IN (SELECT id FROM timing)",
)
"""Incomplete rows: half of a pair, times without a match, and matches without times (these can still be read)."""


_RUN = "one of the store's runs()"


class StoreError(InarowError):
    """The store can't be used as requested; the message says why."""


class NotAStore(StoreError):
    """The file is not a store, or too damaged to be read."""


class Run(NamedTuple):
    """A tournament of a store."""

    id: int
    name: str
    config: dict[str, Any]
    pairings: dict[int, tuple[str, str]]
    """The specs of each pairing's two agents, by the pairing's id; the first one's id is the run's."""

    def ids(self) -> tuple[int, int]:
        """Return the range of the ids of its matches: the first, and the one after the last."""
        return min(self.pairings) << 32, (max(self.pairings) + 1) << 32


class Store:
    """An open store; use it in a ``with`` block."""

    def __init__(self, database: sqlite3.Connection, path: Path, lock: Lock | None = None) -> None:
        self.database = database
        self.path = path
        self.notes: list[str] = []
        """Notes for the user: damage, another version, a file system without concurrent reading."""
        self.writer: str | None = None
        """The process that is writing the store, if it was opened for reading."""
        self._lock = lock
        self._place = inode(path)
        self._rescue: Path | None = None

    def __repr__(self) -> str:
        return f"<Store {self.path}>"

    @classmethod
    def create(cls, path: str | Path, replace: bool = False) -> Store:
        """Make an empty store; an existing file is replaced only with ``replace``, and never while it is in use."""
        path = as_path("path", path, StoreError)
        check_flags(replace=replace)
        with _locking(path) as lock:
            if path.exists() and not replace:
                raise StoreError(f"{path} exists; give another name")
            with _new_file(path):
                pass
            return cls._writing(path, lock)

    @classmethod
    def in_memory(cls) -> Store:
        """Make a store in memory, which is lost when it is closed."""
        return cls(sqlite3.connect(":memory:", isolation_level=None), Path(":memory:")).fill()

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """Open an existing store for writing; `notes` describe any damage.

        A damaged store is replaced by its intact pairs and kept as ``FILE.damaged``.
        """
        path = as_path("path", path, StoreError)
        _check_is_file(path)
        with _locking(path) as lock:
            with contextlib.closing(_connect_reading(path)) as database:
                found = cls(database, path)
                found.check()
                if damaged := found.damage():
                    found.notes.append(found._replace_by_sound(damaged))
            store = cls._writing(path, lock)
            store.notes = found.notes + store.notes
            return store

    @classmethod
    def _writing(cls, path: Path, lock: Lock) -> Store:
        kind = network_file_system(path)
        if kind is None:
            try:
                return cls(_connect_writing(path, "NORMAL"), path, lock)
            except sqlite3.DatabaseError as error:
                if "locked" in str(error) or not isinstance(error, sqlite3.OperationalError):
                    raise unreadable(path, error) from None
        try:
            store = cls(_connect_writing(path, "EXCLUSIVE"), path, lock)
        except sqlite3.Error as error:
            raise unreadable(path, error) from None
        where = "a file system without shared memory" if kind is None else f"a network file system ({kind})"
        store.notes.append(f"{path} is on {where}: it can't be read until this run has ended")
        return store

    @classmethod
    def read(cls, path: str | Path, *, checked: bool = True) -> Store:
        """Open a snapshot of a store for reading, even while another process writes it.

        Only the intact part of a damaged store is read, with a note. ``checked=False`` skips the check for damage; a
        store in use is never checked, because its writer has done so.
        """
        path = as_path("path", path, StoreError)
        check_flags(checked=checked)
        _check_is_file(path)
        writer = owner(path) if is_held(path) else None
        store = cls(_connect_reading(path), path)
        try:
            store.database.execute("BEGIN")
            store.check()
            if checked and writer is None and (damaged := store.damage()):
                sound = cls.in_memory()
                kept = store._copy_sound(sound, timed=False)
                store.database.close()
                sound.path, store = path, sound
                matches = counted(kept, "match", "matches")
                store.notes.append(f"{path} is damaged ({_damage_summary(damaged)}); {matches} can still be read")
        except BaseException:
            store.database.close()
            raise
        store.writer = writer
        if writer is not None:
            store.notes.append(f"{path} is being written by {writer}: these are the results so far")
        elif lock_path(path).exists():
            store.notes.append(f"{path} was not closed by {owner(path)}: its last matches may be missing")
        store.notes += store.version_notes
        return store

    def fill(self) -> Store:
        """Make the tables of an empty database."""
        with self.writing():
            for table in SCHEMA:
                self.database.execute(_definition(table))
            self.database.execute(f"PRAGMA application_id={APPLICATION}")
            self.database.execute(f"PRAGMA user_version={FORMAT}")
            self._insert("about", [("version", __version__)])
        return self

    def check(self) -> None:
        """Raise `StoreError` if the file is not a store of this format."""
        kind, made = (
            self.database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if kind != APPLICATION:
            raise NotAStore(f"{self.path} is not a store of inarow; give a file that a tournament has written")
        if made != FORMAT:
            raise StoreError(
                f"{self.path} was written by another version of inarow (its format is {made}, this version needs "
                f"{FORMAT}); use that version, or run it again into another file"
            )

    @property
    def version(self) -> str:
        """The version of inarow that made the store."""
        row = self.database.execute("SELECT value FROM about WHERE key = 'version'").fetchone()
        return "of an unknown version" if row is None else str(row[0])

    @property
    def version_notes(self) -> list[str]:
        """A note if the store was written by another version."""
        version = self.version
        return [] if version == __version__ else [f"{self.path} was written by inarow {version}; this is {__version__}"]

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Run the block as a transaction."""
        self._check_place()
        try:
            with self.database:
                self.database.execute("BEGIN")
                yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.DatabaseError as error:
            full = "the disk is full" if "full" in str(error) else error
            raise StoreError(f"{self.path} can't be written: {full}") from None

    def _check_place(self) -> None:
        """Raise `StoreError` if the file was deleted, moved or replaced: it is written again when the store closes."""
        if self._rescue is None and inode(self.path) != self._place:
            exists = self.path.exists()
            self._rescue = self.path.with_name(f"{self.path.name}.rescued") if exists else self.path
        if self._rescue is not None:
            raise StoreError(
                f"{self.path} was deleted, moved or replaced while it was in use; it is saved as {self._rescue}"
            )

    def _insert(self, table: str, rows: Iterable[Sequence[object]], verb: str = "INSERT") -> None:
        marks = ", ".join("?" * (SCHEMA[table].count(",") + 2))
        summed = ((*row, checksum(row)) for row in rows)
        self.database.executemany(f"{verb} INTO {table} VALUES ({marks})", summed)

    def begin(self, tournament: Tournament) -> Run:
        """Return the stored run of this tournament, or begin it."""
        return self.begin_all([tournament])[0]

    def begin_all(self, tournaments: Sequence[Tournament]) -> list[Run]:
        """Return the runs of these tournaments, in order; begin those that are not in the store."""
        check_list("tournaments", tournaments, Tournament, "tournaments, as Tournament.of makes them", StoreError)
        for tournament in tournaments:
            tournament.check()
        configs = [tournament.config() for tournament in tournaments]
        keys = [config_hash(config) for config in configs]
        stored = {key for (key,) in self.database.execute("SELECT hash FROM tournament")}
        wanted = zip(tournaments, configs, strict=True)
        missing = {key: one for key, one in zip(keys, wanted, strict=True) if key not in stored}
        if missing:
            number = max((max(run.pairings) for run in self.runs()), default=0) + 1
            with self.writing():
                for key, (tournament, config) in missing.items():
                    pairings = [(a.spec, b.spec) for a, b in tournament.pairings]
                    row = (number, key, tournament.key, _json(config, sort=True), _json(pairings))
                    self._insert("tournament", [row])
                    number += len(pairings)
        runs = {config_hash(run.config): run for run in self.runs()}
        return [runs[key] for key in keys]

    def resume(self, tournament: Tournament) -> Run:
        """Return the only run of this store. Raises `StoreError` with the differences if it is another tournament.

        A store without a run was left by a process that was killed before it began one.
        """
        check_instance("tournament", tournament, Tournament, "a Tournament, as Tournament.of makes it", StoreError)
        runs = self.runs() or [self.begin(tournament)]
        if len(runs) != 1:
            raise StoreError(f"{self.path} holds {len(runs)} tournaments, expected one")
        if changed := differences(runs[0].config, tournament.config()):
            raise StoreError(
                f"{self.path} can't be resumed: {'; '.join(changed)}. Give the same options, or another --out"
            )
        return runs[0]

    def runs(self) -> list[Run]:
        """Return every tournament, in the order they were begun."""
        rows = self.database.execute("SELECT id, name, config, pairings FROM tournament ORDER BY id")
        return [
            Run(
                number,
                name,
                json.loads(config),
                {number + at: (a, b) for at, (a, b) in enumerate(json.loads(pairings))},
            )
            for number, name, config, pairings in rows
        ]

    def finished(self, run: Run) -> dict[int, set[int]]:
        """Return the indices of the finished pairs of each pairing."""
        check_instance("run", run, Run, _RUN, StoreError)
        done: dict[int, set[int]] = {pairing: set() for pairing in run.pairings}
        rows = self.database.execute(
            "SELECT pairing, pair FROM match WHERE id >= ? AND id < ? AND swapped = 0", run.ids()
        )
        for pairing, pair in rows:
            done[pairing].add(pair)
        return done

    def results(self, run: Run) -> Iterator[StoredPair]:
        """Yield the result of every pair, in order."""
        check_instance("run", run, Run, _RUN, StoreError)
        rows = self.database.execute(f"SELECT {COUNTED} FROM match WHERE id >= ? AND id < ? ORDER BY id", run.ids())
        return (StoredPair.of(list(group)) for _, group in itertools.groupby(rows, key=lambda row: row[:2]))

    def add(self, pairs: Iterable[StoredPair]) -> None:
        """Store finished pairs in one transaction."""
        kept = list(pairs)
        with self.writing():
            self._insert("match", (row for pair in kept for row in pair.matches))
            self._insert("timing", (row for pair in kept for row in pair.timings))

    def records(self, run: Run, only: int | None = None) -> Iterator[tuple[int, int, MatchRecord]]:
        """Yield every record in order, with the pairing's id and the pair's index; ``only`` selects one by its id."""
        check_instance("run", run, Run, _RUN, StoreError)
        if only is not None:
            only = check_integer("only", only, 0, MASK63, StoreError)
        board = game(run.config["game"])
        columns = ", ".join(f"match.{name}" for name in MatchRow._fields)
        rows = self.database.execute(
            f"SELECT {columns}, timing.seconds FROM match LEFT JOIN timing USING (id) "
            "WHERE match.id >= ? AND match.id < ? ORDER BY match.id",
            run.ids() if only is None else (only, only + 1),
        )
        for *match, seconds in rows:
            row = MatchRow(*match)
            a, b = run.pairings[row.pairing]
            yield row.pairing, row.pair, record_of(board, a, b, row, seconds)

    def measured(self, config: dict[str, Any]) -> dict[str, Any] | None:
        """Return the stored result of the measurement with this configuration."""
        row = self.database.execute(
            "SELECT result, timing FROM measurement WHERE hash = ?", (config_hash(config),)
        ).fetchone()
        return None if row is None else {**json.loads(row[0]), "timing": json.loads(row[1])}

    def keep_measured(self, config: dict[str, Any], result: dict[str, Any], timing: dict[str, Any]) -> None:
        """Store a measurement's result, with times in ``timing``."""
        row = (config_hash(config), _json(config), _json(result), _json(timing))
        with self.writing():
            self._insert("measurement", [row], "INSERT OR REPLACE")

    def forget(self, word: str) -> int:
        """Delete all tournaments and measurements whose configuration contains a word; return their number.

        The file is rewritten, so that no trace of them remains.
        """
        check_instance("word", word, str, "a string", StoreError)
        runs = [run for run in self.runs() if word in _json(run.config)]
        hashes = {config_hash(run.config) for run in runs}
        rows = self.database.execute("SELECT hash, config FROM measurement").fetchall()
        measured = [key for key, config in rows if word in config or json.loads(config).get("run") in hashes]
        if not runs and not measured:
            return 0
        with self.writing():
            for run in runs:
                for table in ("match", "timing"):
                    self.database.execute(f"DELETE FROM {table} WHERE id >= ? AND id < ?", run.ids())
                self.database.execute("DELETE FROM tournament WHERE id = ?", (run.id,))
            self.database.executemany("DELETE FROM measurement WHERE hash = ?", [(key,) for key in measured])
        self.database.execute("VACUUM")
        self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(runs) + len(measured)

    def damage(self) -> list[str]:
        """Describe each damage in a few words; return an empty list if everything is intact."""
        found: list[str] = []
        try:
            checked = str(self.database.execute("PRAGMA integrity_check(1)").fetchone()[0])
            if checked != "ok":
                found.append(checked.replace("\n", " ").removeprefix("*** in database main *** "))
        except sqlite3.DatabaseError as error:
            found.append(str(error))
        for table in SCHEMA:
            for _ in self._sound_rows(table, found):
                pass
            with contextlib.suppress(sqlite3.DatabaseError):
                query = "SELECT 1 FROM sqlite_master WHERE name = ? AND CAST(sql AS BLOB) = CAST(? AS BLOB)"
                if self.database.execute(query, (table, _definition(table))).fetchone() is None:
                    found.append(f"the definition of table {table}")
        for query in _LOST:
            with contextlib.suppress(sqlite3.DatabaseError):
                if count := self.database.execute(f"SELECT count(*) {query}").fetchone()[0]:
                    found.append(f"{counted(count, 'match', 'matches')} without the other rows of its pair")
        return found

    def _sound_rows(self, table: str, damage: list[str]) -> Iterator[tuple[object, ...]]:
        """Yield the rows of a table with valid checksums; describe the others in ``damage``.

        If a row can't be read, the rows after it are read from the end backwards.
        """
        before = self.database.text_factory
        self.database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        bad = set()
        for order in ("ASC", "DESC"):
            try:
                for number, *row, crc in self.database.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid {order}"):
                    if checksum(row) == crc:
                        yield tuple(row)
                    else:
                        bad.add(number)
                break
            except (sqlite3.DatabaseError, UnicodeError) as error:  # even the name of a column may be damaged
                damage += [f"table {table}: {error}"] if order == "ASC" else []
        if bad:
            damage.append(f"{counted(len(bad), 'bad row', 'bad rows')} in table {table}")
        self.database.text_factory = before

    def _copy_sound(self, copy: Store, *, timed: bool) -> int:
        """Copy the intact rows of a damaged store into an empty one; return the number of matches."""
        with copy.writing():
            for table in SCHEMA:
                for row in self._sound_rows(table, []):
                    with contextlib.suppress(sqlite3.Error):
                        copy._insert(table, [row], "INSERT OR REPLACE")
            known = {number for run in copy.runs() for number in run.pairings}
            for (number,) in copy.database.execute("SELECT DISTINCT pairing FROM match").fetchall():
                if number not in known:
                    copy.database.execute("DELETE FROM match WHERE pairing = ?", (number,))
            lost = _LOST if timed else _LOST[:-1]
            for query in (*lost, *lost):  # a match that is removed may leave the other of its pair
                copy.database.execute(f"DELETE {query}")
        if not copy.runs() and not copy.database.execute("SELECT count(*) FROM measurement").fetchone()[0]:
            raise StoreError(f"{self.path} is damaged, and nothing in it can be read")
        return int(copy.database.execute("SELECT count(*) FROM match").fetchone()[0])

    def _replace_by_sound(self, damaged: Sequence[str]) -> str:
        """Replace this damaged store by its intact rows, keep the damaged file, and return a note."""
        aside = self.path.with_name(f"{self.path.name}.damaged")
        with _new_file(self.path) as fresh:
            kept = self._copy_sound(fresh, timed=True)
            shutil.copyfile(self.path, aside)  # copied, so that the store always exists
            for part, moved in zip(_companions(self.path), _companions(aside), strict=True):
                moved.unlink(missing_ok=True)
                if part.exists():
                    part.replace(moved)
        return (
            f"{self.path} is damaged ({_damage_summary(damaged)}); {counted(kept, 'match is', 'matches are')} intact "
            f"and kept, the others are played again. The damaged file is now {aside}"
        )

    def close(self) -> None:
        """Close the store, which leaves one plain file, and release its lock."""
        copy = self.path.with_name(f".{self.path.name}.rescue")
        with contextlib.suppress(sqlite3.Error):
            if self._rescue is not None:
                copy.unlink(missing_ok=True)
                with contextlib.closing(sqlite3.connect(copy)) as rescued:
                    self.database.backup(rescued)
                    rescued.execute("PRAGMA journal_mode=DELETE")
            elif self._lock is not None:
                self.database.execute("PRAGMA journal_mode=DELETE")
        self.database.close()
        if self._rescue is not None and copy.exists():
            copy.replace(self._rescue)
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_database(path: Path) -> bool:
    """Return True if a file has SQLite's header."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def stamp(path: Path) -> tuple[object, ...]:
    """Return a value that changes with every commit to a store, and when its writer starts or ends."""
    seen: list[object] = [is_held(path)]
    for part in (path, path.with_name(f"{path.name}-wal")):
        with contextlib.suppress(OSError):
            status = part.stat()
            seen += [status.st_ino, status.st_size, status.st_mtime_ns]
    return tuple(seen)


def network_file_system(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str | None:
    """Return the type of the network file system that holds a path, or None (always None except on Linux)."""
    try:
        device = path.absolute().parent.stat().st_dev
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    place = f"{os.major(device)}:{os.minor(device)}"
    kinds = {mount.split()[2]: mount.partition(" - ")[2].split()[0] for mount in lines}
    return kinds[place] if kinds.get(place) in NETWORK else None


def unreadable(path: Path, error: sqlite3.Error) -> StoreError:
    """Translate SQLite's error for a file."""
    if "locked" in str(error):
        if is_held(path):
            return StoreError(f"{path} is in use by {owner(path)} and can't be read meanwhile; wait for it, or stop it")
        return StoreError(f"{path} is in use by another process; wait for it, or stop it")
    if "readonly" in str(error):
        return StoreError(f"{path} can't be written; `inarow results` can still read it")
    if "not a database" in str(error):
        return NotAStore(f"{path} is not a store of inarow; give a file that a tournament has written")
    return NotAStore(f"{path} can't be used ({error})")


@contextlib.contextmanager
def _locking(path: Path) -> Iterator[Lock]:
    """Take the lock of a store; it is released if the block fails."""
    lock = Lock(path)
    try:
        yield lock
    except BaseException:
        lock.release()
        raise


def _companions(path: Path) -> list[Path]:
    """Return the files that SQLite keeps next to a database while it is in use."""
    return [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "-journal")]


@contextlib.contextmanager
def _new_file(path: Path) -> Iterator[Store]:
    """Make an empty store that is moved to its path at the end of the block."""
    place = path.with_name(f".{path.name}.new")
    try:
        for leftover in (place, *_companions(place)):  # left by a killed process
            leftover.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(place, isolation_level=None)) as database:
            yield Store(database, path).fill()
        for leftover in filter(Path.is_file, _companions(path)):  # SQLite would take them for those of the new file
            leftover.unlink()
        place.replace(path)
    except sqlite3.Error as error:
        raise unreadable(path, error) from None
    finally:
        place.unlink(missing_ok=True)


def _connect_writing(path: Path, locking: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
    try:
        database.execute(f"PRAGMA locking_mode={locking}")
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("BEGIN IMMEDIATE")
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _connect_reading(path: Path) -> sqlite3.Connection:
    """Open a connection for reading, next to a writer if there is one.

    A write-ahead log needs shared memory next to it, which can't be made in a write-protected folder. Without a log the
    file alone is enough.
    """
    logged = path.with_name(f"{path.name}-wal").exists()
    for mode in ("mode=ro", "mode=rw" if logged else "mode=ro&immutable=1"):
        try:
            database = sqlite3.connect(
                f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=PATIENCE, isolation_level=None
            )
        except sqlite3.Error as error:
            raise StoreError(f"{path} can't be opened: {error}") from None
        try:
            if mode == "mode=rw":
                database.execute("PRAGMA locking_mode=EXCLUSIVE")  # needs no shared memory to read a log
            database.execute("PRAGMA writable_schema=ON")  # writes nothing, but makes SQLite open a truncated file
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return database
        except sqlite3.DatabaseError as error:
            database.close()
            failure = unreadable(path, error)
            if not isinstance(error, sqlite3.OperationalError) or "locked" in str(error):
                raise failure from None
    if logged:
        raise StoreError(f"{failure}; copy it and {path.name}-wal to a writable folder")
    raise failure


def _definition(table: str) -> str:
    return f"CREATE TABLE {table} ({SCHEMA[table]}, crc INTEGER NOT NULL)"


def _check_is_file(path: Path) -> None:
    try:
        if not path.is_file():
            raise StoreError(f"{path} is a folder; give a store's file" if path.is_dir() else f"{path} does not exist")
    except OSError as error:
        raise StoreError(f"{path} can't be read: {error.strerror}") from None


def _damage_summary(damage: Sequence[str]) -> str:
    return "; ".join(damage[:2]) + (f"; and {len(damage) - 2} more" if len(damage) > 2 else "")


def _json(value: object, sort: bool = False) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=sort)


def checksum(values: Iterable[object]) -> int:
    """Return a CRC-32 of a row's values as SQLite gives them back."""
    return zlib.crc32(b"".join([_typed(value) for value in values]))


def _typed(value: object) -> bytes:
    """Return the bytes of a value after the name of its type, which also separates values."""
    if type(value) is bytes:
        return b"bytes" + value
    return f"{type(value).__name__}{value}".encode("utf-8", "surrogatepass")


class StoredPair(NamedTuple):
    """A finished pair: the values that are counted, and its rows unless it was read from a store."""

    pairing: int
    pair: int
    opening: str
    points: list[float | None]
    """The points of the pairing's first agent in each match; None for an interrupted one."""
    lines: tuple[int, ...]
    """A hash of the moves and seats of each match."""
    stochastic: bool | None
    """True if a random number decided a move of either match; None if unknown."""
    faults: int
    """The number of matches that the pairing's first agent lost by its own faults."""
    matches: Sequence[MatchRow] = ()
    timings: Sequence[TimingRow] = ()

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, int, str, str, str, int, int | None]]) -> StoredPair:
        """Make a pair from the columns `COUNTED` of its matches."""
        pairing, pair, _, opening, *_ = rows[0]
        points = [points_of(result, swapped) for _, _, swapped, _, result, *_ in rows]
        lines = tuple([moves_hash & ~1 | swapped for _, _, swapped, *_, moves_hash, _ in rows])
        faults = sum([gained == 0 and row[5] in FAULTS for gained, row in zip(points, rows, strict=True)])
        return cls(pairing, pair, opening, points, lines, either([row[7] for row in rows]), faults)

    @property
    def fault(self) -> tuple[str, str] | None:
        """The termination and the message of the pair's first fault, or None."""
        faults = ((row.termination, row.fault) for row in self.matches if row.termination in FAULTS)
        return next(faults, None)


COUNTED = "pairing, pair, swapped, opening, result, termination, moves_hash, stochastic"
"""The columns of a match that `StoredPair.of` needs."""


def points_of(result: str, swapped: int) -> float | None:
    """Return the points of the pairing's first agent, or None for an interrupted match."""
    outcome = RESULTS[result]
    return None if outcome is None else outcome.score(SECOND if swapped else FIRST)


def match_id(pairing: int, pair: int, swapped: int) -> int:
    """Return the id of a match: its pairing, the pair's index and the seats."""
    return pairing << 32 | pair << 1 | swapped


def rows_of(pairing: int, pair: Pair) -> StoredPair:
    """Convert a finished pair of this pairing to rows."""
    matches, timings = list[MatchRow](), list[TimingRow]()
    for record, seat in pair.matches():
        number = match_id(pairing, pair.index, int(seat))
        first, second = effort_of(record, FIRST), effort_of(record, SECOND)
        line = record.all_moves
        nodes = record.nodes if any(record.nodes) else ()
        values = record.values if record.values.count(None) < len(record.values) else ()
        matches.append(
            MatchRow(
                id=number,
                pairing=pairing,
                pair=pair.index,
                swapped=int(seat),
                result=record.result,
                termination=record.termination.value,
                seed=record.seed,
                opening=format_moves(record.game, record.opening),
                moves=format_moves(record.game, record.moves),
                plies=len(line),
                moves_hash=int.from_bytes(hashlib.blake2b(bytes(line), digest_size=8).digest(), "big") & MASK63,
                moves_first=first.moves,
                moves_second=second.moves,
                nodes_first=first.nodes,
                nodes_second=second.nodes,
                fault=record.fault,
                stochastic=None if record.stochastic is None else int(record.stochastic),
                nodes=array("q", nodes).tobytes(),
                estimates=array("d", [math.nan if value is None else value for value in values]).tobytes(),
            )
        )
        times = (*first[2:], *second[2:])
        timings.append(TimingRow(number, *times, array("f", record.seconds).tobytes()))
    return StoredPair.of(list(map(_counted, matches)))._replace(matches=matches, timings=timings)


_counted = operator.attrgetter(*COUNTED.split(", "))


def record_of(game: Game, a: str, b: str, row: MatchRow, seconds: bytes | None) -> MatchRecord:
    """Return the record of a row and its packed seconds (kept to about seven digits)."""
    opening, moves = parse_continuation(game, row.opening, row.moves)
    none = (None,) * len(moves)
    return MatchRecord(
        game=game,
        first=b if row.swapped else a,
        second=a if row.swapped else b,
        seed=row.seed,
        opening=opening,
        moves=moves,
        outcome=RESULTS[row.result],
        termination=Termination(row.termination),
        nodes=tuple(array("q", row.nodes)) if row.nodes else (0,) * len(moves),
        values=tuple(None if math.isnan(v) else v for v in array("d", row.estimates)) if row.estimates else none,
        seconds=tuple(array("f", seconds)) if seconds else (0.0,) * len(moves),
        fault=row.fault,
        stochastic=None if row.stochastic is None else bool(row.stochastic),
    )


PATIENCE = 0.3
"""Seconds to wait for a process that only checks the lock."""


class StoreInUse(StoreError):
    """Another process writes the store."""


class Lock:
    """An exclusive lock for writing a store, held until `release`. Raises `StoreInUse` if another process holds it.

    It is a small SQLite file next to the store, ``FILE.lock``, with the host, process id and command of its owner. The
    owner keeps a transaction open: others can read the row but not begin one. The operating system ends SQLite's
    locks with the process, and child processes don't inherit them. An unlocked lock file was left by a killed process.
    """

    def __init__(self, path: Path) -> None:
        self.path = lock_path(path)
        while True:
            try:
                self.path.touch()
                before = inode(self.path)
                self._held = _acquire(self.path)
                if inode(self.path) == before:
                    return
                self._held.close()  # the file was removed by its last owner
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
    """Return the path of a store's lock file."""
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
    with contextlib.suppress(sqlite3.Error), contextlib.closing(_open_lock(path, "ro")) as lock:
        if (row := lock.execute("SELECT command, pid, host FROM owner").fetchone()) is not None:
            return "{} (process {} on {})".format(*row)
    return "another process"


def is_held(path: Path) -> bool:
    """Return True if a process is known to hold the lock of a store."""
    if not lock_path(path).exists():
        return False
    try:
        with contextlib.closing(_open_lock(path, "rw")) as lock:
            lock.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False


def _open_lock(path: Path, mode: str) -> sqlite3.Connection:
    """Open the existing lock file of a store."""
    return sqlite3.connect(f"{lock_path(path).as_uri()}?mode={mode}", timeout=0, isolation_level=None, uri=True)


def _acquire(place: Path) -> sqlite3.Connection:
    """Record this process as the owner and keep the file locked."""
    lock = sqlite3.connect(place, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
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
