"""The store: what goes in comes out, one writer at a time, and nothing is lost to damage that could be read."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import inarow.arena.salvage
from inarow.agents import agent
from inarow.arena import Running, Store, StoreError, crew, load, read_store, resume_store
from inarow.arena.database import unreadable
from inarow.arena.integrity import log_damage
from inarow.arena.rows import points_of, rows_of
from inarow.match import Pair, play_pair
from inarow.rules import CONNECT4, game
from support.arena_doubles import Doing, played, tournament, without_clock
from support.damage import damaged


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A store of 60 matches."""
    path = tmp_path / "league.db"
    played(tournament("random", "rules", "greedy", pairs=10), store=Store.create(path))
    return path


def read(path: Path) -> tuple[dict[str, Any], list[str]]:
    with read_store(path) as (store, notes):
        return without_clock(load(store, store.runs()[0])), notes


@pytest.mark.parametrize("name", ["connect4", "tictactoe", "5x4x4", "4x4x3-free"])
def test_records_come_back_as_they_went_in(name: str) -> None:
    board = game(name)
    wanted = tournament("greedy", "random", pairs=3, openings="random:1")
    a, b = agent("greedy"), agent("random")
    pairs = [play_pair(board, a, b, index=index, opening=(index,), seed=4) for index in range(3)]
    with Store.in_memory() as store:
        run = store.begin(wanted)
        number = next(iter(run.pairings))
        run.config["game"] = name
        store.add(rows_of(number, pair) for pair in pairs)
        back = list(store.records(run))
    assert [(pairing, pair) for pairing, pair, _ in back] == [(number, i) for i in (0, 0, 1, 1, 2, 2)]
    for (_, _, record), (original, _) in zip(back, [m for pair in pairs for m in pair.matches()], strict=True):
        assert record.seconds == pytest.approx(original.seconds, rel=1e-6)
        ours, theirs = record.to_json(), original.to_json()
        del ours["timing"], theirs["timing"]
        assert ours == theirs


def test_a_faulty_record_comes_back_with_its_words() -> None:
    pair = play_pair(CONNECT4, Doing("illegal"), agent("random"))
    with Store.in_memory() as store:
        run = store.begin(tournament(Doing("illegal"), "random"))
        store.add([rows_of(next(iter(run.pairings)), pair)])
        (_, _, record), _ = store.records(run)
    assert (record.termination, record.fault) == (pair.straight.termination, pair.straight.fault)


def test_a_pair_is_never_counted_twice() -> None:
    pair: Pair = play_pair(CONNECT4, agent("random"), agent("rules"))
    with Store.in_memory() as store:
        run = store.begin(tournament("random", "rules"))
        rows = rows_of(next(iter(run.pairings)), pair)
        store.add([rows])
        with pytest.raises(sqlite3.IntegrityError):
            store.add([rows])
        assert load(store, run).matches == 2


def test_several_tournaments_and_measurements_live_in_one_store(tmp_path: Path) -> None:
    one, two = tournament("random", "rules", pairs=2, key="seats"), tournament("random", "greedy", pairs=3)
    with Store.create(tmp_path / "study.db") as store:
        first = store.begin(one)
        assert store.begin(two) != first
        assert store.begin(one) == first
        assert [run.name for run in store.runs()] == ["seats", "tournament"]
        assert store.measured({"kind": "depth", "n": 3}) is None
        store.keep_measured({"kind": "depth", "n": 3}, {"nodes": 7}, {"seconds": 0.5})
        assert store.measured({"n": 3, "kind": "depth"}) == {"nodes": 7, "timing": {"seconds": 0.5}}


def test_a_closed_store_is_one_plain_file(league: Path) -> None:
    assert [path.name for path in league.parent.iterdir() if path.name.startswith("league")] == ["league.db"]


def test_the_second_process_on_a_store_is_refused(league: Path) -> None:
    with Store.open(league):
        for attempt in (Store.open, lambda path: Store.create(path, replace=True), read):
            with pytest.raises(StoreError, match="in use by another process"):
                attempt(league)
    assert read(league)[0]["matches"] == 60


def test_resume_refuses_another_configuration_and_says_what_differs(league: Path) -> None:
    with Store.open(league) as store:
        assert store.resume(tournament("random", "rules", "greedy", pairs=10)) == store.runs()[0]
        with pytest.raises(StoreError, match="can't be resumed: pairs was 10 and is now 12; seed was 0 and is now 1"):
            store.resume(tournament("random", "rules", "greedy", pairs=12, seed=1))
        with pytest.raises(StoreError, match="the agents were random, rules, greedy and are now random, rules"):
            store.resume(tournament("random", "rules", pairs=10))
        with store.writing():
            store.database.execute(
                "UPDATE tournament SET config = replace(config, '\"results_version\": ', '\"results_version\": 9')"
            )
        with pytest.raises(StoreError, match="results_version was 9"):
            store.resume(tournament("random", "rules", "greedy", pairs=10))


