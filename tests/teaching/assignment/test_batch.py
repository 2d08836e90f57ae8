"""A folder of submissions becomes marks, feedback and exports; nobody is lost, and nothing is graded twice."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from inarow.rules import TICTACTOE
from inarow.teaching.assignment import batch
from inarow.teaching.assignment.exercise import KINDS, AssignmentError
from inarow.teaching.assignment.making import draw_exercise, filled
from support.commands import inarow
from support.league_doubles import hand_in


@pytest.fixture
def week(tmp_path: Path) -> Path:
    """A small assignment."""
    exercise = replace(draw_exercise(TICTACTOE, 7, boards=16, searches=4), points=KINDS["minimax"])
    (tmp_path / "week" / "autograder").mkdir(parents=True)
    text = json.dumps(exercise.to_json())
    (tmp_path / "week" / "autograder" / "exercise.json").write_text(text, encoding="utf-8")
    (tmp_path / "week" / "reference.py").write_bytes(filled("reference.py", exercise))
    return tmp_path / "week"


def test_a_folder_becomes_marks_feedback_and_exports(
    week: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = (week / "reference.py").read_text(encoding="utf-8")
    folder = hand_in(tmp_path / "submissions", ada=model, bob="raise ValueError('\\x1b[2J \\u202e')")
    hand_in(folder / "Cy Ng_7_assignsubmission_file", solution=model.replace("alpha >= beta", "False"), kit="x = 1")
    (tmp_path / "roster.csv").write_text(
        "file;name;id\nada.py;Ada Łuk;17\nbob.py;Bob;18\n;Cy Ng;19\n;Di;20\n", encoding="utf-8"
    )
    command = ["assignment", str(week), "--grade", str(folder), "--roster", str(tmp_path / "roster.csv")]
    assert "no Dask scheduler at" in inarow(*command, "--cluster", "tcp://127.0.0.1:9", code=2).stderr
    shown = inarow(*command).stdout
    assert "Di" in shown
    out = tmp_path / "submissions-marks"
    with (out / "marks.csv").open(encoding="utf-8") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert {name: row["points"] for name, row in rows.items()} == {
        "Ada Łuk": "100",
        "Bob": "0",
        "Cy Ng": "75",
        "Di": "0",
    }
    assert rows["Cy Ng"]["Alpha–beta is cheaper"] == "0"
    assert rows["Di"]["remark"] == "nothing was handed in"
    assert rows["Ada Łuk"]["roster: id"] == "17"
    (bob,) = (out / "feedback").glob("bob-*.txt")
    text = bob.read_text(encoding="utf-8")
    assert "could not be loaded: ValueError: \ufffd[2J \ufffd (line 1 of solution.py)" in text
    assert text.replace("\n", "").isprintable()
    assert text.count("Not checked: loading the file must pass first.") == 4
    assert "Ada Łuk,,17" in (out / "exports" / "canvas.csv").read_text(encoding="utf-8")
    assert "Ada Łuk,Cy Ng" in (out / "similar.csv").read_text(encoding="utf-8")

    def refuse(*_: object, **more: object) -> None:
        raise AssertionError("it was graded before")

    monkeypatch.setattr(batch, "grade_source", refuse)
    (folder / "bob.py").unlink()
    found = json.loads(inarow(*command, "--json").stdout)
    assert {one["name"]: one["score"] for one in found["submissions"]} == {
        "Ada Łuk": 100,
        "Bob": 0,
        "Cy Ng": 75,
        "Di": 0,
    }


def test_exports_without_a_roster_are_said_to_have_no_user_names(week: Path, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "submissions", bob="def winner(board: return")
    said = inarow("assignment", str(week), "--grade", str(folder)).stderr
    assert "roster: none, so the exports for Moodle and Canvas have no user names" in said


def test_a_folder_that_holds_no_assignment_is_one_sentence(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "submissions", ada="")
    said = inarow("assignment", str(tmp_path), "--grade", str(folder), code=2).stderr
    assert "contains no assignment with a grader" in said
    (tmp_path / "none").mkdir()
    assert "is empty" in inarow("assignment", str(tmp_path), "--grade", str(tmp_path / "none"), code=2).stderr
    with pytest.raises(AssignmentError):
        batch.grade_all(tmp_path, [], tmp_path / "out")
