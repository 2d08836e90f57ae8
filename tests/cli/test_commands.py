"""The commands as a user runs them: what they print, what they exit with."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inarow.match import Pair, play_series
from inarow.match.record import read_records
from support.commands import inarow, inarow_json


def test_games_lists_both_named_games() -> None:
    assert [g["name"] for g in inarow_json("games")["games"]] == ["tictactoe", "connect4"]
    assert "COLUMNSxROWSxK" in inarow("games").stdout


def test_agents_lists_names_parameters_and_defaults() -> None:
    agents = {a["name"]: a for a in inarow_json("agents")["agents"]}
    assert agents["random"]["parameters"] == []
    style = next(p for p in agents["rules"]["parameters"] if p["name"] == "style")
    assert style["default"] == "random"
    assert style["values"] == "one of random, centre, corners"
    assert "Value: one of random, centre, corners." in " ".join(inarow("agents", "rules").stdout.split())
    assert "mine.py does not exist" in inarow("agents", "mine.py", code=2).stderr
    evaluators = {e["name"]: e for e in inarow_json("agents")["evaluators"]}
    assert {"name", "default", "values", "help"} == set(evaluators["windows"]["parameters"][0])
    assert "three=5" in inarow("agents", "windows").stdout
    assert [e["name"] for e in inarow_json("agents", "windows")["evaluators"]] == ["windows"]
    assert "takes no parameters" in inarow("agents", "random").stdout
    assert "root" not in inarow("agents").stdout, "only who asks for one agent sees its parameters"
    assert "root=" in inarow("agents", "alphabeta").stdout


def test_show_draws_a_position_and_says_whose_turn_it_is() -> None:
    shown = inarow("show", "connect4", "4455").stdout
    assert " .  .  .  O (O) .  . \n .  .  .  X  X  .  . \n 1  2  3  4  5  6  7 " in shown
    assert "First player (X) to move. Legal: 1, 2, 3, 4, 5, 6, 7" in shown
    data = inarow_json("show", "tictactoe", "14253")
    assert data["result"] == "first"
    assert data["winning_cells"] == [0, 1, 2]
    assert data["rows"] == ["XXX", "OO.", "..."]
    assert data["to_move"] is None
    assert "[X][X][X]" in inarow("show", "tictactoe", "14253").stdout
    drawn = inarow_json("show", "tictactoe", "--drawing", "X.O/.../...")
    assert (drawn["ply"], drawn["moves"]) == (2, None)


def test_perft_counts_ply_by_ply() -> None:
    plies = inarow_json("perft", "connect4", "7")["plies"]
    assert [(p["ply"], p["positions"], p["sequences"]) for p in plies][-2:] == [(6, 16422, 117649), (7, 54859, 823536)]
    divided = inarow_json("perft", "connect4", "3", "--divide", "--moves", "44")
    assert sum(below["sequences"] for below in divided["divide"]) == divided["plies"][-1]["sequences"]
    assert "255,168" not in inarow("perft", "tictactoe", "9").stdout
    assert "127,872" in inarow("perft", "tictactoe", "9").stdout


def test_perft_shows_what_was_counted_before_it_became_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.rules.counting.MAX_CHILDREN", 10_000)
    done = inarow("perft", "connect4", "99", code=2)
    assert "1,120" in done.stdout
    assert "ply 6 has too many positions to count: up to 29,841, but at most 10,000" in done.stderr
    assert "give at most 5 plies" in done.stderr
    assert len(inarow_json("perft", "connect4", "5")["plies"]) == 6


def test_perft_shows_what_was_counted_before_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("inarow.rules.counting._children", interrupt)
    done = inarow("perft", "connect4", "9", code=130)
    assert "Connect 4 from ply 0" in done.stdout
    assert done.stderr == "inarow: interrupted.\n"


def test_match_reports_both_agents_and_keeps_the_clock_apart() -> None:
    command = ["match", "connect4", "rules", "random", "--matches", "40", "--seed", "3"]
    data = inarow_json(*command)
    assert (data["game"], data["matches"]) == ("connect4", 40)
    assert 35 <= data["distinct"] <= 40
    rules, chance = data["agents"]
    assert rules["spec"] == "rules"
    assert rules["wins"] == chance["losses"] == rules["as_first"]["wins"] + rules["as_second"]["wins"]
    assert rules["nodes_per_move"] == 0
    again = inarow_json(*command)
    del data["timing"], again["timing"]
    assert data == again
    other = inarow_json(*command[:-1], "5")
    del other["timing"]
    assert other != data


def test_match_says_what_its_result_shows() -> None:
    assert "rules is better than random" in inarow("match", "connect4", "rules", "random", "-n", "40").stdout
    assert "No difference is shown" in inarow("match", "connect4", "random", "random", "-n", "20").stdout


def test_match_saves_its_records_and_writes_nothing_over(tmp_path: Path) -> None:
    for name in ("games.jsonl", "games.txt"):
        path = tmp_path / name
        command = ["match", "tictactoe", "rules", "random", "-n", "4", "--out", str(path)]
        inarow(*command)
        records = list(read_records(path))
        assert [r.first for r in records] == ["rules", "random", "rules", "random"]
        before = path.read_bytes()
        assert f"{path} exists; give another name, or --force" in inarow(*command, code=2).stderr
        assert path.read_bytes() == before
        inarow(*command, "--force", "--seed", "9")
        assert [r.seed for r in read_records(path)] != [r.seed for r in records]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("show conect4 44", "unknown game 'conect4'; did you mean connect4?"),
        ("show 9x9x5 1", "too large"),
        ("show connect4 48", "character 2 ('8'), move 2: '8' is not a column"),
        ("show connect4 4444444", "column 4 is full"),
        ("show tictactoe 142536", "the game is over"),
        ("show tictactoe 1 --drawing X../.../...", "give moves or --drawing, not both"),
        ("show tictactoe --drawing XX./.../...", "2 stones of the first player"),
        ("match connect4 human random", "human is a person, not an agent; to play yourself, use `inarow play`"),
        ("match connect4 ruels random", "unknown agent 'ruels'; did you mean rules"),
        ("match connect4 rules:style=wild random", "style=wild is not one of random, centre, corners"),
        ("match connect4 rules:style=corners random", "has gravity"),
        (
            "match connect4 rules random --seconds 1e308",
            "seconds must be a positive number up to 2,592,000, got 1e+308",
        ),
        ("match connect4 rules random --matches 99999999999", "10000000"),
        ("tournament connect4 rules random --pairs 99999999999", "10000000"),
        ("grade connect4 rules --positions 99999999999", "10000000"),
        (
            "train connect4 qlearning -n 99999999999999 --out model.npz",
            "episodes must be an integer from 1 to 10,000,000,000, got 99999999999999",
        ),
        ("match connect4 rules random --seats left", "--seats must be swap or keep, got left"),
        ("match connect4 rules random --openings moves:12121212", "the game is over"),
        ("match connect4 rules random --openings moves:1212121", "1212121 is a finished game"),
        ("match tictactoe rules random --openings random:9", "openings of 9 plies are not possible"),
        ("match connect4 rules random --seconds 0", "seconds must be a positive number"),
        ("match connect4 rules random --out nowhere/x.txt", "does not exist; create it first"),
        ("match connect4 rules random --out .", "is a folder"),
        ("agents minmax", "unknown agent 'minmax'"),
        ("perft connect4 many", "Invalid value"),
        ("match connect4", "Missing argument"),
        ("match connect4 rules", "match takes two agents, got 1 (rules)"),
        ("frobnicate", "unknown command 'frobnicate'"),
    ],
)
def test_bad_input_gets_one_clear_message_and_exit_code_2(arguments: str, reason: str, tmp_path: Path) -> None:
    done = inarow(*arguments.split(), code=2)
    assert reason in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_every_command_has_help_with_an_example() -> None:
    listed = inarow("--help").stdout
    for command in ("games", "agents", "show", "perft", "decide", "match", "play"):
        assert command in listed
        shown = inarow(command, "--help").stdout
        assert "Example" in shown
        assert f"inarow {command}" in shown.partition("Example")[2]


@pytest.mark.parametrize("arguments", [("agents",), ("perft", "tictactoe", "9"), ("show", "connect4", "--json")])
def test_a_closed_pipe_is_no_error(arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "inarow", *arguments], stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_keeps_what_was_played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Iterator[Pair]:
        yield from itertools.islice(play_series(*arguments, **options), 3)
        raise KeyboardInterrupt

    monkeypatch.setattr("inarow.match.play_series", interrupted)
    path = tmp_path / "games.jsonl"
    done = inarow("match", "connect4", "rules", "rules", "-n", "1000", "--json", "--out", str(path), code=130)
    assert json.loads(done.stdout)["matches"] == 6
    assert len(list(read_records(path))) == 6
    assert "interrupted after 6 of 1000 matches" in done.stderr
