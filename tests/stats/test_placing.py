"""The rating of an agent by matches against players whose ratings are known."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from inarow.randomness import Stream, derive
from inarow.stats import Scale, chi_square_limit, expected_score, place

SCALE = Scale([0.0, 100.0, 200.0, 300.0], np.zeros((4, 4)))


def simulated(elo: float, pairs: int, seed: int) -> dict[int, Counter[tuple[float, ...]]]:
    """The points of an agent of this strength against each player."""
    stream = Stream(derive(seed, "placing"))
    met: dict[int, Counter[tuple[float, ...]]] = {}
    for at, other in enumerate(SCALE.elo):
        score = expected_score(elo - other)

        def points(score: float = score) -> float:
            drawn = stream.uniform()
            return 1.0 if drawn < score - 0.1 else 0.5 if drawn < score + 0.1 else 0.0

        met[at] = Counter((points(), points()) for _ in range(pairs))
    return met


def test_the_interval_covers_the_true_strength_as_often_as_it_says() -> None:
    found = [place(SCALE, simulated(150.0, 40, seed)) for seed in range(300)]
    covered = sum(one.interval.covers(150.0) for one in found)
    assert 0.92 * 300 <= covered <= 0.98 * 300
    assert sum(one.elo for one in found) / 300 == pytest.approx(150, abs=3)


def test_a_one_sided_bound_is_nearer_than_the_end_of_the_interval() -> None:
    found = place(SCALE, simulated(150.0, 40, 1))
    assert found.interval.low < found.at_least < found.elo < found.at_most < found.interval.high


def test_more_pairs_narrow_the_interval() -> None:
    few, many = (place(SCALE, simulated(150.0, pairs, 1)) for pairs in (20, 320))
    assert many.error == pytest.approx(few.error / 4, rel=0.2)


def test_the_error_of_the_players_ratings_is_part_of_the_error() -> None:
    met = simulated(150.0, 40, 1)
    sure = place(SCALE, met)
    shifted = place(SCALE._replace(covariance=np.full((4, 4), 900.0)), met)
    assert shifted.elo == sure.elo
    assert shifted.error**2 == pytest.approx(sure.error**2 + 900.0, rel=1e-6)


def test_wins_only_and_draws_only_have_a_finite_rating() -> None:
    won = place(SCALE, {3: {(1.0, 1.0): 50}})
    assert 600 < won.elo < 3000
    assert won.error > 100
    drawn = place(SCALE, {2: {(0.5, 0.5): 50}})
    assert drawn.elo == pytest.approx(200)


@pytest.mark.parametrize(("freedom", "limit"), [(2, 5.991), (5, 11.070), (10, 18.307)])
def test_the_limit_of_chi_square_is_that_of_tables(freedom: int, limit: float) -> None:
    assert chi_square_limit(freedom) == pytest.approx(limit, rel=0.01)
