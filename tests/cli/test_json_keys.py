"""The JSON keys that the docs list are those that the commands print, both ways and for every command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from inarow.cli.main import app
from support.commands import inarow, inarow_json

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")

AGENT = """
from inarow.agents import Agent, Decision, Mind

class Lowest(Agent):
    name = "lowest"
    summary = "for tests"

    def mind(self, game, player, seed):
        return LowestMind()

class LowestMind(Mind):
    def think(self, position, limit, stop):
        return Decision(position.legal_moves()[0])
"""

COMMANDS = {
    "bench": "bench --json",
    "table build": "table build 3x3x3 --out {tmp}/built.table",
    "table show": "table show {tmp}/3x3x3.table",
    "doctor": "doctor --json",
    "games": "games",
    "agents": "agents",
    "show": "show connect4 44",
    "perft": "perft connect4 2 --divide",
    "decide": "decide connect4 44 rules",
    "match": "match tictactoe random rules -n 2",
    "solve": "solve connect4 1212123434",
    "solve --file": "solve connect4 --file {tmp}/positions.txt",
    "annotate": "annotate {tmp}/records.jsonl",
    "train": "train 3x3x3 qlearning --episodes 50 --eval-matches 1 --out {tmp}/other.npz",
    "model list": "model list",
    "model show": "model show {tmp}/model.npz",
    "tournament": "tournament tictactoe random rules --pairs 1 --workers 1",
    "sprt": "sprt tictactoe random rules --pairs 1 --workers 1",
    "sprt --plan": "sprt --plan",
    "results": "results {tmp}/league.db --truth",
    "grade": "grade tictactoe rules",
    "rate": "rate tictactoe greedy --pairs 20 --positions 5 --workers 1",
    "dataset": "dataset tictactoe --from-ply 6 --per-ply 2 --out {tmp}/positions.csv",
    "check": "check tictactoe {tmp}/agent.py",
    "league": "league {tmp}/class --workers 1",
    "league --preview": "league --preview {tmp}/class/ada.py --workers 1",
    "check-tests": "check-tests {tmp}/expected.csv",
    "assignment": "assignment {tmp}/week",
    "assignment --grade": "assignment {tmp}/week --grade {tmp}/class",
    "tree": "tree ((1,2),(3,4))",
}


class Keys(NamedTuple):
    """The keys of an object, as the docs list them."""

    listed: set[str]
    optional: set[str]
    """Those among them that are printed sometimes only."""

    def are_those_of(self, data: dict[str, Any]) -> None:
        assert self.listed - self.optional <= set(data) <= self.listed


def documented(name: str) -> Keys:
    """The keys in the row of a command (in backticks) or an object: those in backticks outside parentheses."""
    row = re.search(rf"^\| {name} \| (.*) \|$", PAGE, re.MULTILINE)
    assert row is not None, name
    listed = row[1].split(";")[0] if name == "`decide`" else row[1]
    outer = re.sub(r"\([^)]*\)", "", listed)
    return Keys(set(re.findall(r"`(\w+)`", outer)), set(re.findall(r"`(\w+)` \(only ", listed)))


def with_json(command: Any, path: str = "") -> Iterator[str]:
    """Every command with ``--json``."""
    context = typer.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if hasattr(inner, "commands"):
            yield from with_json(inner, f"{path}{name} ")
        elif any("--json" in parameter.opts for parameter in inner.params):
            yield f"{path}{name}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("json")
    (made / "positions.txt").write_text("1212123434\n")
    (made / "agent.py").write_text(AGENT)
    (made / "expected.csv").write_text("game,moves,best\ntictactoe,1,5\n")
    (made / "class").mkdir()
    (made / "class" / "ada.py").write_text("this is no program")
    inarow("match", "tictactoe", "random", "rules", "-n", "2", "--out", str(made / "records.jsonl"))
    inarow("train", "3x3x3", "qlearning", "--episodes", "50", "--eval-matches", "1", "--out", str(made / "model.npz"))
    inarow(
        *["tournament", "tictactoe", "random", "rules", "--pairs", "1", "--workers", "1", "--out"],
        str(made / "league.db"),
    )
    inarow("table", "build", "3x3x3", "--out", str(made / "3x3x3.table"))
    return made


def printed(name: str, folder: Path) -> dict[str, Any]:
    force = ["--force"] if name == "train" else []
    data: dict[str, Any] = inarow_json(*COMMANDS[name].format(tmp=folder).split(), *force)
    return data


def test_every_command_with_json_is_in_the_docs_and_tested() -> None:
    variants = {"solve --file", "sprt --plan", "league --preview", "assignment --grade"}
    assert set(with_json(typer.main.get_command(app))) == set(COMMANDS) - variants


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_the_keys_that_are_documented_and_no_others(name: str, folder: Path) -> None:
    documented(f"`{name}`").are_those_of(printed(name, folder))


def test_the_objects_within_have_the_keys_that_are_documented_and_no_others(folder: Path) -> None:
    agent, seat, claim = documented("agent"), documented("seat"), documented("claim")
    match = printed("match", folder)
    (tournament,), (test,) = (printed(name, folder)["tournaments"] for name in ("results", "sprt"))
    (pairing,) = tournament["pairings"]
    for one in (*match["agents"], pairing["a"], pairing["b"]):
        agent.are_those_of(one)
        seat.are_those_of(one["as_first"])
        seat.are_those_of(one["as_second"])
    for one in (match["claim"], pairing["claim"]):
        claim.are_those_of(one)
    graded = (*printed("annotate", folder)["agents"].values(), *printed("grade", folder)["by_ply"].values())
    for one in (*graded, *tournament["truth"]["agents"].values()):
        documented("accuracy").are_those_of(one)
    documented("tournament").are_those_of(tournament)
    documented("tournament").are_those_of(test)
    documented("pairing").are_those_of(pairing)
    documented("sprt").are_those_of(test["sprt"])
    documented("entrant").are_those_of(printed("league", folder)["entrants"][0])
    more = documented("standing")
    for standing in tournament["standings"]:
        Keys(more.listed | agent.listed, set()).are_those_of(standing)
