"""Grades by the exact truth, checked by plain enumeration."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import pytest

import inarow as package
from inarow.agents import AgentError, agent
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Position, game
from inarow.truth import grade_matches, grade_positions
from inarow.truth.grading import count_lines, decider
from support.arena_doubles import Doing
from support.commands import inarow


def test_the_shipped_learners_of_tic_tac_toe_never_err() -> None:
    for spec in ("qlearning", "ntuple"):
        grade = grade_positions(agent(spec), TICTACTOE, count=1, seed=3)
        assert grade.whole
        assert grade.total.moves == grade.total.kept == 4520
        assert grade.lines["as first"]["losses"] == grade.lines["as second"]["losses"] == 0


def test_a_poor_player_is_found_out() -> None:
    grade = grade_positions(agent("random"), TICTACTOE, count=1, seed=3)
    assert 0.5 < grade.total.kept / grade.total.moves < 0.9
    assert grade.lines["as second"]["losses"] > 0


def test_every_line_of_play_is_counted() -> None:
    """A player with a fixed order of cells against everything: by hand on a board of four cells."""
    board = game("2x2x2")
    lines = count_lines(board, FIRST, lambda position: position.legal_moves()[0])
    assert lines == {"wins": 2, "draws": 0, "losses": 0}  # two replies, then any second stone touches the first


def test_a_perfect_player_keeps_every_verdict_and_draws_with_itself() -> None:
    board = game("4x4x4")
    grade = grade_positions(agent("perfect"), board, count=30, seed=1, first_ply=5)
    assert grade.total.moves == grade.total.kept == 30
    grade_matches(grade, {"random-perfect": agent("perfect:resist=any")}, matches=3, seed=1)
    assert grade.against["as first against random-perfect"] == [0.5, 0.5, 0.5]
    assert grade.to_json()["against_perfect"]["as second against random-perfect"]["estimate"] == 0.5


def test_a_decider_decides_the_same_again() -> None:
    decide = decider(agent("random"), 5)
    start = Position.start(TICTACTOE)
    assert decide(start) == decide(start)


def test_the_best_move_is_counted_beside_the_kept_verdict() -> None:
    for spec, best in (("perfect", True), ("perfect:resist=any", False)):
        total = grade_positions(agent(spec), CONNECT4, count=60, seed=1, first_ply=20).total
        assert (total.kept, total.perfect == 60) == (60, best)


def test_the_command_prints_a_grade() -> None:
    text = inarow("grade", "tictactoe", "qlearning").stdout
    assert "keeps the verdict in 100 % (99.9–100) of all 4,520 positions" in text
    assert "Of the 3,191 positions with a choice it keeps the verdict in 100 %" in text
    assert "plays a move with the best score in " in text
    assert "Every line of play" in text
    found = json.loads(inarow("grade", "4x4x4", "rules", "--positions", "20", "--matches", "2", "--json").stdout)
    assert found["accuracy"]["low"] < found["accuracy"]["estimate"] <= 1
    assert found["perfect"]["estimate"] <= found["accuracy"]["estimate"]
    assert sum(ply["moves"] for ply in found["by_ply"].values()) == 20
    assert "as first against longest resistance" in found["against_perfect"]
    assert "unknown agent" in inarow("grade", "tictactoe", "nobody", code=2).stderr


def test_a_failing_agent_raises_its_own_exception_in_python() -> None:
    with pytest.raises(RuntimeError, match="no idea") as raised:
        package.grade("tictactoe", Doing("raises"))
    assert raised.value.__notes__[0].startswith("raised by doing:deed=raises in position('tictactoe', '...")
    with pytest.raises(AgentError, match="doing:deed=raises can't be graded: exception on the empty board: RuntimeErr"):
        package.grade("tictactoe", Doing("raises"), strict=False)


def test_the_command_says_where_an_agent_failed(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("def agent(observation, configuration):\n    return 7\n")
    done = inarow("grade", "connect4", str(path), "--positions", "5", code=2)
    assert done.stderr.startswith(f"inarow: file:{path} can't be graded: illegal move after the moves ")
    assert "it returned 7: move 7 is out of range: connect4 has columns 0 to 6" in done.stderr
    path.write_text("def agent(observation, configuration):\n    return 1 / 0\n")
    done = inarow("grade", "tictactoe", str(path), code=2)
    assert done.stderr.startswith(f"inarow: file:{path} can't be graded: exception on the empty board: ZeroDivisionErr")
    assert len(done.stderr.splitlines()) == 1


def test_fewer_positions_than_asked_for_are_explained() -> None:
    few = grade_positions(agent("random"), CONNECT4, count=10_000, seed=1, first_ply=34)
    found = few.total.moves
    assert few.shortage == (
        f"10,000 positions were requested and {found} are graded: the truth set has no more with a choice."
    )
    assert few.shortage in unescape(few._repr_html_())
    assert f"{found} positions with a choice, verdict kept in" in repr(few)
    assert grade_positions(agent("random"), CONNECT4, count=found, seed=1, first_ply=34).shortage == ""
    assert grade_positions(agent("random"), TICTACTOE, count=10_000, seed=1).shortage == ""


def test_all_positions_and_those_with_a_choice_are_told_apart() -> None:
    found = grade_positions(agent("rules"), TICTACTOE, count=1, seed=3)
    data = found.to_json()
    assert data["positions"] == "all"
    assert data["accuracy"]["estimate"] > data["accuracy_with_choice"]["estimate"] + 0.02
    assert " of those with a choice), best score" in repr(found)
