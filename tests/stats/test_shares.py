"""The exact test on all shares agrees with known p-values and with counting every table."""

from __future__ import annotations

from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.stats import holm
from support.shares import same_shares


def counted(one: tuple[int, ...], two: tuple[int, ...]) -> float:
    """By every table with these margins."""
    totals = [a + b for a, b in zip(one, two, strict=True)]
    size = sum(one)
    ways = {}
    for cells in product(*(range(total + 1) for total in totals)):
        if sum(cells) == size:
            ways[cells] = 1
            for total, n in zip(totals, cells, strict=True):
                ways[cells] *= comb(total, n)
    return sum(way for way in ways.values() if way <= ways[one]) / sum(ways.values())


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.integers(0, 7)] * 3), st.tuples(*[st.integers(0, 7)] * 3))
def test_it_is_the_share_of_tables_as_unlikely(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    expected = counted(one, two) if sum(one) and sum(two) else 1.0
    assert same_shares(one, two) == pytest.approx(expected)


def test_two_outcomes_are_fishers_test() -> None:
    assert same_shares((3, 1), (1, 3)) == pytest.approx(34 / 70)  # the lady tasting tea, both sides


def test_thousands_of_games_are_no_problem() -> None:
    assert same_shares((385, 0, 615), (1000, 90, 910)) < 1e-12
    assert same_shares((483, 100, 417), (966, 200, 834)) > 0.9


def test_holm_corrects_the_least_most_and_keeps_the_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
