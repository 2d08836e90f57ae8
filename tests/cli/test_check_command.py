"""inarow check gives an agent's author a readable report, and a grader an exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import inarow, inarow_json
from support.external_corpus import CS50, GOOD, UNLOADABLE, bad_source, write


@pytest.mark.parametrize("board", ["connect4", "tictactoe"])
def test_a_good_file_is_found_to_be_ready(board: str, tmp_path: Path) -> None:
    path = write(tmp_path, "good", GOOD["inarow class"])
    shown = inarow("check", board, str(path)).stdout
    assert "Ready: no failure in 12 matches" in shown
    assert "missed a win in one" in shown
    assert "s are allowed, and 10 s more for the first move" in shown


def test_packages_that_leagues_do_not_allow_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, "good", f"if 0:\n    import numpy, matplotlib\n{GOOD['connectx']}")
    said = " ".join(inarow("check", str(path)).stdout.split())
    assert "Ready" in said
    assert (
        "It imports matplotlib. A league allows only the standard library, numpy, unless its settings list more."
        in said
    )


def test_a_cs50_file_is_found_to_be_ready(tmp_path: Path) -> None:
    data = inarow_json("check", "tictactoe", str(write(tmp_path, "tictactoe", CS50)))
    assert (data["faults"], data["problems"], data["stopped"]) == (0, [], "")
    assert {match["seat"] for match in data["matches"]} == {"first", "second"}
    assert all(match["result"] != "loss" for match in data["matches"] if not match["opening"])
    assert {"the empty board", "one legal move left"} <= {one["position"] for one in data["checks"]}
    assert set(data["timing"]) == {"decisions", "slowest", "mean", "limit", "breaks"}


def test_a_bad_file_is_told_where_it_fails(tmp_path: Path) -> None:
    path = write(tmp_path, "bad", bad_source("return 3"))
    shown = inarow("check", "connect4", str(path), code=1).stdout
    assert "illegal move: it returned 3: column 3 is full" in shown
    assert "first seen: as first player against follower, after moves 444444" in shown
    assert "Moves are shown counting from 1; in Python they count from 0." in shown
    assert "Not ready: it failed" in shown


@pytest.mark.parametrize("does", ["open('/etc/passwd')", "__import__('os').fork()"])
def test_what_the_sandbox_refuses_is_explained(does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.teaching.checking.PATIENCE", 0.0)
    shown = inarow("check", "tictactoe", str(write(tmp_path, "bad", bad_source(does))), code=1).stdout
    assert "A sandboxed agent can open only its own files; it has no network and starts no processes." in shown


def test_an_agent_that_is_too_slow_is_told_what_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.agents.file.FIRST_SECONDS", 0.0)
    slow = write(tmp_path, "slow", bad_source("import time; time.sleep(100)"))
    shown = inarow("check", "tictactoe", str(slow), "--seconds", "0.1", code=1).stdout
    assert "A larger --seconds allows more time; a search of the whole game tree needs a cut-off" in shown


def test_the_same_crash_is_told_once_with_the_authors_own_line(tmp_path: Path) -> None:
    path = write(tmp_path, "bad", bad_source("import random\n    return random.choice(observation.board[7:7])"))
    shown = inarow("check", "connect4", str(path), code=1).stdout
    assert shown.count("PROBLEM") == shown.count("(line 3 of bad.py)") == 1


def test_a_check_that_ends_early_does_not_say_that_limits_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inarow.teaching.checking.PATIENCE", 0.0)
    shown = inarow("check", "tictactoe", str(write(tmp_path, "good", GOOD["connectx"]))).stdout
    assert "The check ended early" in shown
    assert "It keeps" not in shown
    assert "1 match and 0 positions" in shown


@pytest.mark.parametrize("name", ["syntax error", "no agent"])
def test_a_file_that_cannot_be_loaded_is_one_line(name: str, tmp_path: Path) -> None:
    source, said = UNLOADABLE[name]
    shown = inarow("check", "connect4", str(write(tmp_path, "bad", source)), code=1).stdout
    assert f"cannot be loaded: {said}" in shown
    assert len(shown.splitlines()) == 1


@pytest.mark.parametrize(("path", "reason"), [("/no/such.py", "does not exist"), ("/dev/null", "neither a file")])
def test_a_path_without_a_file_is_refused(path: str, reason: str) -> None:
    assert reason in inarow("check", "connect4", path, code=2).stderr


def test_a_folder_of_agents_is_for_a_league(tmp_path: Path) -> None:
    for name in ("ada", "bob"):
        write(tmp_path, name, GOOD["connectx"])
    assert f"`inarow league {tmp_path}` checks a folder" in inarow("check", str(tmp_path), code=2).stderr


def test_a_trusted_file_is_checked_with_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.teaching.checking.PATIENCE", 0.0)
    path = str(write(tmp_path, "good", GOOD["connectx"]))
    assert "WARNING: an agent in a file is not fully sandboxed" in inarow("check", path, "--trust").stderr
    assert "mutually exclusive" in inarow("check", path, "--trust", "--require-sandbox", code=2).stderr


@pytest.mark.parametrize(
    "command", [["decide", "connect4", "44"], ["grade", "connect4"], ["play", "connect4", "--delay", "0", "random"]]
)
def test_commands_that_run_one_agent_take_the_same_options(command: list[str], tmp_path: Path) -> None:
    path = f"file:{write(tmp_path, 'good', GOOD['connectx'])}"
    done = inarow(*command, path, "--trust", *(["--positions", "1"] if command[0] == "grade" else []))
    assert "WARNING: an agent in a file is not fully sandboxed" in done.stderr
    assert "WARNING" not in done.stdout
    assert "mutually exclusive" in inarow(*command, path, "--trust", "--require-sandbox", code=2).stderr


def test_the_page_runs_agents_in_files_in_the_whole_sandbox() -> None:
    done = inarow("play", "--ui", "web", "--trust", code=2)
    assert "always uses the full sandbox" in done.stderr


@pytest.mark.parametrize("command", [["match", "-n", "2"], ["tournament", "--pairs", "1", "--workers", "1"]])
def test_matches_and_tournaments_take_the_same_options(command: list[str], tmp_path: Path) -> None:
    path = write(tmp_path, "good", bad_source("import inarow.solver"))
    name, *rest = command
    agents = ("connect4", f"file:{path}", "random")
    assert "Permission denied" in inarow(name, *agents, *rest, "--require-sandbox").stdout
    done = inarow(name, *agents, *rest, "--trust")
    assert done.stdout.count("it returned None") == 1, "the same fault is told once"
    assert "WARNING" in done.stderr
