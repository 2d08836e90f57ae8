"""Expected moves and values are verified: what is wrong, or not unique, is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.teaching.checking import ExpectedError, check_expected
from support.commands import inarow


def findings(tmp_path: Path, *lines: str, head: str = "game,moves,best,value") -> list[tuple[str, str]]:
    path = tmp_path / "expected.csv"
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return [(one.finding, one.text) for one in check_expected(path)]


def test_each_kind_of_claim_is_told_apart(tmp_path: Path) -> None:
    assert findings(
        tmp_path,
        "tictactoe,15,,draw",  # after a corner and the centre
        "tictactoe,1524,7,win",  # only the top row wins
        "tictactoe,1,5,draw",  # the only answer to a corner
        "tictactoe,5,1,draw",  # every corner draws
        "tictactoe,5,1 3 7 9,",
        "tictactoe,12,,loss",
    ) == [
        ("right", "draw, best: 2, 3, 4, 6, 7, 8, 9"),
        ("wrong", "7 does not keep the win; best: 3"),
        ("right", "draw, best: 5"),
        ("not unique", "3, 7, 9 keep the draw as well"),
        ("right", "draw, best: 1, 3, 7, 9"),
        ("wrong", "the value is win, not loss"),
    ]


def test_a_unique_best_move_that_is_not_one_is_found_even_if_it_wins_fastest(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, "connect4,414141,4,win")
    assert found[0] == "not unique"
    assert found[1].endswith("the win as well; 4 is unique only as the fastest win")


@pytest.mark.parametrize(
    ("head", "line", "said"),
    [
        ("game,move", "tictactoe,1", "expected game, moves, and best or value"),
        ("game,moves,best", "chess,1,2", "line 2: "),
        ("game,moves,best", "tictactoe,11,2", "line 2: "),
        ("game,moves,best", "tictactoe,1,1", "line 2: best move '1' is not legal there"),
        ("game,moves,best", "tictactoe,1,x", "line 2: best move 'x' is not legal there"),
        ("game,moves,value", "tictactoe,1,good", "expected win, draw or loss"),
        ("game,moves,value", "tictactoe,1,", "fill in best or value"),
        ("game,moves,value", "tictactoe,14253,draw", "the game is over after 14253"),
        ("game,moves,value", "", "has no line with an expected move or value"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(head: str, line: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ExpectedError) as error:
        findings(tmp_path, line, head=head)
    assert said in str(error.value)


def test_the_command_fails_if_a_line_is_not_right(tmp_path: Path) -> None:
    path = tmp_path / "expected.csv"
    path.write_text("game,moves,best\ntictactoe,1,5\ntictactoe,5,1\n", encoding="utf-8")
    shown = inarow("check-tests", str(path), code=1).stdout
    assert "Right: 1 of 2 lines." in shown
    path.write_text("game,moves,best\ntictactoe,1,5\n", encoding="utf-8")
    inarow("check-tests", str(path))
