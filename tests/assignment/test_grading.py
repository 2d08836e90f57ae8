"""The grader gives full marks to a right solution; a wrong one loses the points of what is wrong, with a reason."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from inarow.agents.external.policy import Policy
from inarow.agents.external.staging import Snapshot
from inarow.assignment.exercise import Exercise
from inarow.assignment.grading import Result, grade, searched
from inarow.assignment.making import draw_exercise, filled
from inarow.assignment.session import Student
from inarow.rules import TICTACTOE

PARTS = ("Legal moves", "End of the game", "Minimax", "Alpha–beta gives the same answers", "Alpha–beta is cheaper")
FULL = dict(zip(PARTS, (10, 15, 20, 20, 15), strict=True))


@cache
def exercise() -> Exercise:
    """A small one: few positions, little training."""
    return replace(draw_exercise(TICTACTOE, 7, boards=32, searches=5), training=2, trials=2, seconds=1.0)


def source(*changes: tuple[str, str], name: str = "reference.py") -> str:
    text = filled(name, exercise()).decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def snapshot(text: str) -> Snapshot:
    return Snapshot("solution.py", (("solution.py", text.encode()),))


def graded(text: str) -> dict[str, Result]:
    student = Student(snapshot(text), Policy(), exercise().seconds)
    return {one.name: one for one in grade(student, exercise())}


def lost(results: dict[str, Result]) -> dict[str, str]:
    """The parts that lost points, and why; the learner has too little training here to count."""
    return {part: results[part].output for part in PARTS if results[part].points < FULL[part]}


def test_a_right_solution_loses_nothing() -> None:
    assert not lost(graded(source()))


def test_a_right_search_is_right_without_a_sandbox() -> None:
    trusted = Student(snapshot(source()), Policy(trust=True), exercise().seconds)
    found = searched(trusted, exercise().search, "alphabeta", 1)
    assert (found.right, found.complaint) == (found.total, "")
    assert found.plays == found.textbook < found.plain


def test_a_starter_that_is_not_filled_in_gets_no_points_and_is_told_so() -> None:
    results = graded(source(name="student/solution.py"))
    assert sum(one.points for one in results.values()) == 0
    assert "legal_moves is not written yet" in results["Legal moves"].output
    assert "Learner.choose is not written yet" in results["Learner"].output


def test_lines_that_end_in_the_last_row_are_missed() -> None:
    found = lost(graded(source(("0 <= r < ROWS and", "0 <= r < ROWS - 1 and"))))
    assert list(found) == ["End of the game"]
    assert re.search(
        r"winner returned None, '[XO]' was expected, for this board:\n    [XO.] ", found["End of the game"]
    )


def test_a_move_whose_value_is_only_a_bound_is_not_a_best_move() -> None:
    found = lost(
        graded(source(("or value > best[0]", "or value >= best[0]"), ("or value < best[0]", "or value <= best[0]")))
    )
    assert list(found) == ["Alpha–beta gives the same answers", "Alpha–beta is cheaper"]
    assert "not a move that reaches it" in found["Alpha–beta gives the same answers"]
    assert "compare with > and <" in found["Alpha–beta gives the same answers"]
    assert "must be right first" in found["Alpha–beta is cheaper"]


def test_minimax_in_place_of_alphabeta_is_right_but_not_cheaper() -> None:
    results = graded(source() + "\nalphabeta = minimax\n")
    assert list(lost(results)) == ["Alpha–beta is cheaper"]
    assert results["Alpha–beta is cheaper"].points == 0


def test_a_wrong_value_is_shown_with_the_position() -> None:
    wrong = source(("return game.value(state), None\n    sign", "return 1 - game.value(state), None\n    sign"))
    found = lost(graded(wrong))
    assert list(found) == ["Minimax"]
    assert re.search(
        r"returned the value -?\d, -?\d is right, for this position \([XO] to move\):\n    ", found["Minimax"]
    )


def test_the_solver_can_not_be_imported() -> None:
    results = graded("from inarow.solver import Oracle\n" + source())
    assert sum(one.points for one in results.values()) == 0
    assert "could not be loaded" in results["Minimax"].output
    assert "line 1 of solution.py" in results["Minimax"].output


def test_a_search_without_end_loses_its_own_part_only() -> None:
    found = lost(graded(source(("def minimax(game, state):\n", "def minimax(game, state):\n    while True: pass\n"))))
    assert list(found) == ["Minimax"]
    assert "minimax gave no answer: it took more than 1 s" in found["Minimax"]


def test_an_exception_names_the_line() -> None:
    found = lost(graded(source(("def legal_moves(board):\n", "def legal_moves(board):\n    board[9]\n"))))
    assert list(found) == ["Legal moves"]
    assert "IndexError" in found["Legal moves"]
    assert "of solution.py" in found["Legal moves"]


@pytest.mark.parametrize(
    ("ending", "complaint"),
    [
        ("def minimax(game, state): return 0", "minimax returned 0, a value and a move"),
        ("def minimax(game, state): return 0, 99", "a value and a move of game.moves(state) were expected"),
        ("def minimax(game, state): return game.play(state, 99), 0", "the moves of this state are"),
        ("def minimax(game, state): return game.play(5, 0), 0", "is not a state of this game"),
        ("def minimax(game, state): return game.play(state, 'a1'), 0", "is not a move"),
        ("def minimax(game, state): return object()", "minimax returned <object"),
        ("del minimax", "Your file has no minimax"),
    ],
)
def test_answers_that_are_none_are_named(ending: str, complaint: str) -> None:
    found = lost(graded(f"{source()}\n{ending}\n"))
    assert list(found) == ["Minimax"]
    assert complaint in found["Minimax"]


def test_a_false_count_changes_nothing() -> None:
    """The count is kept outside: what a file says about it, or does to the object, is not asked."""
    cheat = "\nimport inarow.assignment.student_side as s\ns.Game.plays = 0\ndef alphabeta(game, state):\n"
    cheat += "    game.plays = game.count = 0\n    return minimax(game, state)\n"
    results = graded(source() + cheat)
    assert list(lost(results)) == ["Alpha–beta is cheaper"]


def test_messages_that_nobody_asked_for_end_the_process() -> None:
    cheat = source() + "\ndef minimax(game, state):\n    game._ask({'play': 'a'})\n"
    assert "its process sent a question that nobody asks" in lost(graded(cheat))["Minimax"]
