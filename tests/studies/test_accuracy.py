"""The tables of how good agents' moves and values are."""

from __future__ import annotations

from inarow.rules import CONNECT4
from inarow.solver import Verdict
from inarow.stats import Interval
from inarow.studies.measurements import grade
from inarow.studies.sections import Graded, values_table
from inarow.truth import Accuracy
from inarow.truth.accuracy import ValueAccuracy


def values(won: float, lost: float) -> ValueAccuracy:
    found = ValueAccuracy()
    for value, outcome in ((won, 1), (0.0, 0), (lost, -1)):
        found.add(value, Verdict(outcome))
    return found


def test_values_stand_above_the_best_constant_and_agents_without_any_are_left_out() -> None:
    known = {
        "random": Graded(Accuracy(moves=8), {}, {}),
        "optimist": Graded(Accuracy(moves=8), {}, {10: values(1, 1)}),
        "exact": Graded(Accuracy(moves=8), {}, {10: values(1, -1), 15: values(1, -1)}),
    }
    made = values_table(CONNECT4, known, "key", ["exact"])
    assert made is not None
    assert [row[0] for row in made.rows] == ["exact", "optimist", "best constant (0)"]
    skills = [row[5].estimate if isinstance(row[5], Interval) else row[5] for row in made.rows]
    assert skills == [1, -1, 0]
    one = values_table(CONNECT4, {"exact": Graded(Accuracy(moves=8), {}, {1: values(1, -1)})}, "key", [])
    assert one is not None
    assert one.columns[-1].name == "skill at 1 stone"
    assert values_table(CONNECT4, {"random": known["random"]}, "key", []) is None


def test_a_measurement_grades_values_on_a_sample_of_their_own() -> None:
    measured = grade({"agent": "ntuple", "game": "tictactoe", "count": 5, "values": 45, "seed": 1}).result
    assert sum(one["moves"] for one in measured["by_ply"].values()) > 25
    assert all(one["won"]["positions"] == one["lost"]["positions"] for one in measured["values_by_ply"].values())
