"""External agents: good ones play, bad ones end with their own termination, and nothing is left behind."""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
import re
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import inarow.agents.file as file_agent
from inarow.agents import AgentError, Decision, Limit, agent
from inarow.agents.base import Disturbance, Fault
from inarow.agents.external import Policy, client, process, wire
from inarow.agents.external.client import ForkedProcess
from inarow.agents.external.staging import Snapshot
from inarow.errors import HostFailure
from inarow.machine import ThreadTimes
from inarow.match import play_match, playing
from inarow.match.record import MatchRecord
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Position
from match.test_playing import LOWEST
from support.arena_doubles import agent_threads, played, processes_in_session, server_processes, tournament
from support.external_corpus import BAD, CS50, GOOD, UNLOADABLE, bad_source, write

NOTHING = Snapshot("nothing.py", (("nothing.py", b""),))
QUICK = Limit(seconds=0.5)


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_agent, "FIRST_SECONDS", 2.0)
    monkeypatch.setattr(file_agent, "LOAD_SECONDS", 6.0)
    monkeypatch.setattr(file_agent, "MEGABYTES", 200)


@pytest.fixture(scope="module", autouse=True)
def _server() -> Iterator[None]:
    """Start with no server that other tests have left, and leave none."""
    client.close_server()
    yield
    client.close_server()


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    """No process of an agent, no handle, no thread."""
    ForkedProcess(NOTHING, Policy()).close()  # the server has started
    handles, threads = len(list(Path("/proc/self/fd").iterdir())), agent_threads()
    yield
    ForkedProcess(NOTHING, Policy()).close()  # it may have been replaced
    (server,) = client.servers.servers.values()
    *runs_it, forking = server_processes(server.process.pid)
    assert Path(f"/proc/{forking}/task/{forking}/children").read_text(encoding="ascii").split() == []
    assert set(processes_in_session(server.process.pid)) == {*runs_it, forking}
    assert len(list(Path("/proc/self/fd").iterdir())) == handles
    assert agent_threads() == threads


@pytest.mark.parametrize("name", GOOD)
def test_a_good_agent_plays_to_the_end(name: str, tmp_path: Path) -> None:
    entrant = agent(f"file:{write(tmp_path, name, GOOD[name])}")
    for first, second in ((entrant, LOWEST), (LOWEST, entrant)):
        record = play_match(CONNECT4, first, second, limit=QUICK, seed=4)
        assert record.termination.value in ("line", "full board"), record.fault
    if name == "inarow class":
        assert (record.values[1], record.nodes[1]) == (0.25, 3)


def test_the_same_seed_gives_an_agent_the_same_random_numbers(tmp_path: Path) -> None:
    entrant = agent(f"file:{write(tmp_path, 'entrant', GOOD['connectx'])}")
    first, again, other = (play_match(CONNECT4, entrant, entrant, seed=seed).moves for seed in (1, 1, 2))
    assert first == again != other


def test_a_seed_decides_random_numpy_and_the_order_of_sets(tmp_path: Path) -> None:
    body = (
        "import random, numpy\n    raise ValueError(random.random(), float(numpy.random.rand()), list({'a', 'b', 'c'}))"
    )
    entrant = agent(f"file:{write(tmp_path, 'entrant', bad_source(body))}")
    said = []
    for seed in (1, 1, 2):
        client.close_server()  # one with its own hash seed, if that were not given
        said.append(play_match(CONNECT4, entrant, LOWEST, seed=seed).fault)
    assert said[0] == said[1] != said[2]


def test_an_inarow_class_plays_boards_without_gravity_too(tmp_path: Path) -> None:
    entrant = agent(f"file:{write(tmp_path, 'entrant', GOOD['inarow class'])}")
    assert not play_match(TICTACTOE, entrant, entrant).termination.is_fault


@pytest.mark.parametrize("name", BAD)
def test_a_bad_agent_loses_with_its_own_termination(name: str, tmp_path: Path) -> None:
    body, termination, said = BAD[name]
    entrant = agent(f"file:{write(tmp_path, name, bad_source(body))}")
    record = play_match(CONNECT4, entrant, LOWEST, limit=QUICK)
    assert record.result == "second"
    assert record.termination.value == termination, record.fault
    assert said in record.fault


