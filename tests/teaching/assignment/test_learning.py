"""A learner gets points for improving by training and for playing well, and may not search."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inarow.agents.external import Policy
from inarow.agents.external.staging import Snapshot
from inarow.rules import game
from inarow.teaching.assignment.exercise import Exercise, Submission
from inarow.teaching.assignment.grading import grade_learner
from inarow.teaching.assignment.making import filled

EXERCISE = Exercise(game("3x3x3"), 3, (), (), training=600, trials=80)
WORKING = replace(EXERCISE, trials=160)


def graded(text: str, exercise: Exercise = EXERCISE) -> tuple[float, str]:
    reference = filled("reference.py", exercise).decode()
    files = (("solution.py", (reference + text).encode()),)
    points, most, said = grade_learner(Submission(Snapshot("solution.py", files), Policy(), 10.0), exercise)
    assert most == 20
    return points, said


MINIMAX_IN_TRAIN = """
class Learner(Learner):
    best = {}
    def train(self, game, start, matches):
        def value(state):
            if game.over(state):
                return game.value(state)
            if state not in self.best:
                sign = 1 if game.player(state) == "X" else -1
                self.best[state] = max((sign * value(game.play(state, move)), move) for move in game.moves(state))
            sign = 1 if game.player(state) == "X" else -1
            return sign * self.best[state][0]
        value(start)
        super().train(game, start, matches)
    def choose(self, game, state):
        return self.best[state][1] if state in self.best else random.choice(game.moves(state))
"""
SANDBAG = """
class Learner(Learner):
    trained = False
    def train(self, game, start, matches):
        for _ in range(matches):
            state = start
            while not game.over(state):
                state = game.play(state, 0)
        self.trained = True
    def choose(self, game, state):
        moves = game.moves(state)
        random.shuffle(moves)
        wins = [move for move in moves if game.over(game.play(state, move))]
        if self.trained:
            return (wins or moves)[0]
        return next((move for move in moves if move not in wins), moves[0])
"""
HAND_INS = {
    "the reference": ("", 20, "after 600"),
    "one that does not train": (
        "\nLearner.train = lambda self, game, start, matches: None\n",
        0,
        "Suspect: Learner.train was to play 12 matches and has begun 0",
    ),
    "minimax in train": (MINIMAX_IN_TRAIN, 0, "a training match goes on from the state that it has reached"),
    "one that plays badly until it is trained": (SANDBAG, 0, "The gain on the learner after 12 matches of it is"),
}


@pytest.mark.parametrize("name", HAND_INS)
def test_points_are_given_for_what_training_has_taught(name: str) -> None:
    text, points, wanted = HAND_INS[name]
    given, said = graded(text)
    assert (given, wanted in said) == (points, True), said


def test_a_learner_may_look_one_move_ahead_while_it_trains() -> None:
    ahead = """
class Learner(Learner):
    def choose(self, game, state):
        for move in game.moves(state):
            game.play(state, move)
        return super().choose(game, state)
"""
    points, said = graded(ahead)
    assert points == 20, said


def test_a_training_has_no_more_matches_than_it_was_asked_for() -> None:
    more = "\nclass Learner(Learner):\n    def train(self, *rest):\n        super().train(*rest)\n"
    points, said = graded(f"{more}        super().train(*rest)\n")
    assert points == 0
    assert "all 12 matches of this training have been played" in said


def test_a_learner_that_does_not_learn_gets_none() -> None:
    body = "        super().train(*rest)\n        self.q = {}\n"
    points, said = graded(f"\nclass Learner(Learner):\n    def train(self, *rest):\n{body}")
    assert points == 0
    assert "no improvement is shown" in said


def test_the_score_after_training_has_no_cliff() -> None:
    """A learner that plays every second move at random improves, but less."""
    body = "        moves = game.moves(state)\n"
    body += "        return super().choose(game, state) if random.random() < 0.5 else random.choice(moves)\n"
    points, said = graded(f"\nclass Learner(Learner):\n    def choose(self, game, state):\n{body}", WORKING)
    assert 10 < points < 20, said


def test_playing_badly_on_purpose_before_training_gains_nothing() -> None:
    """One that loses until it was trained, and then plays at random."""
    points, said = graded(SANDBAG.replace("(wins or moves)[0]", "moves[0]"))
    assert points == 0, said
    assert said.count("no improvement is shown") == 2


def test_a_learner_may_not_search() -> None:
    search = "\nLearner.choose = lambda self, game, state: minimax(game, state)[1]\n"
    points, said = graded(search, replace(EXERCISE, trials=2))
    assert points == 0
    assert "game.play was called more than the" in said


def test_an_illegal_choice_is_named() -> None:
    points, said = graded("\nLearner.choose = lambda self, game, state: 'middle'\n")
    assert points == 0
    assert "Learner.choose returned 'middle'" in said


def test_training_may_take_the_time_of_all_calls_together() -> None:
    """Not just that of one call: how long training takes depends on the machine more than on the solution."""
    slow = """
import time
class Learner(Learner):
    def train(self, *rest):
        end = time.process_time() + 0.5
        super().train(*rest)
        while time.process_time() < end:
            pass
"""
    exercise = replace(EXERCISE, training=100, trials=2)
    files = (("solution.py", (filled("reference.py", exercise).decode() + slow).encode()),)
    _, _, said = grade_learner(Submission(Snapshot("solution.py", files), Policy(), 0.4), exercise)
    assert "Against a random player" in said
