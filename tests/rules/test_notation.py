"""Moves as text, both ways, and what is said about a text that is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.rules import NotationError, Position, format_moves, game, parse_move, parse_moves
from inarow.rules.notation import parse_position


@given(st.sampled_from(["tictactoe", "connect4", "4x4x3-free", "10x4x4", "9x3x3"]), st.data())
def test_moves_survive_the_way_through_text(name: str, data: st.DataObject) -> None:
    board = game(name)
    position, moves = Position.start(board), []
    for _ in range(data.draw(st.integers(0, board.cells))):
        if not position.legal_moves():
            break
        moves.append(data.draw(st.sampled_from(position.legal_moves())))
        position = position.play(moves[-1])
    text = format_moves(board, moves)
    assert parse_moves(board, text) == tuple(moves)
    assert parse_position(board, text) == position
    assert ("," in text) == (board.moves > 9 and len(moves) > 1)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("connect4", "44x", "in '44x', character 3 ('x'), move 3: 'x' is not a column of connect4"),
        ("connect4", "448", "character 3 ('8'), move 3: '8' is not a column of connect4; give a number from 1 to 7"),
        ("connect4", "4,4", "character 2 (','), move 2"),
        ("connect4", "40", "'0' is not a column"),
        ("connect4", "4444444", "character 7 ('4'), move 7: column 4 is full"),
        ("connect4", "12121212", "character 8 ('2'), move 8: the game is over (first player has won)"),
        ("tictactoe", "55", "character 2 ('5'), move 2: cell 5 is taken"),
        ("tictactoe", "5²", "is not a cell"),
        (
            "4x4x3-free",
            "1,17",
            "character 3 ('17'), move 2: '17' is not a cell of 4x4x3-free; give a number from 1 to 16",
        ),
        ("4x4x3-free", "1,,2", "character 3 (''), move 2"),
        ("4x4x3-free", "1 2", "('1 2')"),
    ],
)
def test_a_wrong_text_says_which_character_and_why(name: str, text: str, reason: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_moves(game(name), text)
    assert reason in str(caught.value)


def test_spaces_between_moves_are_allowed() -> None:
    assert parse_moves(game("connect4"), " 44 53\n") == (3, 3, 4, 2)
    assert parse_moves(game("4x4x3-free"), "12, 3") == (11, 2)


def test_a_single_move_counts_from_one() -> None:
    assert parse_move(game("connect4"), " 7 ") == 6
    with pytest.raises(NotationError, match="'zero' is not a column"):
        parse_move(game("connect4"), "zero")
