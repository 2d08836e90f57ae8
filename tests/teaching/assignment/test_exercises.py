"""Every exercise: the model solution gets full marks, typical wrong ones get the stated marks, hand-outs are true."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from inarow.agents.external import Policy
from inarow.agents.external.staging import Snapshot
from inarow.rules import TICTACTOE
from inarow.teaching.assignment.exercise import KINDS, AssignmentError, Exercise, Submission
from inarow.teaching.assignment.grading import grade
from inarow.teaching.assignment.making import draw_exercise, filled, make_assignment, make_heuristic
from inarow.teaching.checking import CheckReport
from inarow.teaching.league.entrants import read_entrants
from inarow.teaching.league.running import run_league
from inarow.teaching.league.settings import read_settings
from support.commands import inarow
from support.league_doubles import hand_in


@cache
def exercise(kind: str) -> Exercise:
    """A small one: few positions, little training."""
    drawn = draw_exercise(TICTACTOE, 7, boards=32, searches=6)
    return replace(drawn, points=KINDS[kind], training=3000, trials=100)


Changes = tuple[tuple[str, str], ...]
WRONG: dict[str, tuple[str, Changes, float]] = {
    "the model solution of minimax": ("minimax", (), 100),
    "alpha–beta without pruning": ("minimax", (("if alpha >= beta:", "if False:"),), 75),
    "a winner without rising diagonals": ("minimax", ((", (1, -1))", ")"),), 97.5),
    "a full board is not the end": ("minimax", ((" or all(cell != ", " or False and all(cell != "),), 97.5),
    "a winner for rows only": ("minimax", (("((0, 1), (1, 0), (1, 1), (1, -1))", "((0, 1),)"),), 92.5),
    "nobody ever wins": ("minimax", (("return marks.pop()", "pass"),), 90),
    "both players maximise": (
        "minimax",
        (('sign = 1 if game.player(state) == "X" else -1\n    best', "sign = 1\n    best"),),
        75,
    ),
    "bounds taken for best moves": (
        "minimax",
        (("value > best[0]", "value >= best[0]"), ("value < best[0]", "value <= best[0]")),
        50,
    ),
    "the model solution of Q-learning": ("qlearning", (), 100),
    "no thought of the end": ("qlearning", (("max(next_values, default=0)", "max(next_values)"),), 13.33),
    "a learner that forgets": (
        "qlearning",
        (("                state = after\n", "                state = after\n        self.q = {}\n"),),
        40,
    ),
}
"""The points out of 100 of the model solution with such changes."""


@pytest.mark.parametrize("name", WRONG)
def test_a_typical_solution_gets_the_stated_marks(name: str) -> None:
    kind, changes, points = WRONG[name]
    text = filled("reference.py", exercise(kind)).decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    student = Submission(Snapshot("solution.py", (("solution.py", text.encode()),)), Policy(), 60)
    results = grade(student, exercise(kind))
    assert sum(one.points for one in results) == pytest.approx(points, abs=0.01), [
        (r.name, r.points, r.output) for r in results
    ]
    assert sum(one.most for one in results) == 100


@pytest.mark.parametrize("kind", ["minimax", "qlearning"])
def test_a_starter_that_is_not_filled_in_gets_nothing(kind: str) -> None:
    source = filled("student/solution.py", exercise(kind))
    results = grade(Submission(Snapshot("solution.py", (("solution.py", source),)), Policy(), 60), exercise(kind))
    assert {one.points for one in results} == {0.0}
    assert "part" not in source.decode(), "no mark of the template is left"


def commands(page: Path) -> list[str]:
    """The commands in the code blocks of a page."""
    blocks = re.findall(r"^```\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def shorten(folder: Path) -> None:
    for path in folder.rglob("exercise.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        less = {
            "rules": data["rules"][::4],
            "search": data["search"][:3],
            "training": 3000,
            "trials": 100,
            "seconds": 60,
        }
        path.write_text(json.dumps({**data, **less}), encoding="utf-8")


@pytest.mark.parametrize("kind", ["minimax", "qlearning"])
def test_the_commands_of_the_hand_outs_give_the_model_solution_full_marks(kind: str, tmp_path: Path) -> None:
    make_assignment(TICTACTOE, tmp_path / "week", 5, kind)
    week = tmp_path / "week"
    shorten(week)
    (week / "student" / "solution.py").write_bytes((week / "reference.py").read_bytes())
    hand_in(week / "submissions", ada=(week / "reference.py").read_text(encoding="utf-8"))
    run = {week / "student": commands(week / "student" / "README.md")}
    assert run[week / "student"] == ["python check.py"]
    if kind == "minimax":  # the teacher's commands are the same for all
        run[week] = commands(week / "README.md")
        assert "inarow assignment . --grade submissions" in run[week]
    for folder, lines in run.items():
        for line in lines:
            words = line.split()
            program = [sys.executable, *(["-m", "inarow"] if words[0] == "inarow" else []), *words[1:]]
            done = subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
            assert done.returncode == 0, (line, done.stderr)
            assert re.search(r"\b100\b", done.stdout), (line, done.stdout)


HEURISTIC: dict[str, tuple[Changes, float]] = {
    "the model solution": ((), 100),
    "no look ahead": ((("DEPTH = 4", "DEPTH = 1"),), 83.89),
    "the sign forgotten": ((("value = -search(", "value = search("), ("else -search(", "else search(")), 49.22),
}
"""The points out of 100, with 3 pairs per reference player."""
INDEPENDENT = (
    (
        "    return 0\n",
        """    score = 3 * sum((board[cell] == mark) - (board[cell] == 3 - mark) for cell in range(3, 42, 7))
    for line in LINES:
        stones = [board[cell] for cell in line]
        mine, theirs = stones.count(mark), stones.count(3 - mark)
        if not (mine and theirs):
            score += (0, 1, 4, 16, 0)[mine] - (0, 1, 4, 16, 0)[theirs]
    return score
