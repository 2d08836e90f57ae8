"""Marks are continuous in the score, have a standard error, and settle how many pairs are played."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import pytest

from inarow.teaching.league.settings import PRIOR_MOVES, Marking, Points, PointScale, standard_error

BENCHMARK = runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "league_fairness.py"))
MARKING = Marking()
RIVAL = PointScale(30, 0.0, 0.75)


def test_points_rise_linearly_between_two_rates() -> None:
    assert [RIVAL.of(rate) for rate in (0, 0.25, 0.375, 0.75, 1)] == [0, 10, 15, 30, 30]


def test_one_more_point_in_one_match_changes_points_a_little() -> None:
    scores = [0.5] * 20
    before, after = (RIVAL.estimate(given).value for given in (scores, [*scores[:-1], 0.75]))
    assert 0 < after - before < 1


def test_the_error_of_points_is_that_of_the_score_where_it_matters() -> None:
    half = [0.0, 1.0] * 20
    assert standard_error(half) == pytest.approx(0.5 / math.sqrt(42))
    assert RIVAL.estimate(half).error == pytest.approx(40 * 0.5 / math.sqrt(42))
    assert RIVAL.estimate([1.0] * 10) == Points(30, 0, 30), "a score far above `to` leaves no doubt"
    assert RIVAL.estimate([0.0] * 10).error > 0, "ten defeats do not prove that it never wins"
    assert RIVAL.estimate([]) == Points(0, 0, 30)


def test_few_graded_moves_do_not_decide_accuracy() -> None:
    ladder = [RIVAL.estimate([0.375] * 20)]  # half of the points
    shares = [MARKING.mark(ladder, kept, moves).accuracy.value / 20 for kept, moves in ((0, 0), (1, 1), (0, 1))]
    assert shares[0] == pytest.approx(0.5)
    assert shares[1] == pytest.approx((1 + PRIOR_MOVES * 0.5) / (1 + PRIOR_MOVES))
    assert shares[2] == pytest.approx((PRIOR_MOVES * 0.5) / (1 + PRIOR_MOVES))
    assert MARKING.mark(ladder, 2000, 2000).accuracy.value == pytest.approx(20, abs=0.2)


def test_grades_begin_at_their_threshold_and_neighbours_within_the_error_are_named() -> None:
    assert [MARKING.grade(points) for points in (100, 90, 89.99, 75, 0)] == ["A", "A", "B", "B", "F"]
    assert [MARKING.near(*mark) for mark in ((78, 2), (76, 2), (88, 3), (80, 11))] == ["", "C", "A", "A or C"]


def test_points_must_be_more_precise_near_a_grade_boundary() -> None:
    assert [MARKING.required(points) for points in (50, 77, 74, 75, 5)] == [3, 2, 1.5, 1.5, 3]


def test_pairs_are_added_where_the_error_comes_from_up_to_the_most() -> None:
    certain, doubtful = [1.0] * 10, [0.0, 1.0] * 5
    mark = MARKING.mark([RIVAL.estimate(certain), RIVAL.estimate(doubtful)])
    assert MARKING.wanted([10, 10], mark) == [10, 20]
    assert MARKING.wanted([0, 10, 10], mark) == [10, 10, 10]
    played = [RIVAL.estimate(certain), RIVAL.estimate(doubtful * 4)]
    assert MARKING.wanted([10, 40], MARKING.mark(played)) == [10, 40]
    assert Marking(precision=100).wanted([10, 10], mark) == [10, 10]
    assert Marking(pairs=10, max_pairs=12, precision=0).wanted([10, 10], mark) == [10, 12]


def test_at_most_two_in_a_hundred_are_more_than_one_grade_from_their_true_one() -> None:
    outcome = BENCHMARK["simulate"](400, 3)
    assert outcome.share(2) <= 0.02
    assert outcome.share(1) <= 0.15
    within = sum(one <= 2 for one in outcome.within) / len(outcome.within)
    assert within > 0.85, "the standard errors that are shown are true"
