"""The store: what goes in comes out, one writer at a time, any number of readers, and no sound row lost to damage."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from inarow import __version__
from inarow.agents import agent
from inarow.arena import Running, Store, StoreError, load, open_executor
from inarow.arena.store import Lock, MatchRow, TimingRow, lock_path, network_file_system, points_of, rows_of, unreadable
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
    with Store.read(path) as store:
        return without_clock(load(store, store.runs()[0])), store.notes


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


def test_a_second_writer_is_refused_and_told_who_the_first_is(league: Path) -> None:
    with Store.open(league):
        for attempt in (Store.open, lambda path: Store.create(path, replace=True)):
            with pytest.raises(StoreError, match=rf"in use by .* \(process {os.getpid()} on .*\); wait for it"):
                attempt(league)
        data, notes = read(league)
        assert data["matches"] == 60
        assert "these are the results so far" in notes[0]
    assert read(league)[1] == []


def test_the_lock_of_a_killed_process_is_taken_over(league: Path) -> None:
    script = "import os, sys; from pathlib import Path; from inarow.arena import Store; Store.open(Path(sys.argv[1])); "
    script += "os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", script, str(league), "--seed", "secret"], check=False)
    assert b"secret" not in lock_path(league).read_bytes()
    assert "league.db was not closed by python " in read(league)[1][0]
    Store.open(league).close()
    assert not lock_path(league).exists()
    assert read(league)[1] == []


def test_a_lock_that_its_last_owner_has_removed_is_not_taken_for_the_new_one(league: Path) -> None:
    first = Lock(league)
    holders: list[Lock] = []
    waiting = threading.Thread(target=lambda: holders.append(Lock(league)))
    waiting.start()
    first.release()
    waiting.join()
    with pytest.raises(StoreError, match="in use by"):
        Lock(league)
    holders[0].release()


def test_without_shared_memory_a_store_is_written_by_one_and_read_by_none(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    (tmp_path / "league.db-shm").mkdir()  # SQLite can't open its shared memory
    with Store.create(path) as store:
        assert store.notes == [
            f"{path} is on a file system without shared memory: it can't be read until this run has ended"
        ]
        store.keep_measured({"n": 1}, {"nodes": 7}, {})
        with pytest.raises(StoreError, match=r"is in use by .* and can't be read meanwhile; wait for it"):
            read(path)
    with Store.read(path) as store:
        assert store.measured({"n": 1}) == {"nodes": 7, "timing": {}}


def test_on_a_network_file_system_a_store_is_written_in_exclusive_mode(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = league.with_name("mounts")
    device = league.stat().st_dev
    mounts.write_text(f"36 35 {os.major(device)}:{os.minor(device)} / /home rw,noatime shared:1 - nfs4 host:/home rw\n")
    assert network_file_system(league) is None
    assert network_file_system(league, mounts) == "nfs4"
    monkeypatch.setattr("inarow.arena.store.network_file_system", lambda path: "nfs4")
    with Store.open(league) as store:
        assert "is on a network file system (nfs4): it can't be read until this run has ended" in store.notes[0]
        with pytest.raises(StoreError, match="can't be read meanwhile"):
            read(league)
    assert read(league)[0]["matches"] == 60


def test_the_tables_have_the_columns_that_rows_have() -> None:
    with Store.in_memory() as store:
        for table, row in (("match", MatchRow), ("timing", TimingRow)):
            columns = [column[1] for column in store.database.execute(f"PRAGMA table_info({table})")]
            assert columns == [*row._fields, "crc"]


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
    with Store.create(tmp_path / "two.db") as store:
        store.begin_all([tournament("random", "rules"), tournament("random", "rules", seed=1)])
        with pytest.raises(StoreError, match="holds 2 tournaments, expected one"):
            store.resume(tournament("random", "rules"))


def test_a_store_whose_writer_was_killed_at_the_start_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "killed.db"

    def killed(store: Store) -> Store:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Store, "fill", killed)
        with pytest.raises(KeyboardInterrupt):
            Store.create(path)
    assert list(tmp_path.iterdir()) == []  # it is there whole or not at all
    Store.create(path).close()
    with Store.open(path) as store:
        assert store.resume(tournament("random", "rules")) == store.runs()[0]


@pytest.mark.parametrize("replace", [False, True])
def test_a_new_store_has_nothing_of_a_killed_process_whose_file_was_there(tmp_path: Path, replace: bool) -> None:
    path, old = tmp_path / "new.db", tmp_path / "old.db"
    with Store.create(old) as store:
        store.begin(tournament("random", "rules"))
        for suffix in ("", "-wal") if replace else ("-wal",):  # as a process that is killed now leaves them
            shutil.copy(f"{old}{suffix}", f"{path}{suffix}")
    with Store.create(path, replace=replace) as store:
        assert store.runs() == []


def test_a_damaged_store_is_there_at_any_moment_while_it_is_replaced(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read(league)[0]
    bad = bytearray(league.read_bytes())
    at = bad.rindex(b"line")
    bad[at : at + 4] = b"LINE"
    league.write_bytes(bad)
    replace = Path.replace

    def killed(path: Path, target: Path) -> None:
        if target == league:
            raise KeyboardInterrupt
        replace(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            Store.open(league)
    assert league.read_bytes() == league.with_name("league.db.damaged").read_bytes() == bad
    assert resumed(league, "random", "rules", "greedy", pairs=10)[0] == whole


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
    large.write_bytes(whole[: len(whole) // 2 - 100])
    data, notes = read(large)
    assert 0 < data["matches"] < 400
    assert "is damaged (" in notes[0]
    assert f"{data['matches']} matches can still be read" in notes[0]
    large.write_bytes(whole[:4096])
    with pytest.raises(StoreError, match="nothing in it can be read"):
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
    wanted = tournament(*agents, pairs=pairs)
    with Store.open(path) as store, open_executor(1) as executor:
        run = store.resume(wanted)
        Running(wanted, store, run, executor).play()
        return without_clock(load(store, run)), store.notes


def test_a_flipped_bit_in_any_row_is_noticed_and_named_and_played_again(league: Path) -> None:
    whole, _ = read(league)
    data = league.read_bytes()
    bad = bytearray(data)
    for text, table in ((b"0.1.0", "about"), (b"first", "match")):
        bad = bytearray(data)
        bad[bad.rindex(text)] ^= 1
        league.write_bytes(bad)
        assert f"is damaged (1 bad row in table {table}" in read(league)[1][0]
    found, notes = resumed(league, "random", "rules", "greedy", pairs=10)
    assert found == whole
    assert "58 matches are intact and kept, the others are played again" in notes[0]
    assert league.with_name("league.db.damaged").read_bytes()[100:] == bytes(bad[100:])
    assert read(league) == (whole, [])


@pytest.mark.parametrize("column", [b"least_sekond", b"le\xa0st_second", b"least-second"])
def test_a_damaged_definition_of_a_table_is_noticed_and_loses_no_match(league: Path, column: bytes) -> None:
    whole = read(league)[0]
    league.write_bytes(league.read_bytes().replace(b"least_second", column))
    data, notes = read(league)
    assert data == whole
    assert "is damaged" in notes[0]
    assert resumed(league, "random", "rules", "greedy", pairs=10)[0] == whole


def test_damage_of_any_kind_is_read_or_refused_and_what_is_resumed_is_whole(league: Path) -> None:
    whole, _ = read(league)
    data = league.read_bytes()
    noted = again = 0
    for bad in damaged(data, 25, 7):
        league.write_bytes(bad)
        with contextlib.suppress(StoreError), Store.read(league) as store:
            for run in store.runs():
                load(store, run)
                list(store.records(run))
            noted += any("is damaged" in said for said in store.notes)
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
    whole = killed["-wal"]
    for bad in (whole[:-5000], whole[: len(whole) // 2] + b"?" + whole[len(whole) // 2 + 1 :], whole[:9] + b"?"):
        (tmp_path / "killed.db").write_bytes(killed[""])
        log.write_bytes(bad)
        log.with_name("killed.db-shm").unlink(missing_ok=True)
        with Store.read(tmp_path / "killed.db") as store:
            assert all(load(store, run).matches < 80 for run in store.runs())  # there may be none without the log
    (tmp_path / "killed.db").write_bytes(killed[""])
    log.write_bytes(whole[:-5000])
    assert 60 <= read(tmp_path / "killed.db")[0]["matches"] < 80
    found, notes = resumed(tmp_path / "killed.db", "random", "rules", pairs=40)
    assert (found["matches"], notes) == (80, [])


def test_a_new_release_resumes_what_the_last_one_began(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("inarow", "inarow.arena.store"):
        monkeypatch.setattr(f"{module}.__version__", "99.0")
    with Store.open(league) as store:
        assert store.resume(tournament("random", "rules", "greedy", pairs=10)) == store.runs()[0]


@pytest.mark.parametrize("made", [4, 7])
def test_a_store_of_another_format_is_refused(league: Path, made: int) -> None:
    with Store.open(league) as store:
        store.database.execute(f"PRAGMA user_version = {made}")
    for attempt in (Store.open, read):
        with pytest.raises(StoreError, match=rf"another version of inarow \(its format is {made}, .* run it again"):
            attempt(league)


def test_a_store_of_another_release_is_read_with_a_note(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.arena.store.__version__", "7.0")
    data, notes = read(league)
    assert (data["matches"], notes) == (60, [f"{league} was written by inarow {__version__}; this is 7.0"])


def test_a_store_next_to_which_nothing_can_be_written_is_read(league: Path) -> None:
    """As in a write-protected folder, after a reader was in the way when its writer closed it."""
    with contextlib.closing(sqlite3.connect(league)) as database:
        database.execute("PRAGMA journal_mode=WAL")
    league.with_name("league.db-shm").mkdir()
    assert read(league)[0]["matches"] == 60


def test_a_write_protected_store_says_that_it_can_be_read(league: Path) -> None:
    assert "can't be written; `inarow results` can still read it" in str(
        unreadable(league, sqlite3.OperationalError("attempt to write a readonly database"))
    )


def test_an_interrupted_match_gives_no_points() -> None:
    assert [points_of(result, 0) for result in ("first", "second", "draw", "none")] == [1.0, 0.0, 0.5, None]
    assert [points_of(result, 1) for result in ("first", "second", "draw", "none")] == [0.0, 1.0, 0.5, None]
