"""A session under random events, against a model that is a list of moves: no illegal state, no stale move, ever."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from inarow.play import PERSON, NotNow, Session, Setup, Starts
from inarow.play.session import AgentFailed, Ended, Event, Hinted, Moved, SeriesEnded, Started, TakenBack
from inarow.rules import IllegalMove, Outcome, Position, game
from support.play_doubles import ManualClock, ManualRunner, Scripted

PARTICIPANTS = [PERSON, PERSON, PERSON, *map(Scripted, ("lowest", "lowest", "highest", "illegal", "crash", "late"))]
GAMES = ["tictactoe", "connect4", "3x2x2", "3x3x3"]


class SessionMachine(RuleBasedStateMachine):
    """Commands, deliveries in any order (also of cancelled questions) and time, in any mixture."""

    @initialize(
        name=st.sampled_from(GAMES),
        participants=st.tuples(st.sampled_from(PARTICIPANTS), st.sampled_from(PARTICIPANTS)),
        starts=st.sampled_from(list(Starts)),
        matches=st.integers(1, 3),
        delay=st.sampled_from([0.0, 0.5]),
        opened=st.booleans(),
    )
    def set_up(
        self,
        name: str,
        participants: tuple[Scripted, Scripted],
        starts: Starts,
        matches: int,
        delay: float,
        opened: bool,
    ) -> None:
        self.clock = ManualClock()
        self.runner = ManualRunner()
        board = game(name)
        self.setup = Setup(
            board,
            participants,
            starts,
            matches=matches,
            delay=delay,
            pause=1.0,
            opening=(0,) if opened else (),
            seed=matches,
        )
        self.session = Session(
            self.setup,
            adviser=Scripted("highest"),
            clock=self.clock,
            run=self.runner,
        )
        # The model: what an interface knows that has only listened to the events.
        self.drawn = Position.start(board, self.setup.opening)
        self.history = [self.drawn]
        self.undone: list[Position] = []
        self.redoing = False
        self.ended: Outcome | None = None
        self.finished = 0
        self.listen(self.session.update())

    def listen(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Started):
                self.drawn = Position.start(self.setup.game, self.setup.opening)
                self.history = [self.drawn]
                self.undone = []
                self.ended = None
                assert event.number == self.finished + 1
            elif isinstance(event, Moved):
                assert self.ended is None
                assert event.player is self.drawn.to_move
                if event.decision is not None and event.decision.details:
                    assert event.decision.details["asked"] == (self.drawn.first, self.drawn.second), "a stale move"
                    assert not event.decision.details["cancelled"], "a move that was no longer asked for"
                after = self.drawn.play(event.move)
                assert event.position == after
                assert after.occupied ^ self.drawn.occupied == self.setup.game.cell_bits[event.cell]
                self.drawn = after
                self.history.append(after)
                if self.redoing:
                    assert self.undone.pop() == after, "redo makes what was taken back"
                else:
                    self.undone = []
            elif isinstance(event, TakenBack):
                assert event.position in self.history[:-1]
                while self.history[-1] != event.position:
                    self.undone.append(self.history.pop())
                self.drawn = event.position
                self.finished -= self.ended is not None
                self.ended = None
            elif isinstance(event, Ended):
                by_rules = self.drawn.outcome()
                assert event.termination.is_fault == (by_rules is None)
                assert by_rules is None or by_rules == event.outcome
                self.ended = event.outcome
                self.finished += 1
            elif isinstance(event, Hinted):
                assert event.decision.details["asked"] == (self.drawn.first, self.drawn.second), "a stale hint"
                assert not event.decision.details["cancelled"], "a hint that was no longer asked for"
            elif isinstance(event, AgentFailed):
                assert event.player is self.drawn.to_move
            elif isinstance(event, SeriesEnded):
                assert self.finished >= self.setup.matches

    @precondition(lambda self: self.session.awaits_person)
    @rule(index=st.integers(0, 8))
    def person_moves(self, index: int) -> None:
        legal = self.session.position.legal_moves()
        expected = self.session.position.play(legal[index % len(legal)])
        self.session.play(legal[index % len(legal)])
        assert self.session.position == expected
        self.listen(self.session.update())

    @rule(move=st.integers(-1, 9), command=st.sampled_from(["play", "undo", "redo", "hint"]))
    def senseless_commands_change_nothing(self, move: int, command: str) -> None:
        session = self.session
        able = {
            "play": session.awaits_person and move in session.position.legal_moves(),
            "undo": session.can_undo,
            "redo": session.can_redo,
            "hint": session.awaits_person,
        }
        before = (session.position, session.moves, session.tally, session.thinking, session.ending)
        if not able[command]:
            with pytest.raises((NotNow, IllegalMove)):
                session.play(move) if command == "play" else getattr(session, command)()
            assert before == (session.position, session.moves, session.tally, session.thinking, session.ending)

    @precondition(lambda self: self.session.can_undo)
    @rule()
    def undo(self) -> None:
        before = self.session.position
        self.session.undo()
        assert self.session.position.ply < before.ply
        assert self.session.awaits_person or self.setup.watched
        assert self.session.thinking is None
        self.listen(self.session.update())

    @precondition(lambda self: self.session.can_undo and self.session.thinking is None and not self.ended_by_fault())
    @rule()
    def undo_then_redo(self) -> None:
        before = self.session.position
        self.undo()
        self.redo()
        assert self.session.position == before

    @precondition(lambda self: self.session.can_redo)
    @rule()
    def redo(self) -> None:
        self.session.redo()
        self.redoing = True
        self.listen(self.session.update())
        self.redoing = False

    @precondition(lambda self: self.session.awaits_person and not self.session.hinting)
    @rule()
    def hint(self) -> None:
        self.session.hint()

    @rule(often=st.integers(0, 4))
    def new_match(self, often: int) -> None:
        if often == 0 or self.session.series_over:
            self.session.new_match()
            self.listen(self.session.update())
            assert self.session.moves == self.setup.opening

    @precondition(lambda self: self.session.paused or self.setup.watched)
    @rule(on=st.sampled_from([False, False, True]))
    def pause(self, on: bool) -> None:
        self.session.pause(on)

    @precondition(lambda self: self.runner.tasks)
    @rule(index=st.integers(0, 20))
    def answer(self, index: int) -> None:
        self.runner.run(index % len(self.runner.tasks))

    @rule(turns=st.integers(1, 3))
    def agents_get_on(self, turns: int) -> None:
        for _ in range(turns):
            self.runner.run_all()
            self.time_passes(2.0)

    @rule(seconds=st.sampled_from([0.0, 0.25, 1.5]))
    def time_passes(self, seconds: float) -> None:
        self.clock.time += seconds
        self.listen(self.session.update())

    def ended_by_fault(self) -> bool:
        return self.session.ending is not None and self.session.ending.termination.is_fault

    @invariant()
    def what_was_heard_is_what_is(self) -> None:
        session = self.session
        assert Position.start(self.setup.game, session.moves) == session.position == self.drawn
        assert (session.ending is None) == (self.ended is None)
        assert sum(session.tally) == self.finished
        assert session.can_redo == bool(self.undone)
        assert not (session.awaits_person and session.thinking is not None)
        if session.ending is None and not session.paused:
            assert session.awaits_person or session.thinking is session.position.to_move
        for record in session.records():
            record.check()


SessionMachine.TestCase.settings = settings(
    max_examples=200, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
TestSessionAgainstModel = SessionMachine.TestCase
