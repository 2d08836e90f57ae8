"""Sections of a tournament say what its series hold."""

from __future__ import annotations

from inarow.match import SequentialRule
from inarow.studies.sections.tournament_sections import cross_table, decided, opening_decides, standings
from support.made_up_results import results, series


def test_a_pair_that_one_seat_won_twice_counts_for_both_agents_and_for_that_seat() -> None:
    made = results(series("a", "b", split=3, won=2), series("a", "c", drawn=5))
    rows = {row[0]: row[1:4] for row in opening_decides(made, "openings").rows}
    assert rows == {"a": (10, 3, 0), "b": (5, 3, 0), "c": (5, 0, 0)}


def test_standings_of_pairings_that_stop_early_weigh_every_opponent_alike() -> None:
    made = results(series("a", "b", won=10), series("a", "c", won=25, lost=75), series("b", "c", lost=10))
    made.run.config["rule"] = SequentialRule(comparisons=3).to_json()
    table = standings(made, "standings")
    place = [column.name for column in table.columns].index("mean score")
    assert {row[0]: row[place] for row in table.rows}["a"] == (1 + 0.25) / 2


def test_what_is_not_decided_is_counted_and_hatched() -> None:
    made = results(series("a", "b", won=40), series("a", "c", won=2, lost=2), series("b", "c", drawn=200))
    made.run.config["rule"] = SequentialRule(comparisons=3).to_json()
    rows = {row[0]: row[1] for row in decided(made, "decided").rows}
    assert rows["one agent is better"] == rows["the two are about equal"] == 1
    assert rows["too few matches"] == 1
    assert rows["in all"] == 3
    hatched = {row[:2] for row in cross_table(made, "cross").data.rows if row[-1] == "no"}
    assert hatched == {("a", "c"), ("c", "a")}
