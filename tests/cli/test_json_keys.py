"""The JSON keys that the docs promise are those that the commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.commands import inarow_json

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")

COMMANDS = {
    "games": ["games"],
    "agents": ["agents", "rules"],
    "show": ["show", "connect4", "44"],
    "perft": ["perft", "connect4", "2"],
    "decide": ["decide", "connect4", "44", "greedy"],
    "match": ["match", "tictactoe", "random", "rules", "-n", "2"],
    "solve": ["solve", "connect4", "1212123434"],
}


def promised(command: str) -> list[str]:
    """The keys of the outermost object: those in backticks outside parentheses, before a semicolon or a colon."""
    row = re.search(rf"^\| `{command}` \| (.*) \|$", PAGE, re.MULTILINE)
    assert row is not None
    outer = re.sub(r"\([^)]*\)", "", re.split(r";|: a list", row[1])[0])
    return re.findall(r"`(\w+)`", outer)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prints_the_keys_that_are_documented(command: str) -> None:
    keys = promised(command)
    assert keys
    assert set(keys) <= set(inarow_json(*COMMANDS[command]))


def test_an_agent_of_a_match_has_its_documented_keys() -> None:
    agents = inarow_json(*COMMANDS["match"])["agents"]
    text = re.sub(r"\([^)]*\)", "", PAGE.partition("An **agent** of a match:")[2].partition("\n\n")[0])
    keys = set(re.findall(r"`(\w+)`", text))
    assert {"spec", "wins", "as_first", "nodes_per_move"} <= keys
    assert all(keys <= set(one) for one in agents)
