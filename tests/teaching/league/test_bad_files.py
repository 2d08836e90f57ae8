"""Files that fail, each in its own way, are lines of the table; those that only look odd play on."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from inarow.agents import agent
from inarow.errors import HostFailure
from inarow.rules import CONNECT4
from inarow.teaching.checking import CheckReport
from inarow.teaching.league.settings import Rung
from support.external_corpus import BAD, GOOD, UNLOADABLE, bad_source
from support.league_doubles import ANY_FREE, hand_in, hold, small_settings

FAILING = ("float", "numpy float", "string", "full column", "None", "raises", "leaves at once")
ODD_BUT_FINE = ("numpy", "prints megabytes", "inarow class with numpy numbers")


def file_name(kind: str) -> str:
    return kind.replace(" ", "_")


def test_every_kind_of_failure_is_named_and_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.teaching.league.judging.check_agent", lambda *_, **more: CheckReport())
    sources = {file_name(kind): bad_source(BAD[kind][0]) for kind in FAILING}
    sources |= {file_name(kind): GOOD[kind] for kind in ODD_BUT_FINE}
    settings = replace(
        small_settings(among=0, disqualify=0.1), boards=(CONNECT4,), ladder=(Rung("rules", agent("rules"), 50),)
    )
    table, _ = hold(hand_in(tmp_path / "class", **sources), tmp_path / "out", settings)
    problems = {one.entrant.name: one.problem for one in table}
    for kind in FAILING:
        assert problems[file_name(kind)].startswith("disqualified after"), kind
        assert BAD[kind][1] in problems[file_name(kind)]
    assert [problems[file_name(kind)] for kind in ODD_BUT_FINE] == ["", "", ""]
    marks = (tmp_path / "out" / "marks.csv").read_text(encoding="utf-8").splitlines()
    assert len(marks) == 1 + len(sources)


def test_a_full_disk_stops_a_league_and_stores_nothing_against_anyone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = hand_in(tmp_path / "class", ada=ANY_FREE)
    with monkeypatch.context() as patch:
        patch.setattr("inarow.match.playing.PAUSE", 0.0)
        patch.setattr("inarow.agents.external.staging.Snapshot.stage", _no_space)
        with pytest.raises(HostFailure, match=r"because of this machine.*No space left on device"):
            hold(folder, tmp_path / "out")
    (one,), to_play = hold(folder, tmp_path / "out")
    assert one.problem == ""
    assert (to_play["files checked"], to_play["pairs against reference players"]) == (1, 5)


def _no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_files_that_cannot_be_loaded_are_not_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.agents.file.LOAD_SECONDS", 2.0)
    kinds = ("syntax error", "hangs on import", "import error", "leaves on import")
    sources = {file_name(kind): UNLOADABLE[kind][0] for kind in kinds}
    table, to_play = hold(hand_in(tmp_path / "class", **sources), tmp_path / "out")
    problems = {one.entrant.name: one.problem for one in table}
    for kind in kinds:
        assert problems[file_name(kind)].startswith("cannot be loaded: "), kind
        assert UNLOADABLE[kind][1] in problems[file_name(kind)]
    assert to_play["pairs against reference players"] == 0
