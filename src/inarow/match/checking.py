"""Trying out an external agent: does it load, and does it answer in many kinds of positions?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from inarow.agents import Agent, Limit
from inarow.match.playing import failure
from inarow.randomness import Stream, derive
from inarow.rules import FIRST, Game, Position, format_moves

MATCHES = 20
"""How many random matches the positions are taken from."""


class Check(NamedTuple):
    """One position that an agent was shown."""

    kind: str
    moves: str
    """That lead to the position, counting from 1."""
    fault: str
    """What went wrong; empty if nothing did."""
    answer: int | None
    seconds: float


def positions(game: Game, seed: int = 0) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Kinds of positions that agents often fail in, with the moves that lead there."""
    yield "the empty board", ()
    stream = Stream(derive(seed, "check"))
    found: set[str] = set()
    for number in range(MATCHES):
        position = Position.start(game)
        line: tuple[int, ...] = ()
        while position.outcome() is None:
            for kind in _kinds(position):
                if kind not in found or (number < 2 and position.ply % 5 == 3):
                    found.add(kind)
                    yield kind, line
                    break
            move = stream.choice(position.legal_moves())
            position, line = position.play(move), (*line, move)


def _kinds(position: Position) -> Iterator[str]:
    if position.ply == 1:
        yield "as second player"
    if len(position.legal_moves()) == 1:
        yield "one legal move left"
    if position.winning_moves():
        yield "it can win at once"
    if position.winning_moves(position.to_move.other):
        yield "it must block"
    if len(position.legal_moves()) < position.game.moves:
        yield "some moves are no longer legal"
    if 2 * position.ply > position.game.cells:
        yield "late in the game"
    yield "in the middle of a game"


def check_agent(agent: Agent, game: Game, limit: Limit, seed: int = 0) -> Iterator[Check]:
    """Ask the agent in each position, with a new mind each time; its answers, or how it failed."""
    for kind, line in positions(game, seed):
        position = Position.start(game, line)
        moves = format_moves(game, line)
        try:
            mind = agent.start(game, position.to_move if line else FIRST, derive(seed, "check", moves))
            try:
                decision = mind.decide(position, limit)
                position.play(decision.move)
            finally:
                mind.close()
        except Exception as error:
            termination, words = failure(error)
            yield Check(kind, moves, f"{termination.value}: {words}", None, 0.0)
        else:
            yield Check(kind, moves, "", decision.move, decision.seconds)
