"""How far an external agent is trusted is decided once, goes along with it, and is refused where it can't be held."""

from __future__ import annotations

import contextlib
import os
import pickle
from pathlib import Path

import pytest

import inarow.agents.file as file_agent
from inarow.agents import Agent, AgentError, Limit, agent
from inarow.agents.external import Policy, current, sandbox, seccomp, staging, using
from inarow.agents.external.sandbox import Offer
from inarow.agents.external.seccomp import Program
from inarow.agents.file import File
from inarow.errors import Unsupported, printable
from inarow.match import play_match
from inarow.rules import CONNECT4
from match.test_playing import LOWEST
from support.external_corpus import BAD, GOOD, UNLOADABLE, bad_source, write

LIMIT = Limit(seconds=0.5)
AMPLE = Limit(seconds=30)
TRUST = Policy(trust=True)


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_agent, "FIRST_SECONDS", 0.3)


def trusted(path: Path) -> Agent:
    with using(TRUST):
        return agent(f"file:{path}")


def test_a_trusted_agent_plays_without_a_sandbox(tmp_path: Path) -> None:
    source = bad_source(f"open({str(tmp_path / 'mark')!r}, 'w').close()\n    return 9")
    record = play_match(CONNECT4, trusted(write(tmp_path, "entrant", source)), LOWEST, limit=LIMIT)
    assert (record.termination.value, (tmp_path / "mark").exists()) == ("illegal move", True)
    record = play_match(CONNECT4, trusted(write(tmp_path, "entrant", GOOD["numpy"])), LOWEST, limit=AMPLE)
    assert not record.termination.is_fault


@pytest.mark.parametrize("name", ["raises", "float", "busy loop", "leaves at once"])
def test_a_trusted_agent_that_fails_ends_like_others(name: str, tmp_path: Path) -> None:
    body, termination, said = BAD[name]
    record = play_match(CONNECT4, trusted(write(tmp_path, name, bad_source(body))), LOWEST, limit=LIMIT)
    if name == "busy loop":  # its processor time can't be seen from outside everywhere
        termination, said = "stalled", "no answer within"
    assert (record.termination.value, said in record.fault) == (termination, True), record.fault


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found by Linux's /proc")
def test_what_a_trusted_agent_leaves_behind_is_killed(tmp_path: Path) -> None:
    left = tmp_path / "left"
    leave = f"""import os, time
    if os.fork() == 0:
        os.setsid()
        os.symlink(str(os.getpid()), {str(left)!r})
        time.sleep(100)
        os._exit(0)
    while not os.path.islink({str(left)!r}): time.sleep(0.01)
    return 9"""
    play_match(CONNECT4, trusted(write(tmp_path, "entrant", bad_source(leave))), LOWEST)
    with contextlib.suppress(FileNotFoundError):  # where nobody waits for it, it stays as a name only
        assert Path(f"/proc/{left.readlink()}/cmdline").read_bytes() == b""


def test_a_trusted_agent_that_prints_or_cannot_be_loaded(tmp_path: Path) -> None:
    source = bad_source("print('thinking'); raise ValueError('tired')")
    assert "it printed: thinking" in play_match(CONNECT4, trusted(write(tmp_path, "a", source)), LOWEST).fault
    source, said = UNLOADABLE["import error"]
    with pytest.raises(AgentError, match=f"cannot be loaded: .*{said}"):
        play_match(CONNECT4, trusted(write(tmp_path, "b", source)), LOWEST)


def test_a_policy_goes_along_with_its_agent(tmp_path: Path) -> None:
    entrant = trusted(write(tmp_path, "entrant", GOOD["connectx"]))
    sent = pickle.loads(pickle.dumps(entrant))
    assert isinstance(sent, File)
    assert (sent.policy, sent.digest, sent.identity) == (TRUST, entrant.digest, entrant.identity)  # type: ignore[attr-defined]
    assert current() == Policy()


def test_a_system_without_a_sandbox_wants_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "entrant", GOOD["connectx"])
    monkeypatch.setattr(sandbox, "offered", lambda: Offer(0, False))
    with pytest.raises(Unsupported, match="--trust runs them without one"):
        agent(f"file:{path}")
    assert trusted(path).foreign


@pytest.mark.parametrize(
    ("offer", "missing"),
    [
        (Offer(7, True), []),
        (Offer(3, True), []),
        (Offer(2, True), ["truncate your files"]),
        (Offer(0, True), ["read and change your files"]),
        (Offer(7, False), ["network and start processes"]),
        (Offer(4, False), ["network and start processes", "send signals"]),
        (Offer(0, False), ["no sandbox"]),
    ],
)
def test_what_a_kernel_does_not_hold_is_said_and_can_be_refused(
    offer: Offer, missing: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(offer.missing) == len(missing)
    assert all(words in said for words, said in zip(missing, offer.missing, strict=True))
    path = write(tmp_path, "entrant", GOOD["connectx"])
    monkeypatch.setattr(sandbox, "offered", lambda: offer)
    with using(Policy(require_sandbox=True)):
        if missing:
            with pytest.raises(Unsupported):
                agent(f"file:{path}")
        else:
            entrant = agent(f"file:{path}")
            monkeypatch.setattr(sandbox, "offered", lambda: Offer(0, True))  # as on another machine
            with pytest.raises(Unsupported, match="the sandbox is incomplete on this system"):
                play_match(CONNECT4, entrant, LOWEST)


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_every_processor_has_a_filter_that_names_no_call_twice(machine: str) -> None:
    lists = [seccomp.numbers(calls, machine) for calls in (seccomp.ALLOWED, seccomp.CHECKED, seccomp.REFUSED)]
    numbers = [number for calls in lists for number in calls.values()]
    assert len(numbers) == len(set(numbers))
    assert {"socket", "execve", "ptrace"} <= set(lists[2])
    assert len(Program(machine).instructions) % 8 == 0


def test_links_and_crowds_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "entrant"
    folder.mkdir()
    write(folder, "main", GOOD["connectx"])
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "mine.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(AgentError, match=r"mine.txt is a symbolic link"):
        agent(f"file:{folder}")
    with pytest.raises(AgentError, match="give the file itself"):
        agent(f"file:{folder / 'mine.txt'}")
    (folder / "mine.txt").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(AgentError, match="neither a file nor a folder"):
        agent(f"file:{folder}")
    (folder / "pipe").unlink()
    monkeypatch.setattr(staging, "MAX_BYTES", 10)
    with pytest.raises(AgentError, match="has more than"):
        agent(f"file:{folder}")


def test_a_folder_needs_one_file_to_run(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="has no Python file"):
        agent(f"file:{tmp_path}")
    write(tmp_path, "one", GOOD["connectx"])
    assert agent(f"file:{tmp_path}").snapshot.entry == "one.py"  # type: ignore[attr-defined]
    write(tmp_path, "two", GOOD["connectx"])
    with pytest.raises(AgentError, match=r"has one.py, two.py; name the one to run main.py"):
        agent(f"file:{tmp_path}")


def test_text_from_elsewhere_is_made_safe() -> None:
    assert printable("a\x1b[31m\nb\udc80\u202ec") == "a\ufffd[31m b\ufffd\ufffdc"
    assert printable("x" * 600) == "x" * 499 + "…"