@pytest.mark.parametrize("name", UNLOADABLE)
def test_an_agent_that_cannot_be_loaded_says_why(name: str, tmp_path: Path) -> None:
    source, said = UNLOADABLE[name]
    path = write(tmp_path, name, source)
    with pytest.raises(file_agent.NotLoaded, match=f"the agent {path} cannot be loaded: .*{re.escape(said)}") as raised:
        play_match(CONNECT4, agent(f"file:{path}"), LOWEST, limit=QUICK)
    assert str(raised.value).isprintable()
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)  # as from a worker


def test_a_file_that_fails_to_load_in_the_middle_loses(tmp_path: Path) -> None:
    """A tournament does not stop because one of a hundred loadings fails; only the first is a question."""
    entrant = agent(f"file:{write(tmp_path, 'entrant', UNLOADABLE['import error'][0])}")
    assert isinstance(entrant, file_agent.File)
    entrant.loaded.add(CONNECT4)
    record = play_match(CONNECT4, pickle.loads(pickle.dumps(entrant)), LOWEST, limit=QUICK)  # as in a worker
    assert (record.result, record.termination.value) == ("second", "cannot be loaded")


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("def agent(x): return 3\ndef other(obs, config): return 9", "the function agent"),
        (
            "def mine(obs, config): return 3\ndef check_winner(board): return 9",
            "the function mine, the last one whose first argument is an observation",
        ),
        (
            "def best_move(board): return 3\ndef check_winner(board): return 9",
            "the function best_move, the last one named like an agent",
        ),
        ("def f(x): return 3\ndef g(): return 9", "the function f, the only one that takes one or two arguments"),
    ],
)
def test_a_helper_is_not_taken_for_the_agent(source: str, asked: str, tmp_path: Path) -> None:
    player = agent(f"file:{write(tmp_path, 'entrant', source)}")
    assert isinstance(player, file_agent.File)
    mind = player.start(CONNECT4, FIRST, 0)
    assert mind.decide(Position.start(CONNECT4)).move == 3
    mind.close()
    assert player.asked == asked


def test_a_match_leaves_no_mark_in_the_times_of_an_agents_files(tmp_path: Path) -> None:
    """The copy that an agent reads is that of the match before."""
    folder = tmp_path / "entrant"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "data.txt").write_text("data", encoding="utf-8")
    body = "import os; open('deep/data.txt').read(); os.listdir('deep')\n    "
    times = "[os.stat(name).st_atime for name in ('.', 'main.py', 'deep', 'deep/data.txt')]"
    (folder / "main.py").write_text(bad_source(f"{body}raise ValueError({times})"), encoding="utf-8")
    said = {played_by(folder).fault for _ in range(3)}
    assert len(said) == 1
    assert said.pop().count("8589934592.0") == 4


def test_what_an_agent_printed_is_shown_when_it_fails(tmp_path: Path) -> None:
    source = bad_source("print('thinking'); import os; os.write(2, b'hard'); raise ValueError('tired')")
    record = play_match(CONNECT4, agent(f"file:{write(tmp_path, 'entrant', source)}"), LOWEST)
    assert "it printed: thinking hard" in record.fault


def test_an_agents_environment_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOUSE", "1")
    source = bad_source("import os; raise ValueError(sorted(os.environ), os.getcwd(), os.dup(0))")
    fault = play_match(CONNECT4, agent(f"file:{write(tmp_path, 'entrant', source)}"), LOWEST).fault
    assert "['HOME', 'LANG', 'TMPDIR']" in fault
    assert str(tmp_path) not in fault
    assert ", 4) (line 2" in fault  # 0 to 3 are all the handles that it has


def test_bad_agents_do_not_stop_a_tournament(tmp_path: Path) -> None:
    good = f"file:{write(tmp_path, 'good', GOOD['connectx'])}"
    bad = f"file:{write(tmp_path, 'bad', bad_source('raise ValueError(3)'))}"
    results = played(tournament(good, bad, "random", pairs=2))
    losses = {s.spec: s.lost_by.get("exception", 0) for s in results.standings()}
    assert losses == {good: 0, bad: 8, "random": 0}


def test_an_agent_is_identified_by_its_content(tmp_path: Path) -> None:
    path = write(tmp_path, "entrant", GOOD["connectx"])
    before = agent(f"file:{path}").identity
    assert before.startswith(f"file:{path}#")
    assert agent(f"file:{path}").identity == before
    path.write_text(GOOD["numpy"], encoding="utf-8")
    assert agent(f"file:{path}").identity != before


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/no/such/file.py", "does not exist"), ("", "no path was given"), ("/dev/null", "neither a file nor a folder")],
)
def test_files_that_are_none_are_refused(path: str, reason: str) -> None:
    with pytest.raises(AgentError, match=reason):
        agent(f"file:{path}")


