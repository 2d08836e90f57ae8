"""greedy: the best evaluation after its own move."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents import agent
from inarow.agents.greedy import Greedy
from inarow.rules import FIRST, Position, game
from support.naive import NAMES


@settings(max_examples=50)
@given(
    name=st.sampled_from(NAMES),
    choices=st.lists(st.integers(0, 999), max_size=30),
    spec=st.sampled_from(["windows", "lines"]),
)
def test_it_plays_a_win_or_a_move_with_the_most_points(name: str, choices: list[int], spec: str) -> None:
    position = Position.start(game(name))
    for number in choices:
        position = position.play(position.legal_moves()[number % len(position.legal_moves())])
        if position.outcome() is not None:
            return
    greedy = agent(f"greedy:eval={spec}")
    assert isinstance(greedy, Greedy)
    decision = greedy.start(position.game, position.to_move, 1).decide(position)
    points = {m: greedy.eval.points(position.play(m), position.to_move) for m in position.legal_moves()}
    assert decision.by_move["points"] == points
    assert decision.nodes == len(points)
    wins = position.winning_moves()
    if wins:
        assert decision.move in wins
        assert decision.value == 1
    else:
        assert points[decision.move] == max(points.values()) == decision.points


@pytest.mark.parametrize(("ties", "expected"), [("first", {0}), ("centre", {4}), ("random", set(range(9)))])
def test_ties_are_broken_as_asked(ties: str, expected: set[int]) -> None:
    chosen = set()
    for seed in range(200):
        mind = agent(f"greedy:eval=zero,ties={ties}").start(game("tictactoe"), FIRST, seed)
        chosen.add(mind.decide(Position.start(game("tictactoe"))).move)
    assert chosen == expected


def test_one_seed_one_result() -> None:
    g = game("connect4")
    runs = [[agent("greedy").start(g, FIRST, seed).decide(Position.start(g)).move for seed in range(20)] for _ in "ab"]
    assert runs[0] == runs[1]
