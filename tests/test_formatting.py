"""Numbers read the same wherever they are printed."""

from __future__ import annotations

import math

import pytest

from inarow.formatting import duration, elo_range, listed, share
from inarow.stats import Interval


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (None, "–"),
        (0.0, "0 %"),
        (0.004, "0.4 %"),
        (0.62, "62 %"),
        (0.996, "99.6 %"),
        (1.0, "100 %"),
        (Interval(0.62, 0.55, 0.998), "62 % (55–99.8)"),
        (Interval(0.65, 0.503, 0.77), "65 % (50.3–77)"),
        (Interval(0.4, 0.3, 0.49996), "40 % (30–49.996)"),
        (Interval(0.5, 0.5, 0.5), "50 % (50–50)"),
    ],
)
def test_a_rate_never_looks_more_certain_than_it_is(rate: float | Interval | None, text: str) -> None:
    assert share(rate) == text


def test_a_rate_may_have_decimals() -> None:
    assert share(0.97256, decimals=2) == "97.26 %"


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "–"), (0, "0 s"), (1.5, "1.5 s"), (0.9999, "1 s"), (0.02, "20 ms"), (8e-8, "80 ns")]
)
def test_a_time_has_the_unit_that_fits(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_words_are_listed_with_commas_and_an_and() -> None:
    assert [listed("abc"[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]


@pytest.mark.parametrize(
    ("elo", "text"),
    [
        (Interval(120.4, 64, 182), "+120 (+64 to +182)"),
        (Interval(math.inf, 247, math.inf), "> +247"),
        (Interval(-math.inf, -math.inf, -80), "< −80"),
        (Interval(512, 300, math.inf), "+512 (+300 to +∞)"),
    ],
)
def test_a_difference_that_is_not_bounded_is_shown_as_a_bound(elo: Interval, text: str) -> None:
    assert elo_range(elo) == text
