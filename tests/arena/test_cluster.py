"""A Dask cluster: the same results as here, also when a worker is killed; and clear words when it fails."""

from __future__ import annotations

import json
import logging
import os
import pickle
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import inarow as inarow_package
from inarow.agents import agent
from inarow.agents.external.client import close_server
from inarow.arena import Running, Store, load
from inarow.arena.cluster import Cluster, ClusterError
from inarow.arena.executor import InProcess, Job
from inarow.match import play_match
from inarow.rules import CONNECT4
from inarow.studies import Study, run_study
from inarow.teaching.league.entrants import read_entrants
from inarow.teaching.league.running import run_league
from inarow.training.opponents import TrainingError
from inarow.truth import positions
from support.arena_doubles import Reading, played, processes_in_session, tournament, without_clock
from support.commands import inarow
from support.external_corpus import GOOD, write
from support.league_doubles import FIRST_FREE, LAST_FREE, hand_in, small_settings, written
from support.study_doubles import Deciding, Little

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def start_cluster() -> tuple[subprocess.Popen[str], str]:
    """``inarow cluster start`` and the address that it prints."""
    command = [sys.executable, "-m", "inarow", "cluster", "start", "--workers", "2", "--port", "0", "--dashboard", "0"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True, env=environment
    )
    assert process.stdout is not None
    first, second = process.stdout.readline(), process.stdout.readline()
    assert first.startswith("scheduler: tcp://"), first
    assert second.startswith("dashboard: http"), second
    return process, first.split()[1]