def test_resume_wants_a_store_of_one_tournament(tmp_path: Path) -> None:
    with Store.create(tmp_path / "empty.db") as store, pytest.raises(StoreError, match="holds 0 tournaments"):
        store.resume(tournament("random", "rules"))


def test_files_of_another_kind_are_refused_and_left_alone(tmp_path: Path) -> None:
    notes, other = tmp_path / "notes.txt", tmp_path / "other.db"
    notes.write_text("a text that is long enough to be looked at as a database " * 20, encoding="utf-8")
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE people (name TEXT)")
    database.close()
    for path in (notes, other):
        before = path.read_bytes()
        for attempt in (Store.open, read):
            with pytest.raises(StoreError, match="is not a store of inarow"):
                attempt(path)
        with pytest.raises(StoreError, match="exists; give another name"):
            Store.create(path)
        assert path.read_bytes()[100:] == before[100:]
    Store.create(notes, replace=True).close()
    for attempt in (Store.open, read):
        with pytest.raises(StoreError, match="does not exist"):
            attempt(tmp_path / "nothing.db")
        with pytest.raises(StoreError, match="is a folder"):
            attempt(tmp_path)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A store of 400 matches."""
    path = tmp_path / "large.db"
    played(tournament("random", "rules", pairs=200), store=Store.create(path))
    return path


def test_a_store_cut_short_is_read_as_far_as_it_goes(large: Path) -> None:
    whole = large.read_bytes()
    large.write_bytes(whole[: -5 * 4096 - 100])
    data, notes = read(large)
    assert 0 < data["matches"] < 400
    assert "is damaged (it is cut short" in notes[0]
    assert f"{data['matches']} matches can still be read" in notes[0]
    large.write_bytes(whole[:4096])
    with pytest.raises(StoreError, match="nothing of it can be read"):
        read(large)


def test_a_store_with_rubbish_in_its_middle_is_read_as_far_as_it_goes(large: Path) -> None:
    whole = large.read_bytes()
    at = whole.index(b"full board") // 4096 * 4096
    large.write_bytes(whole[:at] + b"\xa5" * 4096 + whole[at + 4096 :])
    data, notes = read(large)
    assert 0 < data["matches"] < 400
    assert "is damaged" in notes[0]


def resumed(path: Path, *agents: str, pairs: int) -> tuple[dict[str, Any], list[str]]:
    """The results of a tournament that is resumed in a store, and what is said before."""
    store, notes = resume_store(path)
    wanted = tournament(*agents, pairs=pairs)
    with store, crew(1) as hands:
        run = store.resume(wanted)
        Running(wanted, store, run, hands).play()
        return without_clock(load(store, run)), notes


def test_a_flipped_bit_in_any_row_is_noticed_and_named_and_played_again(league: Path) -> None:
    whole, _ = read(league)
    data = league.read_bytes()
    bad = bytearray(data)
    for text, table in ((b"greedy", "pairing"), (b"first", "match")):
        bad = bytearray(data)
        bad[bad.rindex(text)] ^= 1
        league.write_bytes(bad)
        with contextlib.suppress(StoreError), read_store(league) as (_, notes):
            assert f"is damaged (1 bad row in table {table}" in notes[0]
    found, notes = resumed(league, "random", "rules", "greedy", pairs=10)
    assert found == whole
    assert "58 matches are sound and kept, what is missing is done again" in notes[0]
    assert league.with_name("league.db.damaged").read_bytes()[100:] == bytes(bad[100:])
    assert read(league) == (whole, [])


def test_damage_of_any_kind_is_read_or_refused_and_what_is_resumed_is_whole(league: Path) -> None:
    whole, _ = read(league)
    data = league.read_bytes()
    noted = again = 0
    for bad in damaged(data, 25, 7):
        league.write_bytes(bad)
        with contextlib.suppress(StoreError), read_store(league) as (store, notes):
            for run in store.runs():
                load(store, run)
                list(store.records(run))
            noted += any("is damaged" in said for said in notes)
        with contextlib.suppress(StoreError):
            assert resumed(league, "random", "rules", "greedy", pairs=10)[0] == whole
            again += 1
    assert noted > 5
    assert again > 5


def test_a_store_deleted_under_a_run_is_said_and_written_again(league: Path) -> None:
    wanted = tournament("random", "rules", pairs=2, seed=9)
    with Store.open(league) as store:
        league.unlink()
        with pytest.raises(StoreError, match="was deleted, moved or replaced while it was in use"):
            store.begin(wanted)
    assert read(league)[0]["matches"] == 60
    with Store.open(league) as store:
        league.rename(league.with_name("moved.db"))
        league.write_text("another file")
        with pytest.raises(StoreError, match=r"saved as .*league\.db\.rescued"):
            store.begin(wanted)
    assert league.read_text() == "another file"
    assert read(league.with_name("league.db.rescued"))[0]["matches"] == 60


def test_a_log_cut_short_loses_only_what_was_not_committed(tmp_path: Path) -> None:
    path, wanted = tmp_path / "league.db", tournament("random", "rules", pairs=40)
    killed: dict[str, bytes] = {}
    with Store.create(path) as store:
        run = store.begin(wanted)
        pair = next(iter(run.pairings))
        for index in range(40):
            one = play_pair(CONNECT4, *wanted.pairings[0], index=index, seed=wanted.seed)
            store.add([rows_of(pair, one)])
        for suffix in ("", "-wal"):  # as a process that is killed now would leave them
            shutil.copy(f"{path}{suffix}", tmp_path / f"killed.db{suffix}")
            killed[suffix] = (tmp_path / f"killed.db{suffix}").read_bytes()
    log = tmp_path / "killed.db-wal"
    assert log_damage(tmp_path / "killed.db") is None
    log.write_bytes(killed["-wal"][:-5000])
    data, notes = read(tmp_path / "killed.db")
    assert 60 <= data["matches"] < 80
    assert "its log ends within a page: the last matches may be missing" in notes[0]
    for at, said in ((9, "its log can't be read"), (len(killed["-wal"]) // 2, "pages of its log can't be read")):
        bad = bytearray(killed["-wal"])
        bad[at] ^= 4
        (tmp_path / "killed.db").write_bytes(killed[""])
        log.write_bytes(bad)
        assert said in str(log_damage(tmp_path / "killed.db"))
    found, notes = resumed(tmp_path / "killed.db", "random", "rules", pairs=40)
    assert found["matches"] == 80
    assert "what is missing is done again" in notes[0]


def test_a_new_release_resumes_what_the_last_one_began(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("inarow", "inarow.arena.store", "inarow.arena.salvage"):
        monkeypatch.setattr(f"{module}.__version__", "99.0")
    with Store.open(league) as store:
        assert store.resume(tournament("random", "rules", "greedy", pairs=10)) == store.runs()[0]


def test_a_store_of_an_earlier_format_is_refused(league: Path) -> None:
    with Store.open(league) as store:
        store.database.execute("PRAGMA user_version = 1")
    for attempt in (Store.open, read):
        with pytest.raises(StoreError, match=r"written by an earlier version of inarow \(format 1, .* run it again"):
            attempt(league)


def test_a_store_of_another_version_is_read_with_a_note_but_not_written(league: Path) -> None:
    with Store.open(league) as store:
        store.database.execute("DELETE FROM about")
        store.insert("about", ("version", "7.0"))
        store.database.execute("PRAGMA user_version = 8")
    data, notes = read(league)
    assert data["matches"] == 60
    assert any("was written by inarow 7.0" in note for note in notes)
    assert any("has format 8" in note for note in notes)
    with pytest.raises(StoreError, match="can only read it"):
        Store.open(league)


def test_a_store_that_cannot_be_opened_in_place_is_read_from_a_copy(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a write-protected folder, with a log left by a process that was killed."""
    real = sqlite3.connect

    class Sqlite3:
        OperationalError, DatabaseError = sqlite3.OperationalError, sqlite3.DatabaseError

        @staticmethod
        def connect(target: Any, *arguments: Any, **options: Any) -> Any:
            if options.get("uri"):
                return _Refusing()
            return real(target, *arguments, **options)

    monkeypatch.setattr(inarow.arena.salvage, "sqlite3", Sqlite3)
    assert read(league)[0]["matches"] == 60


class _Refusing:
    def execute(self, _: str) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    def close(self) -> None:
        pass


def test_a_write_protected_store_says_that_it_can_be_read(league: Path) -> None:
    assert "can't be written; `inarow results` can still read it" in str(
        unreadable(league, sqlite3.OperationalError("attempt to write a readonly database"))
    )


def test_an_interrupted_match_gives_no_points() -> None:
    assert [points_of(result, 0) for result in ("first", "second", "draw", "none")] == [1.0, 0.0, 0.5, None]
    assert [points_of(result, 1) for result in ("first", "second", "draw", "none")] == [0.0, 1.0, 0.5, None]
