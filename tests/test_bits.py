"""Board arithmetic is right by definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow import bits, randomness
from inarow.rules import Game, game

SIZES = ["tictactoe", "connect4", "5x4x4", "8x6x5", "1x9x3", "9x6x4", "3x20x6", "9x1x3", "4x14x8", "1x62x4", "2x30x4"]


def sets_of(a_game: Game) -> st.SearchStrategy[int]:
    return st.sets(st.sampled_from(a_game.cell_bits)).map(sum)


@pytest.mark.parametrize("name", SIZES)
@given(data=st.data())
def test_winning_cells_are_those_where_a_stone_makes_a_new_line(name: str, data: st.DataObject) -> None:
    g = game(name)
    stones = data.draw(sets_of(g))
    if bits.has_line(stones, g.k, g.stride):
        return
    wins = bits.winning_cells(stones, g.k, g.stride, g.board)
    for bit in g.cell_bits:
        if not stones & bit:
            assert bool(wins & bit) == bits.has_line(stones | bit, g.k, g.stride)


@given(st.integers(0, randomness.MASK63), st.integers(0, randomness.MASK63))
def test_sums_and_products_wrap_at_63_bits(a: int, b: int) -> None:
    assert randomness.plus(a, b) == (a + b) % 2**63
    assert randomness.times(a, b) == (a * b) % 2**63
