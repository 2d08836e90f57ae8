"""The reports' players win, draw and lose as often as their printed programs: a small, seeded part of every row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inarow.stats import holm
from reproductions.outcomes import Outcomes, Range, Reference, references, run

ROWS = references()
SMALL = [row for row in ROWS if row.small]
SURELY = 0.001


@pytest.mark.parametrize("row", SMALL, ids=lambda row: row.name)
def test_players_do_as_well_as_the_printed_programs(row: Reference) -> None:
    found = run(row.shortened(), row.small)
    assert not row.misfits(found)
    p = row.p(found)
    assert p is None or p > SURELY, (found.counts, p)


def test_every_report_is_compared() -> None:
    assert {row.report for row in SMALL} == {"R1", "R2", "R3", "R4", "R5"}
    assert {(row.report, row.game.name) for row in ROWS if row.learner} == {
        (report, game) for report in ("R1", "R2", "R3", "R4") for game in ("tictactoe", "connect4")
    }


def row_of(first: str, second: str) -> Reference:
    return next(row for row in ROWS if (row.first, row.second, row.game.name) == (first, second, "tictactoe"))


def test_a_row_of_one_run_is_not_fitted_by_other_players() -> None:
    row = row_of("r3-medium", "random")
    found = run(replace(row, second="r3-medium"), 60)
    p = row.p(found)
    assert p is not None
    assert max(holm([p] * len(ROWS))) < SURELY


def test_a_row_of_several_runs_is_not_fitted_by_an_untrained_learner() -> None:
    row = next(row for row in ROWS if row.report == "R3" and row.first == "learner" and row.second == "r3-medium")
    assert row.p(Outcomes(((80, 20, 0),))) is None
    assert not row.misfits(Outcomes(((80, 20, 0),)))
    assert len(row.misfits(run(replace(row, stages=(("random", "1"),)), 60))) > 1


def test_plies_and_states_are_compared_too() -> None:
    row = row_of("r1-default", "r1-minimax:depth=5")
    counts = ((0, 10, 0),)
    fits = Outcomes(counts, (9,) * 10, (946, 1033, 1033, 1068, 1068, 1068, 946, 1033, 1068, 1033))
    assert not row.misfits(fits)
    assert row.misfits(replace(fits, plies=(8,) * 10)) == ["plies 8 where 9 to 9 are known"]
    assert row.misfits(replace(fits, nodes=(1200,) * 10)) == ["states 1200 where 1019.3 to 1019.3 are known"]


def test_a_range_is_widened_by_half_of_it_and_by_chance() -> None:
    known = Range.of("40-50")
    assert known.holds(36, 0)
    assert not known.holds(34, 0)
    assert known.holds(34, 0.5)
    assert Range.of("64+20") == Range(84, 84)
