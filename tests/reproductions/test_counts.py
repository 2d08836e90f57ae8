"""What the reports' programs count over whole games: nodes a move, opening moves, win rates during training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import sqrt
from statistics import fmean, stdev

import pytest

from inarow.agents import agent
from inarow.match import MatchRecord, play_match
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Game, Position
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from inarow.training.training import Held

ERRORS = 4
"""Standard errors that a mean may be off."""
Counted = Callable[[list[int]], list[int]]


def all_of(nodes: list[int]) -> list[int]:
    return nodes


def without_first(nodes: list[int]) -> list[int]:
    return nodes[1:]


def last(nodes: list[int]) -> list[int]:
    return nodes[-1:]


def searched(record: MatchRecord) -> list[int]:
    """The nodes of each move of the player that searches."""
    return [nodes for nodes in record.nodes if nodes]


@pytest.mark.parametrize(
    ("game", "first", "second", "games", "known"),
    [
        (TICTACTOE, "r4-minimax", "r4-default", 60, {all_of: 8_810, without_first: 698, last: 9}),
        (TICTACTOE, "r4-minimax:pruning=off", "r4-default", 12, {all_of: 135_013, without_first: 2_448, last: 9}),
        (CONNECT4, "r4-minimax", "r4-default", 30, {all_of: 2_267}),
        (CONNECT4, "r4-minimax:pruning=off", "r4-default", 6, {all_of: 13_914}),
    ],
)
def test_r4_visits_as_many_nodes_a_move(
    game: Game, first: str, second: str, games: int, known: dict[Counted, int]
) -> None:
    records = [play_match(game, agent(first), agent(second), seed=seed) for seed in range(games)]
    for counted, mean in known.items():
        assert_mean([counted(searched(record)) for record in records], mean)


@pytest.mark.parametrize(("depth", "games", "known"), [(4, 40, 421), (5, 40, 924), (6, 24, 5_562)])
def test_r2_visits_as_many_nodes_a_move(depth: int, games: int, known: int) -> None:
    players = [agent("r2-baseline"), agent(f"r2-minimax:depth={depth},letter=o")]
    records = [play_match(CONNECT4, *players[:: 1 - 2 * (seed % 2)], seed=seed) for seed in range(games)]
    assert_mean([searched(record) for record in records], known)


def assert_mean(by_game: list[list[int]], known: float) -> None:
    """That nodes a move, over all moves of all games, are as known, by the spread between games."""
    moves = sum(map(len, by_game))
    mean = sum(map(sum, by_game)) / moves
    spread = stdev(sum(nodes) - mean * len(nodes) for nodes in by_game) * sqrt(len(by_game)) / moves
    assert abs(mean - known) <= ERRORS * spread + 0.01 * known, (mean, known, spread)


def test_r5_the_printed_credit_opens_anywhere_and_the_corrected_one_in_the_centre() -> None:
    opened = {}
    for fixed in ("off", "on"):
        spec = agent(f"r5-mcts:simulations=1000,fixed={fixed}")
        moves = [spec.start(CONNECT4, FIRST, seed).decide(Position.start(CONNECT4)).move for seed in range(25)]
        opened[fixed] = Counter(moves)
    assert max(opened["off"].values()) < 12
    assert len(opened["off"]) >= 5
    assert opened["on"][3] > 12


def test_r1_the_curve_of_the_connect4_learner_is_flat() -> None:
    learner = trainer("r1-qlearning:seat=first").learner(CONNECT4, 0, 300)
    rates = []
    for _ in range(3):
        learner.run(Stage(("r1-default",)), 100, Stop())
        wins = [
            play_match(CONNECT4, Held(learner.mind), agent("r1-default"), seed=seed).result == "first"
            for seed in range(60)
        ]
        rates.append(fmean(wins))
    assert all(0.67 - 0.15 < rate < 0.86 + 0.1 for rate in rates), rates


@pytest.mark.parametrize(("first", "second"), [("minimax", "learner"), ("learner", "minimax")])
def test_r3_minimax_never_loses_to_the_learner(first: str, second: str) -> None:
    learner = trainer("r3-qlearning").learner(TICTACTOE, 0, 2_000)
    learner.run(Stage(("r3-medium",)), 2_000, Stop())
    players = {"minimax": agent("r3-minimax"), "learner": Held(learner.mind)}
    results = {str(play_match(TICTACTOE, players[first], players[second], seed=seed).result) for seed in range(10)}
    assert results <= {"draw", "first" if first == "minimax" else "second"}
