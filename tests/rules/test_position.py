"""The rules keep to those of a naive grid, on boards of all kinds."""

from __future__ import annotations

import pickle
from typing import SupportsIndex

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.errors import InarowError
from inarow.rules import (
    CONNECT4,
    FIRST,
    SECOND,
    TICTACTOE,
    Game,
    IllegalMove,
    Outcome,
    Player,
    Position,
    game,
    parse_moves,
)
from inarow.rules.notation import parse_drawing, parse_position
from inarow.rules.position import BadPosition, draw_row
from support.naive import NAMES, Naive


@st.composite
def playings(draw: st.DrawFn) -> tuple[Game, list[int]]:
    """A game and a legal list of moves, often to the end."""
    board = game(draw(st.sampled_from(NAMES)))
    position = Position.start(board)
    moves = []
    for _ in range(draw(st.integers(0, board.cells))):
        legal = position.legal_moves()
        if not legal:
            break
        moves.append(draw(st.sampled_from(legal)))
        position = position.play(moves[-1])
    return board, moves


def naive_of(board: Game) -> Naive:
    return Naive(board.columns, board.rows, board.k, board.gravity)


WINNERS = {None: None, "draw": Outcome(None), "X": Outcome(FIRST), "O": Outcome(SECOND)}


@given(playings())
def test_play_legal_moves_outcome_and_grid_agree_with_a_naive_grid(playing: tuple[Game, list[int]]) -> None:
    board, moves = playing
    twin = naive_of(board)
    position = Position.start(board)
    for ply, move in enumerate([*moves, None]):
        assert list(position.legal_moves()) == twin.legal()
        assert position.outcome() == WINNERS[twin.winner()]
        assert [draw_row(row) for row in position.grid()] == ["".join(row) for row in twin.grid]
        assert position.ply == ply
        assert {divmod(cell, board.columns) for cell in position.winning_cells()} == twin.line_cells()
        if move is not None:
            assert position.to_move == twin.turn
            twin.play(move)
            position = position.play(move)


@given(playings())
def test_winning_moves_are_those_that_make_a_line(playing: tuple[Game, list[int]]) -> None:
    board, moves = playing
    position = Position.start(board, moves)
    if position.outcome() is None:
        wins = [m for m in position.legal_moves() if position.play(m).outcome() == Outcome(position.to_move)]
        assert list(position.winning_moves()) == wins


@given(playings())
def test_a_position_built_from_its_grid_is_the_same(playing: tuple[Game, list[int]]) -> None:
    board, moves = playing
    position = Position.start(board, moves)
    again = Position.from_grid(board, position.grid())
    assert again == position
    assert hash(again) == hash(position)
    assert again.outcome() == position.outcome()
    assert parse_drawing(board, str(position)) == position
    assert pickle.loads(pickle.dumps(position)) == position


@given(playings())
def test_symmetric_positions_share_their_canonical_key_and_outcome(playing: tuple[Game, list[int]]) -> None:
    board, moves = playing
    position = Position.start(board, moves)
    images = position.symmetries()
    assert images[0] == position
    assert position.mirrored() in images
    assert {image.canonical_key() for image in images} == {position.canonical_key()}
    assert {image.outcome() for image in images} == {position.outcome()}


@given(playings(), st.data())
def test_playing_the_mirrored_move_gives_the_mirrored_position(
    playing: tuple[Game, list[int]], data: st.DataObject
) -> None:
    board, moves = playing
    position = Position.start(board, moves)
    if position.outcome() is None:
        move = data.draw(st.sampled_from(position.legal_moves()))
        row, column = divmod(move, board.columns)
        image = row * board.columns + board.columns - 1 - column
        assert position.mirrored().play(image) == position.play(move).mirrored()


@pytest.mark.parametrize(("name", "count"), [("connect4", 2), ("tictactoe", 8), ("4x3x3-free", 4), ("4x4x4-free", 8)])
def test_boards_have_their_number_of_symmetries(name: str, count: int) -> None:
    assert len(set(game(name).cell_symmetries)) == count


@given(playings(), playings())
def test_keys_are_equal_for_equal_positions_only(one: tuple[Game, list[int]], two: tuple[Game, list[int]]) -> None:
    a, b = Position.start(*one), Position.start(*two)
    if a.game == b.game:
        assert (a.key() == b.key()) == (a == b)


