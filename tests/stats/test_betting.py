"""Confidence sequences: they may be looked at after every score."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from inarow.stats import bounded_mean, confidence_sequence, log_capital, sequential_p_value


def test_the_capital_is_the_mean_over_stakes_of_a_product_of_factors() -> None:
    scores = [1.0, 1.0, 0.5, 0.25, 1.0]
    for mean in (0.2, 0.5, 0.9):
        total = 0.0
        for half_steps in range(12):
            capital = 1.0
            for score in scores:
                capital *= 1 + 0.5 ** (half_steps / 2) * (score / mean - 1)
            total += capital / 12
        counts = Counter(scores)
        assert float(log_capital(list(counts), list(counts.values()), mean)) == pytest.approx(math.log(total))


def test_the_expected_capital_at_the_true_mean_is_one() -> None:
    scores, chances = (0.0, 0.5, 1.0), (0.3, 0.2, 0.5)
    expected = sum(
        chance * math.exp(float(log_capital([score], [1], 0.6))) for score, chance in zip(scores, chances, strict=True)
    )
    assert expected == pytest.approx(1.0)


@pytest.mark.parametrize(
    "counts", [{1.0: 15}, {0.5: 100}, {0.0: 20, 1.0: 40, 0.5: 10}, {0.25: 1}], ids=["won", "drawn", "mixed", "one"]
)
def test_the_interval_holds_its_estimate_and_turns_over_with_the_scores(counts: dict[float, int]) -> None:
    interval = confidence_sequence(counts, 0.05)
    turned = confidence_sequence({1 - score: count for score, count in counts.items()}, 0.05)
    assert interval is not None
    assert turned is not None
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert turned == pytest.approx((1 - interval.estimate, 1 - interval.high, 1 - interval.low))
    assert interval.low < interval.high


def test_an_interval_for_every_look_is_wider_than_one_for_a_fixed_number() -> None:
    counts = {0.0: 20, 0.5: 30, 1.0: 40}
    always, fixed = confidence_sequence(counts, 0.05), bounded_mean(counts)
    assert always is not None
    assert fixed is not None
    assert always.low < fixed.low
    assert always.high > fixed.high


def test_the_p_value_and_the_interval_agree() -> None:
    for won in range(1, 40):
        counts = {1.0: won, 0.0: 5}
        interval, p = confidence_sequence(counts, 0.01), sequential_p_value(counts, 0.5)
        assert interval is not None
        assert p is not None
        assert interval.covers(0.5) == (p > 0.01)


def test_without_scores_there_is_nothing() -> None:
    assert confidence_sequence({}, 0.05) is None
    assert confidence_sequence({0.5: 0}, 0.05) is None
    assert sequential_p_value({}, 0.5) is None


def test_it_covers_the_true_mean_at_all_looks_together() -> None:
    missed = 0
    for seed in range(300):
        stream = random.Random(seed)
        counts: Counter[float] = Counter()
        excluded = False
        for _ in range(60):
            counts[stream.choice((0.0, 0.5, 0.5, 1.0))] += 1
            p = sequential_p_value(counts, 0.5)
            excluded |= p is not None and p <= 0.1
        missed += excluded
    assert missed <= 30