def played_by(folder_or_file: Path) -> MatchRecord:
    return play_match(CONNECT4, agent(f"file:{folder_or_file}"), LOWEST, limit=QUICK)


def test_a_file_of_cs50_plays_perfect_tic_tac_toe_unchanged(tmp_path: Path) -> None:
    student = agent(f"file:{write(tmp_path, 'tictactoe', CS50)}")
    for opening in ((4, 1), (0, 4, 8), (2, 4)):
        for pair in ((student, LOWEST), (LOWEST, student)):
            record = play_match(TICTACTOE, *pair, opening=opening)
            assert not record.termination.is_fault, record.fault
    assert play_match(TICTACTOE, student, agent("perfect"), opening=(4, 0)).result == "draw"
    with pytest.raises(file_agent.NotLoaded, match="plays Tic Tac Toe only, not Connect 4"):
        played_by(tmp_path / "tictactoe.py")


@pytest.mark.parametrize(
    ("answer", "said"), [("None", "returned None"), ("(3, 0)", "each from 0 to 2"), ("4", "returned 4")]
)
def test_a_cs50_file_that_returns_no_cell_is_told_so(answer: str, said: str, tmp_path: Path) -> None:
    source = CS50.replace("    if terminal(board):\n        return None\n", f"    return {answer}\n")
    record = play_match(TICTACTOE, agent(f"file:{write(tmp_path, 'tictactoe', source)}"), LOWEST)
    assert record.termination.value == "illegal move"
    assert said in record.fault


def test_a_folder_plays_with_its_modules_and_data(tmp_path: Path) -> None:
    folder = tmp_path / "entrant"
    (folder / "deep").mkdir(parents=True)
    (folder / "agent.py").write_text(
        "import deep.columns\n\ndef agent(observation, configuration):\n"
        "    order = [int(word) for word in open('deep/order.txt').read().split()]\n"
        "    return deep.columns.first(order, observation.board)\n",
        encoding="utf-8",
    )
    (folder / "deep" / "columns.py").write_text(
        "def first(order, board):\n    return [c for c in order if board[c] == 0][0]\n", encoding="utf-8"
    )
    (folder / "deep" / "order.txt").write_text("6 5 4 3 2 1 0", encoding="utf-8")
    before = agent(f"file:{folder}").identity
    assert played_by(folder).moves[:3] == (6, 0, 6)
    (folder / "deep" / "order.txt").write_text("5 6 4 3 2 1 0", encoding="utf-8")
    assert agent(f"file:{folder}").identity != before


def test_a_process_rests_while_the_other_side_thinks(tmp_path: Path) -> None:
    """Else its threads would slow the other side down, and nobody would see what they write."""
    mind = agent(f"file:{write(tmp_path, 'entrant', GOOD['connectx'])}").mind(CONNECT4, FIRST, 0)
    assert isinstance(mind, file_agent.FileMind)
    assert isinstance(mind.process, ForkedProcess)
    for _ in range(2):
        mind.decide(Position.start(CONNECT4))
        until = time.monotonic() + 60
        while not mind.process._status()["State"].startswith("T") and time.monotonic() < until:
            time.sleep(0.01)
        assert mind.process._status()["State"].startswith("T")
    mind.close()


