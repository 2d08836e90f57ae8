"""A file's name, summary and parameters are read from its source, and reach its code when it plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inarow.agents import agent
from inarow.agents.external.staging import MAX_SOURCE, Declared, declared
from inarow.agents.file import File
from inarow.agents.parameters import AgentError
from inarow.arena import Tournament
from inarow.rules import CONNECT4, FIRST, Position
from support.commands import inarow

FUNCTION = '''
name = "climber"

def agent(observation, configuration, *, column: int = 3, top=False, weight=0.5, style="left", seen=[]):
    """Play one column.

    And more."""
    return column
'''
CLASS = """
from dataclasses import dataclass
from typing import ClassVar
import inarow
from inarow.agents.parameters import choice, integer

@dataclass(frozen=True)
class Mine(inarow.Agent):
    name = "my agent"
    summary = "plays a column"
    count: ClassVar[int] = 3
    column: int = integer(3, "the column", low=0, high=6)
    style: str = choice("left", ("left", "right"), "the side")

    def mind(self, game, player, seed):
        return M(self.column if self.style == "left" else 6 - self.column)

class M(inarow.Mind):
    def __init__(self, column):
        self.column = column

    def think(self, position, limit, stop):
        return inarow.Decision(self.column)
"""


def move_of(spec: str) -> int:
    mind = agent(spec).start(CONNECT4, FIRST, 0)
    try:
        return mind.decide(Position.start(CONNECT4)).move
    finally:
        mind.close()


def test_a_function_declares_its_keyword_only_arguments() -> None:
    found = declared(FUNCTION.encode())
    assert (found.name, found.summary) == ("climber", "Play one column")
    assert {kind.name: kind.default for kind in found.parameters} == {
        "column": 3, "top": False, "weight": 0.5, "style": "left",
    }  # fmt: skip


def test_a_class_declares_its_fields() -> None:
    found = declared(CLASS.encode())
    assert (found.name, found.summary) == ("my agent", "plays a column")
    assert [(kind.name, kind.wanted) for kind in found.parameters] == [
        ("column", "an integer from 0 to 6"),
        ("style", "one of left, right"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"def agent(",
        b"\xff\xfe",
        b"x = " + b"(" * 5000,
        b"class A(Agent):\n    depth: int = integer(1, 'x', low='a', wrong=3)",
        b"class A(Agent):\n    depth: int = integer(one(), 'x')",
        b"#" * (MAX_SOURCE + 1),
        b"class A(Agent):\n    x: a" + b".b" * 1500 + b" = 1",
        b"def agent(o, c, *, x=" + b"-" * 1500 + b"1): pass",
        b'name = "\\x1b[2J"\ndef agent(o, c, *, x="\\u202e"): pass',
    ],
)
def test_a_file_that_cannot_be_understood_declares_nothing(source: bytes) -> None:
    assert declared(source) == Declared()


def test_parameters_reach_the_code_and_are_part_of_the_spec(tmp_path: Path) -> None:
    function, kind = tmp_path / "climber.py", tmp_path / "mine.py"
    function.write_text(FUNCTION)
    kind.write_text(CLASS)
    assert [move_of(f"{function}{given}") for given in ("", ":column=5", ":column=3")] == [3, 5, 3]
    assert move_of(f"file:{kind}:column=1,style=right") == 5
    made = agent(f"{function}:column=5")
    assert (made.spec, made.label) == (f"file:{function}:column=5", "climber (column=5)")
    assert made.identity != agent(str(function)).identity
    assert agent(f"{function}:column=3").spec == f"file:{function}"  # a default is left out
    assert made.effective(CONNECT4) == "column=5, top=off, weight=0.5, style=left"


def test_a_wrong_parameter_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(CLASS)
    for given, said in (
        ("colum=1", "unknown parameter 'colum'; did you mean column?"),
        ("column=9", "column=9 is not an integer from 0 to 6 (the column)"),
    ):
        with pytest.raises(AgentError) as error:
            agent(f"{path}:{given}")
        assert said in str(error.value)


def test_a_colon_in_a_path_is_no_parameter(tmp_path: Path) -> None:
    path = tmp_path / "a:b=c.py"
    path.write_text(FUNCTION)
    assert File.of(str(path)).path == str(path)


def test_a_report_uses_the_names_that_files_declare(tmp_path: Path) -> None:
    path, other = tmp_path / "climber.py", tmp_path / "copy.py"
    path.write_text(FUNCTION)
    other.write_text(FUNCTION)
    agents = [f"{path}:column=5", str(path), "random", str(other)]
    made = Tournament.of("connect4", agents)
    labels = [one["label"] for one in made.config()["agents"]]
    assert labels == ["climber (column=5)", f"file:{path}", "random", f"file:{other}"]  # equal names would mislead
    assert made.labels == {f"file:{path}:column=5": "climber (column=5)"}  # those of a study's page


def test_the_command_line_describes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(CLASS)
    told = json.loads(inarow("agents", str(path), "--json").stdout)["agents"][0]
    assert [one["name"] for one in told["parameters"]] == ["column", "style"]
    assert "column=3" in inarow("agents", str(path)).stdout
