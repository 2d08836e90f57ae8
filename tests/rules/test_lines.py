"""Every line of a board is listed once, in the order that is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inarow import bits
from inarow.randomness import Stream
from inarow.rules import CONNECT4, TICTACTOE, game
from inarow.rules.game import FALLING, HORIZONTAL, RISING, VERTICAL, lines_along, lines_of


def test_connect_4_has_69_lines_by_direction() -> None:
    counts = [len(lines_along(CONNECT4, *direction)) for direction in (HORIZONTAL, VERTICAL, RISING, FALLING)]
    assert counts == [24, 21, 12, 12]
    assert len(set(lines_of(CONNECT4))) == 69
    assert len(lines_of(TICTACTOE)) == 8


def test_every_line_wins_and_nothing_less() -> None:
    for board in (CONNECT4, TICTACTOE, game("5x4x3")):
        for line in lines_of(board):
            assert line.bit_count() == board.k
            assert bits.has_line(line, board.k, board.stride)


@pytest.mark.parametrize("name", ["4x4x4-cylinder", "5x3x3-free-cylinder", "7x6x4-cylinder", "9x6x5-cylinder"])
def test_lines_on_a_cylinder_go_on_across_the_edge(name: str) -> None:
    board, stream = game(name), Stream(3)
    lines = lines_of(board)
    assert len(lines) > len(lines_of(replace(board, cylinder=False)))
    for _ in range(300):
        stones = sum(bit for bit in board.cell_bits if stream.uniform() < 0.6)
        assert bits.line_on(board, stones) == any(stones & line == line for line in lines)
        wins = {bit for line in lines for bit in board.cell_bits if bit & line and line & ~bit & ~stones == 0}
        assert bits.wins_on(board, stones) == sum(wins)


def test_the_first_line_is_in_the_top_row() -> None:
    top = sum(CONNECT4.cell_bits[cell] for cell in range(4))
    assert lines_of(CONNECT4)[0] == top
