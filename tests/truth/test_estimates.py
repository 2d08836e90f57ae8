"""Values against exact outcomes: what gains nothing, and what does."""

from __future__ import annotations

import random

import pytest

from inarow.agents import agent
from inarow.rules import CONNECT4, TICTACTOE, Game, game
from inarow.solver import Verdict
from inarow.truth import SolvedPositions, grade_positions
from inarow.truth.accuracy import OUTCOMES, ValueAccuracy, read_value
from inarow.truth.positions import value_positions


def graded(values: list[tuple[float, int]]) -> ValueAccuracy:
    found = ValueAccuracy()
    for value, outcome in values:
        found.add(value, Verdict(outcome))
    return found


@pytest.mark.parametrize("constant", [1.0, 0.01, 0.0, -0.01, -1.0])
def test_a_constant_value_gains_nothing(constant: float) -> None:
    found = graded([(constant, outcome) for outcome in (1, 0, -1) for _ in range(20 + 5 * outcome)])
    assert found.balanced_accuracy is not None
    assert found.balanced_accuracy.estimate == pytest.approx(1 / 3)
    assert found.skill is not None
    assert found.skill.estimate == pytest.approx(0) if constant == 0 else found.skill.estimate < 0


@pytest.mark.parametrize("spread", [0.2, 0.6, 1.0])
def test_a_random_value_gains_nothing(spread: float) -> None:
    stream = random.Random(3)
    found = graded([(spread * stream.uniform(-1, 1), outcome) for outcome in (1, 0, -1) for _ in range(400)])
    assert found.balanced_accuracy is not None
    assert found.balanced_accuracy.covers(1 / 3)
    assert found.skill is not None
    assert found.skill.estimate < 0


def test_exact_values_have_full_marks_and_timid_ones_some_skill() -> None:
    exact = graded([(outcome, outcome) for outcome in (1, 0, -1) for _ in range(50)])
    assert exact.skill == (1, 1, 1)
    assert exact.balanced_accuracy is not None
    assert exact.balanced_accuracy.estimate == 1
    timid = graded([(0.2 * outcome, outcome) for outcome in (1, 0, -1) for _ in range(50)])
    assert timid.skill is not None
    assert 0 < timid.skill.estimate < 0.5
    assert [read_value(value) for value in (0.4, 0.3, -0.3, -0.4)] == [1, 0, 0, -1]


def test_counts_add_up_and_are_stored() -> None:
    found = graded([(0.2, 1), (-0.9, -1), (0.9, 1), (0.1, 0)])
    both = found + found
    assert (found.positions, both.positions) == (4, 8)
    assert both.skill is not None
    assert found.skill is not None
    assert both.skill.estimate == found.skill.estimate
    assert ValueAccuracy.from_json(found.to_json()) == found
    empty = ValueAccuracy.from_json(ValueAccuracy().to_json())
    assert (empty, empty.skill, empty.balanced_accuracy) == (ValueAccuracy(), None, None)


@pytest.mark.parametrize(("board", "most"), [(CONNECT4, 216), (TICTACTOE, 90), (game("5x4x4"), 60)])
def test_outcomes_are_equally_frequent_in_every_band_of_the_sample(board: Game, most: int) -> None:
    solved = SolvedPositions(board)
    sample = value_positions(solved, most, seed=2)
    assert len(sample) >= 3
    for positions in sample.values():
        outcomes = [Verdict.of(max((solved.scores(position) or {}).values())) for position in positions]
        assert len({outcomes.count(outcome) for outcome in OUTCOMES}) == 1
    assert most / 2 <= sum(map(len, sample.values())) <= 1.2 * most
    assert sample == value_positions(solved, most, seed=2)


def test_an_agent_that_knows_the_outcomes_has_a_skill_of_one() -> None:
    found = grade_positions(agent("perfect:resist=any"), CONNECT4, count=30, seed=1, first_ply=25)
    assert found.values.positions == sum(one.positions for one in found.values_by_ply.values()) >= 30
    assert found.values.skill is not None
    assert found.values.skill.estimate > 0.9
    assert found.to_json()["values"] == found.values.to_json()


def test_an_agent_without_values_has_none_counted() -> None:
    found = grade_positions(agent("random"), CONNECT4, count=5, seed=1, first_ply=25)
    assert found.values_by_ply == {}
    assert found.values.skill is None
