"""A network as the evaluator of a search: the same points whichever way they are summed, and exact as any other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.adapters.kaggle import export_agent
from inarow.agents import AgentError, Limit, agent
from inarow.agents.alphabeta import Searcher
from inarow.agents.evaluators import Learned, evaluator
from inarow.kernels import ntuple as kernel
from inarow.models.network import Network
from inarow.paths import fingerprint
from inarow.randomness import Stream
from inarow.rules import FIRST, SECOND, Position, game
from support.naive_network import random_network, random_position, slow_points, write_network
from support.naive_search import NaiveMinimax

BOARDS = ["connect4", "5x4x4", "4x5x3", "tictactoe", "4x3x3-free"]
SWITCHES = [
    "ordering=none",
    "ordering=history,iterative_deepening=on",
    "ordering=threats,tt=on,symmetry=on",
    "ordering=centre,tt=on,tt_mb=1,iterative_deepening=on,root=full",
    "ordering=centre,root=carried",
]


def points_after(network: Network, position: Position) -> list[int]:
    """The points of every move, summed from what its stone changes."""
    work = network.whole_work()
    network.set_up(work, position)
    cells = np.array([position.stone(move) for move in position.legal_moves()], np.int64)
    found = np.zeros(len(cells), np.int64)
    kernel.points_after(network.whole, work, position.own, position.opp, cells, found)
    return [int(points) for points in found]


def points_of(network: Network, position: Position) -> int:
    """The points of a position for the side to move, from scratch."""
    work = network.whole_work()
    network.set_up(work, position)
    return int(kernel.points_of(network.whole, work, position.own, position.opp))


@pytest.mark.parametrize("tactics", [True, False])
@pytest.mark.parametrize("name", BOARDS)
def test_points_are_those_of_the_slow_twin_and_of_all_symmetric_positions(name: str, tactics: bool) -> None:
    network, stream = random_network(game(name), tactics), Stream(21)
    for _ in range(40):
        position = random_position(game(name), stream, stream.below(game(name).cells))
        assert points_of(network, position) == slow_points(network, position)
        assert {points_of(network, image) for image in position.symmetries()} == {points_of(network, position)}


@settings(max_examples=100)
@given(
    name=st.sampled_from(BOARDS), seed=st.integers(0, 10**6), tactics=st.booleans(), scale=st.sampled_from([0.1, 5.0])
)
def test_what_a_stone_changes_and_the_sum_from_scratch_agree(name: str, seed: int, tactics: bool, scale: float) -> None:
    board, stream = game(name), Stream(seed)
    network = random_network(board, tactics, 1 << 8 if board.gravity else 0, scale)
    position = random_position(board, stream, stream.below(board.cells))
    if position.outcome() is None:
        children = [position.play(move) for move in position.legal_moves()]
        assert points_after(network, position) == [-points_of(network, child) for child in children]


@pytest.mark.parametrize("tactics", [True, False])
@pytest.mark.parametrize("name", ["connect4", "4x5x3", "tictactoe"])
def test_searches_agree_with_a_textbook_minimax(name: str, tactics: bool, tmp_path: Path) -> None:
    board, stream = game(name), Stream(5)
    path = write_network(random_network(board, tactics), tmp_path / "made.npz")
    for case, switches in enumerate(SWITCHES):
        position = random_position(board, stream, stream.below(board.cells - 2))
        if position.outcome() is not None:
            continue
        depth = 1 + case % 3
        spec = f"depth={depth},eval=ntuple(model={path})"
        plain = agent(f"minimax:{spec}").start(board, position.to_move, 0).decide(position)
        searcher = agent(f"minimax:{spec}")
        assert isinstance(searcher, Searcher)
        naive = NaiveMinimax(searcher.eval, position.to_move)
        expected = naive.root(position, depth)
        assert plain.by_move["points"] == expected
        assert (plain.nodes, plain.details["leaves"]) == (naive.nodes, naive.leaves)
        pruned = agent(f"alphabeta:{spec},{switches}").start(board, position.to_move, 0).decide(position)
        assert pruned.points == max(expected.values())
        assert pruned.by_move["points"].items() <= expected.items()
        best = [move + 1 for move, points in expected.items() if points == pruned.points]
        assert pruned.details["best"] == (best if "carried" not in switches else pruned.details["best"])
        assert set(pruned.details["best"]) <= set(best)


def test_a_stopped_search_leaves_the_board_as_it_was() -> None:
    position = Position.start(game("connect4"), [3, 3, 2])
    spec = "alphabeta:eval=ntuple,ordering=threats,tt=on,tt_mb=1"
    mind = agent(spec).start(position.game, position.to_move, 0)
    whole = agent(spec).start(position.game, position.to_move, 0).decide(position, Limit(depth=4))
    for nodes in (1, 17, 400, 3000):
        assert mind.decide(position, Limit(nodes=nodes)).nodes <= nodes
    assert mind.decide(position, Limit(depth=4))._replace(seconds=0) == whole._replace(seconds=0)


def test_greedy_plays_the_move_with_the_most_points() -> None:
    position = Position.start(game("connect4"), [3, 3, 2])
    decision = agent("greedy:eval=ntuple").start(position.game, SECOND, 0).decide(position)
    network = Learned().network(position.game)
    assert list(decision.by_move["points"].values()) == points_after(network, position)
    assert decision.points == max(decision.by_move["points"].values())


def test_the_value_of_points_is_the_networks_and_certain_where_tactics_decide() -> None:
    board = game("connect4")
    won = Position.start(board, [0, 1, 0, 1, 0, 1])
    learned = Learned()
    assert learned.value(learned.points(won, FIRST)) == 1
    assert learned.value(learned.points(won, SECOND)) == -1
    quiet = Position.start(board, [3])
    network = learned.network(board)
    move, value = max(network.judge(quiet).items(), key=lambda item: item[1])
    estimate = learned.value(learned.points(quiet.play(move), SECOND))
    assert network.gamma * estimate == pytest.approx(value, abs=1e-3)


def test_the_file_of_a_model_is_a_part_of_the_spec_and_the_identity(tmp_path: Path) -> None:
    path = write_network(random_network(game("5x4x4"), True), tmp_path / "a b.npz")
    for name in ("alphabeta", "minimax", "greedy"):
        one = agent(f'{name}:eval=ntuple(model="{path}")')
        assert agent(one.spec) == one
        assert one.identity == f"{one.spec} sha256={fingerprint(Path(path))}"
    assert evaluator("ntuple").spec == "ntuple"


@pytest.mark.parametrize(
    ("spec", "name", "says"),
    [
        ("alphabeta:eval=ntuple", "5x4x4", "evaluator ntuple: no model of ntuple for 5x4x4 ships with inarow"),
        ("greedy:eval=ntuple(model=none.npz)", "connect4", "there is no model file none.npz"),
    ],
)
def test_a_network_that_can_not_be_used_is_refused(spec: str, name: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        agent(spec).start(game(name), FIRST, 0)


def test_the_search_of_a_network_is_not_exported() -> None:
    with pytest.raises(AgentError, match="its evaluator is a network"):
        export_agent(agent("alphabeta:eval=ntuple"))
