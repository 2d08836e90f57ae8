"""One match between two agents: apart from the clock, a pure function of game, agents, opening and seed."""

from __future__ import annotations

import contextlib
import logging
import math
import operator
import time
from collections.abc import Callable, Sequence
from errno import EAGAIN, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM, ENOSPC, EPIPE, ESTALE
from typing import TypedDict, TypeVar

from inarow.agents import NO_LIMIT, Agent, Decision, Limit, Mind
from inarow.agents.base import Disturbance, Fault, Resignation
from inarow.agents.exact_end import oracles
from inarow.errors import HostFailure, Unsupported, printable
from inarow.machine import HEARTBEAT, own_run_delay
from inarow.match.record import MAX_NODES, MatchRecord, Termination
from inarow.randomness import Stream, derive, opened_streams
from inarow.rules import Game, IllegalMove, Outcome, Position
from inarow.rules.position import DRAW, WON_BY
from inarow.solver import Unsolved
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop

T = TypeVar("T")
LOG = logging.getLogger(__name__)

GRACE = 0.1
"""Seconds by which a decision may overrun a match's limit before it counts as out of time."""
REPLAYS = 2
"""Maximum number of replays of a match that the machine disturbed."""
PAUSE = 0.3
"""Seconds to wait before the first replay; four times as long before the next."""
FAULT_LENGTH = 900
"""Maximum characters of a fault's message in a record."""


class PlayOptions(TypedDict, total=False):
    """Options of `play_match` that `play_pair` and `play_series` pass on."""

    limit: Limit
    strict: bool
    adjudicate: bool


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
    adjudicate: bool = False,
) -> MatchRecord:
    """Play from an opening to an end. An agent that fails loses, with the reason in the record.

    When ``match_seconds`` of the limit are used up, the agent that is thinking is stopped and the match is drawn. With
    ``adjudicate`` it ends as soon as the solver proves the outcome with few nodes (see `Adjudicator`).

    With ``strict`` an exception or an illegal move of an agent that runs in this process is raised instead; running
    out of time, resigning, and any failure in an agent's own process (``file:``) lose in either case.

    A match that the machine disturbs, for example by a full disk, too little memory or a killed process, is replayed
    (see `host_problem`). If that does not help, `HostFailure` is raised, and no agent loses.
    """
    agents, specs = (first, second), (first.spec, second.spec)
    clock_of_match = clock or SYSTEM_CLOCK
    of_decision = limit.of_decision

    def play(last: bool) -> MatchRecord:
        """Play once. Raises `Disturbance` if it should be replayed; the last attempt avoids that where possible."""
        position = Position.start(game, opening)
        if position.outcome() is not None:
            raise IllegalMove(f"the opening is a finished game ({position.result_text()}); give fewer moves")
        first.check(game)
        second.check(game)
        minds: list[Mind | None] = [None, None]
        streams: list[list[Stream] | None] = [None, None]
        decisions: list[Decision] = []
        fault = ""
        mover = position.to_move
        outcome: Outcome | None = None
        referee = Adjudicator(game) if adjudicate else None
        begun = clock_of_match.now()
        ended, running = stop, contextlib.ExitStack()
        if limit.match_seconds is not None:
            ended = Stop(stop)
            running.enter_context(clock_of_match.alarm(limit.match_seconds, ended))
        try:
            while outcome is None:
                if referee is not None and (outcome := referee.outcome(position)) is not None:
                    termination = Termination.ADJUDICATION
                    break
                if stop is not None and stop.is_set():
                    termination = Termination.INTERRUPTED
                    break
                if limit.match_seconds is not None and (
                    (ended is not None and ended.is_set()) or clock_of_match.now() - begun >= limit.match_seconds
                ):
                    outcome, termination = DRAW, Termination.TIME_LIMIT
                    break
                try:
                    mind = minds[mover]
                    if mind is None:
                        with opened_streams() as streams[mover]:
                            mind = minds[mover] = agents[mover].mind(game, mover, derive(seed, mover.name))
                        if clock is not None:
                            mind.clock = clock
                    if of_decision.seconds is None:
                        decision = mind.decide(position, of_decision, ended)
                    else:
                        decision = _decide_in_time(mind, position, of_decision, of_decision.seconds, ended, last)
                    if ended is not None and ended.is_set():
                        continue
                    decision = _plain(decision)
                    after = play_decision(position, decision)
                except (Exception, SystemExit) as error:
                    if host_problem(error) is not None:
                        raise
                    if strict and is_bug(agents[mover], error):
                        error.add_note(f"raised by {specs[mover]} in {position!r}")
                        raise
                    outcome = WON_BY[mover.other]
                    termination, fault = failure(error)
                    break
                decisions.append(decision)
                if on_decision is not None:
                    on_decision(position, decision)
                position = after
                outcome = position.outcome()
                mover = mover.other
            else:
                termination = Termination.FULL_BOARD if outcome is DRAW else Termination.LINE
        finally:
            running.close()
            if referee is not None:
                referee.close()
            for mind in minds:
                if mind is not None:
                    with contextlib.suppress(Exception):  # the match is over; ignore errors of the agent
                        mind.close()
        return MatchRecord(
            game=game,
            first=specs[0],
            second=specs[1],
            seed=seed,
            opening=tuple(opening),
            moves=tuple([decision.move for decision in decisions]),
            outcome=outcome,
            termination=termination,
            nodes=tuple([decision.nodes for decision in decisions]),
            values=tuple([decision.value for decision in decisions]),
            seconds=tuple([decision.seconds for decision in decisions]),
            fault=fault,
            stochastic=None if termination is Termination.TIME_LIMIT else _stochastic(agents, streams, of_decision),
        )

    return undisturbed(f"{specs[0]} against {specs[1]}", play)


