"""The store: one SQLite file with configurations, every record, and measurements, each found by a hash.

A finished pair is committed as a whole (write-ahead log, synchronous NORMAL), so the process can be killed at any
moment. A store is written by one process at a time, which holds it locked. Every row has a checksum. What depends on
the clock has a table of its own; everything else depends on configurations and seeds alone. A closed store is one plain
file.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from inarow import __version__
from inarow.arena.database import APPLICATION, FORMAT, SCHEMA, NotAStore, StoreError, inode, locked, unreadable
from inarow.arena.rows import (
    RESULT_COLUMNS,
    MatchRow,
    PairResult,
    PairRows,
    columns,
    insert_statement,
    match_with_checksum,
    record_of,
    with_checksum,
)
from inarow.arena.tournament import Tournament, config_hash, differences
from inarow.match import Record
from inarow.rules import game


class Run(NamedTuple):
    """A tournament of a store."""

    id: int
    name: str
    config: dict[str, Any]
    pairings: dict[int, tuple[str, str]]
    """The specs of each pairing's two agents, by the pairing's id."""

    def ids(self) -> tuple[int, int]:
        """The least id of its matches, and the least that is greater than all."""
        return min(self.pairings) << 32, (max(self.pairings) + 1) << 32


class Store:
    """An open store; use it in a ``with`` block."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self.database = database
        self.path = path
        self._place = inode(path)
        self._rescue: Path | None = None

    @classmethod
    def create(cls, path: Path, replace: bool = False) -> Store:
        """A new, empty store; an existing file is replaced only with ``replace``, and never while it is in use."""
        if path.exists():
            if not replace:
                raise StoreError(f"{path} exists; give another name")
            with contextlib.suppress(NotAStore):
                locked(path).close()
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        store = cls(locked(path), path)
        store.fill()
        return store

    @classmethod
    def in_memory(cls) -> Store:
        """A store that is deleted when it is closed."""
        store = cls(sqlite3.connect(":memory:", isolation_level=None), Path(":memory:"))
        store.fill()
        return store

    def fill(self) -> None:
        """Make the tables of an empty database."""
        with self.writing():
            for statement in SCHEMA.split(";"):
                self.database.execute(statement)
            self.database.execute(f"PRAGMA application_id={APPLICATION}")
            self.database.execute(f"PRAGMA user_version={FORMAT}")
            self.insert("about", ("version", __version__))

    @classmethod
    def open(cls, path: Path) -> Store:
        """An existing store, for writing more into it."""
        if not path.is_file():
            raise StoreError(f"{path} is a folder" if path.is_dir() else f"{path} does not exist; nothing to resume")
        store = cls(locked(path), path)
        try:
            store.check()
            if store.format != FORMAT:
                raise StoreError(f"{path} was written by a later version of inarow; this one can only read it")
        except BaseException:
            store.database.close()
            raise
        return store

    def check(self) -> None:
        """Raise `StoreError` if the file is not a store, or one of an earlier format."""
        try:
            kind = self.database.execute("PRAGMA application_id").fetchone()[0]
            self.database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            raise unreadable(self.path, error) from None
        if kind != APPLICATION:
            raise NotAStore(f"{self.path} is not a store of inarow; give a file that a tournament has written")
        if self.format < FORMAT:
            raise StoreError(
                f"{self.path} was written by an earlier version of inarow (format {self.format}, this version needs "
                f"{FORMAT}); run it again into another file"
            )

    @property
    def format(self) -> int:
        """The format of the file."""
        return int(self.database.execute("PRAGMA user_version").fetchone()[0])

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: everything in it is kept, or nothing."""
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
            there = self.path.exists()
            self._rescue = self.path.with_name(f"{self.path.name}.rescued") if there else self.path
        if self._rescue is not None:
            raise StoreError(
                f"{self.path} was deleted, moved or replaced while it was in use; it is saved as {self._rescue}"
            )

    def insert(self, table: str, row: Sequence[object]) -> None:
        """Add a row of one of the plain tables."""
        self.database.execute(insert_statement(table), with_checksum(row))

    def _next_id(self, table: str) -> int:
        return int(self.database.execute(f"SELECT ifnull(max(id), 0) + 1 FROM {table}").fetchone()[0])

    def begin(self, tournament: Tournament) -> Run:
        """The run of this tournament: the one that is there, or a new one."""
        return self.begin_all([tournament])[0]

    def begin_all(self, tournaments: Sequence[Tournament]) -> list[Run]:
        """The runs of these tournaments in their order, new ones for those that are not there, in one transaction."""
        for tournament in tournaments:
            tournament.check()
        configs = [tournament.config() for tournament in tournaments]
        keys = [config_hash(config) for config in configs]
        there = {key for (key,) in self.database.execute("SELECT hash FROM tournament")}
        wanted = zip(tournaments, configs, strict=True)
        missing = {key: one for key, one in zip(keys, wanted, strict=True) if key not in there}
        if missing:
            with self.writing():
                for key, (tournament, config) in missing.items():
                    self._begin(tournament, config, key)
        runs = {config_hash(run.config): run for run in self.runs()}
        return [runs[key] for key in keys]

    def _begin(self, tournament: Tournament, config: dict[str, Any], key: str) -> None:
        text = json.dumps(config, sort_keys=True, ensure_ascii=False)
        number = self._next_id("tournament")
        self.insert("tournament", (number, key, tournament.key, text))
        for pairing in tournament.pairings:
            self.insert("pairing", (self._next_id("pairing"), number, pairing.a.spec, pairing.b.spec))

    def resume(self, tournament: Tournament) -> Run:
        """The only run of this store, if it is of this tournament; else `StoreError` says what differs."""
        runs = self.runs()
        if len(runs) != 1:
            raise StoreError(f"{self.path} holds {len(runs)} tournaments; a store of one was expected")
        said = differences(runs[0].config, tournament.config())
        if said:
            raise StoreError(
                f"{self.path} can't be resumed: {'; '.join(said)}. Give the same options, or another --out"
            )
        return runs[0]

    def runs(self) -> list[Run]:
        """Every tournament, in the order they were begun."""
        pairings: dict[int, dict[int, tuple[str, str]]] = defaultdict(dict)
        for number, tournament, a, b in self.database.execute("SELECT id, tournament, a, b FROM pairing ORDER BY id"):
            pairings[tournament][number] = (a, b)
        rows = self.database.execute("SELECT id, name, config FROM tournament ORDER BY id").fetchall()
        return [Run(number, name, json.loads(config), pairings[number]) for number, name, config in rows]

    def finished(self, run: Run) -> dict[int, set[int]]:
        """The indices of the finished pairs of each pairing."""
        done: dict[int, set[int]] = {pairing: set() for pairing in run.pairings}
        rows = self.database.execute(
            "SELECT pairing, pair FROM match WHERE id >= ? AND id < ? AND swapped = 0", run.ids()
        )
        for pairing, pair in rows:
            done[pairing].add(pair)
        return done

    def results(self, run: Run) -> Iterator[PairResult]:
        """The result of every pair, in order."""
        rows = self.database.execute(
            f"SELECT {RESULT_COLUMNS} FROM match WHERE id >= ? AND id < ? ORDER BY id", run.ids()
        )
        return (PairResult.of(list(group)) for _, group in itertools.groupby(rows, key=lambda row: row[:2]))

    def add(self, pairs: Iterable[PairRows]) -> None:
        """Store finished pairs in one transaction."""
        kept = list(pairs)
        thoughts = {row.id: row for pair in kept for row in pair.thoughts}
        matches = [match_with_checksum(row, thoughts.get(row.id)) for pair in kept for row in pair.matches]
        timings = [with_checksum(row) for pair in kept for row in pair.timings]
        with self.writing():
            self.database.executemany(insert_statement("match"), matches)
            self.database.executemany(insert_statement("thought"), thoughts.values())
            self.database.executemany(insert_statement("timing"), timings)

    def records(self, run: Run, only: int | None = None) -> Iterator[tuple[int, int, Record]]:
        """Every record with the id of its pairing and the index of its pair, in order; or ``only`` that of one id."""
        board = game(run.config["game"])
        rows = self.database.execute(
            f"SELECT {columns(MatchRow, 'match')}, thought.nodes, thought.estimates, timing.seconds FROM match "
            "LEFT JOIN thought USING (id) LEFT JOIN timing USING (id) WHERE match.id >= ? AND match.id < ? ORDER BY id",
            run.ids() if only is None else (only, only + 1),
        )
        for *match, nodes, estimates, seconds in rows:
            row = MatchRow(*match)
            a, b = run.pairings[row.pairing]
            yield row.pairing, row.pair, record_of(board, a, b, row, nodes, estimates, seconds)

    def measured(self, config: dict[str, Any]) -> dict[str, Any] | None:
        """The stored result of the measurement with this configuration."""
        row = self.database.execute(
            "SELECT result, timing FROM measurement WHERE hash = ?", (config_hash(config),)
        ).fetchone()
        return None if row is None else {**json.loads(row[0]), "timing": json.loads(row[1])}

    def keep_measured(self, config: dict[str, Any], result: dict[str, Any], timing: dict[str, Any]) -> None:
        """Store a measurement's result; what depends on the clock goes into ``timing``."""
        texts = [json.dumps(part, ensure_ascii=False) for part in (config, result, timing)]
        with self.writing():
            self.insert("measurement", (config_hash(config), *texts))

    @property
    def version(self) -> str:
        """The version of inarow that made the store."""
        row = self.database.execute("SELECT value FROM about WHERE key = 'version'").fetchone()
        return "of an unknown version" if row is None else str(row[0])

    def close(self) -> None:
        """Close the store and release its lock; it is one plain file then."""
        copy = self.path.with_name(f".{self.path.name}.rescue")
        with contextlib.suppress(sqlite3.Error):
            if self._rescue is not None:
                copy.unlink(missing_ok=True)
                self.database.execute("VACUUM INTO ?", (str(copy),))
            self.database.execute("PRAGMA journal_mode=DELETE")
        self.database.close()
        if self._rescue is not None and copy.exists():
            copy.replace(self._rescue)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
