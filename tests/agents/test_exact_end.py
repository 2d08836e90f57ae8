"""The solver inside a search: late positions are exact, early ones are searched, and no limit is exceeded."""

from __future__ import annotations

import pytest

from inarow.agents import Limit, agent
from inarow.agents.exact_end import ExactEnd, Proof
from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.rules.notation import parse_position
from inarow.solver import Oracle
from inarow.solver.analysis import Bounds
from inarow.stopping import SYSTEM_CLOCK
from support.naive_network import random_position

UNKNOWN = Bounds(-1, 1)
WON, DRAWN, LOST = Bounds(1, 1), Bounds(0, 0), Bounds(-1, -1)


@pytest.mark.parametrize("spec", ["alphabeta:depth=2,solver=on", "minimax:nodes=200000,solver=on,eval=ntuple"])
def test_late_positions_are_decided_by_their_exact_scores(spec: str) -> None:
    board, stream, oracle, seen = game("connect4"), Stream(8), Oracle(game("connect4")), 0
    while seen < 15:
        position = random_position(board, stream, 26 + stream.below(10))
        if position.outcome() is None:
            seen += 1
            mind = agent(spec).start(board, position.to_move, 0)
            decision = mind.decide(position)
            mind.close()
            assert decision.details["solved"]
            assert decision.move in oracle.best_moves(position)
            assert decision.value == oracle.verdict(position)


@pytest.mark.parametrize("nodes", [1, 10, 1000, 30_000])
def test_solver_and_search_share_the_nodes(nodes: int) -> None:
    for moves in ("", "4453", "44535", "4444337711"):
        position = parse_position(game("connect4"), moves)
        spec = f"alphabeta:nodes={nodes},solver=on,ordering=threats"
        first, second = (agent(spec).start(position.game, position.to_move, 1).decide(position) for _ in range(2))
        assert first.nodes <= nodes
        assert first._replace(seconds=0) == second._replace(seconds=0)


def test_the_search_chooses_among_what_the_solver_leaves() -> None:
    position = parse_position(game("5x4x4"), "3")
    mind = agent("alphabeta:nodes=300,solver=on").start(position.game, position.to_move, 0)
    decision = mind.decide(position)
    assert not decision.details["solved"]
    assert decision.depth is not None
    assert decision.points is not None


@pytest.mark.parametrize(
    ("verdicts", "scores", "candidates", "settled"),
    [
        ({0: WON, 1: UNKNOWN, 2: LOST}, {}, [0], True),
        ({0: WON, 1: UNKNOWN, 2: WON}, {}, [0, 2], False),
        ({0: DRAWN, 1: DRAWN, 2: LOST}, {}, [0, 1], True),
        ({0: LOST, 1: UNKNOWN, 2: LOST}, {}, [1], True),
        ({0: LOST, 1: LOST}, {}, [0, 1], False),
        ({0: DRAWN, 1: Bounds(0, 1), 2: Bounds(-1, 0)}, {}, [1], True),
        ({0: DRAWN, 1: UNKNOWN, 2: LOST}, {}, [0, 1], False),
        ({0: WON, 1: LOST}, {}, [0], True),
        ({0: WON, 1: WON}, {0: Bounds(3, 3), 1: Bounds(2, 2)}, [0], True),
        ({0: WON, 1: WON}, {0: Bounds(3, 3), 1: Bounds(1, 5)}, [0, 1], False),
        ({0: WON, 1: WON, 2: LOST}, {0: Bounds(3, 3), 1: Bounds(3, 3), 2: Bounds(-4, 9)}, [0, 1], True),
    ],
)
def test_a_move_is_left_out_only_if_another_is_proven_better(
    verdicts: dict[int, Bounds], scores: dict[int, Bounds], candidates: list[int], settled: bool
) -> None:
    proof = Proof(verdicts, scores, 0)
    assert proof.candidates == candidates
    assert proof.settled is settled


def test_without_a_node_left_the_move_of_which_most_is_proven_is_played() -> None:
    assert Proof({0: UNKNOWN, 1: Bounds(0, 1), 2: LOST}, {}, 0).safest == [1]
    position = parse_position(game("connect4"), "4444337711")  # some moves are proven to win within one node
    decision = agent("alphabeta:nodes=1,solver=on").start(position.game, position.to_move, 0).decide(position)
    assert decision.value == 1
    assert Oracle(position.game).move_bounds(position, weak=True)[decision.move] == (1, 1)


def test_the_table_is_there_again_after_closing() -> None:
    end = ExactEnd(game("5x4x4"))
    position = Position.start(game("5x4x4"), [2, 2, 2, 2])
    before = end.ask(position, Limit(nodes=10**6), None, SYSTEM_CLOCK)
    end.close()
    end.close()
    assert end.ask(position, Limit(nodes=10**6), None, SYSTEM_CLOCK) == before


@pytest.mark.parametrize("spec", ["alphabeta:nodes=20000,eval=ntuple,solver=on", "mcts:simulations=50,solver=on"])
def test_what_is_proven_stands_above_what_the_search_estimates(spec: str) -> None:
    position = parse_position(
        game("connect4"), "224337357"
    )  # lost, as the verdict book knows, and not solved with so few nodes
    decision = agent(spec).start(position.game, position.to_move, 1).decide(position)
    assert not decision.details["solved"]
    assert decision.value == -1
    assert set(decision.values.values()) == {-1.0}


def test_a_tree_decides_late_positions_by_their_exact_scores_and_keeps_to_the_limit() -> None:
    board, stream, oracle, seen = game("connect4"), Stream(3), Oracle(game("connect4")), 0
    while seen < 5:
        position = random_position(board, stream, 26)
        if position.outcome() is None:
            seen += 1
            mind = agent("mcts:simulations=20,solver=on").start(board, position.to_move, 0)
            decision = mind.decide(position)
            mind.close()
            assert decision.details["solved"]
            assert decision.move in oracle.best_moves(position)
            assert mind.decide(position, Limit(nodes=50)).nodes <= 50
