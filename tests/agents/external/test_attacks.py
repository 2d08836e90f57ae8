"""The sandbox holds: no attack by an external agent succeeds, and each ends the match in its own way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import inarow.agents.file as file_agent
from inarow.agents import Limit, agent
from inarow.agents.external import Policy, client, sandbox
from inarow.agents.external.client import ForkedProcess
from inarow.agents.external.sandbox import offered
from inarow.agents.external.staging import Snapshot
from inarow.match import play_match
from inarow.rules import CONNECT4
from match.test_playing import LOWEST
from support.arena_doubles import agent_threads, processes_in_session
from support.external_attacks import ATTACKS
from support.external_corpus import GOOD, write

pytestmark = pytest.mark.skipif(bool(offered().missing), reason=f"not held here: {'; '.join(offered().missing)}")

LIMIT = Limit(seconds=0.4)
AMPLE = Limit(seconds=30)
NOTHING = Snapshot("nothing.py", (("nothing.py", b""),))


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_agent, "FIRST_SECONDS", 0.3)
    monkeypatch.setattr(file_agent, "LOAD_SECONDS", 5.0)
    monkeypatch.setattr(file_agent, "MEGABYTES", 200)


@pytest.fixture(scope="module")
def _server() -> Iterator[client._Server]:
    """Without bubblewrap: Landlock and seccomp hold by themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "bubblewrap", lambda: None)
        client.close_server()
        ForkedProcess(NOTHING, Policy()).close()
        (server,) = client.servers.servers.values()
        yield server
        client.close_server()


@pytest.fixture
def server(_server: client._Server) -> Iterator[client._Server]:
    """The process that agents are forked from: after an attack it is the same, and nothing else is left."""
    handles, threads = len(list(Path("/proc/self/fd").iterdir())), agent_threads()
    yield _server
    assert list(client.servers.servers.values()) == [_server]
    assert _server.process.poll() is None
    children = Path(f"/proc/{_server.process.pid}/task/{_server.process.pid}/children").read_text(encoding="ascii")
    assert children.split() == []
    assert processes_in_session(_server.process.pid) == [_server.process.pid]
    assert not list(_server.base.glob("scratch-*"))
    assert len(list(Path("/proc/self/fd").iterdir())) == handles
    assert agent_threads() == threads


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_ends_in_its_own_way_and_changes_nothing(name: str, tmp_path: Path, server: client._Server) -> None:
    attack = ATTACKS[name]
    store = tmp_path / "store.db"
    store.write_bytes(b"results")
    store.chmod(0o600)
    write(tmp_path, "other", GOOD["connectx"])
    before = sorted(tmp_path.iterdir())
    path = write(tmp_path, "attacker", attack.source(folder=tmp_path, home=Path.home(), server=server.process.pid))
    attacker = agent(f"file:{path}")
    attacker.loaded.add(CONNECT4)  # type: ignore[attr-defined]  # as in a league, whose matches load it again
    record = play_match(CONNECT4, attacker, LOWEST, limit=LIMIT, seed=0x1234_5678_9ABC_DEF)
    assert record.result == "second", record
    assert (record.termination.value, attack.said in record.fault) == (attack.termination, True), record.fault
    assert record.fault.isprintable()
    assert sorted(tmp_path.iterdir()) == sorted([*before, path])
    assert (store.read_bytes(), store.stat().st_mode & 0o777) == (b"results", 0o600)


def test_modules_named_like_ours_are_seen_by_their_author_only(tmp_path: Path, server: client._Server) -> None:
    folder = tmp_path / "entrant"
    folder.mkdir()
    for name in ("sitecustomize.py", "usercustomize.py", "inarow.py", "json.py", "socket.py"):
        (folder / name).write_text("raise RuntimeError('imported')", encoding="utf-8")
    (folder / "x.pth").write_text("import sys; sys.exit(3)", encoding="utf-8")
    (folder / "main.py").write_text(GOOD["connectx"], encoding="utf-8")
    assert not play_match(CONNECT4, agent(f"file:{folder}"), LOWEST, limit=AMPLE).termination.is_fault


def test_a_file_that_is_edited_goes_on_as_it_was_read(tmp_path: Path, server: client._Server) -> None:
    path = write(tmp_path, "entrant", GOOD["connectx"])
    entrant = agent(f"file:{path}")
    path.write_text("raise RuntimeError('edited')", encoding="utf-8")
    assert not play_match(CONNECT4, entrant, LOWEST, limit=AMPLE).termination.is_fault