def undisturbed(what: str, attempt: Callable[[bool], T]) -> T:
    """Return the result of ``attempt``, retrying if the machine fails; the last call is passed True.

    Each retry is logged as a warning, which Python prints unless the program configures logging otherwise.
    """
    for number in range(REPLAYS + 1):
        try:
            return attempt(number == REPLAYS)
        except (HostFailure, Unsupported):  # another attempt would not help, or is made elsewhere
            raise
        except Exception as error:
            problem = host_problem(error)
            if problem is None:
                raise
            if number == REPLAYS:
                failed = f"{what}: {REPLAYS + 1} attempts failed because of this machine, not because of an agent"
                raise HostFailure(f"{failed}: {problem}") from (None if isinstance(error, Disturbance) else error)
        LOG.warning("%s: attempt %d of %d, because of this machine: %s", what, number + 2, REPLAYS + 1, problem)
        time.sleep(PAUSE * 4**number)
    raise AssertionError


def play_decision(position: Position, decision: Decision) -> Position:
    """Return the position after an agent's move. Raises `IllegalMove` with its answer, counted from 0."""
    try:
        return position.play(decision.move)
    except IllegalMove as error:
        raise IllegalMove(f"it returned {decision.move}: {error}") from None


def _stochastic(agents: Sequence[Agent], streams: Sequence[list[Stream] | None], limit: Limit) -> bool | None:
    """Return True if a random number decided a move; None if unknown: an agent's own generator, or the clock.

    ``streams`` has the random streams that each agent opened; None for an agent that made no move. Only inarow's own
    agents take all their random numbers from them.
    """
    if any(stream.used for opened in streams for stream in opened or ()):
        return True
    asked = [(agent, opened) for agent, opened in zip(agents, streams, strict=True) if opened is not None]
    timed = limit.seconds is not None
    unknown = timed or any(
        agent.timed or not opened or not type(agent).__module__.startswith("inarow.") for agent, opened in asked
    )
    return None if unknown else False


