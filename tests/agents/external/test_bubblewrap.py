"""Where bubblewrap is installed and works, external agents can't even see other files; where not, all else holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from inarow.agents import agent
from inarow.agents.external import client, sandbox
from inarow.match import play_match
from inarow.match.record import MatchRecord
from inarow.rules import CONNECT4
from match.test_playing import LOWEST
from support.external_corpus import GOOD, bad_source, write

needs_bubblewrap = pytest.mark.skipif(sandbox.bubblewrap() is None, reason="bubblewrap is not installed, or refused")


@pytest.fixture(autouse=True)
def _servers_of_this_test() -> Iterator[None]:
    client.close_server()
    yield
    client.close_server()


def program(folder: Path, body: str) -> str:
    """A program in place of bubblewrap's."""
    path = folder / "bwrap"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def asked_for_a_size(tmp_path: Path) -> MatchRecord:
    secret = tmp_path / "secret.txt"
    secret.touch()
    path = write(tmp_path, "entrant", f"import os\n{bad_source(f'os.stat({str(secret)!r})')}")
    return play_match(CONNECT4, agent(f"file:{path}"), LOWEST)


@needs_bubblewrap
def test_other_files_cannot_even_be_seen(tmp_path: Path) -> None:
    assert "FileNotFoundError" in asked_for_a_size(tmp_path).fault
    record = play_match(CONNECT4, agent(f"file:{write(tmp_path, 'entrant', GOOD['numpy'])}"), LOWEST)
    assert not record.termination.is_fault


def test_one_that_does_not_start_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "bubblewrap", lambda: program(tmp_path, "exit 1"))
    assert "FileNotFoundError" not in asked_for_a_size(tmp_path).fault
    record = play_match(CONNECT4, agent(f"file:{write(tmp_path, 'entrant', GOOD['connectx'])}"), LOWEST)
    assert not record.termination.is_fault


@pytest.mark.parametrize(("body", "works"), [("exit 0", True), ("exit 1", False), ("sleep 5", False)])
def test_it_is_used_if_its_namespaces_are_not_refused(
    body: str, works: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    if body == "sleep 5":
        monkeypatch.setattr(sandbox, "_PROBE_SECONDS", 0.1)
    found = program(tmp_path, body)
    assert sandbox.bubblewrap.__wrapped__() == (found if works else None)


def test_without_it_nothing_comes_before_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sandbox.bubblewrap.__wrapped__() is None
    monkeypatch.setattr(sandbox, "bubblewrap", lambda: None)
    assert sandbox.bubblewrap_prefix(tmp_path) == []
