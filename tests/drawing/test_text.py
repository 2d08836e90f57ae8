"""A position as text: numbers, the winning line in brackets, the last move in parentheses, captions below."""

from __future__ import annotations

import inarow
from inarow.drawing.text import DISCS, Caption, draw


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


def test_the_last_move_is_marked_with_and_without_colour() -> None:
    text = draw(inarow.position("connect4", "44"), last=3)
    marked = [text.plain[span.start : span.end] for span in text.spans if "underline" in str(span.style)]
    assert marked == ["O"]
    assert "(O)" in text.plain


def test_marks_and_stones_are_aligned_on_a_board_with_two_digits() -> None:
    lines = draw(inarow.position("12x4x3", "1,12,1,2,1"), last=0).plain.splitlines()
    assert [line.rstrip() for line in lines] == [
        "  .   .   .   .   .   .   .   .   .   .   .   .",
        " [X]  .   .   .   .   .   .   .   .   .   .   .",
        " [X]  .   .   .   .   .   .   .   .   .   .   .",
        " [X]  O   .   .   .   .   .   .   .   .   .   O",
        "  1   2   3   4   5   6   7   8   9  10  11  12",
    ]


def test_captions_stand_below_their_column_or_cell() -> None:
    captions = {1: Caption(("loss", "in 12")), 3: Caption(("win", "in 4", "best"))}
    lines = draw(inarow.position("connect4", "44"), captions=captions).plain.splitlines()
    numbers, verdicts, lengths, marks = lines[-4:]
    assert numbers.split() == list("1234567")
    for line, word, number in (
        (verdicts, "loss", "2"),
        (lengths, "in 12", "2"),
        (verdicts, "win", "4"),
        (marks, "best", "4"),
    ):
        assert line.index(word) <= numbers.index(number) < line.index(word) + len(word)
    lines = draw(inarow.position("tictactoe", "1"), captions={4: Caption(("draw", "", "best"))}).plain.splitlines()
    assert [line.split() for line in lines] == [["X", "2", "3"], ["4", "5", "6"], ["draw"], ["best"], ["7", "8", "9"]]


def test_discs_take_the_place_of_letters() -> None:
    assert draw(inarow.position("connect4", "44"), last=3, stones=DISCS).plain.count("●") == 1
    assert "(○)" in draw(inarow.position("connect4", "44"), last=3, stones=DISCS).plain


def test_columns_that_do_not_fit_follow_below_the_others() -> None:
    for game in ("31x1x4", "31x1x4-free", "21x2x4-free"):
        drawn = draw(inarow.position(game, "1,2,21"), last=20, captions={20: Caption(("hint",))})
        lines = drawn.plain.splitlines()
        assert max(map(len, lines)) <= 80
        assert drawn.plain.count("(X)") == drawn.plain.count("hint") == 1
    lines = draw(inarow.position("28x1x4", "1,28"), last=27).plain.splitlines()
    assert [line.split()[0] for line in lines] == ["X", "1", ".", "27"]
    assert len(draw(inarow.position("28x1x4", ""), screen=90).plain.splitlines()) == 2