def test_all_tictactoe_positions_have_keys_of_their_own() -> None:
    seen = {Position.start(TICTACTOE)}
    frontier = list(seen)
    while frontier:
        frontier = list({p.play(m) for p in frontier for m in p.legal_moves()} - seen)
        seen.update(frontier)
    assert len(seen) == 5478
    assert len({p.key() for p in seen}) == 5478
    assert len({p.canonical_key() for p in seen}) == 765


@pytest.mark.parametrize(
    ("name", "moves", "move", "reason"),
    [
        ("connect4", "444444", 3, "column 3 is full; free: 0, 1, 2, 4, 5, 6"),
        ("connect4", "", 7, "move 7 is out of range: connect4 has columns 0 to 6"),
        ("connect4", "", -1, "move -1 is out of range: connect4 has columns 0 to 6"),
        ("tictactoe", "5", 4, "cell 4 is taken; free: 0, 1, 2, 3, 5, 6, 7, 8"),
        ("tictactoe", "14253", 8, "the game is over (first player has won)"),
    ],
)
def test_an_illegal_move_says_why(name: str, moves: str, move: int, reason: str) -> None:
    board = game(name)
    with pytest.raises(IllegalMove) as caught:
        Position.start(board, parse_moves(board, moves)).play(move)
    assert reason in str(caught.value)


@pytest.mark.parametrize("nonsense", ["4", 2.0, None, True, np.bool_(True), np.float64(2)])
def test_a_move_that_is_no_int_is_illegal(nonsense: object) -> None:
    with pytest.raises(IllegalMove, match="is not a move: connect4 has columns 0 to 6"):
        Position.start(CONNECT4).play(nonsense)  # type: ignore[arg-type]


@pytest.mark.parametrize("move", [np.int64(3), np.uint8(3), np.array(3)])
def test_any_integer_is_a_move(move: SupportsIndex) -> None:
    assert Position.start(CONNECT4).play(move) == Position.start(CONNECT4).play(3)
    assert Position.start(CONNECT4, np.array([3, 3])) == Position.start(CONNECT4, [3, 3])


@pytest.mark.parametrize("player", [2, -1])
def test_winning_moves_are_asked_for_one_of_two_players(player: int) -> None:
    with pytest.raises(InarowError, match=f"Player.SECOND or None, got {player}"):
        Position.start(CONNECT4).winning_moves(player)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "drawing", "reason"),
    [
        ("connect4", ".../...", "the grid has 2 rows of 3 cells; connect4 has 6 rows of 7"),
        ("tictactoe", "X.Q/.../...", "row 1, column 3: 'Q' is not a stone"),
        ("tictactoe", "XX./.../...", "2 stones of the first player and 0 of the second are not possible"),
        ("tictactoe", "O../.../...", "0 stones of the first player and 1 of the second"),
        ("3x3x3", "X../.../..O", "a stone floats in column 1"),
        ("tictactoe", "XXX/OOO/...", "both players have a line"),
        ("tictactoe", "XXX/OO./O..", "the first player has a line, but the other moved after it"),
        ("tictactoe", "OOO/XX./XX.", "the second player has a line, but the other moved after it"),
        ("3x3x3", ".../X../O..", "no order of moves leads to this position"),
    ],
)
def test_a_drawing_that_can_not_arise_is_refused_with_a_reason(name: str, drawing: str, reason: str) -> None:
    with pytest.raises(BadPosition) as caught:
        parse_drawing(game(name), drawing)
    assert reason in str(caught.value)


def test_two_lines_that_no_last_stone_explains_are_refused() -> None:
    with pytest.raises(BadPosition, match="whichever stone came last, a line was there before"):
        parse_drawing(game("5x3x2-free"), "XX.XX/...../O.O.O")


def test_a_stone_that_completes_two_lines_at_once_is_accepted() -> None:
    assert parse_drawing(TICTACTOE, "XXX/XOO/XOO").outcome() == Outcome(FIRST)


def test_a_position_can_not_be_changed() -> None:
    with pytest.raises(AttributeError, match="can't be changed"):
        Position.start(CONNECT4).first = 3


def test_the_last_stone_that_fills_the_board_can_win() -> None:
    position = parse_position(TICTACTOE, "13542768")
    assert position.outcome() is None
    assert position.play(8).outcome() == Outcome(FIRST)


def test_players_are_each_others_opposite() -> None:
    assert FIRST.other is SECOND
    assert SECOND.other is FIRST
    assert [Outcome(winner).score(Player.FIRST) for winner in (FIRST, None, SECOND)] == [1.0, 0.5, 0.0]
