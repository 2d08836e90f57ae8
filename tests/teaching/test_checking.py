"""A check finds what is wrong with an agent: illegal moves, crashes, slowness, and what it overlooks."""

from __future__ import annotations

import time

import pytest

from inarow.agents import agent
from inarow.agents.base import Fault
from inarow.match.playing import play_match
from inarow.rules import CONNECT4, TICTACTOE, Game, Player, Position, game
from inarow.teaching.checking import Follower, check_agent, kinds_of_positions, line_that_fills
from match.test_playing import Scripted

BOARDS = [CONNECT4, TICTACTOE, game("5x4x4"), game("4x4x3-free")]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_a_sound_agent_is_found_to_be_sound(board: Game) -> None:
    report = check_agent(agent("rules"), board)
    assert (report.faults, report.stopped, report.advice) == (0, "", {})
    assert {match.opponent for match in report.matches} == {"follower", "random", "rules"}
    assert {match.seat for match in report.matches} == set(Player)
    assert any(match.record.opening for match in report.matches)
    assert len(report.seconds) > len(report.positions)


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_kind_of_position_is_shown(board: Game) -> None:
    shown = dict(kinds_of_positions(board))
    wanted = {"the empty board", "as second player", "it can win immediately", "it must block", "late in the game"}
    assert wanted <= set(shown)
    assert len(Position.start(board, shown["one legal move left"]).legal_moves()) == 1
    assert len(Position.start(board, shown["most moves are no longer legal"]).legal_moves()) <= 2
    assert board.cells - Position.start(board, shown["the board is nearly full"]).ply <= 3


@pytest.mark.parametrize("favourite", range(7))
def test_the_column_that_an_agent_likes_is_filled(favourite: int) -> None:
    line = line_that_fills(CONNECT4, (favourite,), 0)
    assert line is not None
    assert favourite not in Position.start(CONNECT4, line).legal_moves()
    report = check_agent(Scripted(lambda position: favourite), CONNECT4)
    assert report.faults > 3
    (problem,) = report.problems.values()
    assert f"it returned {favourite}: column {favourite} is full" in problem.text


def test_the_follower_fills_the_column_of_the_other() -> None:
    record = play_match(CONNECT4, Scripted(), Follower())
    assert record.moves[:6] == (0,) * 6


def test_each_kind_of_crash_is_reported_once_with_its_count() -> None:
    def crash(position: Position) -> int:
        if position.ply > 12:
            raise KeyError(position.ply)
        raise Fault("exception", f"ValueError: {position.ply} (line {3 + position.ply % 2} of mine.py)")

    report = check_agent(Scripted(crash), CONNECT4)
    assert sorted(problem.text.split()[1] for problem in report.problems.values()) == [
        "KeyError:",
        "ValueError:",
        "ValueError:",
    ]
    assert report.faults == sum(problem.count for problem in report.problems.values()) > 20


def test_a_missed_win_and_a_missed_block_are_advice() -> None:
    report = check_agent(Scripted(lambda position: position.legal_moves()[-1]), CONNECT4)
    assert report.faults == 0
    assert set(report.advice) == {"missed a win in one", "did not block a win in one"}
    assert "wins, after moves" in report.advice["missed a win in one"].where


@pytest.mark.parametrize("cause", ["out of time", "stalled"])
def test_a_check_ends_at_the_first_decision_that_is_too_slow(cause: str) -> None:
    def slow(position: Position) -> int:
        raise Fault(cause, "5 s for a decision")

    report = check_agent(Scripted(slow), CONNECT4)
    assert (report.faults, report.stopped, len(report.matches)) == (1, "it is too slow", 1)


def test_a_check_takes_a_bounded_time() -> None:
    def slow(position: Position) -> int:
        time.sleep(0.05)
        return position.legal_moves()[0]

    report = check_agent(Scripted(slow), CONNECT4, patience=0.2)
    assert "by the clock; not everything was checked" in report.stopped
    assert report.matches[-1].result == "unfinished"
    assert report.breaks((0.01, 100.0)) == [0.01]


def test_a_file_that_cannot_be_loaded_is_one_fault() -> None:
    def unloadable(position: Position) -> int:
        raise Fault("cannot be loaded", "SyntaxError")

    report = check_agent(Scripted(unloadable), CONNECT4)
    assert (report.faults, report.loaded, report.stopped) == (1, False, "it cannot be loaded")
