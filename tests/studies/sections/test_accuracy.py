"""The tables of how good agents' moves and values are."""

from __future__ import annotations

from inarow.report.cells import Blank
from inarow.rules import CONNECT4
from inarow.studies.framework.measurements import grade
from inarow.studies.sections.accuracy import Graded, values_table
from inarow.truth import Accuracy
from inarow.truth.estimates import ValueAccuracy


def test_values_are_shown_in_all_and_by_stones_and_agents_without_any_are_left_out() -> None:
    values = {10: ValueAccuracy(4, 4, 3, 2.0), 15: ValueAccuracy(4, 2, 2, 0.4)}
    known = {
        "random": Graded(Accuracy(moves=8), {}, {10: ValueAccuracy()}),
        "late": Graded(Accuracy(moves=8), {}, {15: ValueAccuracy(4, 0, 0, 2.8)}),
        "network": Graded(Accuracy(moves=8), {}, values),
    }
    made = values_table(CONNECT4, known, "key", ["network"])
    assert made is not None
    assert [row[0] for row in made.rows] == ["network", "late"]
    name, sign, *entropies = made.rows[0]
    assert (name, getattr(sign, "estimate", None)) == ("network", 5 / 6)
    assert entropies == [0.3, 0.5, 0.1]
    assert isinstance(made.rows[1][1], Blank)
    assert isinstance(made.rows[1][3], Blank)
    assert values_table(CONNECT4, {"random": known["random"]}, "key", []) is None


def test_a_measurement_counts_values_beside_moves() -> None:
    measured = grade({"agent": "ntuple", "game": "tictactoe", "count": 5, "seed": 1}).result
    assert measured["values_by_ply"].keys() == measured["by_ply"].keys()
    assert all(one["positions"] == measured["by_ply"][ply]["moves"] for ply, one in measured["values_by_ply"].items())
