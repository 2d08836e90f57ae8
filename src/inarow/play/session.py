"""A session at the board without a screen: the rules of turn-taking that every interface draws and follows.

An interface calls the commands (`play`, `undo`, …) and, as often as it likes, `update`, which processes what is due and
returns what happened. All but the agents' thinking runs on one thread. A refused command changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inarow.agents import Agent, Decision
from inarow.errors import HostFailure, InarowError
from inarow.match import MatchRecord, Termination
from inarow.match.playing import failure, play_decision
from inarow.play.background import Background
from inarow.play.events import AgentFailed, Ended, Event, Hinted, Moved, SeriesEnded, Started, TakenBack, Thinking
from inarow.play.saved import Played, make_record, saved_moves
from inarow.play.session_state import Finished, SessionState
from inarow.play.setup import Person, Setup
from inarow.play.thought import Thought
from inarow.rules import IllegalMove, Outcome, Player, Position
from inarow.stopping import SYSTEM_CLOCK, Clock


class NotNow(InarowError):
    """A command that makes no sense at this moment."""


class Session(SessionState):
    """A series of matches between two participants, one at a time; the first may continue a saved record."""

    def __init__(
        self,
        setup: Setup,
        *,
        adviser: Agent | None = None,
        record: MatchRecord | None = None,
        clock: Clock = SYSTEM_CLOCK,
        background: Background | None = None,
    ) -> None:
        super().__init__(setup)
        self.adviser = adviser
        self.paused = False
        self.closed = False
        self._clock = clock
        self._thought = Thought(setup, background or Background())
        self._events: list[Event] = []
        self._begun = 0
        self._undone: list[Played] = []
        self._begin(saved_moves(record) if record else ())

    # State, for interfaces to read, besides what `SessionState` has.

    @property
    def thinking(self) -> Player | None:
        """The seat whose agent is thinking, or whose move is waiting to be shown."""
        return self.position.to_move if self._thought.about_move else None

    @property
    def background(self) -> Background:
        """Where agents think."""
        return self._thought.background

    @property
    def hinting(self) -> bool:
        """Whether a hint was requested and has not arrived yet."""
        return self._thought.about_hint

    @property
    def awaits_person(self) -> bool:
        """Whether a person is to move."""
        return not self.closed and self.ending is None and isinstance(self.participant(self.position.to_move), Person)

    @property
    def can_undo(self) -> bool:
        """Whether a move can be undone."""
        return not self.closed and self._back_to() is not None

    @property
    def can_redo(self) -> bool:
        """Whether undone moves can be replayed."""
        return not self.closed and bool(self._undone)

    # Commands.

    def play(self, move: int) -> None:
        """Make a person's move."""
        self._check_open()
        if self.ending is not None:
            raise NotNow("the match is over; start a new one")
        if not self.awaits_person:
            raise NotNow(f"it is {self.names[self.position.to_move]}'s turn")
        if reason := self.position.why_illegal(move, base=1):
            raise IllegalMove(reason)
        self._undone.clear()
        self._make(Played(move, None, self._clock.now() - self._turn_began))
        self._proceed()

    def undo(self) -> None:
        """Go back to the previous turn of a person; when only agents play, undo one move and pause."""
        self._check_open()
        back = self._back_to()
        if back is None:
            raise NotNow("there is no move to undo")
        self._thought.cancel()
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
            raise NotNow("there is no move to redo")
        self._thought.cancel()
        self._make(self._undone.pop())
        while self._undone and not self.setup.watched and not self.awaits_person:
            self._make(self._undone.pop())
        self._proceed()

    def hint(self) -> None:
        """Ask the adviser about this position; `Hinted` comes when it has decided."""
        self._check_open()
        if not self.awaits_person:
            raise NotNow("a hint is only given when it is a person's turn")
        if self.adviser is None:
            raise NotNow("this session has no adviser to give hints")
        if not self.hinting:
            self._thought.ask_hint(self.adviser, self.position)

    def new_match(self) -> None:
        """Begin the next match; an unfinished one is abandoned and does not count. The score is kept."""
        self._check_open()
        self._thought.cancel()
        self._begin()

    def pause(self, on: bool = True) -> None:
        """Pause or resume agents' moves and the next match of the series."""
        self._check_open()
        self.paused = on
        if not on and self.thinking is None:
            self._proceed()

    def set_delay(self, seconds: float) -> None:
        """Change how long an agent's move is held back before it is shown."""
        self._check_open()
        self.setup = replace(self.setup, delay=seconds)

    def close(self, seconds: float = 0.5) -> None:
        """End the session: cancel all thinking and wait up to ``seconds`` for it to stop."""
        if not self.closed:
            self._thought.cancel()
            self._thought.leave_all()
            self.closed = True
            self._thought.background.join(seconds)

    # Progress.

    def update(self) -> list[Event]:
        """Process answers and timers that are due; return the events since the last call."""
        if not self.closed:
            for hint in self._thought.hints():
                if isinstance(hint, Exception):
                    message = str(hint) if isinstance(hint, HostFailure) else failure(hint)[1]
                    self._events.append(AgentFailed(None, message))
                else:
                    self._events.append(Hinted(hint))
            if self.due == 0.0:
                if self._thought.answered:
                    self._accept(self._thought.take())
                else:
                    self._begin()
        events, self._events = self._events, []
        return events

    def wait(self, seconds: float) -> bool:
        """Sleep for up to ``seconds``, or until something may have happened; whether it may have."""
        if self._events:
            return True
        due = self.due
        came = self._thought.collect(seconds if due is None else min(seconds, due))
        return came or (due is not None and self.due == 0.0)

    @property
    def due(self) -> float | None:
        """Seconds until an answer is shown or the next match begins; None if no timer is running."""
        if self.paused or self.closed:
            return None
        if self._thought.answered:
            at = self._turn_began + self.setup.delay
        elif self.ending is not None and not self.series_over:
            at = self._turn_began + self.setup.pause
        else:
            return None
        return max(0.0, at - self._clock.now())

    # Internals.

    def _check_open(self) -> None:
        if self.closed:
            raise NotNow("the session is closed")

    def _begin(self, saved: Sequence[Played] = ()) -> None:
        self._thought.leave_all()
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

    def _proceed(self) -> None:
        """Ask the agent whose turn it is."""
        player = self.position.to_move
        participant = self.participant(player)
        if self.ending is None and not isinstance(participant, Person):
            self._thought.ask_move(participant, self.position)
            self._events.append(Thinking(player))

    def _accept(self, decision: Decision | Exception) -> None:
        """Make an agent's move, or let it lose for its fault, as in a match; without an answer, pause to be resumed."""
        if isinstance(decision, HostFailure):
            self.paused = True
            self._events.append(AgentFailed(self.position.to_move, str(decision)))
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

    def _make(self, played: Played) -> None:
        self._thought.drop_hint()
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
        record = make_record(self.setup, self.seats, self._played, self.ending, fault)
        self._finished.append(Finished(None if outcome.winner is None else self.index(outcome.winner), record))
        self._turn_began = self._clock.now()
        self._events.append(self.ending)
        if self.series_over:
            self._events.append(SeriesEnded())

    def _back_to(self) -> int | None:
        """How many moves of this match remain after an undo; None if there is nothing to undo."""
        for left in reversed(range(len(self._played))):
            if self.setup.watched or isinstance(self.participant(self.positions[left].to_move), Person):
                return left
        return None
