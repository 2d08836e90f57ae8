"""Rehearsing: an agent loads and compiles what it needs before a clock runs or a person waits."""

from __future__ import annotations

import contextlib

from inarow.agents.base import Agent
from inarow.limits import Limit
from inarow.randomness import Stream, derive
from inarow.rules import FIRST, Game, Position

_SMALL = Limit(depth=1, nodes=1, simulations=1, seconds=0.01)
_TIMED = Limit(seconds=0.01)
_PLIES = 12
"""Beyond the opening books."""
_rehearsed: set[tuple[str, Game]] = set()


def rehearse(agent: Agent, game: Game) -> None:
    """Have an agent make two small decisions that nobody counts, once in each process: at the start, which may be in a
    book, and some moves later under a limit in seconds, as matches ask for.

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
            mind.decide(_later(game), _TIMED)
        finally:
            mind.close()


def _later(game: Game) -> Position:
    """A position some random moves from the start, in which the game goes on and nobody wins at once."""
    stream = Stream(derive(0, "rehearsal"))
    position = Position.start(game)
    for _ in range(_PLIES):
        children = [position.play(move) for move in position.legal_moves()]
        quiet = [child for child in children if child.outcome() is None and not child.winning_moves()]
        if not quiet:
            break
        position = stream.choice(quiet)
    return position
