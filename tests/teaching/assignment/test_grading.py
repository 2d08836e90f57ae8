"""The grader gives full marks to a right solution; a wrong one loses the points of what is wrong, with a reason."""

from __future__ import annotations

import errno
import json
import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from inarow.agents.external import Policy
from inarow.agents.external.sandbox import Offer
from inarow.agents.external.staging import Snapshot
from inarow.randomness import Stream, derive
from inarow.rules import TICTACTOE, Position
from inarow.teaching.assignment.exercise import Exercise, ServedGame, Submission, board_of, exact_value, least_plays
from inarow.teaching.assignment.grading import Result, grade, main, searched
from inarow.teaching.assignment.making import draw_exercise, filled
from inarow.teaching.league.judging import measure
from support.external_corpus import CS50

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
    student = Submission(snapshot(text), Policy(), exercise().seconds)
    return {one.name: one for one in grade(student, exercise())}


def lost(results: dict[str, Result]) -> dict[str, str]:
    """The parts that lost points, and why; the learner has too little training here to count."""
    return {part: results[part].output for part in PARTS if results[part].points < FULL[part]}


def test_a_right_solution_loses_nothing() -> None:
    assert not lost(graded(source()))


def test_a_right_search_is_right_without_a_sandbox() -> None:
    trusted = Submission(snapshot(source()), Policy(trust=True), exercise().seconds)
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
    assert re.search(r"winner returned None, expected '[XO]' for this board:\n    [XO.] ", found["End of the game"])


def test_a_move_whose_value_is_only_a_bound_is_not_a_best_move() -> None:
    found = lost(
        graded(source(("or value > best[0]", "or value >= best[0]"), ("or value < best[0]", "or value <= best[0]")))
    )
    assert list(found) == ["Alpha–beta gives the same answers", "Alpha–beta is cheaper"]
    assert "not a move that reaches it" in found["Alpha–beta gives the same answers"]
    assert "compare with > and <" in found["Alpha–beta gives the same answers"]
    assert "'Alpha–beta gives the same answers' must pass first" in found["Alpha–beta is cheaper"]


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
    assert "could not be loaded" in results["Legal moves"].output
    assert "line 1 of solution.py" in results["Legal moves"].output
    assert results["Minimax"].output == "Not checked: loading the file must pass first."


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
        ("def minimax(game, state): return 0", "minimax returned 0, expected a value and a move"),
        ("def minimax(game, state): return 0, 99", "expected a value and a move of game.moves(state)"),
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
    cheat = "\nimport inarow.agents.external.student_side as s\ns.StudentGame.plays = 0\n"
    cheat += "def alphabeta(game, state):\n    game.plays = game.count = 0\n    return minimax(game, state)\n"
    results = graded(source() + cheat)
    assert list(lost(results)) == ["Alpha–beta is cheaper"]


def test_messages_that_nobody_asked_for_end_the_process() -> None:
    cheat = source() + "\ndef minimax(game, state):\n    game._ask({'play': 'a'})\n"
    assert "its process sent an invalid request" in lost(graded(cheat))["Minimax"]


READS_SEEDS = """
import sys
from inarow.randomness import Stream, derive
from inarow.rules import TICTACTOE, Position

def seeds():
    frame, found = sys._getframe(), set()
    while frame:
        values = list(frame.f_locals.values())
        values += [item for value in values if type(value) is dict for item in value.values()]
        found |= {value for value in values if type(value) is int and value > 1 << 40}
        frame = frame.f_back
    return found

def positions(position, found):
    if position not in found:
        found.add(position)
        for move in position.legal_moves():
            positions(position.play(move), found)
    return found

SEEDS, ALL = seeds(), positions(Position.start(TICTACTOE), set())

def solved(position):
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else 1 - 2 * outcome.winner, None
    best = max if position.ply % 2 == 0 else min
    return best(((solved(position.play(move))[0], move) for move in position.legal_moves()), key=lambda one: one[0])

def alphabeta(game, state):
    for seed in [derive(seed, number) for seed in SEEDS for number in range(5)]:
        for position in ALL:
            if derive(seed, "state", position.first, position.second) >> 10 == state:
                moves = list(position.legal_moves())
                Stream(derive(seed, "moves", state)).shuffle(moves)
                value, move = solved(position)
                return value, moves.index(move)
    return 0, 0
"""


def test_nothing_in_the_process_leads_to_the_hidden_positions() -> None:
    student = Submission(snapshot(READS_SEEDS), Policy(), 10.0)
    found = searched(student, exercise().search, "alphabeta", exercise().seed)
    assert found.right == 0, "positions were decoded without a single play"


def test_right_answers_without_a_search_are_suspect_and_not_counted() -> None:
    """As if the hidden positions had become known: the answers by heart, in the order of the questions."""
    answers = {}
    for name in ("minimax", "alphabeta"):
        games = [ServedGame(derive(exercise().seed, name, index)) for index in range(len(exercise().search))]
        answers[name] = [
            (one.value, game.node(one.position).moves.index(one.best[0]))
            for game, one in zip(games, exercise().search, strict=True)
        ]
    knows = f"\nKNOWN = {answers}\nminimax = lambda game, state: KNOWN['minimax'].pop(0)\n"
    found = lost(graded(source() + knows + "alphabeta = lambda game, state: KNOWN['alphabeta'].pop(0)\n"))
    assert list(found) == list(PARTS[2:])
    assert "Suspect: minimax returned the right answer after 0 calls of game.play" in found["Minimax"]
    assert found["Alpha–beta is cheaper"].startswith("Not checked")


