"""A position as text: numbers, the winning line in brackets, the last move underlined."""

from __future__ import annotations

import inarow
from inarow.drawing.text import draw


def test_columns_are_numbered_below_and_the_winning_line_is_in_brackets() -> None:
    lines = draw(inarow.position("5x4x3", "11223")).plain.splitlines()
    assert [line.rstrip() for line in lines] == [
        " .  .  .  .  .",
        " .  .  .  .  .",
        " O  O  .  .  .",
        "[X][X][X] .  .",
        " 1  2  3  4  5",
    ]


def test_free_cells_show_their_numbers() -> None:
    lines = draw(inarow.position("tictactoe", "15")).plain.splitlines()
    assert [line.split() for line in lines] == [["X", "2", "3"], ["4", "O", "6"], ["7", "8", "9"]]


def test_the_last_move_is_underlined() -> None:
    text = draw(inarow.position("connect4", "44"), last=3)
    marked = [text.plain[span.start : span.end] for span in text.spans if "underline" in str(span.style)]
    assert marked == ["O"]
