"""inarow doctor: says of the installation what is so, and names what is slow."""

from __future__ import annotations

import json

import pytest

from inarow import __version__
from inarow.agents.external.sandbox import Offer
from inarow.cli import system
from support.commands import inarow


def test_it_names_versions_processor_cache_and_extras() -> None:
    data = json.loads(inarow("doctor", "--json").stdout)
    assert data["versions"]["inarow"] == __version__
    assert data["versions"]["llvmlite"]
    assert data["machine"]["cores"] >= 1
    assert data["kernels"]["compiler_on"]
    assert set(data["extras"]) >= {"desktop", "cluster"}
    assert "Versions" in inarow("doctor").stdout


def test_it_says_what_the_sandbox_holds_and_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.agents.external.sandbox.offered", lambda: Offer(2, True))
    shown = inarow("doctor").stdout
    assert "Sandbox" in shown
    assert "not fully sandboxed: it can truncate your files (Landlock before version 3)." in shown
    assert system._sandbox()["complete"] is False
    monkeypatch.setattr("inarow.agents.external.sandbox.offered", lambda: Offer(7, True))
    assert system._sandbox()["complete"] is True


def test_it_says_what_is_slow_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = {"cores": 2, "load": 9.5}
    kernels = {"compiler_on": True, "all_compiled": False, "cache_writable": False}
    first, second, third = system._slow({"machine": machine, "kernels": kernels})
    assert "inarow.kernels.warm" in first
    assert "INAROW_CACHE" in second
    assert "load of 9.5" in third
    off = {"machine": {"cores": 2, "load": None}, "kernels": {**kernels, "compiler_on": False, "cache_writable": True}}
    monkeypatch.setenv("INAROW_JIT", "0")
    assert "INAROW_JIT=0 is set" in "".join(system._slow(off))
    monkeypatch.delenv("INAROW_JIT")
    assert "can't call compiled kernels" in "".join(system._slow(off))


def test_a_missing_extra_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "version_of", lambda package: None)
    assert system._extras()["desktop"] == {"missing": ["pygame-ce"], "install": 'pip install "inarow[desktop]"'}
