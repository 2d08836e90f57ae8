"""A store that another process writes is read as of its last commit, and its writer notices nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inarow.arena import StoreError, load
from inarow.arena.integrity import damage
from inarow.arena.snapshot import snapshot, stamp
from support import watched_files


def test_what_another_process_has_committed_can_be_read_while_it_writes(tmp_path: Path) -> None:
    path = tmp_path / "running.db"
    command = [sys.executable, watched_files.__file__, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == "begun\n"
        stamps = set()
        for pair in range(3):
            with snapshot(path) as seen:
                assert seen.running
                assert load(seen.store, seen.store.runs()[0]).matches == 2 * pair
            stamps.add(stamp(path))
            writer.stdin.write("next\n")
            writer.stdin.flush()
            assert writer.stdout.readline() == f"{pair + 1}\n"
        assert len(stamps) == 3
        writer.stdin.close()  # now it writes as fast as it can, and begins its log anew on the way
        counts = []
        while writer.poll() is None:
            with snapshot(path) as seen:
                assert damage(seen.store.database) == []
                counts.append(load(seen.store, seen.store.runs()[0]).matches)
        assert writer.returncode == 0
    assert counts == sorted(counts)
    with snapshot(path) as seen:
        assert not seen.running
        results = load(seen.store, seen.store.runs()[0])
        assert (results.matches, results.finished) == (2 * watched_files.PAIRS, True)


def test_what_is_no_sound_store_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with pytest.raises(StoreError, match="does not exist"), snapshot(path):
        pass
    with pytest.raises(StoreError, match="is a folder"), snapshot(tmp_path):
        pass
    path.write_bytes(b"something else entirely" * 100)
    with pytest.raises(StoreError, match="is not a store"), snapshot(path):
        pass
    path.unlink()
    watched_files.write_store(path, "tictactoe", ("random", "rules"), pairs=3)
    data = path.read_bytes()
    at = data.index(b"random:", len(data) // 2) if b"random:" in data[len(data) // 2 :] else data.rindex(b"line")
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(StoreError, match="is damaged"), snapshot(path):
        pass


def test_the_log_of_a_writer_that_was_killed_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    command = [sys.executable, watched_files.__file__, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdin.write("next\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "begun\n"
        assert writer.stdout.readline() == "1\n"
        writer.kill()
    with snapshot(path) as seen:
        assert not seen.running
        assert load(seen.store, seen.store.runs()[0]).matches == 2
