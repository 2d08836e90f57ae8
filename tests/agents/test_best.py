"""best: as strong as it can, and weaker level by level."""

from __future__ import annotations

import pytest

from inarow.agents import AgentError, agent
from inarow.agents.evaluators import Learned, Windows
from inarow.agents.perfect import Best, evaluator_for
from inarow.play.setup import USUAL
from inarow.rules import FIRST, game
from inarow.rules.notation import parse_position
from inarow.solver import Oracle


def test_it_plays_perfectly_where_the_solver_is_quick() -> None:
    board = game("connect4")
    oracle = Oracle(board)
    for moves in ("", "4", "4444422224", "445523334535", "445554443334"):
        position = parse_position(board, moves)
        mind = agent("best:seconds=unlimited,nodes=3000000").start(board, position.to_move, 0)
        assert mind.decide(position).move in oracle.best_moves(position)
        mind.close()


def test_a_network_is_used_where_one_ships() -> None:
    assert evaluator_for(game("connect4")) == Learned()
    assert evaluator_for(game("5x4x4")) == Windows()


def test_lower_levels_are_warmer_and_keep_the_verdict_less_often() -> None:
    temperatures = [Best(level=level).temperature for level in range(1, 11)]
    assert temperatures == sorted(temperatures, reverse=True)
    assert temperatures[-1] == 0
    position = parse_position(game("connect4"), "445544")
    best = Oracle(position.game).best_moves(position)
    kept = {}
    for level in (1, 5, 9):
        spec = f"best:level={level}"
        minds = [agent(spec).start(position.game, position.to_move, seed) for seed in range(40)]
        kept[level] = sum(mind.decide(position).move in best for mind in minds)
    assert kept[1] < kept[5] <= kept[9]


def test_a_drawn_move_comes_with_its_own_value() -> None:
    position = parse_position(game("connect4"), "445544")
    for seed in range(10):
        decision = agent("best:level=1").start(position.game, position.to_move, seed).decide(position)
        assert decision.value == decision.values[decision.move]
        assert decision.line[0] == decision.move


def test_it_needs_a_limit() -> None:
    with pytest.raises(AgentError, match="give seconds or nodes"):
        agent("best:seconds=unlimited").start(game("connect4"), FIRST, 0)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "5x4x4"])
def test_menus_offer_it_as_the_hardest(name: str) -> None:
    level = next(level for level in USUAL.levels if level.label == "Hardest")
    assert level.agent(game(name)) == Best()
