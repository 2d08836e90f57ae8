"""Openings won for the side to move, and grades from them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inarow.agents import agent
from inarow.limits import NO_LIMIT, Limit
from inarow.match.openings import OpeningError
from inarow.rules import CONNECT4, FIRST, SECOND, TICTACTOE, Position, game
from inarow.solver import Oracle, Unsolved, Verdict
from inarow.stopping import Stop
from inarow.truth import grading
from inarow.truth.grading import Grade, grade_matches, opening_warning, won_openings
from support.commands import inarow
from support.exact_truth import Truth as Plain


@pytest.mark.parametrize(
    ("plies", "said"), [(10**18, "not possible on tictactoe; give 0 to 8"), (6, "give fewer plies")]
)
def test_openings_without_end_are_refused(plies: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "MAX_OPENINGS", 500)
    with pytest.raises(OpeningError, match=said):
        won_openings(TICTACTOE, plies)


@pytest.mark.parametrize("plies", [1, 2, 3, 4])
@pytest.mark.parametrize("board", ["tictactoe", "3x3x3"])
def test_the_openings_are_those_that_the_side_to_move_wins(board: str, plies: int) -> None:
    plain = Plain(game(board))
    found = won_openings(game(board), plies)
    assert found.seat is (FIRST, SECOND)[plies % 2]
    assert found.unsolved == 0
    positions = [Position.start(game(board), line) for line in found.lines]
    wanted = {position for position in plain.live() if position.ply == plies and plain.of(position) > 0}
    assert len(positions) == len(set(positions))
    assert set(positions) == wanted


def test_openings_that_take_too_long_are_left_out_and_counted() -> None:
    class Hasty(Oracle):
        def verdict(self, position: Any, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> Verdict:
            if position.first & position.game.cell_bits[4]:
                raise Unsolved(-1, 1)
            return Verdict.WIN

    found = won_openings(TICTACTOE, 1, oracle=Hasty(TICTACTOE))
    assert (len(found.lines), found.unsolved) == (8, 1)
    assert found.title == "as second from 8 won openings of 1 ply, 1 unsolved skipped"


def test_perfect_play_wins_all_openings_that_are_won() -> None:
    board = game("4x4x3")
    grade = Grade(board, agent("perfect:tt_mb=1"))
    kinds = [won_openings(board, 1), won_openings(board, 2)]
    assert all(kind.lines for kind in kinds[1:])
    grade_matches(grade, {"longest resistance": agent("perfect:tt_mb=1")}, matches=0, seed=1, openings=kinds)
    title = f"as first from {len(kinds[1].lines)} won openings of 2 plies against longest resistance"
    assert set(grade.against[title]) == {1.0}
    assert len(grade.against[title]) == len(kinds[1].lines)
    assert "as first against longest resistance" not in grade.against


def test_who_has_no_book_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "shipped_book", lambda board: None)
    assert "no opening book for connect4" in opening_warning(CONNECT4)
    assert opening_warning(TICTACTOE) == ""


def test_the_command_grades_from_openings() -> None:
    done = inarow("grade", "4x4x3", "rules", "--positions", "5", "--opening-plies", "2", "--json")
    found = json.loads(done.stdout)["against_perfect"]
    assert [name for name in found if name.startswith("as first from")]
    assert not [name for name in found if name.startswith("as first against")]
