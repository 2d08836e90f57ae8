"""The grader as a program: points and messages for a submission, on the screen and as Gradescope's results.json."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inarow.agents.external import USUAL_PACKAGES, Policy
from inarow.agents.external.sandbox import offered
from inarow.agents.external.staging import MOST_BYTES, Snapshot
from inarow.errors import HostFailure, InarowError
from inarow.teaching.assignment.exercise import AssignmentError, Exercise, read_exercise
from inarow.teaching.assignment.grading import Result, grade
from inarow.teaching.assignment.session import Submission

EXERCISE = "exercise.json"
SOLUTION = "solution.py"


def main(folder: Path, arguments: Sequence[str] | None = None) -> int:
    """Grade what the arguments say by the exercise of a folder; the exit code."""
    parser = argparse.ArgumentParser(description="Grade a submission.")
    parser.add_argument("submission", type=Path, nargs="?", help="the file, or the folder that has solution.py")
    parser.add_argument("--results", type=Path, help="write Gradescope's results.json here")
    parser.add_argument("--trust", action="store_true", help="run it without a sandbox")
    parser.add_argument("--sandbox", action="store_true", help="say what the sandbox holds on this system")
    given = parser.parse_args(arguments)
    missing = offered().missing
    if given.sandbox:
        _say("The sandbox is complete." if not missing else f"Submitted code is not confined: {'; '.join(missing)}.")
        return 0
    if given.submission is None:
        parser.error("no submission was given")
    try:
        results = graded(folder, given.submission, trust=given.trust)
    except (InarowError, HostFailure) as error:
        _say(f"grade.py: {error}", sys.stderr)
        if given.results is not None and not _is_written(given.results, _not_graded(str(error))):
            _say(f"grade.py: {given.results} can't be written", sys.stderr)
        return 1 if isinstance(error, HostFailure) else 2
    if given.results is not None and not _is_written(given.results, results):
        _say(f"grade.py: {given.results} can't be written", sys.stderr)
        return 1
    for test in results["tests"]:
        counted = f"{test['score']:g} of {test['max_score']:g}: " if test["visibility"] == "visible" else ""
        _say(f"{counted}{test['name']}. {test['output']}")
    _say(f"{results['score']:g} points{'. ' + results['output'] if results['output'] else ''}")
    return 0


def graded(folder: Path, submission: Path, *, trust: bool = False) -> dict[str, Any]:
    """Grade a submission; return the results in the format of Gradescope's results.json."""
    exercise = read_exercise(folder / EXERCISE)
    if not submission.exists():
        raise AssignmentError(f"{submission} does not exist; give a file, or a folder that has {SOLUTION}")
    file = _file(submission)
    return not_gradable(file) if isinstance(file, str) else grade_source(file, exercise, trust)


def check_sandbox(trust: bool) -> None:
    """Raise `AssignmentError` if there is no complete sandbox, and none is wanted."""
    missing = offered().missing
    if missing and not trust:
        raise AssignmentError(f"no complete sandbox here ({'; '.join(missing)}); --trust grades without one")


def grade_source(source: bytes, exercise: Exercise, trust: bool) -> dict[str, Any]:
    """Return the results of a program, in the format of Gradescope's results.json."""
    check_sandbox(trust)
    if len(source) > MOST_BYTES:
        return not_gradable(f"{SOLUTION} is too large.")
    policy = Policy(trust=trust, packages=USUAL_PACKAGES)
    student = Submission(Snapshot(SOLUTION, ((SOLUTION, source),)), policy, exercise.seconds)
    begun = time.monotonic()
    results = _results(grade(student, exercise), exercise, "The code ran without a sandbox." if trust else "")
    return {**results, "execution_time": round(time.monotonic() - begun, 1)}


def not_gradable(reason: str) -> dict[str, Any]:
    """Return results without points for what can't be graded."""
    return {"score": 0.0, "output": reason, "tests": []}


def _file(submission: Path) -> bytes | str:
    """Read what was handed in, or say why it can't be graded."""
    path = submission
    if submission.is_dir():
        path = submission / SOLUTION
        if not path.is_file() or path.is_symlink():
            there = ", ".join(sorted(one.name for one in submission.iterdir())[:8]) or "nothing"
            return f"{SOLUTION} is missing; hand in a file of that name. Found: {there}."
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AssignmentError(f"{path} can't be read: {error.strerror}") from None
    return data


def _results(parts: Sequence[Result], exercise: Exercise, said: str) -> dict[str, Any]:
    score = round(sum(one.points for one in parts), 2)
    tests: list[dict[str, Any]] = [
        {
            "name": one.name,
            "score": one.points,
            "max_score": one.most,
            "status": "passed" if one.points == one.most else "failed",
            "output": one.output,
            "visibility": "visible",
        }
        for one in parts
    ]
    tests += [_for_staff(f"{one.name}: {one.staff}") for one in parts if one.staff]
    return {
        "score": score,
        "output": said,
        "tests": tests,
        "leaderboard": [{"name": "Points", "value": score}],
        "extra_data": {"of": exercise.points.most, "board": exercise.game.name},
    }


def _not_graded(reason: str) -> dict[str, Any]:
    """Make results that tell the student nothing but that the grader failed, and staff why."""
    said = (
        "The grader could not run. Nothing is wrong with your submission; staff have to repair the grader and rerun it."
    )
    return {"score": 0.0, "output": said, "tests": [_for_staff(reason)]}


def _for_staff(text: str) -> dict[str, Any]:
    """Make a test that Gradescope shows to instructors only."""
    return {"name": "For staff", "score": 0.0, "max_score": 0.0, "output": text, "visibility": "hidden"}


def _is_written(path: Path, results: dict[str, Any]) -> bool:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError:
        return False
    return True


def _say(text: str, where: Any = None) -> None:
    (where or sys.stdout).write(text + "\n")
