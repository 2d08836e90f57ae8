"""A rehearsal loads what an agent needs and harms nobody."""

from __future__ import annotations

import pytest

from inarow.agents.rehearsal import _later, rehearse
from inarow.rules import game
from inarow.solver import Oracle
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
