"""Ratings by points: numbers known from elsewhere, finite extremes, and intervals that cover what they say."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping

import choix
import numpy as np
import pytest

from inarow.stats import ELO, HeadToHead, bounded_mean, bradley_terry, elo_of, expected_score


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
        HeadToHead(a, b, {(1.0,): wins[a, b], (0.0,): wins[b, a]}) for a, b in ((0, 1), (1, 2), (0, 2), (2, 3), (0, 3))
    ]
    ours = bradley_terry(4, meetings, prior=0)
    assert ours.elo == pytest.approx(theirs - theirs.mean(), abs=1e-3)


@pytest.mark.parametrize(("wins", "draws", "losses"), [(12, 5, 4), (30, 0, 10), (0, 9, 7), (1, 1, 1)])
def test_two_players_have_the_elo_of_their_score_with_the_virtual_pair_added(
    wins: int, draws: int, losses: int
) -> None:
    ratings = bradley_terry(2, [HeadToHead(0, 1, {(1.0,): wins, (0.5,): draws, (0.0,): losses})])
    score = (wins + draws / 2 + 1) / (wins + draws + losses + 2)
    assert ratings.difference(0, 1).estimate == pytest.approx(-400 * math.log10(1 / score - 1), abs=1e-6)
    assert expected_score(ratings.difference(0, 1).estimate) == pytest.approx(score)


def test_elo_and_expected_score_are_inverse_to_each_other() -> None:
    assert expected_score(400) == pytest.approx(10 / 11)
    assert [elo_of(expected_score(elo)) for elo in (-900.0, 0.0, 35.0)] == pytest.approx([-900, 0, 35])
    assert (elo_of(1), elo_of(0)) == (math.inf, -math.inf)


def test_every_agents_expected_points_are_those_it_has_won() -> None:
    table = {(0, 1): (6, 30, 1), (1, 2): (4, 4, 20), (0, 2): (7, 1, 2), (2, 3): (0, 40, 1)}
    meetings = [HeadToHead(a, b, {(1.0,): w, (0.5,): d, (0.0,): lost}) for (a, b), (w, d, lost) in table.items()]
    elo = bradley_terry(4, meetings, prior=0).elo
    for agent in range(4):
        surplus = 0.0
        for (a, b), (wins, draws, losses) in table.items():
            if agent in (a, b):
                won = wins + draws / 2 - (wins + draws + losses) * expected_score(elo[a] - elo[b])
                surplus += won if agent == a else -won
        assert surplus == pytest.approx(0, abs=1e-6)


def test_expected_scores_of_simulated_pools_are_within_a_point() -> None:
    """Pools with many draws and with few; every two of six agents play 4,000 pairs."""
    draw_from = np.random.default_rng(3)
    truth = np.array([-700.0, -300, -50, 100, 250, 700])
    for drawn in (0.0, 0.8):
        meetings = []
        for a, b in itertools.combinations(range(6), 2):
            score = expected_score(truth[a] - truth[b])
            draw = 2 * drawn * min(score, 1 - score)  # of all matches; the points stay what the model says
            chances = [score - draw / 2, draw, 1 - score - draw / 2]
            rows = draw_from.choice([1.0, 0.5, 0.0], size=(4000, 2), p=chances)
            meetings.append(HeadToHead(a, b, Counter(map(tuple, rows.tolist()))))
        elo = bradley_terry(6, meetings).elo
        for a, b in itertools.combinations(range(6), 2):
            assert expected_score(elo[a] - elo[b]) == pytest.approx(expected_score(truth[a] - truth[b]), abs=0.01)


@pytest.mark.parametrize(
    "pairs",
    [{(1.0, 1.0): 100}, {(0.5, 0.5): 100}, {(0.0, 0.0): 1}, {(1.0, 0.0): 50}, {}],
    ids=["all wins", "all draws", "one pair lost", "the first player always wins", "nothing played"],
)
def test_extreme_tables_give_finite_ratings_with_errors(pairs: Mapping[tuple[float, ...], int]) -> None:
    ratings = bradley_terry(2, [HeadToHead(0, 1, pairs)])
    low, high = ratings.rating(0).low, ratings.rating(0).high
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert 2 < high - low < 2000
    assert sum(ratings.elo) == pytest.approx(0)


def test_an_agent_against_itself_is_no_evidence() -> None:
    ratings = bradley_terry(2, [HeadToHead(0, 0, {(1.0, 0.0): 50}), HeadToHead(0, 1, {(1.0, 0.0): 50})])
    assert ratings.elo == pytest.approx((0, 0))


def test_matches_that_repeat_within_a_pair_are_not_counted_as_more_evidence() -> None:
    repeated = bradley_terry(2, [HeadToHead(0, 1, {(1.0, 1.0): 20, (0.0, 0.0): 20})])
    single = bradley_terry(2, [HeadToHead(0, 1, {(1.0,): 20, (0.0,): 20})])
    widths = [r.difference(0, 1).high - r.difference(0, 1).low for r in (repeated, single)]
    assert widths[0] == pytest.approx(widths[1], rel=0.15)


@pytest.mark.parametrize("repeats", [0.0, 0.6])
def test_rating_intervals_cover_the_truth_as_often_as_they_say(repeats: float) -> None:
    """Also when the second match of a pair often repeats the first's result."""
    draw_from = np.random.default_rng(11)
    strength, runs, pairs = np.array([0.0, 0.7, 1.4]), 250, 40
    hits = trials = 0
    for _ in range(runs):
        meetings = []
        for a, b in ((0, 1), (0, 2), (1, 2)):
            score = 1 / (1 + math.exp(strength[b] - strength[a]))
            chances = [score - 0.1, 0.2, 0.8 + 0.1 - score]
            first, second = draw_from.choice([1.0, 0.5, 0.0], size=(2, pairs), p=chances)
            second = np.where(draw_from.random(pairs) < repeats, first, second)
            meetings.append(HeadToHead(a, b, Counter(zip(first.tolist(), second.tolist(), strict=True))))
        ratings = bradley_terry(3, meetings)
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
    assert 0.94 < hits / 1000 < 0.99