def test_a_process_that_another_killed_or_stopped_is_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever disturbs a match does not decide it; if that never ends, the match does."""
    monkeypatch.setattr(ForkedProcess, "_signal", lambda self, number: False)  # it does not rest, and is not woken
    player = agent(f"file:{write(tmp_path, 'entrant', GOOD['connectx'])}")
    wanted = play_match(CONNECT4, player, LOWEST, limit=QUICK, seed=3)
    for harm in (signal.SIGKILL, signal.SIGSTOP):
        harmed: list[int] = []

        def disturb(position: Position, decision: Decision, harm: int = harm, harmed: list[int] = harmed) -> None:
            (server,) = client.servers.servers.values()
            forking = server_processes(server.process.pid)[-1]
            children = Path(f"/proc/{forking}/task/{forking}/children")
            if not harmed and position.ply == 3:
                (child,) = map(int, children.read_text(encoding="ascii").split())  # started by this test
                harmed.append(child)
                os.kill(child, harm)

        record = play_match(CONNECT4, player, LOWEST, limit=QUICK, seed=3, on_decision=disturb)
        assert harmed
        assert (record.moves, record.termination) == (wanted.moves, wanted.termination)


def test_a_match_that_is_always_disturbed_is_not_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def disturbed(*_: object) -> None:
        raise Disturbance("its process was killed by another")

    monkeypatch.setattr(ForkedProcess, "ask", disturbed)
    monkeypatch.setattr(playing, "PAUSE", 0.0)
    with pytest.raises(HostFailure, match=r"3 attempts failed because of this machine.*killed by another"):
        played_by(write(tmp_path, "entrant", GOOD["connectx"]))


def failing(function: Callable[..., Any], error: int, times: int) -> Callable[..., Any]:
    """A function that fails the first so many times, as the system does, and then works."""
    left = [OSError(error, os.strerror(error))] * times

    def fails(*given: Any, **named: Any) -> Any:
        if left:
            raise left.pop()
        return function(*given, **named)

    return fails


@pytest.mark.parametrize("times", [1, 99])
@pytest.mark.parametrize(
    ("where", "what", "error"),
    [
        (tempfile, "mkdtemp", errno.ENOSPC),
        (subprocess, "Popen", errno.EAGAIN),
        (socket, "socketpair", errno.EMFILE),
        (Path, "write_bytes", errno.ENOSPC),
    ],
)
def test_a_failure_of_the_machine_is_not_held_against_an_agent(
    where: Any, what: str, error: int, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.close_server()
    path = write(tmp_path, "entrant", GOOD["connectx"])
    monkeypatch.setattr(playing, "PAUSE", 0.0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(where, what, failing(getattr(where, what), error, times))
        if times == 1:
            assert not played_by(path).termination.is_fault
        else:
            with pytest.raises(HostFailure, match=os.strerror(error)):
                played_by(path)
    client.close_server()
    assert [one.name for one in tmp_path.iterdir()] == ["entrant.py"]


@pytest.mark.parametrize(("free", "blamed"), [(0, False), ((32 << 20) - 1000, True)])
def test_a_write_that_fails_on_a_full_disk_is_the_machines_failure(
    free: int, blamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent is not believed: the disk must have less than it may write, and what it wrote itself counts as free."""
    write_and_fail = (
        "import os; open(os.environ['HOME'] + '/x', 'wb').write(bytes(1000))\n"
        f"    raise OSError({errno.ENOSPC}, 'No space left on device')"
    )
    path = write(tmp_path, "entrant", bad_source(write_and_fail))
    monkeypatch.setattr(playing, "PAUSE", 0.0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    if blamed:
        assert "No space left" in played_by(path).fault
    else:
        with pytest.raises(HostFailure, match=r"3 attempts.*is full: it has 0 of the 32 MB that an agent may write"):
            played_by(path)


def test_a_process_that_cannot_be_forked_or_confined_is_the_machines_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that goes wrong before the agent's code runs is its own: here its folder has gone."""
    monkeypatch.setattr(playing, "PAUSE", 0.0)
    path = write(tmp_path, "entrant", GOOD["connectx"])
    with monkeypatch.context() as patch:
        patch.setattr(client._Server, "_answer", lambda server: -errno.EAGAIN)
        with pytest.raises(HostFailure, match=os.strerror(errno.EAGAIN)):
            played_by(path)
    client.close_server()  # it answered what was not taken
    with monkeypatch.context() as patch:
        patch.setattr(Snapshot, "stage", lambda snapshot, base: base / "gone")
        with pytest.raises(HostFailure, match="can't be confined: FileNotFoundError"):
            played_by(path)


def test_out_of_band_data_is_forbidden_and_never_waited_for() -> None:
    """Where no filter of system calls refuses to send it, it must not make the parent wait."""
    process = ForkedProcess(NOTHING, Policy())
    ours, theirs = socket.socketpair()
    with theirs:
        process.selector.unregister(process.connection)
        process.connection.close()
        process.connection = ours
        process.selector.register(ours, selectors.EVENT_READ)
        theirs.send(b"!", socket.MSG_OOB)
        with pytest.raises(Fault, match="its process sent out-of-band data") as caught:
            process.ask({}, 60.0)
    assert caught.value.cause == "forbidden"


def test_sleeping_is_not_free(tmp_path: Path) -> None:
    source = bad_source("import time\n    time.sleep(0.9)\n    return 3")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_agent, "FIRST_SECONDS", 0.0)
        record = played_by(write(tmp_path, "entrant", source))
    assert record.termination.value in ("out of time", "stalled")
    assert re.search(r"0\.0\d\d s of processor time", record.fault)


