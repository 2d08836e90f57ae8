"""A traced run is the untraced one: the same nodes in the same order, values, windows, trees and decisions."""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np
import pytest

from inarow.agents import AgentError, Limit, agent
from inarow.agents.mcts import Mcts, MctsMind, Tree
from inarow.kernels import alphabeta as kernel
from inarow.kernels import ntuple
from inarow.kernels.lang.jit import compiled, source_of
from inarow.kernels.lang.trace import recording
from inarow.kernels.mcts import simulate
from inarow.randomness import Stream
from inarow.rules import Game, Position, game
from inarow.tracing import EventKind, Trace, trace
from inarow.tracing.recording import TreeEvents
from inarow.tracing.trace import Recorder

GAMES = ["tictactoe", "connect4", "5x5x4", "4x4x3-free", "4x3x3"]
SEARCHES = [
    "minimax:depth=3",
    "minimax:depth=2,eval=ntuple",
    "alphabeta:depth=4",
    "alphabeta:depth=4,root=carried,ordering=none",
    "alphabeta:depth=3,root=full,ordering=none,ties=random",
    "alphabeta:depth=5,ordering=threats,tt=on,tt_mb=1,symmetry=on",
    "alphabeta:depth=4,ordering=history,iterative_deepening=on",
    "alphabeta:depth=4,ordering=history,iterative_deepening=on,tt=on,tt_mb=1",
    "alphabeta:depth=3,eval=ntuple,ordering=threats,tt=on,tt_mb=1",
    "alphabeta:depth=4,eval=lines",
    "alphabeta:nodes=150,eval=windows(share=0.7)",
    "alphabeta:nodes=77,iterative_deepening=on,tt=on,tt_mb=1",
]
SIMULATIONS = [
    "mcts:simulations=250,tree_mb=1",
    "mcts:simulations=100,rollouts=rules,c=0.5,tree_mb=1",
    "mcts:simulations=200,prove=off,tree_mb=1",
    "mcts:simulations=60,leaf=windows,tree_mb=1",
]
GUIDED = [
    "mcts:simulations=30,prior=ntuple,leaf=ntuple,tree_mb=1",
    "mcts:simulations=30,prior=ntuple,rollouts=rules,prove=off,tree_mb=1",
]


def random_positions(board: Game, count: int) -> list[Position]:
    """Unfinished positions of some plies."""
    stream, found = Stream(11), list[Position]()
    while len(found) < count:
        position = Position.start(board)
        for _ in range(stream.below(board.cells - 2)):
            position = position.play(stream.choice(position.legal_moves()))
            if position.outcome() is not None:
                break
        else:
            found.append(position)
    return found


def playable(spec: str, board: Game) -> bool:
    try:
        agent(spec).check(board)
    except AgentError:
        return False
    return True


@pytest.mark.parametrize("spec", [*SEARCHES, *SIMULATIONS, *GUIDED])
def test_a_traced_agent_decides_the_same_with_the_same_figures(spec: str) -> None:
    player, compared = agent(spec), 0
    for board in map(game, GAMES):
        for position in random_positions(board, 2) if playable(spec, board) else ():
            wanted = player.start(board, position.to_move, 7).decide(position)
            found = trace(position, player, seed=7)
            assert found.decision is not None
            assert found.decision._replace(seconds=0.0) == wanted._replace(seconds=0.0), position
            compared += 1
    assert compared >= 2


