"""Killed, interrupted, resumed: the same bytes in the end, and no process left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inarow.arena import Store
from support.arena_doubles import processes_in_session
from support.commands import inarow, inarow_json
from support.reports import report_with_times_of

COMMAND = [sys.executable, "-m", "inarow", "tournament", "connect4", "random", "rules", "greedy"]


def start(out: Path, *more: str, pairs: int) -> subprocess.Popen[bytes]:
    """A tournament as the leader of a session of its own, so that its processes can be told from others."""
    return subprocess.Popen(
        [*COMMAND, "--pairs", str(pairs), "--workers", "2", "--out", str(out), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def gone(leader: int, seconds: float) -> bool:
    """Whether all processes of a session end within that time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not processes_in_session(leader):
            return True
        time.sleep(0.02)
    return False


def log_size(path: Path) -> int:
    """In bytes, how much has been committed so far."""
    log = path.with_name(path.name + "-wal")
    return log.stat().st_size if log.exists() else 0


def test_killed_at_random_moments_and_resumed_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    pairs = 250
    whole, killed = tmp_path / "whole.db", tmp_path / "killed.db"
    inarow("tournament", "connect4", "random", "rules", "greedy", "--pairs", str(pairs), "--out", str(whole))
    moments = random.Random(5)
    kills = 0
    sizes = [0]
    for _ in range(4):
        running = start(killed, *(["--resume"] if killed.exists() else []), pairs=pairs)
        until = time.monotonic() + 300
        begun = log_size(killed)
        while running.poll() is None and log_size(killed) <= begun + 20_000 and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(moments.random() * 0.2)
        if running.poll() is None:
            running.kill()
            kills += 1
        running.communicate()
        assert gone(running.pid, 120), "a worker outlived its parent"
        with Store.open(killed) as store:
            sizes.append(sum(map(len, store.finished(store.runs()[0]).values())))
        if sizes[-1] == 3 * pairs:
            break
    assert kills >= 2
    assert sizes == sorted(sizes), "a finished pair was lost"
    inarow(*COMMAND[3:], "--pairs", str(pairs), "--out", str(killed), "--resume")
    texts = []
    for path in (whole, killed):
        data = inarow_json("results", str(path))
        del data["timing"]
        texts.append(json.dumps(data).encode())
    assert texts[0] == texts[1]
    assert report_with_times_of(killed, whole) == report_with_times_of(whole, whole)


def test_ctrl_c_keeps_what_is_finished_and_leaves_no_process(tmp_path: Path) -> None:
    out = tmp_path / "league.db"
    running = start(out, pairs=100_000)
    until = time.monotonic() + 300
    while log_size(out) < 400_000 and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to the whole group
    _, errors = running.communicate(timeout=120)
    assert running.returncode == 130
    assert b"interrupted" in errors
    assert b"continue with --resume" in b" ".join(errors.split())
    assert b"Traceback" not in errors
    assert gone(running.pid, 120)
    data = inarow_json("results", str(out))
    assert data["tournaments"][0]["matches"] > 50


@pytest.mark.parametrize("pause", [0.0, 0.1])
def test_ctrl_c_pressed_again_and_again_ends_it_at_once_and_quietly(tmp_path: Path, pause: float) -> None:
    out = tmp_path / "league.db"
    running = start(out, pairs=100_000)
    until = time.monotonic() + 300
    while log_size(out) < 200_000 and time.monotonic() < until:
        time.sleep(0.02)
    for _ in range(4):
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGINT)
        time.sleep(pause)
    _, errors = running.communicate(timeout=120)
    assert running.returncode == 130
    assert b"Traceback" not in errors
    assert errors.count(b"\n") <= 2
    assert gone(running.pid, 120)
    assert inarow_json("results", str(out))["tournaments"][0]["matches"] > 20


def test_a_running_tournament_is_read_by_others_and_written_by_one(tmp_path: Path) -> None:
    out = tmp_path / "league.db"
    running = start(out, pairs=100_000)
    try:
        until = time.monotonic() + 300
        while log_size(out) < 50_000 and time.monotonic() < until:
            time.sleep(0.02)
        again = [*COMMAND[3:], "--pairs", "100000", "--out", str(out), "--resume"]
        writer = f"inarow tournament connect4 random rules greedy (process {running.pid} on {socket.gethostname()})"
        assert f"is in use by {writer}; wait for it, or stop it" in inarow(*again, code=2).stderr
        done = inarow("results", str(out), "--json")
        assert json.loads(done.stdout)["tournaments"][0]["matches"] > 0
        assert f"is being written by {writer}: these are the results so far" in " ".join(done.stderr.split())
        assert running.poll() is None
    finally:
        running.kill()
        running.communicate()
    assert gone(running.pid, 120)


if sys.platform != "linux":
    pytest.skip("processes are counted in /proc", allow_module_level=True)
