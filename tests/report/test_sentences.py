"""A sentence claims a difference only where its interval excludes zero."""

from __future__ import annotations

import pytest

from inarow.match import Series
from inarow.report.tables import meeting_sentence, ranking_sentence, rate_difference
from inarow.stats import wilson
from support.made_up_results import results, series


def test_a_clear_win_is_claimed() -> None:
    assert meeting_sentence(series(won=40, split=5)).startswith("alpha is better than beta: it scores 94 % (")


def test_the_winner_is_named_from_either_side() -> None:
    assert meeting_sentence(series(lost=40)).startswith("beta is better than alpha: it scores 100 % (")


def test_a_tie_is_not_called_a_difference() -> None:
    assert meeting_sentence(series(won=20, lost=20)).startswith("No difference is shown between alpha and beta")


def test_too_few_matches_say_nothing() -> None:
    assert meeting_sentence(series(won=4)) == "8 matches are too few to show any difference between alpha and beta."


def test_an_empty_cell_says_nothing() -> None:
    assert meeting_sentence(series()).startswith("No match between alpha and beta was finished")


def pool(*meetings: Series) -> str:
    return ranking_sentence("Here", results(*meetings))


def test_the_first_of_a_pool_is_ahead_of_all_only_if_that_is_shown() -> None:
    alpha_wins, tie = series(won=50), series("beta", "gamma", drawn=50)
    assert "alpha is the strongest of 3" in pool(alpha_wins, series("alpha", "gamma", won=50), tie)
    close = series(split=26, won=1)
    wins = series("alpha", "gamma", won=50), series("beta", "gamma", won=50)
    assert "not shown to be stronger than beta." in pool(close, *wins)
    ties = series(drawn=50), series("alpha", "gamma", drawn=50)
    assert "don't tell the agents apart" in pool(*ties, tie)
    assert "can't be ranked" in pool(series("alpha", "alpha", won=50))


def test_a_pool_is_not_ranked_by_few_matches() -> None:
    assert pool(series(won=4)) == "Here: 8 matches are too few for a ranking."


def test_the_interval_of_a_difference_of_rates_is_newcombes() -> None:
    # Newcombe 1998, table II, method 10: 56/70 − 48/80 is 0.2000 (0.0524, 0.3339).
    a, b = wilson(56, 70), wilson(48, 80)
    assert a is not None
    assert b is not None
    assert rate_difference(a, b) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
