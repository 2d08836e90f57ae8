"""One match between two agents: a pure function of game, agents, opening and seed, the clock aside."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence

from inarow.agents import NO_LIMIT, Agent, Decision, Limit, Mind
from inarow.agents.base import Fault, Resignation
from inarow.match.record import Record, Termination
from inarow.randomness import derive
from inarow.rules import Game, IllegalMove, Outcome, Position
from inarow.rules.position import DRAW, WON_BY
from inarow.stopping import Clock, Stop

GRACE = 0.1
"""Seconds by which a decision may overrun a match's limit before it counts as out of time."""


def play_match(
    game: Game,
    first: Agent,
    second: Agent,
    *,
    opening: Sequence[int] = (),
    seed: int = 0,
    limit: Limit = NO_LIMIT,
    stop: Stop | None = None,
    clock: Clock | None = None,
    on_decision: Callable[[Position, Decision], None] | None = None,
) -> Record:
    """Play from an opening to an end. An agent that fails loses, with the reason in the record."""
    position = Position.start(game, opening)
    if position.outcome() is not None:
        raise IllegalMove(f"the opening is a finished game ({position.result_text()}); give fewer moves")
    first.check(game)
    second.check(game)
    minds: list[Mind | None] = [None, None]
    moves: list[int] = []
    nodes: list[int] = []
    values: list[float | None] = []
    seconds: list[float] = []
    fault = ""
    mover = position.to_move
    outcome: Outcome | None = None
    try:
        while outcome is None:
            if stop is not None and stop.is_set():
                termination = Termination.INTERRUPTED
                break
            try:
                mind = minds[mover]
                if mind is None:
                    agent = second if mover else first
                    mind = minds[mover] = agent.mind(game, mover, derive(seed, mover.name))
                    if clock is not None:
                        mind.clock = clock
                allowance = mind.allowance
                decision = mind.decide(position, limit, stop)
                if limit.seconds is not None and decision.seconds > limit.seconds + allowance + GRACE:
                    took = f"{decision.seconds:.3f} s for a decision, {limit.seconds:g} s allowed"
                    raise Fault(Termination.OUT_OF_TIME, took)
                if stop is not None and stop.is_set():
                    continue
                after = position.play(decision.move)
                _check(decision)
            except (Exception, SystemExit) as error:
                outcome = WON_BY[mover.other]
                termination, fault = failure(error)
                break
            moves.append(decision.move)
            nodes.append(decision.nodes)
            values.append(decision.value)
            seconds.append(decision.seconds)
            if on_decision is not None:
                on_decision(position, decision)
            position = after
            outcome = position.outcome()
            mover = mover.other
        else:
            termination = Termination.FULL_BOARD if outcome is DRAW else Termination.LINE
    finally:
        for mind in minds:
            if mind is not None:
                with contextlib.suppress(Exception):  # the match is over, whatever the agent does now
                    mind.close()
    return Record(
        game=game,
        first=first.spec,
        second=second.spec,
        seed=seed,
        opening=tuple(opening),
        moves=tuple(moves),
        outcome=outcome,
        termination=termination,
        nodes=tuple(nodes),
        values=tuple(values),
        seconds=tuple(seconds),
        fault=fault,
    )


def _check(decision: Decision) -> None:
    """Raise `Fault` if a record can't hold the figures that come with the move."""
    value, nodes = decision.value, decision.nodes
    if not isinstance(nodes, int) or not (value is None or (isinstance(value, float | int) and math.isfinite(value))):
        said = f"it decided with nodes={nodes!r:.40} and value={value!r:.40}"
        raise Fault(Termination.NO_DECISION, f"{said}; a whole number, and None or a number, were wanted")


def failure(error: BaseException) -> tuple[Termination, str]:
    """The termination for an agent's failure, and a message about it."""
    if isinstance(error, Fault):
        return Termination(error.cause), str(error)
    if isinstance(error, Resignation):
        return Termination.RESIGNATION, ""
    if isinstance(error, IllegalMove):
        return Termination.ILLEGAL_MOVE, str(error)
    return Termination.EXCEPTION, f"{type(error).__name__}: {error}"
