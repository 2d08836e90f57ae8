"""Grade a folder of submissions: marks, a feedback file for each student, exports, and similar submissions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inarow.arena import Job, open_executor
from inarow.arena.executor import InProcess
from inarow.errors import printable
from inarow.teaching.assignment.exercise import AssignmentError, read_exercise
from inarow.teaching.assignment.grading import EXERCISE, SOLUTION, check_sandbox, grade_source, not_gradable
from inarow.teaching.league.entrants import Entrant, page_name
from inarow.teaching.league.similarity import Similarity, find_similar, programs_of
from inarow.teaching.league.writing import StudentMark, json_text, mark_files, similar_files, write_files


@dataclass(frozen=True)
class GradedSubmission:
    """A submission with its results, in the format of Gradescope's results.json."""

    entrant: Entrant
    results: dict[str, Any]

    @property
    def points(self) -> float:
        """Total points."""
        return float(self.results["score"])

    @property
    def feedback(self) -> str:
        """The feedback for the student, a paragraph for each part."""
        shown = [test for test in self.results["tests"] if test["visibility"] == "visible"]
        parts = [f"{test['name']}: {test['score']:g} of {test['max_score']:g}\n{test['output']}" for test in shown]
        notes = [self.results["output"]] if self.results["output"] else []
        return "\n\n".join([f"{self.entrant.name}: {self.points:g} points", *notes, *parts]) + "\n"


@dataclass(frozen=True)
class GradedClass:
    """All graded submissions of an assignment."""

    graded: Sequence[GradedSubmission]
    most: float
    similarity: Similarity


def grade_all(
    assignment: Path,
    entrants: Sequence[Entrant],
    out: Path,
    *,
    trust: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    watch: Callable[[int], None] = lambda done: None,
) -> GradedClass:
    """Grade submissions with the assignment in a folder, and write all results to ``out``.

    A submission that has been graded there before, and is unchanged, is not run again. Identical ones are run once.
    ``watch`` is called with the number of submissions that have their results.
    """
    path = assignment / "autograder" / EXERCISE
    if not path.is_file():
        raise AssignmentError(f"{assignment} contains no assignment with a grader; make one with `inarow assignment`")
    exercise = read_exercise(path)
    check_sandbox(trust)
    key = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    results: dict[str, dict[str, Any]] = {}
    jobs: dict[str, Job[dict[str, Any]]] = {}

    def keep(one: Entrant, found: dict[str, Any]) -> None:
        results[one.name] = {
            **found,
            "extra_data": {**found.get("extra_data", {}), "sha256": one.digest, "exercise": key},
        }
        write_files(out, {_results_file(one): json_text(results[one.name])})

    for one in entrants:
        stored, source = _stored(out / _results_file(one), one, key), _source(one)
        if stored is not None:
            results[one.name] = stored
        elif isinstance(source, str):
            keep(one, not_gradable(source))
        else:
            what = f"grades the submission of {one.name}"
            jobs.setdefault(one.digest, Job(grade_source, (source, exercise, trust), what))
    watch(len(results))
    with open_executor(workers, cluster) if jobs else InProcess() as executor:
        for job, found in executor.run(jobs.values()):
            for one in entrants:
                if jobs.get(one.digest) is job and one.name not in results:
                    keep(one, found)
            watch(len(results))
    starter = assignment / "student" / SOLUTION
    similarity = find_similar(programs_of(entrants), starter=starter if starter.is_file() else None)
    batch = GradedClass(
        [GradedSubmission(one, results[one.name]) for one in entrants], exercise.points.most, similarity
    )
    write_files(out, _files(batch, assignment.resolve().name), own=("feedback", "similar"))
    return batch


def _results_file(one: Entrant) -> str:
    return f"results/{page_name(one.name)}.json"


def _stored(file: Path, one: Entrant, key: str) -> dict[str, Any] | None:
    """Return the results of an earlier run, if they are of the same file and the same exercise."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        same = one.digest and found["extra_data"]["sha256"] == one.digest and found["extra_data"]["exercise"] == key
        return dict(found) if same else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _source(one: Entrant) -> bytes | str:
    """Return the program to grade, or the reason why it can't be graded."""
    if one.agent is None:
        return one.problem
    files = dict(one.agent.snapshot.files)
    return files.get(SOLUTION, files[one.agent.snapshot.entry])


def _files(batch: GradedClass, title: str) -> dict[str, str]:
    tests = list(dict.fromkeys(t["name"] for one in batch.graded for t in one.results["tests"] if t["max_score"]))
    marks = []
    for one in batch.graded:
        entrant = one.entrant
        scores = {test["name"]: f"{test['score']:g}" for test in one.results["tests"]}
        parts = "; ".join(f"{name}: {scores[name]}" for name in tests if name in scores)
        for student in entrant.authors:
            columns = {
                "name": student.name,
                "entrant": entrant.name,
                "file": entrant.file,
                "sha256": entrant.digest,
                "points": f"{one.points:g}",
                "of": f"{batch.most:g}",
                **{name: scores.get(name, "0") for name in tests},
                "remark": entrant.problem,
            }
            marks.append(StudentMark(student, one.points, printable(parts or one.results["output"], 0), columns))
    return {
        **mark_files(marks, title, batch.most),
        **{f"feedback/{page_name(one.entrant.name)}.txt": one.feedback for one in batch.graded},
        **similar_files(batch.similarity),
    }
