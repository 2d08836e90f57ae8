"""A store that another process writes is read as of its last commit, and neither waits for the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from inarow.arena import Store, load
from inarow.arena.store import stamp
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
            with Store.read(path) as seen:
                assert f"(process {writer.pid} on " in str(seen.writer)
                assert load(seen, seen.runs()[0]).matches == 2 * pair
            stamps.add(stamp(path))
            writer.stdin.write("next\n")
            writer.stdin.flush()
            assert writer.stdout.readline() == f"{pair + 1}\n"
        assert len(stamps) == 3
        writer.stdin.close()  # now it writes as fast as it can, and begins its log anew on the way
        counts = []
        while writer.poll() is None:
            with Store.read(path) as seen:
                assert seen.damage() == []
                counts.append(load(seen, seen.runs()[0]).matches)
                assert load(seen, seen.runs()[0]).matches == counts[-1]
        assert writer.returncode == 0
    assert counts == sorted(counts)
    with Store.read(path) as seen:
        assert seen.writer is None
        results = load(seen, seen.runs()[0])
        assert (results.matches, results.finished) == (2 * watched_files.PAIRS, True)


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
    with Store.read(path) as seen:
        assert seen.writer is None
        assert "was not closed by watched_files.py " in seen.notes[0]
        assert f"(process {writer.pid} on " in seen.notes[0]
        assert load(seen, seen.runs()[0]).matches == 2
