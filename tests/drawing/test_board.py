"""Where stones are and where the next one would be, for any drawing."""

from __future__ import annotations

import pytest

import inarow
from inarow.drawing import board as geometry
from inarow.drawing.board import landing_cell, last_cell, stones


def test_stones_are_cells_with_their_players() -> None:
    assert stones(inarow.position("tictactoe", "159")) == [(0, 0), (4, 1), (8, 0)]
    assert stones(inarow.position("connect4", "44")) == [(31, 1), (38, 0)]


@pytest.mark.parametrize(("moves", "last", "cell"), [("44", 3, 31), ("445", 4, 39), ("", None, None), ("", 3, None)])
def test_the_last_stone_of_a_column_is_its_highest(moves: str, last: int | None, cell: int | None) -> None:
    assert last_cell(inarow.position("connect4", moves), last) == cell


def test_without_gravity_a_move_is_its_cell() -> None:
    board = inarow.position("tictactoe", "15")
    assert last_cell(board, 4) == 4
    assert landing_cell(board, 8) == 8
    assert landing_cell(board, 4) is None


def test_a_stone_lands_where_it_is_played() -> None:
    position = inarow.position("connect4", "4455444")
    for move in position.legal_moves():
        after = position.play(move)
        assert landing_cell(position, move) == last_cell(after, move)
    assert landing_cell(inarow.position("connect4", "444444"), 3) is None


def test_a_share_in_pixels_is_whole_division_at_every_size() -> None:
    for cell in range(1, 500):
        assert geometry.pixels(cell, 1 / 7) == cell // 7
        assert geometry.pixels(cell, geometry.BOX_GAP) == cell // 24


def test_a_stone_fills_its_hole_and_stays_in_its_cell() -> None:
    assert geometry.HOLE < geometry.STONE / 2 <= geometry.HOLE_EDGE < 0.5
    radii = [radius for _, radius in geometry.STONE_BANDS]
    assert radii == sorted(radii, reverse=True)
    assert radii[-1] > geometry.MARK_REACH + geometry.MARK_WIDTH / 2
