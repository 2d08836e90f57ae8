"""Points of pairs, and which pairs count."""

from __future__ import annotations

from inarow.match import MatchRecord, Pair, Termination
from inarow.rules import FIRST, SECOND, TICTACTOE, Outcome, Player
from inarow.teaching.league.meetings import failed, in_order, pair_points


def record(winner: Player | None, cause: Termination = Termination.LINE) -> MatchRecord:
    return MatchRecord(TICTACTOE, "a", "b", 0, (), (), Outcome(winner), cause, (), (), ())


FAULT = Termination.EXCEPTION
WON_BOTH = Pair(0, record(FIRST), record(SECOND))
FAILED_TWICE = Pair(0, record(SECOND, FAULT), record(FIRST, FAULT))


def test_points_are_shared_out_unless_both_failed() -> None:
    drawn = record(None, Termination.FULL_BOARD)
    assert pair_points(WON_BOTH) == (1, 0)
    assert pair_points(Pair(0, record(FIRST), drawn)) == (0.75, 0.25)
    assert pair_points(FAILED_TWICE) == (0, 1)
    assert pair_points(Pair(0, record(SECOND, FAULT), record(SECOND, FAULT))) == (0, 0)


def test_a_fault_is_charged_to_the_player_that_lost_by_it() -> None:
    assert [failed(*match) for match in FAILED_TWICE.matches()] == [True, True]
    assert [failed(*match) for match in WON_BOTH.matches()] == [False, False]
    assert not failed(record(FIRST, FAULT), FIRST)


def test_pairs_count_up_to_a_gap_and_to_the_wanted_number() -> None:
    pairs = [Pair(index, WON_BOTH.straight, WON_BOTH.swapped) for index in (0, 1, 2, 4, 5)]
    assert in_order(pairs, 9) == pairs[:3]
    assert in_order(pairs, 2) == pairs[:2]
