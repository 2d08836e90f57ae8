"""Agents decide as they did: moves and nodes by seed, on random positions."""

from __future__ import annotations

import pytest

from inarow.agents import Decision, agent
from inarow.randomness import Stream
from inarow.rules import game
from support.naive_network import random_position


@pytest.mark.parametrize(
    ("board", "spec", "moves", "nodes"),
    [
        ("connect4", "rules", "4 6 6 3 3 2 1 5 6 6", 0),
        ("connect4", "rules:style=centre", "4 6 6 3 3 2 1 5 6 6", 0),
        ("tictactoe", "rules:style=corners", "8 5 5 7 5 1 7 7 5 5", 0),
        ("5x3x3-free", "rules:style=centre", "5 8 14 10 6 4 7 14 12 12", 0),
        ("5x4x4", "perfect:nodes=300", "3 2 3 2 3 3 5 3 3 3", 1982),
        ("5x5x4", "perfect:resist=any,nodes=500,error=0.2", "2 4 2 2 3 3 5 1 2 3", 2064),
        ("4x4x3-free", "perfect:ties=centre", "6 6 10 5 6 1 6 6 6 6", 199),
        ("5x4x4", "best:seconds=unlimited,nodes=3000", "3 2 3 2 3 3 2 4 3 3", 14400),
        ("5x4x4", "best:seconds=unlimited,nodes=2000,level=9", "3 2 3 3 2 3 5 4 3 3", 3033),
        ("tictactoe", "best:seconds=unlimited,nodes=2000,level=1", "3 5 8 7 4 1 2 7 7 7", 3889),
        ("5x5x4", "alphabeta:nodes=2000,solver=on", "1 4 2 2 3 3 3 1 3 3", 8417),
    ],
)  # fmt: skip
def test_decisions_and_node_counts_are_the_same(board: str, spec: str, moves: str, nodes: int) -> None:
    assert decided(board, spec) == (moves, nodes)


def decided(board: str, spec: str) -> tuple[str, int]:
    """Return the moves of an agent in ten positions, and the nodes that they took together."""
    played, stream = game(board), Stream(7)
    decisions: list[Decision] = []
    while len(decisions) < 10:
        position = random_position(played, stream, stream.below(played.cells - 1))
        if position.outcome() is None:
            mind = agent(spec).start(played, position.to_move, len(decisions))
            decisions.append(mind.decide(position))
            mind.close()
    return " ".join(str(one.move + 1) for one in decisions), sum(one.nodes or 0 for one in decisions)
