"""Verdicts follow from counts: one test on all shares, corrected; exact where a sum or a match is equal."""

from __future__ import annotations

import pytest

from inarow.reproductions import verdicts
from inarow.reproductions.verdicts import (
    CONSISTENT,
    EXACT,
    NOT_REPRODUCED,
    OPEN,
    Group,
    Row,
    decomposed,
    judged,
    total_p,
)


def verdict_of(row: Row, *others: Row) -> object:
    made = judged([Group("key", "Title", ("row",), [row, *others])])[0]
    return made.rows[0][[column.name for column in made.columns].index(verdicts.VERDICT)]


def row(theirs: tuple[int, ...] | None, ours: tuple[int, ...] | None, **more: object) -> Row:
    return Row(("a row",), "as printed", theirs, ours, None, "by hand", **more)  # type: ignore[arg-type]


def test_equal_shares_are_consistent_and_others_are_not_reproduced() -> None:
    assert verdict_of(row((43, 57, 0), (44, 56, 0))) == CONSISTENT
    assert verdict_of(row((385, 0, 615), (102, 9, 889))) == NOT_REPRODUCED
    assert verdict_of(row((50, 0, 50), (50, 20, 30))) == NOT_REPRODUCED  # wins alone would agree
    assert verdict_of(row(None, (1, 2, 3))) == verdict_of(row((1, 2, 3), None)) == OPEN


def test_many_rows_make_a_single_difference_count_less() -> None:
    odd, even = row((16, 0, 4), (9, 0, 11)), row((10, 0, 10), (10, 0, 10))
    assert odd.p is not None
    assert 0.02 < odd.p < 0.05
    assert verdict_of(odd) == NOT_REPRODUCED
    assert verdict_of(odd, even, even, even) == CONSISTENT


def test_a_repeated_match_is_exact_or_not_reproduced() -> None:
    assert verdict_of(row((100, 0, 0), (25, 0, 0), exact=True)) == EXACT
    assert verdict_of(row((100, 0, 0), (0, 0, 2), exact=True)) == NOT_REPRODUCED


def test_what_a_report_leaves_out_is_put_together_and_a_range_is_believed() -> None:
    assert row((90, 0, 10), (90, 9, 1)).p == pytest.approx(0, abs=1e-3)
    assert row((90, 0, 10), (90, 9, 1), shows=(0,)).p == pytest.approx(1)
    spread = [(0, share, 100 - share) for share in range(13, 20)]
    assert row(None, (30, 19, 51), shows=(1,), ranges=spread).p == pytest.approx(1)


@pytest.mark.parametrize(
    ("total", "values", "said"),
    [
        (86_940, (8_610, 8_778), "5 × 8,610 + 5 × 8,778"),
        (10_331, (946, 1_033, 1_068), "2 × 946 + 3 × 1,033 + 5 × 1,068"),
        (36_494, (3_377, 3_523, 3_594, 3_840), "1 × 3,377 + 3 × 3,523 + 2 × 3,594 + 4 × 3,840"),
        (25_484, (2_472, 2_580, 2_638), "4 × 2,472 + 4 × 2,580 + 2 × 2,638"),
        (565_620, (56_490, 56_730), "7 × 56,490 + 3 × 56,730"),
        (86_941, (8_610, 8_778), ""),
        (100, (), ""),
        (100, tuple(range(6)), ""),
    ],
)
def test_a_total_is_a_sum_of_games_or_not(total: int, values: tuple[int, ...], said: str) -> None:
    assert decomposed(total, 10, values) == said


def test_a_total_far_from_the_mean_is_unlikely() -> None:
    values = [90, 100, 110] * 10
    assert total_p(1_000, 10, values) == 1
    assert total_p(1_010, 10, values) > 0.5
    assert total_p(1_200, 10, values) < 1e-6
    assert total_p(1_001, 10, [100, 100]) == 0
