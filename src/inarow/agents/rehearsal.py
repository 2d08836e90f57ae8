"""Rehearsing: an agent loads and compiles what it needs before a clock runs or a person waits."""

from __future__ import annotations

import contextlib

from inarow.agents.base import Agent
from inarow.limits import Limit
from inarow.rules import FIRST, Game, Position

_SMALL = Limit(depth=1, nodes=1, simulations=1, seconds=0.01)
_rehearsed: set[tuple[str, Game]] = set()


def rehearse(agent: Agent, game: Game) -> None:
    """Have an agent make one small decision that nobody counts, once in each process.

    Agents in files are left out: each of their minds starts a process of its own. Whatever is wrong with an agent
    shows when it plays.
    """
    if agent.foreign or (agent.spec, game) in _rehearsed:
        return
    _rehearsed.add((agent.spec, game))
    with contextlib.suppress(Exception, SystemExit):
        mind = agent.mind(game, FIRST, 0)
        try:
            mind.decide(Position.start(game), _SMALL)
        finally:
            mind.close()
