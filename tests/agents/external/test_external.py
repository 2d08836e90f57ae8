"""Foreign agents: good ones play, bad ones end with their own termination, and nothing is left behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import inarow.agents.file as file_agent
from inarow.agents import AgentError, Limit, agent
from inarow.agents.external import client
from inarow.errors import Unsupported
from inarow.match import play_match
from inarow.rules import CONNECT4, TICTACTOE
from match.test_playing import LOWEST
from support.arena_doubles import played, processes_in_session, tournament
from support.external_corpus import BAD, GOOD, UNLOADABLE, bad_source, write

QUICK = Limit(seconds=1.0)


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_agent, "FIRST_SECONDS", 1.0)
    monkeypatch.setattr(file_agent, "LOAD_SECONDS", 4.0)
    monkeypatch.setattr(file_agent, "MEGABYTES", 200)


@pytest.fixture(scope="module", autouse=True)
def _server() -> Iterator[None]:
    yield
    client.close_server()


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    """No process of a guest, no handle, no thread."""
    client.Guest().close()  # the server has started
    handles, threads = len(list(Path("/proc/self/fd").iterdir())), threading.active_count()
    yield
    client.Guest().close()  # it may have been replaced
    server = client._servers.server
    assert server is not None
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text(encoding="ascii")
    assert children.split() == []
    assert processes_in_session(server.process.pid) == [server.process.pid]
    assert len(list(Path("/proc/self/fd").iterdir())) == handles
    assert threading.active_count() == threads


@pytest.mark.parametrize("name", GOOD)
def test_a_good_guest_plays_to_the_end(name: str, tmp_path: Path) -> None:
    guest = agent(f"file:{write(tmp_path, name, GOOD[name])}")
    for first, second in ((guest, LOWEST), (LOWEST, guest)):
        record = play_match(CONNECT4, first, second, limit=QUICK, seed=4)
        assert record.termination.value in ("line", "full board"), record.fault
    if name == "inarow class":
        assert (record.values[1], record.nodes[1]) == (0.25, 3)


def test_the_same_seed_gives_a_guest_the_same_random_numbers(tmp_path: Path) -> None:
    guest = agent(f"file:{write(tmp_path, 'guest', GOOD['connectx'])}")
    first, again, other = (play_match(CONNECT4, guest, guest, seed=seed).moves for seed in (1, 1, 2))
    assert first == again != other


def test_an_inarow_class_plays_boards_without_gravity_too(tmp_path: Path) -> None:
    guest = agent(f"file:{write(tmp_path, 'guest', GOOD['inarow class'])}")
    assert not play_match(TICTACTOE, guest, guest).termination.is_fault


@pytest.mark.parametrize("name", BAD)
def test_a_bad_guest_loses_with_its_own_termination(name: str, tmp_path: Path) -> None:
    body, termination, said = BAD[name]
    guest = agent(f"file:{write(tmp_path, name, bad_source(body))}")
    record = play_match(CONNECT4, guest, LOWEST, limit=QUICK)
    assert record.result == "second"
    assert record.termination.value == termination, record.fault
    assert said in record.fault


@pytest.mark.parametrize("name", UNLOADABLE)
def test_a_guest_that_cannot_be_loaded_says_why(name: str, tmp_path: Path) -> None:
    source, said = UNLOADABLE[name]
    guest = agent(f"file:{write(tmp_path, name, source)}")
    record = play_match(CONNECT4, guest, LOWEST, limit=QUICK)
    assert (record.result, record.termination.value) == ("second", "cannot be loaded")
    assert said in record.fault


def test_what_a_guest_printed_is_shown_when_it_fails(tmp_path: Path) -> None:
    source = bad_source("print('thinking'); import os; os.write(2, b'hard'); raise ValueError('tired')")
    record = play_match(CONNECT4, agent(f"file:{write(tmp_path, 'guest', source)}"), LOWEST)
    assert "it printed: thinking hard" in record.fault


def test_a_guest_that_kills_the_server_hurts_only_itself(tmp_path: Path) -> None:
    bad = agent(f"file:{write(tmp_path, 'bad', bad_source('import os; os.kill(os.getppid(), 9); os._exit(1)'))}")
    good = agent(f"file:{write(tmp_path, 'good', GOOD['connectx'])}")
    assert play_match(CONNECT4, bad, LOWEST).termination.value == "exited"
    assert not play_match(CONNECT4, good, LOWEST).termination.is_fault


def test_a_guests_environment_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOUSE", "1")
    source = bad_source("import os; raise ValueError(sorted(os.environ), os.listdir('/proc/self/fd'), os.getcwd())")
    fault = play_match(CONNECT4, agent(f"file:{write(tmp_path, 'guest', source)}"), LOWEST).fault
    assert "SECRET" not in fault
    assert "['0', '1', '2', '3', '4']" in fault  # 4 is the listing itself
    assert str(tmp_path) in fault


def test_bad_guests_do_not_stop_a_tournament(tmp_path: Path) -> None:
    good = f"file:{write(tmp_path, 'good', GOOD['connectx'])}"
    bad = f"file:{write(tmp_path, 'bad', bad_source('raise ValueError(3)'))}"
    results = played(tournament(good, bad, "random", pairs=2))
    losses = {s.spec: s.side.terminations.get("exception", 0) for s in results.standings()}
    assert losses == {good: 0, bad: 8, "random": 0}


def test_a_guest_is_identified_by_its_content(tmp_path: Path) -> None:
    path = write(tmp_path, "guest", GOOD["connectx"])
    before = agent(f"file:{path}").identity
    assert before.startswith(f"file:{path}#")
    assert agent(f"file:{path}").identity == before
    path.write_text(GOOD["numpy"], encoding="utf-8")
    assert agent(f"file:{path}").identity != before


@pytest.mark.parametrize(
    ("path", "reason"), [("/no/such/file.py", "does not exist"), ("/tmp", "is a folder"), ("", "no path was given")]
)
def test_files_that_are_none_are_refused(path: str, reason: str) -> None:
    with pytest.raises(AgentError, match=reason):
        agent(f"file:{path}")


def test_a_system_that_cannot_fork_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "guest", GOOD["connectx"])
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(Unsupported, match="can fork"):
        agent(f"file:{path}")
