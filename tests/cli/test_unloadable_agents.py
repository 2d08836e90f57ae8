"""A file that can't be loaded never plays: every command and function says why before the first match."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import inarow
from inarow import Tournament
from inarow.agents import AgentError
from support.commands import inarow as command
from support.external_corpus import UNLOADABLE, write

STUDY = """
import inarow
from inarow.studies import Study

class Own(Study):
    name = title = summary = "own"

    def experiments(self, plan):
        return [inarow.Tournament.of("tictactoe", ("rules", "bad.py"), pairs=1, key="own")]

    def content(self, found):
        raise AssertionError
"""
COMMANDS = [
    "match tictactoe bad.py rules",
    "tournament tictactoe random bad.py rules --workers 1",
    "sprt tictactoe bad.py rules --workers 1",
    "grade tictactoe bad.py --workers 1",
    "rate tictactoe bad.py --workers 1",
    "decide tictactoe 5 bad.py",
    "sweep tictactoe bad.py:weight={1,2} --workers 1",
    "study own.py --workers 1",
    "study compare --agent bad.py --workers 1",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_says_why_in_one_sentence(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = "import no_such_module\n\ndef agent(o, c, *, weight=1): return 0"
    write(tmp_path, "bad", source)
    write(tmp_path, "own", STUDY)
    done = command(*line.split(), code=2)
    assert "bad.py cannot be loaded: ModuleNotFoundError: No module named 'no_such_module' (line 1" in done.stderr
    assert (done.stdout, len(done.stderr.splitlines())) == ("", 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.py", "own.py"]


@pytest.mark.parametrize(
    "call",
    [
        lambda bad: inarow.play_match("tictactoe", bad, "rules", strict=False),
        lambda bad: inarow.play_series("tictactoe", "rules", bad, strict=False),
        lambda bad: inarow.play_tournament(Tournament.of("tictactoe", ("rules", bad)), strict=False),
        lambda bad: inarow.grade("tictactoe", bad, strict=False),
        lambda bad: inarow.decide("tictactoe", "5", bad),
    ],
    ids=["play_match", "play_series", "play_tournament", "grade", "decide"],
)
def test_a_function_raises_an_error(call: Callable[[str], object], tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"cannot be loaded: the file defines no function"):
        call(str(write(tmp_path, "bad", UNLOADABLE["no callable"][0])))