""",
    ),
    (
        "    raise NotImplementedError\n",
        """    if has_won(board, 3 - mark):
        return -WIN - depth
    options = sorted(moves(board), key=lambda column: abs(column - 3))
    if depth == 0 or not options:
        return evaluate(board, mark) if options else 0
    for column in options:
        alpha = max(alpha, -search(play(board, column, mark), 3 - mark, depth - 1, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha
""",
    ),
)
"""The starter filled in by somebody who has not seen the model solution: another evaluation, 3 plies instead of 4."""


def test_the_league_gives_typical_heuristic_agents_the_stated_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inarow.teaching.league.judging.check_agent", lambda *_, **more: CheckReport())
    make_heuristic(tmp_path / "week", 1)
    week = tmp_path / "week"
    given = {name: ("reference.py", changes) for name, (changes, _) in HEURISTIC.items()}
    given["independent"] = ("student/agent.py", INDEPENDENT)
    sources = {}
    for name, (file, changes) in given.items():
        sources[name] = (week / file).read_text(encoding="utf-8")
        for old, new in changes:
            assert old in sources[name]
            sources[name] = sources[name].replace(old, new)
    settings = read_settings(tmp_path / "week" / "league.toml")
    short = replace(settings, marking=replace(settings.marking, pairs=3, max_pairs=3))
    table = run_league(read_entrants(hand_in(tmp_path / "class", **sources)), short, tmp_path / "out", workers=1)
    points = {one.entrant.name: one.points for one in table}
    assert points.pop("independent") == 100, "the points do not ask for the model solution's own evaluation"
    assert points == {name: stated for name, (_, stated) in HEURISTIC.items()}


def test_the_hand_out_of_the_league_shows_its_points_and_its_commands_run(tmp_path: Path) -> None:
    settings = make_heuristic(tmp_path / "week", 1)
    student = tmp_path / "week" / "student"
    page = (student / "README.md").read_text(encoding="utf-8")
    for rung in settings.ladder:
        assert f"| score against {rung.name} | {rung.points:g} |" in page
    assert settings.most_points == 100
    assert "seed" not in (student / "league.toml").read_text(encoding="utf-8")
    (student / "agent.py").write_text("def agent(observation, configuration):\n    return 3\n", encoding="utf-8")
    quick = (
        (student / "league.toml")
        .read_text(encoding="utf-8")
        .replace("\n[limits]", "pairs = 1\nmax_pairs = 1\n\n[limits]")
    )
    (student / "league.toml").write_text(quick, encoding="utf-8")
    (line,) = commands(student / "README.md")
    words = line.replace("agent.py", str(student / "agent.py")).split()[1:]
    assert "of 100 points" in inarow(*words, "--workers", "1").stdout


def test_an_unknown_exercise_is_one_sentence(tmp_path: Path) -> None:
    said = inarow("assignment", str(tmp_path / "x"), "--exercise", "minmax", code=2).stderr
    assert "unknown exercise 'minmax'; did you mean minimax?" in said
    with pytest.raises(AssignmentError, match="is not empty"):
        make_heuristic(hand_in(tmp_path / "full", ada=""))
