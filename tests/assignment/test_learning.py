"""A learner gets points for improving and for playing well, and may not search."""

from __future__ import annotations

from dataclasses import replace

from inarow.agents.external.policy import Policy
from inarow.agents.external.staging import Snapshot
from inarow.assignment.exercise import Exercise
from inarow.assignment.learning import grade_learner
from inarow.assignment.making import filled
from inarow.assignment.session import Student
from inarow.rules import game

EXERCISE = Exercise(game("3x3x3"), 3, (), (), training=1200, trials=80)


def graded(text: str, exercise: Exercise = EXERCISE) -> tuple[float, str]:
    reference = filled("reference.py", exercise).decode()
    files = (("solution.py", (reference + text).encode()),)
    points, most, said = grade_learner(Student(Snapshot("solution.py", files), Policy(), 10.0), exercise)
    assert most == 20
    return points, said


def test_a_learner_that_improves_and_plays_well_gets_all_points() -> None:
    points, said = graded("")
    assert points == 20, said
    assert "an improvement" in said


def test_a_learner_that_does_not_learn_gets_none() -> None:
    points, said = graded("\nLearner.train = lambda self, game, start, matches: None\n")
    assert points == 0
    assert "no improvement is shown" in said


def test_a_learner_may_not_search() -> None:
    search = "\nLearner.choose = lambda self, game, state: minimax(game, state)[1]\n"
    points, said = graded(search, replace(EXERCISE, trials=2))
    assert points == 0
    assert "game.play was called more than the" in said


def test_an_illegal_choice_is_named() -> None:
    points, said = graded("\nLearner.choose = lambda self, game, state: 'middle'\n")
    assert points == 0
    assert "Learner.choose returned 'middle'" in said
