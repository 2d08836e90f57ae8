"""Values against exact verdicts."""

from __future__ import annotations

import math

import pytest

from inarow.agents import agent
from inarow.rules import game
from inarow.solver import Verdict
from inarow.truth import grade_positions
from inarow.truth.estimates import ValueAccuracy, cross_entropy


def test_a_sign_counts_in_won_and_lost_positions_only() -> None:
    found = ValueAccuracy()
    for value, verdict in ((0.2, 1), (-0.9, -1), (-0.1, 1), (0.0, 1), (0.5, 0), (None, 1)):
        found.add(value, Verdict(verdict))
    assert (found.positions, found.decided, found.sign_right) == (5, 4, 2)
    both = found + found
    assert (both.positions, both.sign_right) == (10, 4)
    assert both.mean_entropy == pytest.approx(found.mean_entropy)
    assert ValueAccuracy.from_json(found.to_json()).to_json() == pytest.approx(found.to_json())
    assert ValueAccuracy.from_json(ValueAccuracy().to_json()) == ValueAccuracy()


def test_cross_entropy_is_least_for_the_truth_and_never_infinite() -> None:
    assert cross_entropy(0.0, Verdict.WIN) == pytest.approx(math.log(2))
    assert cross_entropy(0.0, Verdict.DRAW) == pytest.approx(math.log(2))
    assert cross_entropy(0.5, Verdict.WIN) == pytest.approx(-math.log(0.75))
    assert cross_entropy(1.0, Verdict.WIN) == pytest.approx(-math.log(0.999))
    assert cross_entropy(-1.0, Verdict.WIN) == pytest.approx(-math.log(0.001))


def test_an_agent_that_knows_the_verdicts_has_every_sign_right() -> None:
    found = grade_positions(agent("perfect"), game("connect4"), count=30, seed=1, first_ply=25)
    values = found.values
    assert values.positions == found.total.moves == 30
    assert values.sign_right == values.decided
    assert found.to_json()["values"] == values.to_json()
    assert sum(v.positions for v in found.values_by_ply.values()) == 30


def test_an_agent_without_values_has_none_counted() -> None:
    found = grade_positions(agent("random"), game("connect4"), count=5, seed=1, first_ply=25)
    assert found.values_by_ply == {}
    assert found.values.mean_entropy is None
    assert found.values.sign_rate is None