@pytest.mark.parametrize("nodes", [1, 2, 5, 13, 40, 111, 300])
def test_a_limit_of_nodes_ends_both_at_the_same_node(nodes: int) -> None:
    player = agent("alphabeta:depth=6,ordering=threats")
    for position in random_positions(game("connect4"), 3):
        wanted = player.start(position.game, position.to_move, 0).decide(position, Limit(nodes=nodes))
        found = trace(position, player, limit=Limit(nodes=nodes)).decision
        assert found is not None
        assert found._replace(seconds=0.0) == wanted._replace(seconds=0.0)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        (name, spec)
        for name in ("tictactoe", "connect4", "5x5x4")
        for spec in [*SIMULATIONS, *GUIDED]
        if playable(spec, game(name))
    ],
)
def test_the_traced_tree_of_mcts_is_the_compiled_one_to_the_bit(name: str, spec: str) -> None:
    board, player = game(name), agent(spec)
    assert isinstance(player, Mcts)
    for position in random_positions(board, 2):
        untraced, traced = (MctsMind(player, board, Stream(3)) for _ in range(2))
        untraced.decide(position)
        recorder = Recorder(10_000)
        traced.simulate = source_of(simulate)
        with recording(TreeEvents(board, recorder)):
            traced.decide(position)
        used = untraced.tree.used
        assert np.array_equal(np.asarray(untraced.tree.nodes)[:used], np.asarray(traced.tree.nodes)[:used])
        assert bytes(cast(Any, untraced.tree.state)) == bytes(cast(Any, traced.tree.state))
        assert len(recorder.parents) == used


def test_a_long_trace_with_a_network_does_not_sum_its_features_as_python() -> None:
    trace(Position.start(game("connect4")), agent("mcts:simulations=250,prior=ntuple,tree_mb=1"))
    for one in (ntuple.move_points, ntuple.put_stone, ntuple.lift_stone):
        kernel_of = compiled(one)
        assert kernel_of is None or kernel_of.versions  # None where kernels are not compiled at all


Account = dict[str, list[Any]]


def watched(position: Position, spec: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Account, Trace]:
    """Trace a search; and note from outside each visit, call and return of the kernel's functions."""
    trace(position, agent(spec), seed=7)  # compile its kernels before functions that can't be compiled take their place
    visit, value_of = kernel.visit, cast(Any, kernel)._negamax
    seen: Account = {"visits": [], "windows": [], "values": []}

    def watching_visit(*arguments: Any) -> Any:
        here = sys._getframe(1).f_locals
        goes_on = visit(*arguments)
        if goes_on:
            seen["visits"].append([int(here["own"] | here["cell"]), int(here["opp"])])
        return goes_on

    def watching_value(*arguments: Any) -> Any:
        seen["windows"].append([int(arguments[5]), int(arguments[6])])
        found = value_of(*arguments)
        if not arguments[0].state.stopped:
            seen["values"].append(int(found))
        return found

    with monkeypatch.context() as patching:
        patching.setattr(kernel, "visit", watching_visit)
        patching.setattr(kernel, "_negamax", watching_value)
        return seen, trace(position, agent(spec), seed=7)


def told(found: Trace) -> Account:
    """The same by a trace, as the side to move sees it."""
    start, account = found.position, Account(visits=[], windows=[], values=[])
    for node, parent in enumerate(found.record.parents):
        if parent >= 0:
            child = start
            for move in found.path(node):
                child = child.play(move)
            account["visits"].append([child.opp, child.own])
    for event in found:
        sign = 1 if found.max_to_move(event.node) else -1
        if event.kind is EventKind.ENTER:
            account["windows"].append(sorted([sign * event.low, sign * event.high]))
        if event.kind in (EventKind.RETURN, EventKind.KNOWN):
            account["values"].append(sign * event.value)
    return account


@pytest.mark.parametrize("spec", SEARCHES)
def test_a_trace_tells_the_nodes_windows_and_values_of_the_kernel_in_their_order(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for board in map(game, ("tictactoe", "5x5x4", "4x3x3")):
        for position in random_positions(board, 1) if playable(spec, board) else ():
            seen, found = watched(position, spec, monkeypatch)
            account = told(found)
            assert account["visits"] == seen["visits"]
            assert account["values"] == seen["values"]
            if "tt=on" not in spec:  # with a table some calls are answered before they enter
                assert account["windows"] == seen["windows"]


def test_a_trace_ends_where_the_pool_of_nodes_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    start, spec = Position.start(game("connect4")), "mcts:simulations=2000,tree_mb=1"
    trace(start, agent(spec))  # compile its kernels first, as above
    monkeypatch.setattr(Tree, "is_full", property(lambda tree: tree.prunings == 0))
    monkeypatch.setattr("inarow.kernels.mcts.is_full", lambda tree, nodes: tree.used > 300)
    found = trace(start, agent(spec))
    assert found.truncated.endswith(" nodes")
    assert 300 < found.nodes < 400
