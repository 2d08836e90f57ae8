"""A learner gets points for improving and for playing well, and may not search."""

from __future__ import annotations

from dataclasses import replace

from inarow.agents.external import Policy
from inarow.agents.external.staging import Snapshot
from inarow.rules import game
from inarow.teaching.assignment.exercise import Exercise, Submission
from inarow.teaching.assignment.grading import grade_learner
from inarow.teaching.assignment.making import filled

EXERCISE = Exercise(game("3x3x3"), 3, (), (), training=1200, trials=80)
WORKING = replace(EXERCISE, training=3000, trials=300)


def graded(text: str, exercise: Exercise = EXERCISE) -> tuple[float, str]:
    reference = filled("reference.py", exercise).decode()
    files = (("solution.py", (reference + text).encode()),)
    points, most, said = grade_learner(Submission(Snapshot("solution.py", files), Policy(), 10.0), exercise)
    assert most == 20
    return points, said


def test_a_learner_that_improves_and_plays_well_gets_all_points() -> None:
    points, said = graded("")
    assert points == 20, said
    assert "an improvement" in said


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


def test_a_learner_that_did_not_train_is_suspect() -> None:
    points, said = graded("\nLearner.train = lambda self, game, start, matches: None\n", replace(EXERCISE, trials=2))
    assert points == 0
    assert "Suspect: Learner.train called game.play 0 times" in said


def test_playing_badly_on_purpose_before_training_gains_nothing() -> None:
    """One that loses until it was trained, and then plays at random."""
    bad = """
class Learner(Learner):
    trained = False
    def train(self, game, start, matches):
        super().train(game, start, matches // 4)
        self.values, self.trained = {}, True
    def choose(self, game, state):
        sign = 1 if game.player(state) == "X" else -1
        moves = game.moves(state)
        random.shuffle(moves)
        after = {move: game.play(state, move) for move in moves}
        wins = [move for move in moves if game.over(after[move])]
        return moves[0] if self.trained or len(wins) == len(moves) else next(m for m in moves if m not in wins)
"""
    points, said = graded(bad)
    assert points == 0, said
    assert "The gain on a random player is" in said


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
        end = time.process_time() + 1
        super().train(*rest)
        while time.process_time() < end:
            pass
"""
    exercise = replace(EXERCISE, trials=2)
    files = (("solution.py", (filled("reference.py", exercise).decode() + slow).encode()),)
    _, _, said = grade_learner(Submission(Snapshot("solution.py", files), Policy(), 0.8), exercise)
    assert "Against a random player" in said
