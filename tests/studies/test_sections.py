"""Sections of a tournament say what its series hold."""

from __future__ import annotations

from inarow.match import SequentialRule
from inarow.report.tables import Blank
from inarow.studies.sections import cross_table, decided, parameters, standings
from support.made_up_results import results, series


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


def test_effective_parameters_are_shown_with_what_auto_stands_for() -> None:
    made = parameters(results(series("minimax", "random", won=3)), {}, "parameters")
    rows = {row[0]: row[1] for row in made.rows}
    assert str(rows["minimax"]).startswith("depth=6, eval=windows")
    assert isinstance(rows["random"], Blank)
