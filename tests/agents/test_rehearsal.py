"""A rehearsal loads what an agent needs and harms nobody."""

from __future__ import annotations

from inarow.agents.rehearsal import rehearse
from inarow.rules import game
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
