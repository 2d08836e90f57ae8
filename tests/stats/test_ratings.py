"""Davidson's ratings: numbers known from elsewhere, finite extremes, and intervals that cover what they say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import choix
import numpy as np
import pytest
from scipy.optimize import minimize

from inarow.stats import Meeting, bounded_mean, davidson, superiority
from inarow.stats.ratings import ELO


def test_without_draws_and_prior_the_ratings_are_bradley_and_terrys() -> None:
    wins = {
        (0, 1): 7,
        (1, 0): 3,
        (1, 2): 6,
        (2, 1): 5,
        (0, 2): 8,
        (2, 0): 1,
        (2, 3): 9,
        (3, 2): 2,
        (3, 0): 1,
        (0, 3): 9,
    }
    data = [pair for pair, count in wins.items() for _ in range(count)]
    theirs = choix.opt_pairwise(4, data) * ELO
    meetings = [
        Meeting(a, b, {(1.0,): wins[a, b], (0.0,): wins[b, a]}) for a, b in ((0, 1), (1, 2), (0, 2), (2, 3), (0, 3))
    ]
    ours = davidson(4, meetings, prior=0)
    assert ours.elo == pytest.approx(theirs - theirs.mean(), abs=1e-3)
    assert ours.draw == 0


@pytest.mark.parametrize(("wins", "draws", "losses"), [(12, 5, 4), (30, 0, 10), (0, 9, 7), (1, 1, 1)])
def test_two_players_have_the_elo_of_their_odds_with_the_virtual_pair_added(wins: int, draws: int, losses: int) -> None:
    ratings = davidson(2, [Meeting(0, 1, {(1.0,): wins, (0.5,): draws, (0.0,): losses})])
    by_hand = 400 * math.log10((wins + 0.5) / (losses + 0.5))
    assert ratings.difference(0, 1).estimate == pytest.approx(by_hand, abs=1e-6)
    # v² = draws² / (wins · losses), the virtual pair added
    assert ratings.draw == pytest.approx((draws + 1) / math.sqrt((wins + 0.5) * (losses + 0.5)))


def test_draws_among_three_are_rated_as_a_direct_maximisation_rates_them() -> None:
    table = {(0, 1): (6, 3, 1), (1, 2): (4, 4, 2), (0, 2): (7, 1, 2)}

    def minus_log_likelihood(x: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        strength, v = [0.0, x[0], x[1]], math.exp(x[2])
        total = 0.0
        for (a, b), (wins, draws, losses) in table.items():
            pa, pb = math.exp(strength[a]), math.exp(strength[b])
            between = v * math.sqrt(pa * pb)
            whole = pa + pb + between
            counts = (wins + 0.5, draws + 1, losses + 0.5)
            total -= sum(n * math.log(p / whole) for n, p in zip(counts, (pa, between, pb), strict=True))
        return total

    found = minimize(minus_log_likelihood, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    expected = np.array([0, found[0], found[1]]) * ELO
    meetings = [Meeting(a, b, {(1.0,): w, (0.5,): d, (0.0,): lost}) for (a, b), (w, d, lost) in table.items()]
    ratings = davidson(3, meetings)
    assert ratings.elo == pytest.approx(expected - expected.mean(), abs=1e-3)
    assert ratings.draw == pytest.approx(math.exp(found[2]), rel=1e-5)


@pytest.mark.parametrize(
    "pairs",
    [{(1.0, 1.0): 100}, {(0.5, 0.5): 100}, {(0.0, 0.0): 1}, {(1.0, 0.0): 50}, {}],
    ids=["all wins", "all draws", "one pair lost", "the first player always wins", "nothing played"],
)
def test_extreme_tables_give_finite_ratings_with_errors(pairs: Mapping[tuple[float, ...], int]) -> None:
    ratings = davidson(2, [Meeting(0, 1, pairs)])
    low, high = ratings.rating(0).low, ratings.rating(0).high
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert 5 < high - low < 2000
    assert sum(ratings.elo) == pytest.approx(0)


def test_an_agent_against_itself_is_no_evidence() -> None:
    ratings = davidson(2, [Meeting(0, 0, {(1.0, 0.0): 50}), Meeting(0, 1, {(1.0, 0.0): 50})])
    assert ratings.elo == pytest.approx((0, 0))


def test_matches_that_repeat_within_a_pair_are_not_counted_as_more_evidence() -> None:
    repeated = davidson(2, [Meeting(0, 1, {(1.0, 1.0): 20, (0.0, 0.0): 20})])
    single = davidson(2, [Meeting(0, 1, {(1.0,): 20, (0.0,): 20})])
    widths = [r.difference(0, 1).high - r.difference(0, 1).low for r in (repeated, single)]
    assert widths[0] == pytest.approx(widths[1], rel=0.15)


@pytest.mark.parametrize("repeats", [0.0, 0.6])
def test_rating_intervals_cover_the_truth_as_often_as_they_say(repeats: float) -> None:
    """Also when the second match of a pair often repeats the first's result."""
    draw_from = np.random.default_rng(11)
    strength, v, runs, pairs = np.array([0.0, 0.7, 1.4]), 0.6, 250, 40
    hits = trials = 0
    for _ in range(runs):
        meetings = []
        for a, b in ((0, 1), (0, 2), (1, 2)):
            half = (strength[a] - strength[b]) / 2
            odds = np.exp([half, math.log(v), -half])
            first, second = draw_from.choice([1.0, 0.5, 0.0], size=(2, pairs), p=odds / odds.sum())
            second = np.where(draw_from.random(pairs) < repeats, first, second)
            meetings.append(Meeting(a, b, Counter(zip(first.tolist(), second.tolist(), strict=True))))
        ratings = davidson(3, meetings)
        for a, b in ((0, 1), (0, 2), (1, 2)):
            hits += ratings.difference(a, b).covers((strength[a] - strength[b]) * ELO)
            trials += 1
    assert 0.92 < hits / trials < 0.98


def test_mean_score_intervals_cover_the_truth_as_often_as_they_say() -> None:
    draw_from = np.random.default_rng(5)
    chances = np.array([0.05, 0.1, 0.2, 0.25, 0.4])
    scores = np.array([0, 0.25, 0.5, 0.75, 1])
    truth = float(chances @ scores)
    hits = 0
    for _ in range(1000):
        interval = bounded_mean(draw_from.choice(scores, size=25, p=chances).tolist())
        assert interval is not None
        hits += interval.covers(truth)
    assert 0.93 < hits / 1000 < 0.98


def test_superiority_is_a_half_for_equals_and_grows_with_evidence() -> None:
    assert superiority({}) is None
    assert superiority({(1.0, 0.5): 10}) == pytest.approx(0.5)
    assert superiority({(1.0, 1.0): 3, (1.0, 0.0): 3}) == pytest.approx(0.5)
    few, many = superiority({(1.0, 1.0): 3}), superiority({(1.0, 1.0): 30})
    assert few is not None
    assert many is not None
    assert 0.8 < few < many <= 1