def test_a_referee_that_is_stopped_charges_nothing_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a wait that took longer than it can, only its usual length counts; if that is much, the match is repeated."""
    receive = ForkedProcess._receive
    slept: list[ForkedProcess] = []

    def stopped(process: ForkedProcess, seconds: float) -> bytes | None:
        if process.number > 2 and len(slept) < 4:
            slept.append(process)
            time.sleep(0.7)
        return receive(process, seconds)

    monkeypatch.setattr(ForkedProcess, "_receive", stopped)
    monkeypatch.setattr(file_agent, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(playing, "PAUSE", 0.0)
    record = played_by(write(tmp_path, "entrant", GOOD["connectx"]))
    assert not record.termination.is_fault, record.fault
    assert len({id(process) for process in slept}) == 3  # two attempts were given up, the last one was not
    assert max(record.seconds) < 0.5


def thread(delay: float, ran: float = 0.0, *, ready: bool = False, core: int = 0) -> ThreadTimes:
    return ThreadTimes(ready, core, ran, delay)


def test_a_referee_that_waits_for_a_core_charges_nothing_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many short questions each answer lies there until the referee, on a busy machine, has a core."""
    delays = iter([1.0, 3.5])
    monkeypatch.setattr(process, "own_run_delay", lambda: next(delays))
    watch = process.Stopwatch({"1": thread(0.5)})
    for _ in range(1000):
        watch.tick(0.004, stopped=False)
    watch.look({"1": thread(1.0)}, {})
    assert watch.delay(0.0) == pytest.approx((3.0, 3.0))
    assert watch.waited == pytest.approx(4.0)


def test_waiting_for_its_own_threads_is_no_disturbance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an agent that is about to lose could have its match played again."""
    monkeypatch.setattr(process, "own_run_delay", lambda: 0.0)
    watch = process.Stopwatch({"1": thread(0.0)})
    for _ in range(80):
        watch.tick(0.05, stopped=False)
    watch.look({str(number): thread(1.9, 0.1) for number in range(20)}, {})
    charged, lost = watch.delay(processor=2.0)
    assert charged == pytest.approx(1.9)
    assert lost == pytest.approx(0.0)


def test_what_a_hypervisor_takes_from_its_core_is_not_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "own_run_delay", lambda: 0.0)
    watch = process.Stopwatch({"1": thread(0.0)})
    for stolen in (7.0, 7.01, 7.04):
        watch.tick(0.05, stopped=False)
        watch.look({"1": thread(0.0, core=1)}, {0: 9 * stolen, 1: stolen})
    assert watch.delay(0.0)[0] == pytest.approx(0.04)


READY, ASLEEP = thread(0.0, 0.3, ready=True), thread(0.0, 0.3)
PROGRESS = iter(range(1, 10**9))


@pytest.mark.parametrize(
    ("look", "loses"),
    [
        (lambda: {"1": READY}, False),  # it waits for a core now, which the scheduler has not counted yet
        (lambda: {"1": ASLEEP, "2": READY}, False),
        (lambda: {"1": ASLEEP}, True),
        (lambda: {"1": thread(0.0, next(PROGRESS) / 1e6, ready=True)}, True),  # it wakes up whenever it is looked at
        (dict, True),
    ],
)
def test_who_waits_for_a_core_at_the_deadline_loses_nothing_and_who_sleeps_loses(
    look: Callable[[], dict[str, ThreadTimes]], loses: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_agent, "FIRST_SECONDS", 0.0)
    source = "import time\n\ndef agent(o, c):\n    time.sleep(1.2)\n    return 3\n"
    mind = agent(f"file:{write(tmp_path, 'entrant', source)}").mind(CONNECT4, FIRST, 0)
    assert isinstance(mind, file_agent.FileMind)
    monkeypatch.setattr(process, "thread_times", lambda pid: look())
    with pytest.raises(Fault) as caught:  # an agent that really sleeps loses in the end, when it answers
        mind.decide(Position.start(CONNECT4), Limit(seconds=0.2))
    mind.close()
    assert caught.value.cause == ("stalled" if loses else "out of time")


def test_waiting_for_a_core_is_not_charged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import time\n\ndef agent(o, c):\n    time.sleep(0.8)\n    return 3\n"
    monkeypatch.setattr(file_agent, "FIRST_SECONDS", 0.0)
    mind = agent(f"file:{write(tmp_path, 'entrant', source)}").mind(CONNECT4, FIRST, 0)
    assert isinstance(mind, file_agent.FileMind)
    begun = time.monotonic()
    monkeypatch.setattr(process, "thread_times", lambda pid: {"1": thread(0.9 * (time.monotonic() - begun))})
    decision = mind.decide(Position.start(CONNECT4), QUICK)
    mind.close()
    assert decision.move == 3
    assert decision.seconds < 0.5
    assert 0.3 < mind.lost < 0.9


BURNS = """
import time

