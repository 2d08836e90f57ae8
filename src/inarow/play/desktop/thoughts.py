"""The moves of a match as lines of a list, with what the agents thought of theirs."""

from __future__ import annotations

from inarow.agents import Decision
from inarow.formatting import counted
from inarow.play.desktop.lists import Row
from inarow.play.session import Session
from inarow.rules import Player, format_move

SHOWN_SECONDS = 0.05
"""A quicker decision is shown without its time."""


def move_rows(session: Session) -> list[Row]:
    """Every move after the opening: its number, where it went, and what led to it."""
    start = len(session.setup.opening)
    kind = "column" if session.setup.game.gravity else "cell"
    return [
        Row(f"{ply + 1}. {kind} {format_move(one.move)}", thought(one.decision), Player(ply % 2), below=True)
        for ply, one in enumerate(session.played, start)
    ]


def thought(decision: Decision | None) -> str:
    """What an agent says about its move: its estimate in [−1, 1], how far it looked, at how much, and for how long."""
    if decision is None:
        return ""
    parts = [] if decision.value is None else [f"expects {decision.value:+.2f}".replace("-", "−")]
    if decision.depth is not None and decision.depth > 1:
        parts.append(counted(decision.depth, "ply", "plies"))
    if decision.effort:
        parts.append(decision.effort)
    if decision.seconds >= SHOWN_SECONDS:
        parts.append(f"{decision.seconds:.1f} s")
    return ", ".join(parts)
