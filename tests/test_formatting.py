"""Numbers read the same wherever they are printed."""

from __future__ import annotations

import pytest

from inarow.formatting import duration, listed, share
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