def end(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster for all tests; at its end, Ctrl-C ends it and all its processes."""
    process, address = start_cluster()
    yield address
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=120)
    until = time.monotonic() + 120
    while processes_in_session(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert processes_in_session(process.pid) == []


def on_cluster(wanted: Any, address: str, after_first: Any = None) -> dict[str, Any]:
    with Store.in_memory() as store, Cluster(address) as executor:
        run = store.begin(wanted)
        pending = [after_first] if after_first is not None else []
        Running(wanted, store, run, executor, on_pairs=lambda _: pending.pop()(executor) if pending else None).play()
        return without_clock(load(store, run))


@pytest.mark.parametrize("study", [Little(), Deciding()], ids=lambda study: study.name)
def test_a_study_on_a_cluster_ends_in_the_tables_of_one_machine(address: str, tmp_path: Path, study: Study) -> None:
    run_study(study, tmp_path / "here", workers=1)
    run_study(study, tmp_path / "there", cluster=address)
    for name in ("standings.csv", "all.csv"):
        assert (tmp_path / "there/tables" / name).read_bytes() == (tmp_path / "here/tables" / name).read_bytes()


def test_studies_and_leagues_say_that_no_cluster_is_there_and_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(ClusterError):
        run_study(Little(), tmp_path / "nowhere", cluster="tcp://127.0.0.1:9")
    entrants = read_entrants(hand_in(tmp_path / "class", ada=FIRST_FREE))
    with pytest.raises(ClusterError):
        run_league(entrants, small_settings(), tmp_path / "nowhere", cluster="tcp://127.0.0.1:9")
    assert not (tmp_path / "nowhere").exists()


def test_with_one_worker_killed_midway_the_results_are_those_of_one_machine(address: str) -> None:
    wanted = tournament("random", "rules", "greedy", pairs=60, seed=6)

    def kill_one(executor: Cluster) -> None:
        os.kill(min(executor.client.run(os.getpid).values()), signal.SIGKILL)

    assert on_cluster(wanted, address, kill_one) == without_clock(played(wanted))


def test_a_foreign_file_is_sent_along(address: str, tmp_path: Path) -> None:
    entrant = agent(f"file:{write(tmp_path, 'entrant', GOOD['connectx'])}")
    wanted = tournament(entrant, "random", pairs=3)
    here = without_clock(played(wanted))
    Path(entrant.spec.removeprefix("file:")).unlink()  # as on another machine
    assert on_cluster(wanted, address) == here
    sent = pickle.loads(pickle.dumps(entrant))
    assert not play_match(CONNECT4, sent, agent("random")).termination.is_fault
    close_server()


def test_a_league_on_a_cluster_ends_in_the_site_of_one_machine(address: str, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE)
    hand_in(folder / "bob", main="from helper import agent", helper=LAST_FREE)
    entrants = read_entrants(folder)
    run_league(entrants, small_settings(), tmp_path / "here", workers=1)
    shutil.rmtree(folder)  # as on another machine: a subfolder is sent along
    table = run_league(entrants, small_settings(), tmp_path / "there", cluster=address)
    assert [one.problem for one in table] == ["", ""]
    assert written(tmp_path / "there") == written(tmp_path / "here")


def test_the_command_plays_on_a_cluster(address: str) -> None:
    shown = inarow("tournament", "tictactoe", "random", "rules", "--pairs", "4", "--cluster", address).stdout
    assert "4 pairs, 8 matches" in shown
    assert "SPRT" in inarow("sprt", "tictactoe", "rules", "random", "--elo1", "200", "--cluster", address).stdout


@pytest.mark.parametrize(
    "command",
    [
        ("grade", "tictactoe", "mcts:simulations=5", "--json"),
        ("rate", "tictactoe", "greedy", "--pairs", "20", "--positions", "5", "--json"),
        ("solve", "5x4x4", "--file", "lines", "--no-book"),
        ("dataset", "4x4x4", "--from-ply", "12", "--per-ply", "5", "--out", "d.csv", "--force"),
        ("book", "build", "5x4x4", "--out", "d.csv", "--plies", "2", "--force"),
        ("results", "league.db", "--truth", "--json"),
        ("annotate", "matches.jsonl", "--json"),
    ],
    ids=lambda command: command[0],
)
def test_other_long_commands_give_the_same_on_a_cluster(
    address: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lines").write_text("12\n1123 -2\n", encoding="ascii")
    monkeypatch.setattr(positions, "BLOCK", 5)
    if command[0] == "results":
        inarow("tournament", "4x4x3", "random", "rules", "--pairs", "3", "--workers", "1", "--out", "league.db")
    if command[0] == "annotate":
        inarow("match", "4x4x3", "random", "rules", "--matches", "4", "--out", "matches.jsonl")
    found = []
    for where in (("--workers", "1"), ("--cluster", address)):
        shown = inarow(*command, *where, code=1 if command[0] == "solve" else 0).stdout
        data = {**json.loads(shown), "timing": None} if "--json" in command else re.sub(r"mean.*", "", shown)
        found.append((data, Path("d.csv").read_bytes() if "--force" in command else b""))
        Path("d.csv.work").unlink(missing_ok=True)
    assert found[0] == found[1]


def test_training_on_a_cluster_learns_what_one_machine_learns(address: str) -> None:
    plan: dict[str, Any] = {"episodes": 6_000, "evaluate_every": 0, "evaluation_matches": 1, "seed": 3}
    found = [
        inarow_package.NTuple(tuples=6, length=4).learn("4x4x3", **plan, **where).learner.arrays()
        for where in ({"workers": 1}, {"cluster": address})
    ]
    assert found[0].keys() == found[1].keys()
    assert all((found[0][name] == found[1][name]).all() for name in found[0])
    with pytest.raises(TrainingError, match="qlearning learns after every match, so a cluster can't help"):
        inarow_package.QLearning().learn("tictactoe", 10, cluster=address)


def test_another_version_on_a_worker_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Cluster(address) as executor:
        executor.check([agent("random")])
        assert executor.submit(Job(int, ("7",))).result() == 7
        versions = {"inarow": "99.0"}
        monkeypatch.setattr("inarow.arena.executor._version", lambda package: versions[package])
        with pytest.raises(ClusterError, match=r"worker tcp\S+ has inarow .*, this is 99\.0, so random may give other"):
            executor.check([agent("random")])
        with pytest.raises(ClusterError, match=r"worker tcp\S+ has inarow .*, this is 99\.0, so a job may give other"):
            executor.submit(Job(int, ("7",))).result()


def start_dask(part: str, folder: Path, path: list[str], *options: str) -> subprocess.Popen[str]:
    """``dask scheduler`` or ``dask worker`` in a folder, with these places to import from."""
    given = ["--scheduler-file", str(folder.parent / "scheduler.json"), "--host", "127.0.0.1", "--no-dashboard"]
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{part}", *given, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )


def test_a_worker_that_joins_late_with_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scheduler can't import the agent, as if its plugin were not installed there."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, spec in ((here, "rules"), (there, "random")):
        folder.mkdir()
        (folder / "player").write_text(spec, encoding="utf-8")
    monkeypatch.chdir(here)
    sources = [str(Path(inarow_package.__file__).parents[1])]
    worker = ("--nthreads", "1", "--no-nanny")
    started = [start_dask("scheduler", here, sources, "--port", "0")]
    try:
        started.append(start_dask("worker", here, sys.path, *worker))
        wanted = tournament(Reading("player"), "random", pairs=600, seed=3)
        executor = joined(tmp_path / "scheduler.json")
        with Store.in_memory() as store, executor:
            run = store.begin(wanted)

            def join_late(_: object) -> None:
                if len(started) == 2:
                    started.append(start_dask("worker", there, sys.path, *worker))
                    until = time.monotonic() + 120
                    while len(executor.client.nthreads()) < 2 and time.monotonic() < until:
                        time.sleep(0.05)

            refused = r"worker tcp://\S+ has another file for reading:path=player; copy it there"
            with pytest.raises(ClusterError, match=refused):
                Running(wanted, store, run, executor, on_pairs=join_late).play()
            assert 0 < load(store, run).matches < 1200
            with pytest.raises(ClusterError, match=refused):
                executor.check(wanted.agents)
            Running(wanted, store, run, InProcess()).play()
            assert without_clock(load(store, run)) == without_clock(played(wanted))
    finally:
        for process in started:
            end(process)


def joined(file: Path) -> Cluster:
    """Wait for a scheduler and its first worker."""
    until = time.monotonic() + 120
    while True:
        try:
            return Cluster(json.loads(file.read_text(encoding="utf-8"))["address"])
        except (OSError, ValueError) as error:
            if time.monotonic() > until:
                raise AssertionError("no cluster started") from error
            time.sleep(0.2)


def test_a_lost_scheduler_leaves_a_store_that_resumes(tmp_path: Path) -> None:
    process, address = start_cluster()
    wanted = tournament("random", "rules", pairs=300, seed=2)
    with Store.create(tmp_path / "league.db") as store:
        run = store.begin(wanted)
        with Cluster(address) as executor:
            pending = [process]
            running = Running(wanted, store, run, executor, on_pairs=lambda _: end(pending.pop()) if pending else None)
            with pytest.raises(ClusterError, match=r"lost the (cluster|scheduler)"):
                running.play()
        assert 0 < load(store, run).matches < 600
        Running(wanted, store, run, InProcess()).play()
        assert without_clock(load(store, run)) == without_clock(played(wanted))
    for name in ("distributed", "distributed.client", "distributed.core"):
        assert not logging.getLogger(name).isEnabledFor(logging.CRITICAL), "Dask prints nothing of its own"


def test_a_bad_address_is_said_in_one_line_and_leaves_no_store(tmp_path: Path) -> None:
    command = ["tournament", "tictactoe", "random", "rules", "--out", str(tmp_path / "new.db"), "--cluster"]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        bad_ones = ("tcp://127.0.0.1:9", "nonsense://x", "tcp://127.0.0.1", "tcp://127.0.0.1:99999", "")
        for bad in (*bad_ones, f"127.0.0.1:{port}", f"tls://127.0.0.1:{port}"):
            begun = time.monotonic()
            said = inarow(*command, bad, code=2).stderr
            assert said.startswith(f"inarow: no Dask scheduler at {bad}")
            assert said.count("\n") == 1
            assert time.monotonic() - begun < 100  # 3 s, but for a loaded machine
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_listens_on_this_machine_only(address: str) -> None:
    psutil = pytest.importorskip("psutil")
    executor = Cluster(address)
    scheduler = executor.client.run_on_scheduler(os.getpid)
    executor.close()
    connections = psutil.Process(scheduler).net_connections("tcp")
    listening = {one.laddr.ip for one in connections if one.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    for command in (["tournament", "tictactoe", "random", "rules", "--cluster", "tcp://x:1"], ["cluster", "start"]):
        assert "pip install 'inarow[cluster]'" in inarow(*command, code=2).stderr
