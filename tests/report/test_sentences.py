"""A sentence claims a difference only when the interval excludes none."""

from __future__ import annotations

import pytest

from inarow.report.sentences import agreement, difference_sentence, meeting_sentence, ranking_sentence, rate_difference
from inarow.stats import Interval, Meeting, davidson, wilson
from support.made_up_results import series


def test_a_clear_win_is_claimed() -> None:
    assert meeting_sentence(series(won=40, split=5)).startswith("alpha is better than beta: it scores 94 % (")


def test_the_winner_is_named_from_either_side() -> None:
    assert meeting_sentence(series(lost=40)).startswith("beta is better than alpha: it scores 100 % (")


def test_a_tie_is_not_called_a_difference() -> None:
    assert meeting_sentence(series(won=20, lost=20)).startswith("No difference is shown between alpha and beta")


def test_too_few_games_say_nothing() -> None:
    assert meeting_sentence(series(won=4)) == "8 matches are too few to tell alpha from beta."


def test_an_empty_cell_says_nothing() -> None:
    assert "no match" in meeting_sentence(series())


def test_playings_that_repeat_claim_nothing() -> None:
    said = meeting_sentence(series(won=50, distinct=2))
    assert "only 2 of their 100 playings are distinct" in said
    assert "better" not in said


Pairs = dict[tuple[float, ...], int]


def pool(*meetings: Meeting, agents: int = 3) -> str:
    return ranking_sentence("Here", ["alpha", "beta", "gamma"][:agents], davidson(agents, meetings))


def test_the_first_of_a_pool_is_ahead_of_all_only_if_that_is_shown() -> None:
    win: Pairs = {(1.0, 1.0): 50}
    tie: Pairs = {(0.5, 0.5): 50}
    assert "alpha is the strongest of 3" in pool(Meeting(0, 1, win), Meeting(0, 2, win), Meeting(1, 2, tie))
    assert "not shown to be stronger than beta." in pool(
        Meeting(0, 1, {(1.0, 0.0): 26, (1.0, 0.5): 1}), Meeting(0, 2, win), Meeting(1, 2, win)
    )
    assert "don't tell the agents apart" in pool(Meeting(0, 1, tie), Meeting(0, 2, tie), Meeting(1, 2, tie))
    assert "can't be ranked" in pool(agents=1)


def test_a_difference_of_figures_is_claimed_only_if_shown() -> None:
    assert difference_sentence("Elo", "a", "b", Interval(5, -1, 11), "elo").startswith("Elo: no difference is shown")
    assert "b has more than a" in difference_sentence("Elo", "a", "b", Interval(-5, -9, -1), "elo")


@pytest.mark.parametrize(
    ("theirs", "ours", "said"), [((84, 100), (90, 100), "agrees"), ((84, 100), (60, 100), "differs")]
)
def test_a_published_rate_agrees_unless_the_difference_is_shown(
    theirs: tuple[int, int], ours: tuple[int, int], said: str
) -> None:
    a, b = wilson(*theirs), wilson(*ours)
    assert a is not None
    assert b is not None
    assert agreement(a, b) == said


def test_the_interval_of_a_difference_of_rates_is_newcombes() -> None:
    # Newcombe 1998, table II, method 10: 56/70 − 48/80 is 0.2000 (0.0524, 0.3339).
    a, b = wilson(56, 70), wilson(48, 80)
    assert a is not None
    assert b is not None
    assert rate_difference(a, b) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
