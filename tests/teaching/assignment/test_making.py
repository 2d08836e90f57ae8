"""An assignment is complete: the zip grades offline without any package, and the kit works for who fills it in."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inarow.rules import TICTACTOE, game
from inarow.solver import Oracle
from inarow.teaching.assignment.exercise import KINDS, AssignmentError, read_exercise
from inarow.teaching.assignment.grading import main
from inarow.teaching.assignment.making import draw_exercise, filled, make_assignment


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("assignment") / "week3"
    make_assignment(game("4x3x3"), folder, seed=11)
    return folder


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, "-S", *command], cwd=cwd, env=clean, capture_output=True, text=True, timeout=300, check=False
    )


def test_the_zip_gives_the_reference_full_marks_without_any_package(made: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(made / "autograder.zip") as archive:
        archive.extractall(tmp_path)
        assert archive.getinfo("run_autograder").external_attr >> 16 & 0o111, "a program can be run"
    settings = json.loads((tmp_path / "exercise.json").read_text(encoding="utf-8"))
    shorter = {**settings, "training": 1200, "trials": 60}
    (tmp_path / "exercise.json").write_text(json.dumps(shorter), encoding="utf-8")
    submission = tmp_path / "submission"
    submission.mkdir()
    (submission / "solution.py").write_bytes((made / "reference.py").read_bytes())
    done = run("-P", "grade.py", str(submission), "--results", "out/results.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert results["score"] == 100, results
    assert [test["status"] for test in results["tests"]] == ["passed"] * 6


NOSY = """
import inarow
from pathlib import Path

def legal_moves(board):
    return (Path(inarow.__file__).parents[2] / "exercise.json").read_text()

def winner(board):
    return sorted(path.name for path in Path.cwd().iterdir())

def terminal(board):
    return False
