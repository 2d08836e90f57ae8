"""A rehearsal loads what an agent needs and harms nobody."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.agents import agent, exact_end
from inarow.agents.base import _later, rehearse
from inarow.rules import CONNECT4, FIRST, Position, game
from inarow.solver import Oracle, oracle
from inarow.solver.engine import Engine
from inarow.stopping import Clock
from support.play_doubles import Scripted, ScriptedMind


def test_a_rehearsal_harms_nobody_and_closes_the_mind() -> None:
    before = ScriptedMind.closed
    for way in ("lowest", "crash", "illegal"):
        rehearse(Scripted(way), game("4x3x3"))
    assert ScriptedMind.closed == before + 3


def test_an_agent_rehearses_once_for_each_game() -> None:
    before = ScriptedMind.closed
    for name in ("3x4x3", "4x4x3", "3x4x3"):
        rehearse(Scripted("highest"), game(name))
    assert ScriptedMind.closed == before + 2


@pytest.mark.parametrize("board", ["connect4", "tictactoe", "5x4x4", "8x6x4-free", "4x4x3"])
def test_it_is_rehearsed_where_no_book_and_no_win_at_hand_decides(board: str) -> None:
    played = game(board)
    position = _later(played)
    assert position.outcome() is None
    assert not position.winning_moves() or position.ply == 0
    if board == "connect4":
        assert Oracle(played).analyse(position).nodes > 0


@pytest.mark.parametrize("spec", ["perfect", "best:nodes=2000", "mcts:prior=ntuple,solver=on,simulations=2"])
def test_the_solver_is_made_only_where_it_may_search_and_before_the_time_runs(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    class Watched(Engine):
        def __init__(self, *settings: Any) -> None:
            events.append("solver")
            super().__init__(*settings)

    class WatchedClock(Clock):
        def now(self) -> float:
            events.append("time")
            return super().now()

    monkeypatch.setattr(oracle, "Engine", Watched)
    monkeypatch.setattr(exact_end.oracles, "_free", [])
    mind = agent(spec).start(CONNECT4, FIRST, 1)
    mind.clock = WatchedClock()
    mind.decide(Position.start(CONNECT4))
    assert "solver" not in events
    events.clear()
    mind.decide(_later(CONNECT4))
    assert events[0] == "solver"
    assert events.count("solver") == 1
    mind.close()
