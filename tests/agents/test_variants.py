"""Misère and cylinder games: search agents play them, others refuse them in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.agents import agent
from inarow.agents.parameters import AgentError
from inarow.rules import FIRST, SECOND, Position, UnknownGame, game
from inarow.rules.notation import parse_position
from inarow.solver import Oracle, Verdict, score_in_words
from support.commands import inarow, inarow_json

PLAYERS = ["alphabeta:depth=full", "alphabeta:depth=full,ordering=threats,tt=on", "minimax:depth=full", "perfect"]
BOARDS = ["3x3x3-misere", "3x3x3-cylinder", "3x2x3-free-misere", "4x2x2-cylinder-misere"]


@pytest.mark.parametrize("spec", [*PLAYERS, "mcts:simulations=50000"])
@pytest.mark.parametrize("name", BOARDS)
def test_an_agent_that_looks_to_the_end_keeps_the_verdict(spec: str, name: str) -> None:
    board = game(name)
    position, oracle = Position.start(board), Oracle(board)
    mind = agent(spec).start(board, FIRST, 1)
    while position.outcome() is None:
        decision = mind.decide(position)
        verdict = oracle.verdict(position)
        child = position.play(decision.move)
        outcome = child.outcome()
        kept = -oracle.verdict(child) if outcome is None else round(2 * outcome.score(position.to_move)) - 1
        assert kept == verdict
        assert decision.value is None or spec.startswith("mcts") or decision.value == verdict
        position = child


def test_who_completes_a_line_loses_in_misere() -> None:
    board = game("tictactoe-misere")
    position = parse_position(board, "1428")
    assert position.winning_moves() == ()
    over = position.play(2)
    assert over.outcome() is not None
    assert over.result_text() == "second player has won"
    assert over.winning_cells() == (0, 1, 2)
    for rollouts in ("rules", "random"):
        chosen = agent(f"mcts:simulations=3000,rollouts={rollouts}").start(board, FIRST, 1).decide(position)
        assert chosen.move != 2


def test_a_line_across_the_edge_of_a_cylinder_wins() -> None:
    position = Position.start(game("connect4-cylinder"), (5, 1, 6, 1, 0, 1))
    assert position.winning_moves() == (4,)
    assert position.winning_moves(SECOND) == (1,)
    assert position.play(4).winning_cells() == (35, 39, 40, 41)


def test_the_second_player_wins_misere_connect_4() -> None:
    board = game("connect4-misere")
    oracle = Oracle(board)
    assert oracle.verdict(Position.start(board)) == Verdict.LOSS
    assert oracle.nodes < 1000
    small = Position.start(game("5x4x4-misere"))
    assert score_in_words(small, Oracle("5x4x4-misere").score(small)) == "first player loses with its 9th disc"


@pytest.mark.parametrize("spec", ["rules", "greedy", "best:nodes=100", "qlearning", "ntuple", "strategy:certificate=x"])
def test_other_agents_refuse_variants(spec: str) -> None:
    with pytest.raises((AgentError, UnknownGame)):
        agent(spec).start(game("connect4-misere"), FIRST, 1)


def test_commands_on_variants(tmp_path: Path) -> None:
    played = inarow_json("match", "4x4x4-misere", "alphabeta:depth=4", "random", "--matches", "4", "--seed", "1")
    assert played["game"] == "4x4x4-misere"
    assert inarow_json("solve", "5x4x4-misere", "--no-book")["score"] == -2
    assert "does not support misère games" in inarow("match", "5x4x4-misere", "rules", "random", code=2).stderr
    assert (
        "does not support cylinder games"
        in inarow("train", "4x4x4-cylinder", "qlearning", "--out", str(tmp_path / "x"), code=2).stderr
    )
    certify = inarow("solve", "4x4x4-misere", "--no-book", "--certificate", str(tmp_path / "c"), code=2)
    assert "does not support misère games" in certify.stderr
    assert "needs 5 columns" in inarow("show", "4x5x5-cylinder", code=2).stderr
