"""Evaluators and networks of the user: the same search as with the built-in ones."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import inarow
from inarow.agents import AgentError, agent
from inarow.agents.base import Decision
from inarow.agents.mcts import Mcts, MctsMind
from inarow.randomness import Stream
from inarow.rules import CONNECT4, Player, Position, game
from support.naive_network import random_position
from support.own_parts import WINDOWS, arbitrary, bottom, bottom_kernel, nan_kernel, windows, zero_kernel


def decided(position: Position, spec: str, **parts: Any) -> Decision:
    return inarow.decide(position, agent(spec, **parts), seed=5)._replace(seconds=0.0)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "5x4x4"])
@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("alphabeta:depth=3", "eval"),
        ("alphabeta:depth=3,ordering=threats,tt=on,tt_mb=1,symmetry=on", "eval"),
        ("minimax:depth=2", "eval"),
        ("greedy", "eval"),
        ("mcts:simulations=80,tree_mb=1", "leaf"),
    ],
)
def test_a_function_that_equals_the_heuristic_decides_the_same_with_the_same_figures(
    name: str, spec: str, part: str
) -> None:
    for seed in range(3):
        position = random_position(game(name), Stream(seed), 2 + seed)
        wanted = decided(position, spec, **{part: WINDOWS})
        assert decided(position, spec, **{part: windows}) == wanted


@pytest.mark.parametrize(("spec", "part"), [("alphabeta:depth=4", "eval"), ("mcts:simulations=60,tree_mb=1", "leaf")])
def test_a_kernel_decides_as_the_same_function_in_python(spec: str, part: str) -> None:
    for seed in range(4):
        position = random_position(CONNECT4, Stream(seed), 4)
        assert decided(position, spec, **{part: bottom_kernel}) == decided(position, spec, **{part: bottom})


def test_two_kernels_in_turn_are_not_mistaken_for_each_other() -> None:
    position = Position.start(CONNECT4)
    by_kernel = [decided(position, "alphabeta:depth=2", eval=one).points for one in (bottom_kernel, zero_kernel) * 2]
    assert by_kernel == [50, 0, 50, 0]


class Naive:
    """PUCT in ordinary Python: a node of its tree."""

    def __init__(self, position: Position, prior: float) -> None:
        self.position, self.prior = position, prior
        self.children: dict[int, Naive] = {}
        self.visits, self.total = 0, 0.0
        self.value = 0.0

    def expand(self) -> None:
        priors, values = arbitrary(self.position.to_array()[None])
        legal = self.position.legal_moves()
        self.value = float(values[0])
        whole = sum(priors[0][move] for move in legal)
        self.children = {move: Naive(self.position.play(move), priors[0][move] / whole) for move in legal}

    def bound(self, parent: Naive, c: float) -> float:
        mean = 0.5 * self.total / self.visits if self.visits else 0.5 + 0.5 * parent.value
        return mean + c * math.sqrt(max(1, parent.visits)) * self.prior / (1 + self.visits)


def naive_visits(position: Position, simulations: int, c: float) -> dict[int, int]:
    root = Naive(position, 1.0)
    root.expand()
    for _ in range(simulations):
        path = [root]
        while path[-1].children:
            path.append(max(path[-1].children.values(), key=lambda child: child.bound(path[-1], c)))
        leaf, outcome = path[-1], path[-1].position.outcome()
        if outcome is None:
            leaf.expand()
        result = leaf.value if outcome is None else 0.0 if outcome.winner is None else -1.0
        for node in reversed(path[1:]):
            node.visits += 1
            node.total += 1 - result
            result = -result
        root.visits += 1
    return {move: child.visits for move, child in root.children.items()}


@pytest.mark.parametrize("moves", ["", "4453", "44335", "121212"])
def test_a_function_that_gives_priors_and_values_makes_textbook_puct(moves: str) -> None:
    position = inarow.position(CONNECT4, moves)
    found = decided(position, "mcts:simulations=150,prove=off,c=1.5,tree_mb=1", network=arbitrary, batch=1)
    assert found.by_move["visits"] == naive_visits(position, 150, 1.5)


@pytest.mark.parametrize("batch", [1, 3, 16])
@pytest.mark.parametrize("prove", ["on", "off"])
def test_a_batch_leaves_no_virtual_losses_behind(batch: int, prove: str) -> None:
    player = agent(f"mcts:simulations=200,prove={prove},tree_mb=1", network=arbitrary, batch=batch)
    assert isinstance(player, Mcts)
    mind = MctsMind(player, CONNECT4, Stream(1))
    decision = mind.decide(inarow.position(CONNECT4, "445"))
    assert decision.details["simulations"] == 200 == sum(decision.by_move["visits"].values())
    nodes = mind.tree.nodes
    for node in range(mind.tree.used):
        below = sum(nodes[child].visits for child in mind.tree.children(node))
        assert below in (nodes[node].visits, nodes[node].visits - 1) or nodes[node].status
        if nodes[node].visits and node and abs(nodes[node].mean) < 2:
            assert nodes[node].mean == pytest.approx(nodes[node].total / nodes[node].visits / 2)


def test_a_batch_is_judged_at_once_and_a_win_is_seen_without_the_function() -> None:
    sizes = []

    def judge(planes: Any) -> tuple[Any, Any]:
        sizes.append(planes.shape)
        return np.ones((len(planes), 7)), np.zeros(len(planes))

    decision = decided(inarow.position(CONNECT4, "414141"), "mcts:simulations=40", network=judge, batch=4)
    assert (decision.move, decision.value) == (3, 1.0)
    assert sizes[0] == (1, 2, 6, 7)
    assert max(size[0] for size in sizes) <= 4


def test_agents_with_own_parts_play_series_and_are_told_apart_by_their_source() -> None:
    one, two = agent("alphabeta:depth=1", eval=bottom), agent("alphabeta:depth=1", eval=windows)
    assert inarow.play_series("5x4x4", one, two, matches=2, openings="random:2").matches == 2
    again: dict[str, Any] = {}
    exec("def bottom(position, player):\n    return 1", again)
    assert len({one.identity, two.identity, agent("alphabeta:depth=1", eval=again["bottom"]).identity}) == 3
    assert one.spec.startswith("alphabeta:depth=1,eval=function(bottom-")
    for part in (bottom, bottom_kernel):
        player = agent("alphabeta:depth=1", eval=part)
        assert pickle.loads(pickle.dumps(player)) == player
    with pytest.raises(AgentError, match=r"is a Python function; make the agent in Python"):
        agent(one.spec)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "must return priors and values, got None"),
        ((np.ones((1, 6)), np.zeros(1)), r"of shapes \(1, 7\) and \(1,\), got \(1, 6\) and \(1,\)"),
        ((-np.ones((1, 7)), np.zeros(1)), "priors of 0 or more and values from −1 to 1, got the prior -1"),
        ((np.ones((1, 7)), np.array([np.nan])), "priors of 0 or more and values from −1 to 1, got the value nan"),
    ],
)
def test_a_network_that_returns_something_else_gets_a_sentence(answer: Any, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        decided(Position.start(CONNECT4), "mcts:simulations=5", network=lambda planes: answer)


@pytest.mark.parametrize("answer", [math.nan, "3", None, 10**400], ids=["nan", "string", "None", "too large"])
@pytest.mark.parametrize(
    ("spec", "part"), [("alphabeta:depth=1", "eval"), ("minimax:depth=1", "eval"), ("greedy", "eval"), ("mcts", "leaf")]
)
def test_an_evaluator_that_returns_no_number_gets_a_sentence(spec: str, part: str, answer: Any) -> None:
    def constant(position: Position, player: Player) -> Any:
        return answer

    with pytest.raises(
        AgentError, match=r"evaluator constant-\w{8} must return a number, .* got (nan|'3'|None|over 10\^308)"
    ):
        decided(Position.start(CONNECT4), spec, **{part: constant})


@pytest.mark.parametrize(
    ("spec", "part"), [("alphabeta:depth=3", "eval"), ("minimax:depth=3", "eval"), ("mcts", "leaf")]
)
def test_a_kernel_that_returns_nan_anywhere_in_a_search_gets_a_sentence(spec: str, part: str) -> None:
    position = Position.start(CONNECT4, (3, 3, 3, 3, 3, 2))
    with pytest.raises(AgentError, match=r"evaluator nan_kernel-\w{8} must return a number, .* got nan"):
        decided(position, spec, **{part: nan_kernel})


@pytest.mark.parametrize(
    ("spec", "parts", "message"),
    [
        ("mcts", {"network": arbitrary, "prior": "ntuple"}, "network gives both priors and values"),
        ("mcts", {"prior": "ntuple", "leaf": bottom}, "is for a search without a network"),
        ("mcts:network=net", {}, "network=net is not a Python function, which can't be written in a spec"),
        ("mcts", {"netwrok": arbitrary}, "unknown parameter 'netwrok'; did you mean network?"),
        ("mcts", {"network": 3}, "network=3 is not a Python function"),
        ("alphabeta", {"depth": "deep"}, "depth=deep is not an integer"),
        ("mine.py", {"depth": 3}, "give the parameters of a file in its spec: mine.py:depth=…"),
    ],
)
def test_parts_that_do_not_fit_get_a_sentence(spec: str, parts: dict[str, Any], message: str) -> None:
    with pytest.raises(AgentError, match=message):
        agent(spec, **parts).check(CONNECT4)


def test_parameters_are_added_to_a_spec_or_to_an_agent() -> None:
    assert agent("alphabeta:depth=3", eval="lines(one=5)", depth=5).spec == "alphabeta:depth=5,eval=lines(one=5)"
    assert agent(agent("mcts:c=2"), simulations=7).spec == "mcts:simulations=7,c=2"