def _decide_in_time(
    mind: Mind, position: Position, limit: Limit, seconds: float, stop: Stop | None, last: bool
) -> Decision:
    """Return the decision. Raises `Fault` if it was late, `Disturbance` if the machine lost more than the limit.

    An agent in this process is charged its clock time without the time that the process was stopped or waited for a
    core, but at least its processor time. An agent in its own process is charged there.
    """
    allowed = seconds + mind.allowance + GRACE
    mind.lost = 0.0
    with HEARTBEAT.watching() as lost:
        processor, delay = time.process_time(), own_run_delay()
        decision = mind.decide(position, limit, stop)
        charged = decision.seconds
        if charged > allowed and mind.clock is SYSTEM_CLOCK:
            mind.lost = lost() + own_run_delay() - delay
            charged = max(charged - mind.lost, min(charged, time.process_time() - processor))
    if mind.lost > seconds and not last:
        raise Disturbance(f"the machine was busy or stopped for {mind.lost:.1f} s of a decision")
    if charged > allowed:
        raise Fault(Termination.OUT_OF_TIME, f"{charged:.3f} s for a decision, {seconds:g} s allowed")
    return decision


def _plain(decision: Decision) -> Decision:
    """Return the decision with plain numbers. Raises `Fault` if they can't be stored in a record."""
    value, nodes = decision.value, decision.nodes
    if type(nodes) is int and 0 <= nodes <= MAX_NODES and (value is None or (type(value) is float and abs(value) <= 1)):
        return decision  # the usual case
    try:
        plain = decision._replace(nodes=operator.index(nodes), value=None if value is None else float(value))
        fits = 0 <= plain.nodes <= MAX_NODES and (plain.value is None or math.isfinite(plain.value))
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits or isinstance(value, str):
        expected = "nodes must be an integer from 0 to 2**63 - 1, and value None or a finite number"
        raise Fault(Termination.NO_DECISION, f"{expected}; got nodes={nodes!r:.40} and value={value!r:.40}")
    return plain


_EXHAUSTED = (EAGAIN, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM, ENOSPC, EPIPE, ESTALE)
"""Error numbers that the machine causes: memory, disk, files, processes, or a closed pipe."""


def host_problem(error: BaseException) -> str | None:
    """Return the problem of the machine that made a decision fail, or None if the agent failed.

    Memory and disk space of this process are shared, so running out of them is not an agent's fault. An agent in a
    sandbox has its own memory limit; exceeding it is a `Fault`.
    """
    if isinstance(error, Disturbance | HostFailure | Unsupported):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        return printable(error.strerror or str(error))
    return None


def is_bug(agent: Agent, error: BaseException) -> bool:
    """Return True if an agent's exception shows a bug in the code of this process."""
    cause, _ = failure(error)
    scored = agent.foreign or not cause.is_fault or cause is Termination.OUT_OF_TIME
    return isinstance(error, Exception) and not scored


def failure(error: BaseException) -> tuple[Termination, str]:
    """Return the termination for an agent's failure, and a one-line message."""
    if isinstance(error, Fault):
        return Termination(error.cause), printable(str(error), FAULT_LENGTH)
    if isinstance(error, Resignation):
        return Termination.RESIGNATION, ""
    if isinstance(error, IllegalMove):
        return Termination.ILLEGAL_MOVE, printable(str(error), FAULT_LENGTH)
    return Termination.EXCEPTION, printable(f"{type(error).__name__}: {_text(error)}", FAULT_LENGTH)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "an exception that can't be shown"


NODES = 1000
"""Nodes per position. Without a book and with an empty table, the same positions are proven on every machine."""
_TT_MB = 1


class Adjudicator:
    """The solver as the referee of one match."""

    def __init__(self, game: Game) -> None:
        self._oracle = oracles.take(game, _TT_MB, book=False)

    def outcome(self, position: Position) -> Outcome | None:
        """Return the outcome under perfect play, or None if it is not proven."""
        try:
            verdict = self._oracle.verdict(position, Limit(nodes=NODES))
        except Unsolved:
            return None
        if not verdict:
            return DRAW
        return WON_BY[position.to_move if verdict > 0 else position.to_move.other]

    def close(self) -> None:
        """Free the solver's table."""
        oracles.give_back(self._oracle, _TT_MB, book=False)
