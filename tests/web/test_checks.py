"""What a client may ask for: no file is opened, and no more memory is taken than allowed."""

from __future__ import annotations

import builtins
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inarow.errors import InarowError
from inarow.rules import CONNECT4
from inarow.web.security import Refused, agent_for
from inarow.web.serving import WebSettings

SETTINGS = WebSettings()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The files below a folder of its own that are opened in this test."""
    found: list[str] = []

    def spy(real: Callable[..., Any]) -> Callable[..., Any]:
        def opens(path: Any, *args: Any, **kwargs: Any) -> Any:
            if str(path).startswith(str(tmp_path)):
                found.append(str(path))
            return real(path, *args, **kwargs)

        return opens

    for module, name in ((builtins, "open"), (io, "open"), (os, "open"), (os, "stat")):
        monkeypatch.setattr(module, name, spy(getattr(module, name)))
    return found


@pytest.mark.parametrize(
    "spec",
    [
        "file:{}",
        " file:{}",
        "FILE:{}",
        "{}",
        " {} ",
        "qlearning:model={}",
        "ntuple:model={}",
        'ntuple:model="{}"',
    ],
)
def test_no_file_of_a_client_is_opened(spec: str, tmp_path: Path, opened: list[str]) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("raise SystemExit", encoding="utf-8")
    opened.clear()
    with pytest.raises(InarowError):
        agent_for(CONNECT4, spec.format(secret), SETTINGS)
    assert opened == []


def test_a_file_that_was_named_at_the_start_is_allowed(agent_file: Path) -> None:
    spec = f"file:{agent_file}"
    assert agent_for(CONNECT4, spec, WebSettings(agents=(spec,))).spec == spec
    with pytest.raises(Refused, match="only agents in files that the server was started with"):
        agent_for(CONNECT4, f"{spec} ", WebSettings(agents=()))


@pytest.mark.parametrize(
    "spec", ["mcts:tree_mb=401", "perfect:tt_mb=1100", "alphabeta:tt=on,tt_mb=500", "mcts:tree_mb=390,solver=on"]
)
def test_an_agent_that_wants_too_much_memory_is_refused(spec: str) -> None:
    with pytest.raises(Refused, match="more than the 400 MB per agent of this server"):
        agent_for(CONNECT4, spec, SETTINGS)
