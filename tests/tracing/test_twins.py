"""The twins that record a search do what the kernels do: the same nodes in the same order, values, trees, decisions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from inarow.agents import AgentError, Limit, agent
from inarow.agents.mcts import Mcts, MctsMind
from inarow.kernels import alphabeta as kernel
from inarow.randomness import Stream
from inarow.rules import Game, Position, game
from inarow.tracing import Kind, Trace, trace
from inarow.tracing.mcts_twin import MctsTwin
from inarow.tracing.trace import Recorder

GAMES = ["tictactoe", "connect4", "5x5x4", "4x4x3-free", "4x3x3"]
SEARCHES = [
    "minimax:depth=3",
    "minimax:depth=2,eval=ntuple",
    "alphabeta:depth=4",
    "alphabeta:depth=4,root=carried,ordering=none",
    "alphabeta:depth=3,root=full,ordering=none,ties=random",
    "alphabeta:depth=5,ordering=threats,table=on,table_mb=1,symmetry=on",
    "alphabeta:depth=4,ordering=history,deepening=on",
    "alphabeta:depth=4,ordering=history,deepening=on,table=on,table_mb=1",
    "alphabeta:depth=3,eval=ntuple,ordering=threats,table=on,table_mb=1",
    "alphabeta:depth=4,eval=lines",
    "alphabeta:nodes=150,eval=windows(share=0.7)",
    "alphabeta:nodes=77,deepening=on,table=on,table_mb=1",
]
SIMULATIONS = [
    "mcts:simulations=250,memory=1",
    "mcts:simulations=100,rollouts=rules,c=0.5,memory=1",
    "mcts:simulations=200,solve=off,memory=1",
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


@pytest.mark.parametrize("spec", [*SEARCHES, *SIMULATIONS])
def test_the_twin_decides_what_the_agent_decides_with_the_same_figures(spec: str) -> None:
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


@pytest.mark.parametrize("spec", SIMULATIONS)
@pytest.mark.parametrize("name", ["tictactoe", "connect4", "5x5x4"])
def test_the_tree_of_mcts_is_the_kernels_to_the_bit(spec: str, name: str) -> None:
    board, player = game(name), agent(spec)
    assert isinstance(player, Mcts)
    for position in random_positions(board, 2):
        ours, twin = (MctsMind(player, board, Stream(3)) for _ in range(2))
        recorder = Recorder(10_000)
        twins = MctsTwin(board, recorder)
        twin.simulate = twins.simulate
        for mind in (ours, twin):
            mind.decide(position)
        used = ours.tree.used
        assert np.array_equal(np.asarray(ours.tree.nodes)[:used], np.asarray(twin.tree.nodes)[:used])
        assert bytes(cast(Any, ours.tree.state)) == bytes(cast(Any, twin.tree.state))
        assert len(recorder.parents) == used


# The kernels' own source, run uncompiled and watched from outside.

WATCHED = [spec for spec in SEARCHES if "ntuple" not in spec]
SCRIPT = "import json; from test_twins import watched_kernels; print(json.dumps(watched_kernels()))"
Watched = dict[str, list[Any]]


def cases() -> list[tuple[str, Position]]:
    return [
        (spec, position)
        for spec in WATCHED
        for name in ("tictactoe", "5x5x4", "4x3x3")
        if playable(spec, game(name))
        for position in random_positions(game(name), 1)
    ]


def watched_kernels() -> list[Watched]:
    """Every visit, call and return of the uncompiled kernel, for each case."""
    search = cast(Any, kernel)
    visit, value_of = search.visit, search._negamax
    seen: Watched = {}

    def watching_visit(*arguments: Any) -> Any:
        here = sys._getframe(1).f_locals
        goes_on = visit(*arguments)
        if goes_on:
            seen["visits"].append([int(here["own"] | here["cell"]), int(here["opp"])])
        return goes_on

    def watching_value(*arguments: Any) -> Any:
        seen["windows"].append([int(arguments[6]), int(arguments[7])])
        found = value_of(*arguments)
        if not arguments[1].stopped:
            seen["values"].append(int(found))
        return found

    search.visit, search._negamax = watching_visit, watching_value
    found = []
    for spec, position in cases():
        seen.update(visits=[], windows=[], values=[])
        agent(spec).start(position.game, position.to_move, 7).decide(position)
        found.append({name: list(rows) for name, rows in seen.items()})
    return found


def twins_account(found: Trace) -> Watched:
    """The same of a trace, as the side to move sees it."""
    start, account = found.position, Watched(visits=[], windows=[], values=[])
    for node, parent in enumerate(found.record.parents):
        if parent >= 0:
            child = start
            for move in found.path(node):
                child = child.play(move)
            account["visits"].append([child.waiter, child.mover])
    for event in found:
        sign = 1 if found.max_to_move(event.node) else -1
        if event.kind is Kind.ENTER:
            account["windows"].append(sorted([sign * event.low, sign * event.high]))
        if event.kind in (Kind.RETURN, Kind.KNOWN):
            account["values"].append(sign * event.value)
    return account


def test_the_twin_visits_the_kernels_nodes_in_their_order_with_their_windows_and_values() -> None:
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "INAROW_JIT": "0", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr
    for (spec, position), watched in zip(cases(), json.loads(done.stdout), strict=True):
        account = twins_account(trace(position, agent(spec), seed=7))
        assert account["visits"] == watched["visits"], (spec, position)
        assert account["values"] == watched["values"], (spec, position)
        if "table=on" not in spec:  # with a table some calls are answered before they enter
            assert account["windows"][: len(watched["windows"])] == watched["windows"], (spec, position)