"""


def test_gradescopes_script_writes_results_and_the_hidden_positions_cannot_be_read(made: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(made / "autograder.zip") as archive:
        archive.extractall(tmp_path / "source")
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "solution.py").write_text(NOSY, encoding="utf-8")
    here = {**os.environ, "AUTOGRADER": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for script in ("setup.sh", "run_autograder"):
        done = subprocess.run(
            ["bash", str(tmp_path / "source" / script)],
            env=here,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results" / "results.json").read_text(encoding="utf-8"))
    said = {test["name"]: test["output"] for test in results["tests"]}
    assert results["score"] == 0
    assert "PermissionError" in said["Legal moves"] or "FileNotFoundError" in said["Legal moves"]  # by bubblewrap
    assert "winner returned ['solution.py']" in said["For staff"]
    assert said["Minimax"].endswith("Your file has no minimax.")


def test_students_get_the_same_checks_on_other_positions(made: Path, tmp_path: Path) -> None:
    exercise = read_exercise(made / "autograder" / "exercise.json")
    with zipfile.ZipFile(made / "student.zip") as archive:
        archive.extractall(tmp_path)
        names = {name for name in archive.namelist() if "/lib/" not in name}
        assert names == {"README.md", "kit.py", "solution.py", "check.py", "checks/exercise.json"}
    public = read_exercise(tmp_path / "checks" / "exercise.json")
    hidden = {*exercise.rules, *(one.position for one in exercise.search)}
    assert len(public.rules) >= 20
    assert len(public.search) >= 5
    assert not hidden.intersection((*public.rules, *(one.position for one in public.search)))
    assert public.points == exercise.points
    unfinished = run("check.py", cwd=tmp_path)
    assert unfinished.stdout.count("not written yet") == 5, unfinished
    (tmp_path / "solution.py").write_bytes((made / "reference.py").read_bytes())
    shorter = {**public.to_json(), "training": 50, "trials": 4}
    (tmp_path / "checks" / "exercise.json").write_text(json.dumps(shorter), encoding="utf-8")
    done = run("check.py", cwd=tmp_path)
    assert done.stdout.count("answers are right.") == 4, done


def test_a_kit_without_training_does_not_mention_it_and_refuses_illegal_moves() -> None:
    drawn = draw_exercise(TICTACTOE, 7, boards=16, searches=4)
    texts = {kind: filled("student/README.md", replace(drawn, points=points)) for kind, points in KINDS.items()}
    assert [kind for kind, text in texts.items() if b"training" in text] == ["qlearning", "complete"]
    scope: dict[str, Any] = {}
    exec(filled("student/kit.py", replace(drawn, points=KINDS["qlearning"])), scope)
    game_object = scope["Game"]()
    state = game_object.play(game_object.state(["...", "...", "..."]), 4)
    for move in (4, 9, -1):
        with pytest.raises(ValueError, match=f"{move} is not one of the moves"):
            game_object.play(state, move)


def test_the_same_seed_makes_the_same_assignment(made: Path, tmp_path: Path) -> None:
    make_assignment(game("4x3x3"), tmp_path / "again", seed=11)
    for name in ("autograder.zip", "student.zip"):
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes()


def test_hidden_values_are_exact_and_every_line_is_asked_for() -> None:
    exercise = draw_exercise(TICTACTOE, 3)
    oracle = Oracle(TICTACTOE)
    for one in exercise.search:
        for move in one.position.legal_moves():
            child = one.position.play(move)
            outcome = child.outcome()
            score = -oracle.score(child) if outcome is None else (outcome.score(one.position.to_move) - 0.5)
            sign = (score > 0) - (score < 0)
            right = one.value * (1 if one.position.ply % 2 == 0 else -1)
            assert (sign == right) == (move in one.best)
            assert sign <= right
    assert len({one.winning_cells() for one in exercise.rules if one.outcome() is not None}) >= 9


def test_a_folder_without_the_file_is_a_result_not_a_crash(made: Path, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("pass", encoding="utf-8")
    assert main(made / "autograder", [str(tmp_path), "--results", str(tmp_path / "r.json")]) == 0
    results = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert results["score"] == 0
    assert "solution.py is missing; hand in a file of that name. Found: main.py." in results["output"]


def test_wrong_input_of_the_grader_is_one_line(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(made / "autograder", [str(tmp_path / "nobody.py")]) == 2
    assert "does not exist" in capsys.readouterr().err
    (tmp_path / "exercise.json").write_text('{"version": 1}', encoding="utf-8")
    assert main(tmp_path, [str(made / "reference.py")]) == 2
    assert "is not an exercise" in capsys.readouterr().err
    (tmp_path / "exercise.json").write_text('{"version": 99}', encoding="utf-8")
    assert main(tmp_path, [str(made / "reference.py")]) == 2
    assert "is of version 99" in capsys.readouterr().err
    monkeypatch.setattr("inarow.teaching.assignment.grading.offered", lambda: type("", (), {"missing": ["no walls"]}))
    assert main(made / "autograder", [str(made / "reference.py")]) == 2
    assert "no complete sandbox here (no walls)" in capsys.readouterr().err
    assert main(made / "autograder", ["--sandbox"]) == 0
    assert "not confined: no walls" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("board", "words"), [("connect4", "has 42 cells"), ("4x3x3-free", "without gravity 9"), ("2x2x2", "too few")]
)
def test_boards_that_do_not_suit_are_refused(board: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(AssignmentError, match=words):
        make_assignment(game(board), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(AssignmentError, match="is not empty"):
        make_assignment(TICTACTOE, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(AssignmentError, match="can't be made"):
        make_assignment(TICTACTOE, tmp_path / "mine.txt" / "new")


def test_zips_do_not_depend_on_the_clock(made: Path) -> None:
    with zipfile.ZipFile(io.BytesIO((made / "student.zip").read_bytes())) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_an_image_with_an_older_python_gets_a_newer_one(made: Path, tmp_path: Path) -> None:
    """As on Ubuntu 22.04: its python3 is 3.10, and a package has 3.11."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "mkdir", "ln"):
        (programs / name).symlink_to(shutil.which(name) or "")
    installs = f'[ "$1" = install ] && ln -s {sys.executable} {programs}/python3.11; true'
    for name, body in (("python3", "exit 1"), ("apt-get", installs)):
        (programs / name).write_text(f"#!{programs}/bash\n{body}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    (tmp_path / "source").symlink_to(made / "autograder")
    (tmp_path / "submission").mkdir()

    def run(script: str) -> int:
        command = ["bash", str(made / "autograder" / script)]
        here = {"PATH": str(programs), "AUTOGRADER": str(tmp_path)}
        return subprocess.run(command, env=here, capture_output=True, timeout=300, check=False).returncode

    results = tmp_path / "results" / "results.json"
    assert run("run_autograder") == 1
    assert "it needs Python 3.11" in json.loads(results.read_text(encoding="utf-8"))["output"]
    assert run("setup.sh") == 0
    assert run("run_autograder") == 0
    assert "solution.py is missing" in json.loads(results.read_text(encoding="utf-8"))["output"]
    for name in ("python3.11", "apt-get"):
        (programs / name).unlink()
    assert run("setup.sh") == 1
