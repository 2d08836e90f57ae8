"""Intervals: known values, sensible ends, and their stated coverage in a simulation."""

from __future__ import annotations

import pytest

from inarow.randomness import Stream
from inarow.stats import bounded_mean, deviation, weighted_mean, wilson


def test_wilsons_interval_has_its_published_values() -> None:
    # Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    published = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
    for successes, trials, low, high in published:
        interval = wilson(successes, trials)
        assert interval is not None
        assert interval.low == pytest.approx(low, abs=6e-5)
        assert interval.high == pytest.approx(high, abs=6e-5)


def test_no_trials_give_no_interval() -> None:
    assert wilson(0, 0) is None
    assert bounded_mean([]) is None


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_equal_scores_still_have_an_interval_of_some_width(score: float) -> None:
    interval = bounded_mean([score] * 50)
    assert interval is not None
    assert interval.estimate == score
    assert 0 <= interval.low <= score <= interval.high <= 1
    assert 0.01 < interval.high - interval.low < 0.2


@pytest.mark.parametrize("win", [0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("pairs", [10, 50])
def test_the_interval_over_pairs_covers_the_truth_as_often_as_it_says(win: float, pairs: int) -> None:
    stream = Stream(int(1000 * win) + pairs)
    covered = 0
    for _ in range(1000):
        scores = [((stream.uniform() < win) + (stream.uniform() < win)) / 2 for _ in range(pairs)]
        interval = bounded_mean(scores)
        assert interval is not None
        covered += interval.low <= win <= interval.high
    assert covered >= 940


def test_a_deviation_is_none_for_equals_and_grows_with_evidence() -> None:
    assert deviation({}) is None
    assert deviation({(1.0, 0.5): 10}) == pytest.approx(0)
    assert deviation({(1.0, 1.0): 3, (1.0, 0.0): 3}) == pytest.approx(0)
    few, many = deviation({(1.0, 1.0): 3}), deviation({(1.0, 1.0): 30})
    assert few is not None
    assert many is not None
    assert 0.8 < few < many


@pytest.mark.parametrize("z", [1.0, 1.96, 3.3])
@pytest.mark.parametrize("counts", [{(1.0, 1.0): 9, (1.0, 0.5): 4}, {(1.0, 0.75): 30, (0.5, 1.0): 1}, {(3.0, 0.4): 50}])
def test_an_interval_excludes_half_where_the_deviation_is_beyond_it(
    counts: dict[tuple[float, float], int], z: float
) -> None:
    interval, off = weighted_mean(counts, z), deviation(counts)
    assert interval is not None
    assert off is not None
    assert interval.covers(0.5) == (abs(off) <= z)
