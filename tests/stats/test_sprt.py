"""The sequential test: its ratio against a direct maximisation, its bounds, and its error rates in a simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from inarow.errors import InarowError
from inarow.stats import SCORES, Sprt, expected_score, pentanomial


def _log_likelihood_under(counts: list[int], mean: float) -> float:
    """The greatest log likelihood of the counts among chances with this mean score, by a general optimiser."""
    weights, scores = np.array(counts, dtype=float), np.array(SCORES)
    optimise: Any = minimize
    found = optimise(
        lambda p: -float(weights @ np.log(p)),
        np.full(5, 0.2),
        bounds=[(1e-9, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: float(p @ scores) - mean},
        ],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return -float(found.fun)


@pytest.mark.parametrize("counts", [[10, 20, 40, 30, 20], [3, 9, 30, 9, 4], [40, 20, 10, 5, 2]])
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 20), (-10, 60)])
def test_the_ratio_is_that_of_the_most_likely_chances_under_each_hypothesis(
    counts: list[int], elo0: float, elo1: float
) -> None:
    direct = _log_likelihood_under(counts, expected_score(elo1)) - _log_likelihood_under(counts, expected_score(elo0))
    assert Sprt(elo0, elo1).llr(counts) == pytest.approx(direct, abs=2e-3)


def test_with_two_scores_only_the_ratio_is_the_textbooks() -> None:
    """Pairs of 0 and 1 are a coin: the ratio of two binomials."""
    s0, s1 = expected_score(0), expected_score(20)
    by_hand = 60 * math.log(s1 / s0) + 40 * math.log((1 - s1) / (1 - s0))
    assert Sprt(0, 20).llr([40, 0, 0, 0, 60]) == pytest.approx(by_hand, abs=1e-3)


def test_bounds_and_states() -> None:
    test = Sprt(0, 20)
    assert test.bounds == pytest.approx((-math.log(19), math.log(19)))
    assert test.state([0] * 5).accepted is None
    assert test.state([0] * 5).llr == 0
    assert test.state([0, 0, 0, 0, 200]).accepted == "elo1"
    assert test.state([200, 0, 0, 0, 0]).accepted == "elo0"
    assert pentanomial({1.0: 3, 0.5: 2}) == (0, 0, 2, 0, 3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((5, 5), "must be greater"),
        ((0, 9999), "−2000 to 2000"),
        ((0, 5, 0.6), "alpha"),
        ((0, 5, 0.05, 0), "beta"),
        ((0, 5, 1e-320), "at least 1e-09"),
    ],
)
def test_a_test_that_cannot_be_is_refused(arguments: tuple[float, ...], said: str) -> None:
    with pytest.raises(InarowError, match=said):
        Sprt(*arguments)


@pytest.mark.parametrize(("true_elo", "wrong"), [(0.0, "elo1"), (80.0, "elo0")])
def test_error_rates_hold_in_a_simulation(true_elo: float, wrong: str) -> None:
    test = Sprt(0, 80)
    draw_from = np.random.default_rng(3)
    mean = expected_score(true_elo)
    # Chances of the five scores with this mean: two independent matches, a third of them drawn.
    win, loss = mean - 1 / 6, 1 - mean - 1 / 6
    chances = [loss**2, 2 * loss / 3, 1 / 9 + 2 * win * loss, 2 * win / 3, win**2]
    errors = undecided = 0
    runs = 300
    for _ in range(runs):
        counts = [0] * 5
        for score in draw_from.choice(5, size=400, p=np.array(chances) / sum(chances)):
            counts[score] += 1
            if (accepted := test.state(counts).accepted) is not None:
                errors += accepted == wrong
                break
        else:
            undecided += 1
    assert undecided < runs / 50
    assert errors / runs < 0.05 + 0.03  # 0.03: two and a half standard errors of 300 runs


@pytest.mark.parametrize(("elo", "draws"), [(0.0, 0.0), (25.0, 0.5), (50.0, 0.5)])
def test_a_plan_is_what_simulated_tests_take_and_do(elo: float, draws: float) -> None:
    test, draw_from, runs = Sprt(0, 50), np.random.default_rng(9), 100
    score = expected_score(elo)
    points = draw_from.choice([1, 0.5, 0], size=(runs, 1000, 2), p=[score - draws / 2, draws, 1 - score - draws / 2])
    accepted = taken = 0
    for pairs in points.mean(axis=2):
        counts = [0] * 5
        for number, pair in enumerate(pairs, start=1):
            counts[round(4 * pair)] += 1
            if (state := test.state(counts)).accepted is not None:
                accepted += state.accepted == "elo1"
                taken += number
                break
    plan = test.expected(elo, draws)
    assert accepted / runs == pytest.approx(plan.accepts, abs=0.13)
    assert taken / runs == pytest.approx(plan.pairs, rel=0.3)


def test_a_plan_keeps_the_error_rates_at_both_hypotheses() -> None:
    test = Sprt(-5, 15, 0.1, 0.02)
    assert test.expected(-5, 0.3).accepts == pytest.approx(0.1, abs=0.001)
    assert test.expected(15, 0.3).accepts == pytest.approx(0.98, abs=0.001)
