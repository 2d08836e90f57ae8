"""Points of pairs, and which pairs count."""

from __future__ import annotations

from inarow.league.meetings import faults_of, pair_points, played_until
from inarow.match import Pair, Record, Termination
from inarow.rules import FIRST, SECOND, TICTACTOE, Outcome, Player


def record(winner: Player | None, cause: Termination = Termination.LINE) -> Record:
    return Record(TICTACTOE, "a", "b", 0, (), (), Outcome(winner), cause, (), (), ())


FAULT = Termination.EXCEPTION
WON_BOTH = Pair(0, record(FIRST), record(SECOND))
FAILED_TWICE = Pair(0, record(SECOND, FAULT), record(FIRST, FAULT))


def test_points_are_shared_out_unless_both_failed() -> None:
    drawn = record(None, Termination.FULL_BOARD)
    assert pair_points(WON_BOTH) == (1, 0)
    assert pair_points(Pair(0, record(FIRST), drawn)) == (0.75, 0.25)
    assert pair_points(FAILED_TWICE) == (0, 1)
    assert pair_points(Pair(0, record(SECOND, FAULT), record(SECOND, FAULT))) == (0, 0)


def test_faults_are_those_of_the_first_player() -> None:
    assert faults_of(FAILED_TWICE) == 2
    assert faults_of(WON_BOTH) == 0
    assert faults_of(Pair(0, record(FIRST, FAULT), record(FIRST))) == 0


def test_pairs_count_up_to_a_gap_or_to_the_fault_that_disqualifies() -> None:
    pairs = [Pair(index, FAILED_TWICE.straight, WON_BOTH.swapped) for index in (0, 1, 2, 4)]
    assert played_until(pairs, 0, 9) == (pairs[:3], False)
    assert played_until(pairs, 0, 2) == (pairs[:2], True)
    assert played_until(pairs, 1, 2) == (pairs[:1], True)