def test_no_search_needs_fewer_plays_than_the_bound() -> None:
    """Not even one that tries the best move first and remembers every state."""

    def plays(position: Position, alpha: int, beta: int, known: dict[tuple[Position, int, int], int]) -> int:
        if position.outcome() is not None or (position, alpha, beta) in known:
            return 0
        sign, count = (1 if position.ply % 2 == 0 else -1), 0
        after = [position.play(move) for move in position.legal_moves()]
        for one in sorted(after, key=lambda child: -sign * exact_value(child)):
            count += 1 + plays(one, alpha, beta, known)
            alpha = max(alpha, exact_value(one)) if sign > 0 else alpha
            beta = beta if sign > 0 else min(beta, exact_value(one))
            if alpha >= beta:
                break
        known[position, alpha, beta] = 0
        return count

    stream = Stream(3)
    for _ in range(60):
        position = Position.start(TICTACTOE)
        while position.outcome() is None:
            if position.ply >= 3:
                least = least_plays(position, exact_value(position))
                assert 1 <= least <= plays(position, -1, 1, {})
            position = position.play(stream.choice(position.legal_moves()))


def test_an_answer_of_another_type_is_described_without_its_content() -> None:
    pairs = "\ndef legal_moves(board):\n    return [divmod(cell, 3) for cell in range(9)]\n"
    complaint = lost(graded(source() + pairs))["Legal moves"]
    assert "legal_moves returned a list of lists or tuples, which is not shown, expected [" in complaint


@pytest.mark.parametrize(
    "says",
    [
        "raise ValueError(SEEN)",
        "raise type(''.join(SEEN), (Exception,), {})",
        "print(SEEN); os._exit(3)",
        "return SEEN",
        "return ''.join(SEEN[-4:])",
        "return {1: SEEN}",
    ],
)
def test_hidden_boards_are_shown_to_staff_only(says: str) -> None:
    keeps = f"""
import os
SEEN = []
def legal_moves(board):
    SEEN.append("".join(cell for row in board for cell in row))
    if len(SEEN) > 4:
        {says}
    return [move for move, cell in enumerate(SEEN[-1]) if cell == "."]
"""
    result = graded(keeps)["Legal moves"]
    hidden = ["".join("".join(row) for row in board_of(one)) for one in exercise().rules if one.outcome() is None]
    assert result.points < 10
    assert [board for board in hidden if board in result.output] == []
    assert "{1:" in says or [board for board in hidden if board in result.staff] != []


def test_a_cs50_file_that_hides_its_calls_saves_nothing() -> None:
    hides = (
        CS50
        + "\noriginal, once = minimax, result\ndef minimax(board):\n    result(board, next(iter(actions(board))))\n"
    )
    hides += "    globals()['result'] = ORIGINAL\n    return original(board)\nORIGINAL = result\n"
    found = measure(Submission(snapshot(hides), Policy(), 5.0), exercise().search, 1)
    assert found is not None
    assert found.saved == 0
    assert "Suspect: minimax returned the right answer after" in found.complaint


def test_calls_that_sleep_within_their_time_are_bounded_together() -> None:
    sleeps = "\nimport time\nwon = winner\ndef winner(board):\n    time.sleep(0.9)\n    return won(board)\n"
    student = Submission(snapshot(source() + sleeps), Policy(), 1.0)
    (end,) = (one for one in grade(student, exercise()) if one.name == "End of the game")
    assert "gave no answer: all calls together took more than 6 s" in end.output


def test_a_failure_of_the_machine_is_written_for_staff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("inarow.teaching.assignment.exercise.PAUSE", 0.0)
    monkeypatch.setattr(Snapshot, "stage", no_space)
    (tmp_path / "exercise.json").write_text(json.dumps(exercise().to_json()), encoding="utf-8")
    (tmp_path / "solution.py").write_text(source(), encoding="utf-8")
    assert main(tmp_path, [str(tmp_path), "--results", str(tmp_path / "results.json")]) == 1
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert "not your submission's fault" in results["output"]
    assert [test["visibility"] for test in results["tests"]] == ["hidden"]
    assert "No space left on device" in results["tests"][0]["output"]


def test_a_grader_without_a_sandbox_writes_why_for_staff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.teaching.assignment.grading.offered", lambda: Offer(0, True))
    (tmp_path / "exercise.json").write_text(json.dumps(exercise().to_json()), encoding="utf-8")
    (tmp_path / "solution.py").write_text(source(), encoding="utf-8")
    assert main(tmp_path, [str(tmp_path), "--results", str(tmp_path / "results.json")]) == 2
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert "no Landlock" not in results["output"]
    assert "no complete sandbox here (it can read and change your files (no Landlock))" in results["tests"][0]["output"]
