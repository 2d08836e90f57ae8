"""With the compiler off the searches run as plain Python, and decide the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from inarow.agents import agent
from inarow.randomness import Stream
from inarow.rules import FIRST, Position, game
from support.naive_network import random_position

SPECS = [
    "greedy:ties=first",
    "minimax:depth=2,eval=windows(share=0.7)",
    "alphabeta:depth=3,eval=lines,ordering=threats,tt=on,tt_mb=1,symmetry=on",
    "alphabeta:depth=3,ordering=history,iterative_deepening=on",
    "alphabeta:nodes=150,eval=zero",
    "greedy:eval=ntuple,ties=first",
    "minimax:depth=2,eval=ntuple",
    "alphabeta:depth=3,eval=ntuple,ordering=threats,tt=on,tt_mb=1,symmetry=on",
    "mcts:simulations=60,tree_mb=1",
    "mcts:simulations=60,rollouts=rules,prove=off,tree_mb=1",
]
GUIDED = [
    "mcts:prior=ntuple,leaf=ntuple,simulations=40,tree_mb=1",
    "mcts:prior=ntuple,leaf=ntuple,simulations=25,tree_mb=1,prove=off",
    "mcts:prior=ntuple,leaf=rollout,rollouts=rules,simulations=25,tree_mb=1",
]
SCRIPT = """
import json, sys
from test_search_uncompiled import decisions
print(json.dumps(decisions()))
"""


def decisions() -> list[object]:
    """Moves, points and counts of one decision by each agent, and of a second one by the same mind; with a network in
    the tree in random positions."""
    found: list[object] = []
    stream = Stream(11)
    usual = [Position.start(game("connect4"), moves) for moves in ([3, 3, 2], [3, 3, 2, 4, 1])]
    for spec in (*SPECS, *GUIDED):
        mind = agent(spec).start(game("connect4"), FIRST, 3)
        random = [random_position(game("connect4"), stream, 5 * part + stream.below(5)) for part in range(6)]
        for position in [one for one in random if one.outcome() is None] if spec in GUIDED else usual:
            decision = mind.decide(position)
            figures = {name: sorted(by.items()) for name, by in decision.by_move.items()}
            found.append([decision.move, decision.value, decision.nodes, list(decision.line), figures])
            found.append(dict(decision.details))
    return found


def test_the_compiler_changes_nothing_but_the_speed() -> None:
    environment = {
        **os.environ,
        "INAROW_JIT": "0",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(decisions()))
