"""Evaluators: the same as their naive twins on every kind of board, and clear about what they can't do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents import AgentError, agent
from inarow.agents.evaluators import EVALUATORS, Windows, evaluator
from inarow.kernels.evaluate import POINTS, SearchSetup, estimate, points_of_units, set_up, set_windows
from inarow.kernels.lang.jit import kernel
from inarow.rules import FIRST, SECOND, Game, Player, Position, game
from support.naive import NAMES
from support.naive_evaluators import TWINS

SPECS = [
    "zero",
    "windows",
    "windows(share=0.7)",
    "windows(four=1000,three=20.25,two=5,other_three=50,other_two=3,centre=-10,share=1)",
    "lines",
    "lines(one=7,two=-2,share=0.5)",
]
BOARDS = [*NAMES, "4x14x8", "6x5x2", "31x1x9", "1x62x4", "2x30x4", "7x7x6-free"]


def playing(a_game: Game, choices: list[int]) -> Position:
    """Where some random choices lead; it stops when the game is over."""
    position = Position.start(a_game)
    for number in choices:
        moves = position.legal_moves()
        if not moves:
            break
        position = position.play(moves[number % len(moves)])
    return position


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=60)
@given(name=st.sampled_from(BOARDS), choices=st.lists(st.integers(0, 999), max_size=45), player=st.sampled_from(Player))
def test_an_evaluator_agrees_with_its_naive_twin(spec: str, name: str, choices: list[int], player: Player) -> None:
    g = game(name)
    e = evaluator(spec)
    position = playing(g, choices)
    grid = [["." if stone is None else "XO"[stone] for stone in row] for row in position.grid()]
    weights = {p.name: getattr(e, p.name) for p in e.parameters()}
    expected = TWINS[e.name](grid, g.k, g.gravity, "XO"[player], weights)
    assert e.points(position, player) == pytest.approx(100 * expected, abs=1e-6)


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=20)
@given(name=st.sampled_from(BOARDS), choices=st.lists(st.integers(0, 999), max_size=45))
def test_symmetric_positions_have_the_same_points(spec: str, name: str, choices: list[int]) -> None:
    e = evaluator(spec)
    position = playing(game(name), choices)
    assert len({e.points(image, FIRST) for image in position.symmetries()}) == 1


def test_the_published_weights_on_a_position_counted_by_hand() -> None:
    # . . . . . . .      X has three in row 1 with column 4 free at its right end, O two stones on top of the first two;
    # O O . . . . .      windows of X: XXX. (three), XX.. and X... from columns 2 and 3; of O: OO.., O...
    # X X X . . . .
    position = Position.start(game("connect4"), [0, 0, 1, 1, 2])
    points = Windows(two=0, centre=0).points(position, FIRST)
    assert points == 500
    assert Windows(two=0, centre=0).points(position, SECOND) == -400


def test_not_antisymmetric_by_default() -> None:
    position = Position.start(game("connect4"), [3, 0])
    assert Windows().points(position, FIRST) != -Windows().points(position, SECOND)


@pytest.mark.parametrize("spec", SPECS)
def test_the_canonical_form_round_trips(spec: str) -> None:
    e = evaluator(spec)
    assert evaluator(e.spec) == e
    assert agent(f"greedy:eval={spec}").spec == (f"greedy:eval={e.spec}" if e != Windows() else "greedy")
    assert agent(agent(f"greedy:eval={spec},ties=first").spec) == agent(f"greedy:ties=first,eval={spec}")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("windos", "did you mean windows"),
        ("windows(tree=3)", "did you mean three"),
        ("windows(three=x)", "three=x is not a number"),
        ("windows(three=0.001)", "more than two decimals"),
        ("windows(share=-1)", "from 0 to 10"),
        ("windows(three=5,three=6)", "given twice"),
        ("windows three", "not an evaluator"),
        ("", "not an evaluator"),
        ("zero(x=1)", "takes no parameters"),
    ],
)
def test_a_bad_evaluator_is_refused_with_the_reason(spec: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        evaluator(spec)


def test_a_bad_evaluator_inside_an_agent_names_both() -> None:
    with pytest.raises(AgentError, match=r"agent greedy: eval: evaluator windows: .*three"):
        agent("greedy:eval=windows(tree=3)")
    with pytest.raises(AgentError, match="is not an evaluator"):
        agent("greedy").__class__(eval="windows")


def test_values_grow_with_points_and_stay_within_bounds() -> None:
    points = [-(10**12), -500, 0, 1, 500, 10**12]
    values = [estimate(p) for p in points]
    assert values == sorted(values)
    assert values[2] == 0
    assert all(-1 < value < 1 for value in values)


def test_halves_of_points_are_rounded_to_the_even_one() -> None:
    rounded = kernel(points_of_units)
    for quarters in range(-20, 21):
        units = quarters / 4 / POINTS
        assert rounded(units) == points_of_units(units) == round(units * POINTS)
    assert points_of_units(0.49999999999999994 / POINTS) == 0


@pytest.mark.parametrize("name", ["connect4", "4x4x3-free", "5x4x3-free"])
def test_searches_are_set_up_by_compiled_functions_as_by_python(name: str) -> None:
    layout, weights = game(name).layout, (100.0, 5.15, 2.0, -4.05, 1.0, 3.0, 0.5)
    setups = SearchSetup(), SearchSetup()
    for setup, one, two in zip(setups, (set_up, kernel(set_up)), (set_windows, kernel(set_windows)), strict=True):
        one(setup, layout, True, 1)
        two(setup, layout, *weights)
    for field in SearchSetup.__annotations__:
        assert np.array_equal(getattr(setups[0], field), getattr(setups[1], field)), field


def test_every_evaluator_is_tested_here() -> None:
    assert {evaluator(spec).name for spec in SPECS} == set(TWINS) == set(EVALUATORS) - {"ntuple"}  # see test_learned
