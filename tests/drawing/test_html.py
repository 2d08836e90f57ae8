"""Pieces of HTML for notebooks: what is written into them stays text."""

from __future__ import annotations

from inarow.drawing.svg import figure, table


def test_a_figure_has_its_picture_and_its_lines_as_text() -> None:
    shown = figure("<svg/>", "a < b", "c")
    assert "<svg/>" in shown
    assert "<div>a &lt; b</div><div>c</div>" in shown


def test_a_table_has_every_cell_as_text() -> None:
    shown = table(["who", "wins"], [("<b>x</b>", 3)], "note")
    assert "&lt;b&gt;x&lt;/b&gt;" in shown
    assert shown.count("<td") == shown.count("<th ") == 2
    assert "<div>note</div>" in shown