def agent(observation, configuration):
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass
    return 3
"""


def test_no_decision_just_under_its_limit_is_late_on_a_busy_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever computes for its whole limit waits for a core at any moment, also when the time is up."""
    monkeypatch.setattr(file_agent, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(process, "GRACE", 0.005)
    monkeypatch.setattr(process, "TICK", 0.01)
    mind = agent(f"file:{write(tmp_path, 'entrant', BURNS)}").mind(CONNECT4, FIRST, 0)
    assert isinstance(mind, file_agent.FileMind)
    os.setpriority(os.PRIO_PROCESS, mind.process.pid, 3)  # so that single waits are long
    with contextlib.suppress(OSError):
        Path(f"/proc/{mind.process.pid}/autogroup").write_text("3", encoding="ascii")
    with busy_loops(2):
        for _ in range(40):
            assert mind.decide(Position.start(CONNECT4), Limit(seconds=0.01)).move == 3
    mind.close()


@contextlib.contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Processes that only compute, until the end of the block."""
    loop = "import time\nend = time.time() + 60\nwhile time.time() < end: pass"
    loops = [subprocess.Popen([sys.executable, "-S", "-c", loop], start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for one in loops:
            one.kill()
            one.wait()


@pytest.mark.parametrize("harm", [signal.SIGKILL, signal.SIGSTOP])
def test_a_server_that_dies_or_stops_is_replaced(harm: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SERVER_SECONDS", 0.5)
    client.close_server()
    ForkedProcess(NOTHING, Policy()).close()
    (server,) = client.servers.servers.values()
    os.kill(server_processes(server.process.pid)[-1], harm)
    assert not played_by(write(tmp_path, "entrant", GOOD["connectx"])).termination.is_fault
    assert list(client.servers.servers.values()) != [server]
    assert server.process.poll() is not None
    assert not server.base.exists()


def test_a_run_that_is_killed_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    script = (
        "import time\n"
        "from inarow.agents.external.client import ForkedProcess\n"
        "from inarow.agents.external import Policy\n"
        "from inarow.agents.external.staging import Snapshot\n"
        "process = ForkedProcess(Snapshot('a.py', (('a.py', b''),)), Policy())\n"
        "print(process.pid, process.server.process.pid, process.server.base, flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        entrant, server, base = run.stdout.readline().split()
        run.kill()
    left = [Path("/proc", entrant), Path("/proc", server), Path(base)]
    for _ in range(1200):
        if not any(path.exists() for path in left):
            break
        time.sleep(0.05)
    assert not any(path.exists() for path in left)


def test_agents_die_with_their_server(tmp_path: Path) -> None:
    source = "import time\n\ndef agent(o, c):\n    time.sleep(100)\n"
    mind = agent(f"file:{write(tmp_path, 'entrant', source)}").mind(CONNECT4, FIRST, 0)
    assert isinstance(mind, file_agent.FileMind)
    assert isinstance(mind.process, ForkedProcess)
    mind.process._send(wire.packed({"first": 0, "second": 0, "seconds": 100, "allowance": 0, "number": 2}), 1)
    os.kill(server_processes(mind.process.server.process.pid)[-1], signal.SIGKILL)
    for _ in range(1200):
        if not mind.process._status().get("State", "Z").startswith(("S", "R")):
            break
        time.sleep(0.05)
    assert mind.process._status().get("State", "Z").startswith(("Z", "X"))
    mind.close()
