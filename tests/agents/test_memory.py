"""How much memory an agent may take, which a server limits."""

from __future__ import annotations

import pytest

from inarow.agents import agent
from inarow.agents.exact_end import TT_MB
from inarow.rules import CONNECT4
from inarow.solver.engine import table_mb

SOLVER = table_mb(CONNECT4, TT_MB)


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("random", 0),
        ("alphabeta:tt=on,tt_mb=50", 50),
        ("alphabeta:tt=off,tt_mb=50", 0),
        ("alphabeta:tt=off,solver=on", SOLVER),
        ("alphabeta:tt=off,eval=ntuple,seconds=1", SOLVER),
        ("alphabeta:tt=off,eval=ntuple,seconds=1,solver=off", 0),
        ("mcts:tree_mb=7", 7),
        ("mcts:tree_mb=7,solver=on", 7 + SOLVER),
        ("perfect:tt_mb=64", table_mb(CONNECT4, 64)),
        ("best", agent("alphabeta:tt=on,solver=on").memory_mb(CONNECT4)),
    ],
)
def test_an_agent_takes_what_its_table_its_tree_and_its_solver_take(spec: str, wanted: int) -> None:
    assert agent(spec).memory_mb(CONNECT4) == wanted
