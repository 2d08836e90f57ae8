"""Names in a chart stand beside their marks and cover neither each other nor the marks."""

from __future__ import annotations

from inarow.report.curves import BESIDE, LabelPlace, spots


def test_a_name_stands_at_the_right_of_its_mark_if_there_is_room() -> None:
    (spot,) = spots([(10, 50)], ["a name"], 8, 200)
    assert spot.right
    assert 0 < spot.up < 8


def test_a_name_that_would_leave_the_chart_stands_at_the_left() -> None:
    (spot,) = spots([(190, 50)], ["a long name"], 8, 200)
    assert not spot.right


def test_names_of_marks_that_are_close_keep_apart() -> None:
    marks = [(100.0, 50.0), (104.0, 50.0), (108.0, 50.0), (112.0, 52.0)]
    names = ["a first name", "a second name", "a third name", "a fourth name"]
    chosen = spots(marks, names, 8, 300)

    def across(mark: tuple[float, float], spot: LabelPlace, name: str) -> tuple[float, float]:
        left = mark[0] + BESIDE if spot.right else mark[0] - BESIDE - 4.4 * len(name)
        return left, left + 4.4 * len(name)

    placed = [(*across(*one), one[0][1] + one[1].up) for one in zip(marks, chosen, names, strict=True)]
    for i, (left, right, at) in enumerate(placed):
        for other_left, other_right, other_at in placed[i + 1 :]:
            assert right <= other_left or other_right <= left or abs(at - other_at) >= 9
