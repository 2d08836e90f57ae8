"""The page of what the reports do names commands that run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from inarow.studies import study_names
from support.commands import inarow

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
COMMANDS = [
    shlex.split(command)
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ")
    for command in re.findall(r"`inarow ([^`]*)`", line)
]


def test_every_command_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one folder, because some use what others wrote. Studies have tests of their own."""
    opened: list[tuple[object, ...]] = []

    def run(*arguments: object, **more: object) -> list[object]:
        opened.append(arguments)
        return []

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("inarow.play.desktop.run", run)
    for words in COMMANDS:
        if words[0] == "study":
            assert words[1] in study_names()
        else:
            inarow(*words, stdin="q\n")
    assert len(opened) == sum("desktop" in words for words in COMMANDS) == 2


def test_every_report_has_its_study_on_the_page() -> None:
    assert {words[1] for words in COMMANDS if words[0] == "study"} == {"r1", "r2", "r3", "r4", "r5"}
