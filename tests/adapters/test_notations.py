"""Every notation says the same position, and a test of each counts from where that notation counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.adapters.notations import FORMATS, NotatedPosition, board_cells, convert, notation
from inarow.errors import InarowError
from inarow.rules import CONNECT4, FIRST, SECOND, TICTACTOE, Game, Position
from inarow.rules.game import game
from inarow.solver import Oracle

BOARDS = [CONNECT4, TICTACTOE, game("5x4x4"), game("4x4x3-free"), game("12x4x4")]


@st.composite
def lines(draw: st.DrawFn) -> tuple[Game, tuple[int, ...]]:
    board = draw(st.sampled_from(BOARDS))
    position, moves = Position.start(board), []
    for _ in range(draw(st.integers(0, board.cells))):
        if position.outcome() is not None:
            break
        moves.append(draw(st.sampled_from(position.legal_moves())))
        position = position.play(moves[-1])
    return board, tuple(moves)


@settings(max_examples=60, deadline=None)
@given(lines())
def test_every_notation_leads_back_to_the_position(line: tuple[Game, tuple[int, ...]]) -> None:
    board, moves = line
    position = Position.start(board, moves)
    for form in FORMATS.values():
        again = form.parse(board, form.write(NotatedPosition(position, moves)))
        assert again.position == position, form.name
        assert Position.start(board, again.line()) == position


@settings(max_examples=60, deadline=None)
@given(lines())
def test_a_board_alone_has_an_order_of_moves(line: tuple[Game, tuple[int, ...]]) -> None:
    board, moves = line
    position = Position.start(board, moves)
    history = position.history()
    assert history is not None
    assert Position.start(board, history) == position


def test_pons_counts_columns_from_1_and_keeps_the_score() -> None:
    entry = notation("pons").parse(CONNECT4, "7422341735647741166133573473242566 1")
    assert entry.moves is not None
    assert entry.moves[:3] == (6, 3, 1)
    assert (entry.score, entry.known_verdict) == (1, 1)
    assert notation("pons").write(entry) == "7422341735647741166133573473242566 1"
    assert convert(CONNECT4, "1", "pons", "drawing").endswith("/X......")
    assert convert(CONNECT4, "7", "pons", "drawing").endswith("/......X")


def test_zero_counts_columns_from_0() -> None:
    assert convert(CONNECT4, "0", "zero", "drawing").endswith("/X......")
    assert convert(CONNECT4, "6", "zero", "drawing").endswith("/......X")
    assert convert(CONNECT4, "3, 3, 4", "zero", "moves") == "445"
    assert convert(game("12x4x4"), "0,11", "zero", "moves") == "1,12"
    with pytest.raises(InarowError, match="'011', is not a move of 12x4x4 from 0 to 11"):
        convert(game("12x4x4"), "011", "zero", "moves")


def test_uci_goes_up_the_columns_from_the_bottom_left() -> None:
    cells = ["b"] * 42
    cells[0], cells[1], cells[6], cells[41] = "x", "o", "x", "b"
    entry = notation("uci").parse(CONNECT4, ",".join([*cells, "win"]))
    assert entry.position == Position.start(CONNECT4, (0, 0, 1))
    assert entry.position.to_move is SECOND
    assert entry.verdict == -1  # won for x, the first player, and the second is to move
    assert notation("uci").write(entry) == ",".join([*cells, "win"])
    scored = NotatedPosition(Position.start(CONNECT4), score=1)
    assert scored.position.to_move is FIRST
    assert notation("uci").write(scored).endswith(",b,win")
    assert notation("uci").write(NotatedPosition(Position.start(CONNECT4, (0,)), score=2)).endswith(",b,loss")


def test_a_row_of_the_uci_data_says_what_the_solver_says() -> None:
    row = "b,b,b,b,b,b,b,b,b,b,b,b,x,o,b,b,b,b,x,o,x,o,x,o,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,win"  # its first one
    entry = notation("uci").parse(CONNECT4, row)
    assert Position.start(CONNECT4, (2, 2, 3, 3, 3, 3, 3, 3)) == entry.position
    assert entry.verdict == 1
    assert Oracle(CONNECT4).score(entry.position) > 0
    assert notation("uci").write(entry) == row


def test_kaggle_goes_along_the_rows_from_the_top_left() -> None:
    cells = [0] * 42
    cells[35], cells[28] = 1, 2  # the bottom left cell, and the one above it
    assert board_cells(Position.start(CONNECT4, (0, 0))) == cells
    assert convert(CONNECT4, str(cells), "kaggle", "moves") == "11"
    assert convert(CONNECT4, " ".join(map(str, cells)), "kaggle", "zero") == "00"


@pytest.mark.parametrize(
    ("form", "text", "words"),
    [
        ("moves", "48", "character 2"),
        ("pons", "44 win", "'win' is not a score"),
        ("zero", "37", "move 2, '7', is not a move of connect4 from 0 to 6"),
        ("zero", "0000000", "move 7, 0 counted from 0: column 0 is full"),
        ("uci", "b,b", "2 cells; a row of connect4 has 42"),
        ("uci", ",".join(["b"] * 41 + ["z"]), "cell 42 is 'z', expected b, x or o"),
        ("uci", ",".join(["b"] * 42 + ["won"]), "'won' is not a result"),
        ("kaggle", "[0, 0", "cut short"),
        ("kaggle", "[0, 1]", "2 cells; a board of connect4 has 42"),
        ("kaggle", str([3] * 42), "cell 1 is 3"),
        ("kaggle", str([0] * 40 + [1, 1]), "2 stones of the first player and 0 of the second"),
        ("kaggle", str([1] + [0] * 41), "a stone floats in column 1"),
        ("kaggle", str([0] * 28 + [2] * 4 + [0] * 3 + [1] * 4 + [0] * 3), "both players have a line"),
        ("drawing", "X", "the grid has"),
    ],
)
def test_a_bad_text_is_named(form: str, text: str, words: str) -> None:
    with pytest.raises(InarowError, match=words):
        notation(form).parse(CONNECT4, text)


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(InarowError, match="unknown format 'kagle'; did you mean kaggle"):
        convert(CONNECT4, "", "moves", "kagle")
    with pytest.raises(InarowError, match="no order of moves"):
        NotatedPosition(Position(CONNECT4, 0b1111, 0)).line()
