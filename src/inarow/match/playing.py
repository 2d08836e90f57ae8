"""One match between two agents: a pure function of game, agents, opening and seed, the clock aside."""

from __future__ import annotations

import contextlib
import math
import operator
import time
from collections.abc import Callable, Sequence

from inarow.agents import NO_LIMIT, Agent, Decision, Limit, Mind
from inarow.agents.base import Disturbance, Fault, Resignation
from inarow.errors import printable
from inarow.match.record import MOST_NODES, Record, Termination
from inarow.randomness import derive
from inarow.rules import Game, IllegalMove, Outcome, Position
from inarow.rules.position import DRAW, WON_BY
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop

GRACE = 0.1
"""Seconds by which a decision may overrun a match's limit before it counts as out of time."""
BACKSTOP = 20
"""How many times its limit a decision may take by the clock where the processor was busy with something else."""
REPLAYS = 2
"""How often a match that was disturbed from outside is played again before the disturbance is scored."""
FAULT_LENGTH = 900
"""Characters of what a record says about a fault."""


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
    strict: bool = False,
) -> Record:
    """Play from an opening to an end. An agent that fails loses, with the reason in the record.

    With ``strict`` an exception or an illegal move of an agent that runs in this process is raised instead; running
    out of time, resigning, and whatever happens in an agent's own process (``file:``) lose in either case.

    What was disturbed from outside, such as an agent's process that something else killed, is played again.
    """
    for _ in range(REPLAYS):
        with contextlib.suppress(Disturbance):
            return _play(game, (first, second), opening, seed, limit, stop, clock, on_decision, strict, True)
    return _play(game, (first, second), opening, seed, limit, stop, clock, on_decision, strict, False)


def _play(
    game: Game,
    agents: tuple[Agent, Agent],
    opening: Sequence[int],
    seed: int,
    limit: Limit,
    stop: Stop | None,
    clock: Clock | None,
    on_decision: Callable[[Position, Decision], None] | None,
    strict: bool,
    lenient: bool,
) -> Record:
    """Play once; if ``lenient``, raise `Disturbance` instead of scoring one."""
    first, second = agents
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
                    mind = minds[mover] = agents[mover].mind(game, mover, derive(seed, mover.name))
                    if clock is not None:
                        mind.clock = clock
                if limit.seconds is None:
                    decision = mind.decide(position, limit, stop)
                else:
                    decision = _decide_in_time(mind, position, limit, limit.seconds, stop)
                if stop is not None and stop.is_set():
                    continue
                decision = _plain(decision)
                after = play_decision(position, decision)
            except (Exception, SystemExit) as error:
                if lenient and isinstance(error, Disturbance):
                    raise
                if strict and is_bug(agents[mover], error):
                    error.add_note(f"raised by {agents[mover].spec} in {position!r}")
                    raise
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


def play_decision(position: Position, decision: Decision) -> Position:
    """Return the position after an agent's move. Raises `IllegalMove` with what it returned, which counts from 0."""
    try:
        return position.play(decision.move)
    except IllegalMove as error:
        raise IllegalMove(f"it returned {decision.move}: {error}") from None


def _decide_in_time(mind: Mind, position: Position, limit: Limit, seconds: float, stop: Stop | None) -> Decision:
    """The decision; raises `Fault` if it was late.

    Late by the clock is not enough, where that is the system's: the machine may have been busy with something else. The
    processor time must be over the limit as well, or the clock far beyond it.
    """
    allowed = seconds + mind.allowance + GRACE
    begun = time.process_time()
    decision = mind.decide(position, limit, stop)
    if decision.seconds > allowed:
        used = time.process_time() - begun
        if mind.clock is not SYSTEM_CLOCK or used > allowed or decision.seconds > BACKSTOP * allowed:
            raise Fault(Termination.OUT_OF_TIME, f"{decision.seconds:.3f} s for a decision, {seconds:g} s allowed")
    return decision


def _plain(decision: Decision) -> Decision:
    """The decision with plain numbers; raises `Fault` if a record can't hold those that come with the move."""
    value, nodes = decision.value, decision.nodes
    if (
        type(nodes) is int
        and 0 <= nodes <= MOST_NODES
        and type(value) in (float, type(None))
        and -1 <= (value or 0) <= 1
    ):
        return decision  # as it nearly always is
    try:
        plain = decision._replace(nodes=operator.index(nodes), value=None if value is None else float(value))
        fits = 0 <= plain.nodes <= MOST_NODES and (plain.value is None or math.isfinite(plain.value))
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits or isinstance(value, str):
        said = f"it decided with nodes={nodes!r:.40} and value={value!r:.40}"
        wanted = "a whole number from 0 to 2**63 - 1, and None or a finite number, were expected"
        raise Fault(Termination.NO_DECISION, f"{said}; {wanted}")
    return plain


def is_bug(agent: Agent, error: BaseException) -> bool:
    """Return True if what an agent raised shows a mistake in the code of this process."""
    cause, _ = failure(error)
    scored = agent.foreign or not cause.is_fault or cause is Termination.OUT_OF_TIME
    return isinstance(error, Exception) and not scored


def failure(error: BaseException) -> tuple[Termination, str]:
    """The termination for an agent's failure, and a message about it: one line, whatever the agent said."""
    if isinstance(error, Fault):
        return Termination(error.cause), printable(str(error), FAULT_LENGTH)
    if isinstance(error, Resignation):
        return Termination.RESIGNATION, ""
    if isinstance(error, IllegalMove):
        return Termination.ILLEGAL_MOVE, printable(str(error), FAULT_LENGTH)
    if isinstance(error, Disturbance):
        return Termination.EXITED, printable(f"{error} ({REPLAYS + 1} times)", FAULT_LENGTH)
    return Termination.EXCEPTION, printable(f"{type(error).__name__}: {_text(error)}", FAULT_LENGTH)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "an exception that can't be shown"
