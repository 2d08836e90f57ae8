"""Figures of several panels hold their numbers, and a strip marks the moves that gave the result away."""

from __future__ import annotations

from inarow.report.charts import StripFrame, film_strip, small_multiples
from inarow.report.curves import Axis, Curve
from inarow.rules import TICTACTOE, Position
from inarow.stats import Interval

KEPT = [(5.0, Interval(0.5, 0.4, 0.6)), (10.0, Interval(0.8, 0.7, 0.9))]


def test_every_line_has_a_panel_of_its_own_with_the_others_behind() -> None:
    lines = [Curve(name, KEPT) for name in ("one", "two", "three", "four")]
    figure = small_multiples("multiples", "By ply", Axis("stones"), Axis("kept", "percent", low=0, high=100), lines)
    assert len(figure.data.rows) == 8
    for name in ("one", "two", "three", "four"):
        assert f"<title>{name}\nstones: 5\nkept: 50 % (40–60)</title>" in figure.svg


def test_a_mistake_of_a_strip_is_marked_and_the_better_move_named() -> None:
    start = Position.start(TICTACTOE)
    frames = [
        StripFrame(start, None, "", "", "a draw"),
        StripFrame(start.play(0), 0, "a", "1", "a draw"),
        StripFrame(start.play(0).play(1), 1, "b", "2", "red wins", "5"),
    ]
    figure = film_strip("strip", "A match", frames)
    assert figure.data.texts()[2] == ["2", "b", "2", "red wins", "yes; better: 5"]
    assert "2. 2?" in figure.svg
    assert "better: 5" in figure.svg
