"""A session at the board without a screen: the rules of turn-taking that every interface draws and follows.

An interface calls the commands (`play`, `undo`, …) and, as often as it likes, `update`, which processes what is due and
returns the events since the last call. Only agents think on other threads. A refused command changes nothing.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from inarow.agents import Agent, Decision, Limit, Mind
from inarow.errors import InarowError
from inarow.formatting import say
from inarow.match import MatchRecord, Termination
from inarow.match.playing import failure, host_problem, play_decision
from inarow.play.setup import Participant, Person, SeriesScore, Setup
from inarow.randomness import derive
from inarow.rules import FIRST, SECOND, Game, IllegalMove, Outcome, Player, Position
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop

T = TypeVar("T")
Runner: TypeAlias = Callable[[Callable[[], None]], Any]
"""Starts a function; returns the thread that runs it, if there is one."""


def start_thread(function: Callable[[], None]) -> threading.Thread:
    """Run a function on a daemon thread, so that one that never ends can't keep the program from exiting."""
    thread = threading.Thread(target=function, name="inarow-thinking", daemon=True)
    thread.start()
    return thread


class BackgroundTask(Generic[T]):
    """One piece of work. Its owner polls `done` and reads `result`, or drops the task after `cancel`.

    ``work`` is a function, which gets a stop flag, or the future of another process. ``wake`` is called on the working
    thread once the task is done.
    """

    def __init__(
        self,
        work: Callable[[Stop], T] | Future[T],
        *,
        run: Runner = start_thread,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self._stop = Stop()
        self._elsewhere = isinstance(work, Future)
        self._future: Future[T] = work if isinstance(work, Future) else Future()
        self._future.add_done_callback(lambda future: wake())
        self.thread = None if isinstance(work, Future) else run(lambda: self._run(work))

    def _run(self, work: Callable[[Stop], T]) -> None:
        try:
            self._future.set_result(work(self._stop))
        except Exception as error:
            self._future.set_exception(error)

    @property
    def done(self) -> bool:
        """True if there is a result."""
        return self._future.done() and not self._future.cancelled()

    @property
    def running(self) -> bool:
        """True if its thread has not ended."""
        return self.thread.is_alive() if isinstance(self.thread, threading.Thread) else not self._future.done()

    @property
    def result(self) -> T | Exception:
        """The value, or the exception that was raised instead; blocks until the task is done."""
        try:
            return self._future.result()
        except Exception as error:
            return error

    def wait(self, seconds: float) -> bool:
        """Wait up to ``seconds``; return `done`."""
        concurrent.futures.wait([self._future], seconds)
        return self.done

    def cancel(self) -> None:
        """Ask the work to end early."""
        self._stop.set()
        if self._elsewhere:
            self._future.cancel()

    def afterwards(self, function: Callable[[], None]) -> None:
        """Call a function once the work has ended: now, or later on the working thread."""
        self._future.add_done_callback(lambda future: function())


def join(tasks: Iterable[BackgroundTask[Any]], seconds: float) -> None:
    """Wait up to ``seconds`` for the threads of these tasks to end."""
    until = time.monotonic() + seconds
    for task in tasks:
        if isinstance(task.thread, threading.Thread):
            task.thread.join(max(0.0, until - time.monotonic()))


# Events, for an interface to draw.


@dataclass(frozen=True, slots=True)
class Started:
    """A match begins: its number in the series, from 1, and which participant (0 or 1) moves first."""

    number: int
    first: int


@dataclass(frozen=True, slots=True)
class Thinking:
    """An agent has started thinking."""

    player: Player


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was made; ``cell`` is where the stone lies. A person's move comes without a decision."""

    player: Player
    move: int
    cell: int
    position: Position
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Moves were taken back, to this position."""

    position: Position


@dataclass(frozen=True, slots=True)
class Hinted:
    """The adviser's decision for the side to move."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class AgentFailed:
    """An agent, or the adviser if ``player`` is None, failed with this message."""

    player: Player | None
    message: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A match is over: who won and why it ended."""

    outcome: Outcome
    termination: Termination


@dataclass(frozen=True, slots=True)
class SeriesEnded:
    """The last match of the series is over."""


Event: TypeAlias = Started | Thinking | Moved | TakenBack | Hinted | AgentFailed | Ended | SeriesEnded


class NotNow(InarowError):
    """The command is not allowed at this moment."""


class Played(NamedTuple):
    """A move, the decision behind it (None for a person), and the seconds it took."""

    move: int
    decision: Decision | None
    seconds: float


class Finished(NamedTuple):
    """A finished match: the participant (0 or 1) who won, or None, and its record."""

    winner: int | None
    record: MatchRecord


@runtime_checkable
class RemoteAgent(Protocol):
    """An agent that decides in another process."""

    def ask(self, position: Position, limit: Limit, seed: int) -> Future[Decision]:
        """Ask for a decision; the seed tells minds of different matches apart. Cancelling ends the thinking early."""


class SeatedAgent:
    """An agent in one seat of one match. Its mind is made on first use, in the background: it may load a table."""

    def __init__(self, agent: Agent, game: Game, player: Player, seed: int) -> None:
        self._agent, self._game, self._player, self._seed = agent, game, player, seed
        self._mind: Mind | None = None
        self._task: BackgroundTask[Decision] | None = None

    def ask(self, position: Position, limit: Limit, run: Runner, wake: Callable[[], None]) -> BackgroundTask[Decision]:
        """Start thinking about a position."""
        if isinstance(self._agent, RemoteAgent):
            return BackgroundTask(self._agent.ask(position, limit, self._seed), wake=wake)
        self._task = BackgroundTask(lambda stop: self._decide(position, limit, stop), run=run, wake=wake)
        return self._task

    def _decide(self, position: Position, limit: Limit, stop: Stop) -> Decision:
        if self._mind is None:
            self._mind = self._agent.start(self._game, self._player, self._seed)
        return self._mind.decide(position, limit, stop)

    def leave(self) -> None:
        """Close the mind, now or as soon as it stops thinking."""
        if self._task is not None:
            self._task.afterwards(self._close)
            self._task = None

    def _close(self) -> None:
        with contextlib.suppress(Exception):  # an agent that fails to close must not end the session
            if self._mind is not None:
                self._mind.close()


class Session:
    """A series of matches between two participants, one at a time; the first may continue a saved record.

    ``run`` starts the agents' thinking, by default on threads. ``wake`` is called on such a thread when an answer is
    ready, for loops that sleep until something happens.
    """

    def __init__(
        self,
        setup: Setup,
        *,
        adviser: Agent | None = None,
        record: MatchRecord | None = None,
        clock: Clock = SYSTEM_CLOCK,
        run: Runner = start_thread,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self.setup = setup
        self.adviser = adviser
        self.wake = wake
        self.paused = False
        self.closed = False
        self.first = 0
        """The participant (0 or 1) who moves first in this match."""
        self.ending: Ended | None = None
        """The end of this match, or None."""
        self.positions: list[Position] = []
        """The positions of this match after the opening: one more than `played`."""
        self._clock = clock
        self._run = run
        self._played: list[Played] = []
        self._undone: list[Played] = []
        self._finished: list[Finished] = []
        self._begun = 0
        self._events: list[Event] = []
        self._agents: dict[Player, SeatedAgent] = {}
        self._asked = 0
        self._move: BackgroundTask[Decision] | None = None
        self._hint: tuple[BackgroundTask[Decision], SeatedAgent] | None = None
        self._tasks: list[BackgroundTask[Decision]] = []
        """All tasks that may still run, for `close` to wait for."""
        self._begin(saved_moves(record) if record else ())

    # State, for interfaces to read.

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.positions[-1]

    @property
    def played(self) -> Sequence[Played]:
        """The moves of this match after the opening."""
        return tuple(self._played)

    @property
    def moves(self) -> tuple[int, ...]:
        """All moves of this match, the opening's included."""
        return (*self.setup.opening, *(one.move for one in self._played))

    @property
    def number(self) -> int:
        """The number of this match in the series, from 1."""
        return len(self._finished) + (self.ending is None)

    @property
    def tally(self) -> SeriesScore:
        """The score of the series."""
        return SeriesScore(*(sum(one.winner == who for one in self._finished) for who in (0, 1, None)))

    @property
    def series_over(self) -> bool:
        """True if all matches of the series are finished."""
        return self.ending is not None and len(self._finished) >= self.setup.matches

    @property
    def seats(self) -> tuple[Participant, Participant]:
        """The first and the second player of this match."""
        return self.participant(FIRST), self.participant(SECOND)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the first and the second player of this match."""
        names = self.setup.names
        return names[self.index(FIRST)], names[self.index(SECOND)]

    def index(self, player: Player) -> int:
        """Return which participant (0 or 1) has this seat in this match."""
        return self.first if player is FIRST else 1 - self.first

    def participant(self, player: Player) -> Participant:
        """Return the participant in this seat in this match."""
        return self.setup.participants[self.index(player)]

    def records(self) -> list[MatchRecord]:
        """Return the finished matches, and the one on the board if it has moves."""
        records = [one.record for one in self._finished]
        if self.ending is None and self._played:
            records.append(self._record())
        return records

    @property
    def thinking(self) -> Player | None:
        """The seat whose agent is thinking, or whose move is waiting to be shown."""
        return self.position.to_move if self._move is not None else None

    @property
    def hinting(self) -> bool:
        """True if a hint was requested and has not arrived yet."""
        return self._hint is not None

    @property
    def awaits_person(self) -> bool:
        """True if a person is to move."""
        return not self.closed and self.ending is None and isinstance(self.participant(self.position.to_move), Person)

    @property
    def can_undo(self) -> bool:
        """True if a move can be undone."""
        return not self.closed and self._back_to() is not None

    @property
    def can_redo(self) -> bool:
        """True if undone moves can be replayed."""
        return not self.closed and bool(self._undone)

    # Commands.

    def play(self, move: int) -> None:
        """Make a person's move."""
        self._check_open()
        if self.ending is not None:
            raise NotNow(say("not_now", "over"))
        if not self.awaits_person:
            raise NotNow(say("not_now", "other_turn", name=self.names[self.position.to_move]))
        if reason := self.position.why_illegal(move, base=self.setup.base):
            raise IllegalMove(reason)
        self._undone.clear()
        self._make(Played(move, None, self._clock.now() - self._turn_began))
        self._proceed()

    def undo(self) -> None:
        """Go back to the previous turn of a person; when only agents play, undo one move and pause."""
        self._check_open()
        back = self._back_to()
        if back is None:
            raise NotNow(say("not_now", "nothing_to_undo"))
        self._cancel()
        if self.ending is not None:
            self.ending = None
            self._finished.pop()
        self.paused = self.paused or self.setup.watched
        while len(self._played) > back:
            self._undone.append(self._played.pop())
            self.positions.pop()
        self._turn_began = self._clock.now()
        self._events.append(TakenBack(self.position))

    def redo(self) -> None:
        """Replay undone moves up to the next turn of a person."""
        self._check_open()
        if not self._undone:
            raise NotNow(say("not_now", "nothing_to_redo"))
        self._cancel()
        self._make(self._undone.pop())
        while self._undone and not self.setup.watched and not self.awaits_person:
            self._make(self._undone.pop())
        self._proceed()

    def hint(self) -> None:
        """Ask the adviser about this position; `Hinted` comes when it has decided."""
        self._check_open()
        if not self.awaits_person:
            raise NotNow(say("not_now", "no_hint"))
        if self.adviser is None:
            raise NotNow(say("not_now", "no_adviser"))
        if self._hint is None:
            seated = self._seat(self.adviser, self.position.to_move)
            self._hint = self._ask(seated), seated

    def new_match(self) -> None:
        """Begin the next match; an unfinished one is abandoned and does not count. The score is kept."""
        self._check_open()
        self._begin()

    def pause(self, on: bool = True) -> None:
        """Pause or resume agents' moves and the next match of the series."""
        self._check_open()
        self.paused = on
        if not on and self._move is None:
            self._proceed()

    def set_delay(self, seconds: float) -> None:
        """Change the delay before an agent's move is shown."""
        self._check_open()
        self.setup = replace(self.setup, delay=seconds)

    def close(self, seconds: float = 0.5) -> None:
        """End the session: cancel all thinking and wait up to ``seconds`` for it to stop."""
        if not self.closed:
            self._leave_seats()
            self.closed = True
            join(self._tasks, seconds)

    # Progress.

    def update(self) -> list[Event]:
        """Process answers and timers that are due; return the events since the last call."""
        if not self.closed:
            if self._hint is not None and self._hint[0].done:
                self._take_hint(self._hint[0].result)
            if self.due == 0.0:
                if self._move is None:
                    self._begin()
                else:
                    decision, self._move = self._move.result, None
                    self._accept(decision)
        events, self._events = self._events, []
        return events

    def wait(self, seconds: float) -> bool:
        """Sleep for up to ``seconds``, or until `update` may have events; return whether it may."""
        if self._events:
            return True
        if self._hint is not None:
            return self._hint[0].wait(seconds)
        if self._move is not None and not self._move.done:
            return self._move.wait(seconds)
        due = self.due
        time.sleep(seconds if due is None else min(seconds, due))
        return due is not None and self.due == 0.0

    @property
    def due(self) -> float | None:
        """Seconds until an answer is shown or the next match begins; None if no timer is running."""
        if self.paused or self.closed:
            return None
        if self._move is not None and self._move.done:
            at = self._turn_began + self.setup.delay
        elif self.ending is not None and not self.series_over:
            at = self._turn_began + self.setup.pause
        else:
            return None
        return max(0.0, at - self._clock.now())

    # Asking agents.

    def _proceed(self) -> None:
        """Ask the agent whose turn it is."""
        player = self.position.to_move
        participant = self.participant(player)
        if self.ending is None and not isinstance(participant, Person):
            if player not in self._agents:
                self._agents[player] = self._seat(participant, player)
            self._move = self._ask(self._agents[player])
            self._events.append(Thinking(player))

    def _seat(self, agent: Agent, player: Player) -> SeatedAgent:
        self._asked += 1
        return SeatedAgent(agent, self.setup.game, player, derive(self.setup.seed, "mind", self._asked))

    def _ask(self, seated: SeatedAgent) -> BackgroundTask[Decision]:
        task = seated.ask(self.position, self.setup.limit, self._run, self._wake)
        self._tasks = [one for one in self._tasks if one.running]
        self._tasks.append(task)
        return task

    def _wake(self) -> None:
        self.wake()  # the attribute may have been set after the request

    def _cancel(self) -> None:
        """Cancel the requested move and hint."""
        self._drop_hint()
        if self._move is not None:
            self._move.cancel()
            if not self._move.done:  # the mind is still busy, so the next request gets a new one
                self._agents.pop(self.position.to_move).leave()
            self._move = None

    def _drop_hint(self) -> None:
        if self._hint is not None:
            task, seated = self._hint
            task.cancel()
            seated.leave()
            self._hint = None

    def _leave_seats(self) -> None:
        """Close all minds: the next match begins with new ones."""
        self._cancel()
        for seated in self._agents.values():
            seated.leave()
        self._agents = {}

    def _take_hint(self, hint: Decision | Exception) -> None:
        self._drop_hint()
        if isinstance(hint, Exception):
            self._events.append(AgentFailed(None, host_problem(hint) or failure(hint)[1]))
        else:
            self._events.append(Hinted(hint))

    def _accept(self, decision: Decision | Exception) -> None:
        """Make an agent's move, or end the match by its fault; after a host failure, pause."""
        if isinstance(decision, Exception) and (problem := host_problem(decision)) is not None:
            self.paused = True
            self._events.append(AgentFailed(self.position.to_move, problem))
            return
        try:
            if isinstance(decision, Exception):
                raise decision
            play_decision(self.position, decision)
        except Exception as error:
            player = self.position.to_move
            termination, message = failure(error)
            if message:
                self._events.append(AgentFailed(player, message))
            self._end(Outcome(player.other), termination, message)
            return
        self._undone.clear()
        self._make(Played(decision.move, decision, decision.seconds))
        self._proceed()

    # The match.

    def _check_open(self) -> None:
        if self.closed:
            raise NotNow(say("not_now", "closed"))

    def _begin(self, saved: Sequence[Played] = ()) -> None:
        self._leave_seats()
        self.first = self.setup.starter(len(self._finished), self._begun)
        self._begun += 1
        self.ending = None
        self.positions = [Position.start(self.setup.game, self.setup.opening)]
        self._played = []
        self._undone = []
        self._turn_began = self._clock.now()
        self._events.append(Started(self.number, self.first))
        for played in saved:
            self._make(played)
        self._proceed()

    def _make(self, played: Played) -> None:
        self._drop_hint()
        before = self.position
        after = before.play(played.move)
        cell = self.setup.game.cell_bits.index(after.occupied ^ before.occupied)
        self.positions.append(after)
        self._played.append(played)
        self._turn_began = self._clock.now()
        self._events.append(Moved(before.to_move, played.move, cell, after, played.decision))
        outcome = after.outcome()
        if outcome is not None:
            self._end(outcome, Termination.FULL_BOARD if outcome.winner is None else Termination.LINE)

    def _end(self, outcome: Outcome, termination: Termination, fault: str = "") -> None:
        self.ending = Ended(outcome, termination)
        record = self._record(self.ending, fault)
        self._finished.append(Finished(None if outcome.winner is None else self.index(outcome.winner), record))
        self._turn_began = self._clock.now()
        self._events.append(self.ending)
        if self.series_over:
            self._events.append(SeriesEnded())

    def _back_to(self) -> int | None:
        """Return how many moves of this match remain after an undo; None if there is nothing to undo."""
        for left in reversed(range(len(self._played))):
            if self.setup.watched or isinstance(self.participant(self.positions[left].to_move), Person):
                return left
        return None

    def _record(self, ending: Ended | None = None, fault: str = "") -> MatchRecord:
        """Return the record of this match; an unfinished one counts as interrupted."""
        played, decisions = self._played, [one.decision for one in self._played]
        return MatchRecord(
            game=self.setup.game,
            first=self.seats[0].spec,
            second=self.seats[1].spec,
            seed=self.setup.seed,
            opening=self.setup.opening,
            moves=tuple(one.move for one in played),
            outcome=ending.outcome if ending else None,
            termination=ending.termination if ending else Termination.INTERRUPTED,
            nodes=tuple(one.nodes if one else 0 for one in decisions),
            values=tuple(one.value if one else None for one in decisions),
            seconds=tuple(round(one.seconds, 7) for one in played),
            fault=fault,
        )


def saved_moves(record: MatchRecord) -> list[Played]:
    """Return the moves of a record, as a session keeps them."""
    moves = zip(record.moves, record.nodes, record.values, record.seconds, strict=True)
    return [
        Played(move, Decision(move, value=value, nodes=nodes, seconds=seconds) if nodes or value else None, seconds)
        for move, nodes, value, seconds in moves
    ]
