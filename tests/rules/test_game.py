"""Games by name and by size."""

from __future__ import annotations

import pytest

from inarow.rules import CONNECT4, TICTACTOE, Game, UnknownGame, game


def test_named_games_are_what_their_rules_say() -> None:
    assert game("connect4") is CONNECT4
    assert (CONNECT4.columns, CONNECT4.rows, CONNECT4.k, CONNECT4.gravity) == (7, 6, 4, True)
    assert game("tictactoe") is TICTACTOE
    assert (TICTACTOE.columns, TICTACTOE.rows, TICTACTOE.k, TICTACTOE.gravity) == (3, 3, 3, False)


@pytest.mark.parametrize("text", ["connect4", "tictactoe", "5x4x4", "4x4x3-free", "7x8x4", "9x6x4", "1x9x3"])
def test_a_games_name_names_it_again(text: str) -> None:
    assert game(text).name == text
    assert game(game(text).name) == game(text)


def test_a_size_that_has_a_name_gets_it() -> None:
    assert game("7x6x4").name == "connect4"
    assert game("3x3x3-free").name == "tictactoe"
    assert game("3x3x3").name == "3x3x3"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("conect4", "did you mean connect4?"),
        ("chess", "known: connect4, tictactoe"),
        ("7x6", "written COLUMNSxROWSxK"),
        ("8x8x4", "too large: columns × (rows + 1) is 72, at most 63 fit"),
        ("0x5x3", "has no cells"),
        ("3x3x4", "4 in a row does not fit on a board of 3 columns and 3 rows; give a number from 2 to 3"),
        ("3x3x1", "1 in a row does not fit"),
        ("1x1x1", "a board of 1x1x1 is too small: a line has 2 cells or more"),
        ("99999999999x1x2", "too large"),
    ],
)
def test_what_is_no_game_says_why(text: str, reason: str) -> None:
    with pytest.raises(UnknownGame) as caught:
        game(text)
    assert reason in str(caught.value)


@pytest.mark.parametrize("text", ["connect4", "tictactoe", "4x5x3"])
def test_every_cell_has_a_bit_of_its_own_and_leads_to_its_move(text: str) -> None:
    board: Game = game(text)
    assert sum(board.cell_bits) == board.board
    for cell, bit in enumerate(board.cell_bits):
        move = board.move_of_cell(cell)
        assert bit & board.move_masks[move]
        assert board.move_of_bit(bit.bit_length() - 1) == move
