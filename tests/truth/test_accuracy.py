"""A move is graded by the exact scores of all moves, and grades are counted in one way."""

from __future__ import annotations

from collections import Counter

import pytest

from inarow.errors import InarowError
from inarow.rules import FIRST, Position, game
from inarow.truth import Accuracy, count_by, grade_move

START = Position.start(game("connect4"))
SCORES = {0: 5, 1: 3, 2: 0, 3: -4}


def test_a_move_is_perfect_keeps_the_verdict_or_blunders() -> None:
    perfect, kept, lost = (grade_move(START, move, SCORES) for move in (0, 1, 3))
    assert (perfect.perfect, perfect.keeps_verdict, perfect.blunder, perfect.regret) == (True, True, False, 0)
    assert (kept.perfect, kept.keeps_verdict, kept.blunder, kept.regret) == (False, True, False, 2)
    assert (lost.perfect, lost.keeps_verdict, lost.blunder, lost.regret) == (False, False, True, 9)
    assert (lost.seat, lost.ply, lost.trivial) == (FIRST, 0, False)
    assert grade_move(START, 0, {0: 1, 1: 7}).trivial
    with pytest.raises(InarowError, match="move 6 has no score; scored: 1, 2, 3, 4"):
        grade_move(START, 5, SCORES)


def test_graded_moves_are_counted_by_any_key() -> None:
    trivial = grade_move(START.play(3), 1, {0: -2, 1: -3})
    found = count_by([("a", grade_move(START, move, SCORES)) for move in SCORES] + [("a", trivial), ("b", None)])
    counts = {"moves": 5, "perfect": 1, "kept": 3, "regret": 17, "nontrivial": 4, "nontrivial_kept": 2}
    assert found["a"] == Accuracy(**counts, blunders_by_ply=Counter({0: 2}))
    assert found["a"].blunders == 2
    assert found["b"] == Accuracy(unsolved=1)


def test_rates_are_shares_with_an_interval_and_none_of_nothing() -> None:
    accuracy = count_by(("a", grade_move(START, move, SCORES)) for move in SCORES)["a"]
    half = (accuracy.kept_rate, 1 / 2), (accuracy.nontrivial_kept_rate, 1 / 2)
    for rate, share in ((accuracy.perfect_rate, 1 / 4), *half):
        assert rate is not None
        assert rate.low < rate.estimate == share < rate.high
    assert accuracy.mean_regret == 16 / 4
    nothing = Accuracy()
    assert (nothing.perfect_rate, nothing.kept_rate, nothing.nontrivial_kept_rate, nothing.mean_regret) == (None,) * 4


def test_accuracies_add_up_and_survive_json() -> None:
    one = count_by(("a", grade_move(START, move, SCORES)) for move in SCORES)["a"]
    later = count_by([("a", grade_move(START.play(2), 2, SCORES)), ("a", None)])["a"]
    both = one + later
    assert (both.moves, both.kept, both.unsolved, dict(both.blunders_by_ply)) == (5, 2, 1, {0: 2, 1: 1})
    assert Accuracy.from_json(both.to_json()) == both
