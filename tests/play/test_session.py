"""A session: turns, series, hints, faults, saving; and that threads and minds are given back."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.agents.base import Resignation
from inarow.errors import HostFailure, InarowError
from inarow.match import RecordError, Termination
from inarow.play import PERSON, NotNow, Participant, Session, Setup, SetupError, Starts, participant
from inarow.play.saved import load_record, save_records, setup_of
from inarow.play.session import AgentFailed, Ended, Event, Hinted, Moved, SeriesEnded, Started, TakenBack, Thinking
from inarow.rules import CONNECT4, FIRST, SECOND, TICTACTOE, Game, Player, Position
from inarow.stopping import Stop
from support.play_doubles import ManualClock, ManualRunner, Scripted, ScriptedMind


class Table:
    """A session with a clock and background work under the test's control."""

    def __init__(
        self, one: Participant = PERSON, two: Participant = PERSON, game: Game = TICTACTOE, **setup: object
    ) -> None:
        self.clock = ManualClock()
        self.runner = ManualRunner()
        self.session = Session(
            Setup(game, (one, two), **setup),  # type: ignore[arg-type]
            adviser=Scripted("highest"),
            clock=self.clock,
            run=self.runner,
        )

    def settle(self, seconds: float = 10.0) -> list[Event]:
        """Let everybody think and the time pass until nothing happens any more."""
        events: list[Event] = []
        while True:
            self.runner.run_all()
            self.clock.time += seconds
            new = self.session.update()
            if not new:
                return events
            events += new


def kinds(events: list[Event]) -> list[type]:
    return [type(event) for event in events]


def test_two_people_take_turns_until_a_line() -> None:
    session = Table().session
    for move in (0, 3, 1, 4, 2):
        session.play(move)
    events = session.update()
    assert kinds(events) == [Started, *[Moved] * 5, Ended, SeriesEnded]
    assert session.ending is not None
    assert session.ending.outcome.winner is FIRST
    assert session.ending.termination is Termination.LINE
    assert session.tally == (1, 0, 0)
    with pytest.raises(NotNow, match="over"):
        session.play(5)


def test_an_agent_answers_and_its_move_waits_for_the_delay() -> None:
    table = Table(two=Scripted(), delay=0.5)
    table.session.play(4)
    assert kinds(table.session.update()) == [Started, Moved, Thinking]
    table.runner.run_all()
    assert table.session.update() == []
    assert table.session.thinking is SECOND
    table.clock.time = 0.49
    assert table.session.update() == []
    table.clock.time = 0.5
    (moved,) = table.session.update()
    assert isinstance(moved, Moved)
    assert moved.decision is not None
    assert moved.move == 0
    assert table.session.awaits_person


def test_a_person_must_wait_for_the_agents_turn_to_pass() -> None:
    table = Table(two=Scripted())
    table.session.play(4)
    with pytest.raises(NotNow, match="scripted's turn"):
        table.session.play(5)


def test_undo_while_thinking_takes_the_persons_move_back_and_the_answer_is_ignored() -> None:
    table = Table(two=Scripted())
    table.session.play(4)
    table.session.undo()
    assert isinstance(table.session.update()[-1], TakenBack)
    assert table.session.position.ply == 0
    assert table.settle() == []
    table.session.redo()
    assert table.session.thinking is SECOND
    table.settle()
    assert table.session.moves == (4, 0)


def test_undo_after_the_answer_takes_both_moves_back_and_redo_brings_both() -> None:
    table = Table(two=Scripted())
    table.session.play(4)
    table.settle()
    table.session.undo()
    assert table.session.position.ply == 0
    table.session.redo()
    assert table.session.moves == (4, 0)
    assert not table.session.can_redo
    with pytest.raises(NotNow, match="no move to redo"):
        table.session.redo()


def test_a_new_move_forgets_what_was_taken_back() -> None:
    session = Table().session
    session.play(4)
    session.undo()
    session.play(0)
    assert not session.can_redo


def test_undo_of_a_finished_game_takes_its_point_back() -> None:
    session = Table().session
    for move in (0, 3, 1, 4, 2):
        session.play(move)
    session.undo()
    assert session.tally == (0, 0, 0)
    assert session.ending is None
    session.redo()
    assert session.tally == (1, 0, 0)


def test_what_an_agent_opened_with_cannot_be_taken_back_by_a_person() -> None:
    table = Table(one=Scripted())
    table.settle()
    assert table.session.awaits_person
    assert not table.session.can_undo
    with pytest.raises(NotNow, match="no move to undo"):
        table.session.undo()


def test_undo_among_agents_takes_one_move_back_and_pauses() -> None:
    table = Table(Scripted(), Scripted("highest"), CONNECT4)
    while len(table.session.moves) < 4:
        table.runner.run_all()
        table.clock.time += 1
        table.session.update()
    table.session.undo()
    assert len(table.session.moves) == 3
    table.settle()
    assert len(table.session.moves) == 3
    table.session.redo()
    assert len(table.session.moves) == 4
    table.session.undo()
    table.session.pause(False)
    table.settle()
    assert table.session.ending is not None
    assert not table.session.can_redo, "what was played since is not what was taken back"


def test_a_series_goes_on_by_itself_and_keeps_the_score() -> None:
    table = Table(Scripted(), Scripted("crash"), matches=3, starts=Starts.ALTERNATE, pause=1.0)
    events = table.settle()
    assert [event.first for event in events if isinstance(event, Started)] == [0, 1, 0]
    assert [event.number for event in events if isinstance(event, Started)] == [1, 2, 3]
    assert table.session.tally == (3, 0, 0)
    assert table.session.series_over
    assert kinds(events).count(SeriesEnded) == 1
    table.session.new_match()
    assert table.session.number == 4
    table.settle()
    assert table.session.tally == (4, 0, 0)


def test_a_game_left_unfinished_does_not_count_and_is_begun_again_by_the_same() -> None:
    table = Table(starts=Starts.ALTERNATE, matches=2)
    table.session.play(4)
    table.session.new_match()
    assert table.session.number == 1
    assert table.session.first == 0
    assert table.session.tally == (0, 0, 0)


def test_the_lot_falls_both_ways_and_the_same_for_the_same_seed() -> None:
    def lots(seed: int) -> list[int]:
        setup = Setup(TICTACTOE, starts=Starts.RANDOM, seed=seed)
        return [setup.starter(0, begun) for begun in range(20)]

    assert lots(1) == lots(1)
    assert set(lots(1)) == {0, 1}
    assert lots(1) != lots(2)


@pytest.mark.parametrize(
    ("way", "termination", "words"),
    [
        ("illegal", Termination.ILLEGAL_MOVE, "it returned 14: move 14 is out of range"),
        ("crash", Termination.EXCEPTION, "gone blank"),
    ],
)
def test_a_faulty_agent_loses_and_the_session_goes_on(way: str, termination: Termination, words: str) -> None:
    table = Table(two=Scripted(way), matches=2, pause=0.0)
    table.session.play(4)
    events = table.settle()
    (fault,) = (event for event in events if isinstance(event, AgentFailed))
    assert words in fault.message
    (ended,) = (event for event in events if isinstance(event, Ended))
    assert ended.termination is termination
    assert ended.outcome.winner is FIRST
    assert table.session.number == 2
    assert table.session.awaits_person
    assert words in table.session.records()[0].fault


@dataclass(frozen=True)
class Quitter(Agent):
    name = "quitter"
    summary = "gives up"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return QuitterMind()


class QuitterMind(Mind):
    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        raise Resignation


def test_an_agent_may_resign() -> None:
    table = Table(two=Quitter())
    table.session.play(4)
    events = table.settle()
    assert AgentFailed not in kinds(events)
    assert table.session.ending is not None
    assert table.session.ending.termination is Termination.RESIGNATION


def test_a_hint_is_for_the_position_it_was_asked_in() -> None:
    table = Table()
    table.session.hint()
    assert table.session.hinting
    (hinted,) = (event for event in table.settle() if isinstance(event, Hinted))
    assert hinted.decision.move == 8
    table.session.hint()
    table.session.play(0)
    table.session.hint()
    table.runner.run(0)
    assert not any(isinstance(event, Hinted) for event in table.session.update()), "the first answer is stale"
    assert any(isinstance(event, Hinted) for event in table.settle())


def test_no_hint_without_an_adviser_or_for_an_agent() -> None:
    session = Session(Setup(TICTACTOE), run=ManualRunner())
    with pytest.raises(NotNow, match="no adviser"):
        session.hint()
    with pytest.raises(NotNow, match="person"):
        Table(one=Scripted()).session.hint()


def test_an_adviser_that_fails_harms_nobody() -> None:
    table = Table()
    table.session.adviser = Scripted("crash")
    table.session.hint()
    (fault,) = (event for event in table.settle() if isinstance(event, AgentFailed))
    assert fault.player is None
    assert table.session.awaits_person


def test_pausing_holds_agents_back() -> None:
    table = Table(Scripted(), Scripted())
    table.session.pause()
    table.settle()
    assert table.session.position.ply == 0
    table.session.pause(False)
    table.settle()
    assert table.session.ending is not None


def test_minds_are_closed_when_a_game_or_the_session_ends() -> None:
    before = ScriptedMind.closed
    table = Table(Scripted(), Scripted())
    table.settle()
    table.session.new_match()
    assert ScriptedMind.closed == before + 2
    table.runner.run_all()
    table.session.close()
    table.session.close()
    assert ScriptedMind.closed == before + 3
    with pytest.raises(NotNow, match="closed"):
        table.session.new_match()
    table.session.update()
    assert table.settle() == []


def test_a_mind_still_at_work_is_closed_by_its_own_thread() -> None:
    before = ScriptedMind.closed
    table = Table(two=Scripted())
    table.session.play(4)
    table.session.undo()
    assert ScriptedMind.closed == before
    table.runner.run_all()
    assert ScriptedMind.closed == before + 1


@dataclass(frozen=True)
class Patient(Agent):
    """Thinks until it is stopped."""

    name = "patient"
    summary = "for tests"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return PatientMind()


class PatientMind(Mind):
    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        assert stop is not None
        while not stop.is_set():
            threading.Event().wait(0.005)
        return Decision(position.legal_moves()[0])


def test_closing_ends_the_threads() -> None:
    session = Session(Setup(TICTACTOE, (PERSON, Patient())))
    session.play(0)
    assert session.wait(1.0)
    session.update()
    assert not session.wait(0.01)
    session.close(seconds=60)
    assert not [one for one in threading.enumerate() if one.name == "inarow-thinking"]


def test_real_threads_wake_whoever_waits() -> None:
    woken = threading.Event()
    session = Session(Setup(TICTACTOE, (PERSON, agent("random")), delay=0.0), wake=woken.set)
    session.play(0)
    assert woken.wait(60)
    session.update()
    assert len(session.moves) == 2
    session.close()


def test_a_saved_game_is_gone_on_with(tmp_path: Path) -> None:
    table = Table(PERSON, Scripted(), CONNECT4, opening=(3,), seed=5)
    table.settle()
    table.session.play(3)
    table.settle()
    path = tmp_path / "game.jsonl"
    save_records(table.session.records(), path)
    with pytest.raises(RecordError, match="exists"):
        save_records(table.session.records(), path)
    record = load_record(path)
    assert record.termination is Termination.INTERRUPTED
    assert record.all_moves == table.session.moves


@pytest.mark.parametrize("suffix", ["jsonl", "txt"])
def test_saving_and_loading_gives_the_same_game(tmp_path: Path, suffix: str) -> None:
    table = Table(PERSON, agent("rules"), CONNECT4, opening=(3, 3), seed=5)
    table.session.play(2)
    table.settle()
    path = tmp_path / f"game.{suffix}"
    save_records(table.session.records(), path)
    record = load_record(path)
    again = Session(setup_of(record), record=record, run=ManualRunner())
    assert again.moves == table.session.moves
    assert again.awaits_person
    assert again.records() == table.session.records()
    again.undo()
    assert again.moves == (3, 3)


def test_a_finished_record_is_loaded_as_finished(tmp_path: Path) -> None:
    session = Table().session
    for move in (0, 3, 1, 4, 2):
        session.play(move)
    save_records(session.records(), tmp_path / "g.txt")
    record = load_record(tmp_path / "g.txt")
    again = Session(setup_of(record), record=record)
    assert again.series_over
    assert again.records() == [record]


def test_nothing_to_save_and_nowhere_to_save_are_said(tmp_path: Path) -> None:
    session = Table().session
    with pytest.raises(RecordError, match="nothing to save"):
        save_records(session.records(), tmp_path / "x")
    session.play(0)
    with pytest.raises(RecordError, match="can't be written"):
        save_records(session.records(), tmp_path / "missing" / "x")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"matches": 0}, "must be 1 or more"),
        ({"delay": -1.0}, "delay must be from 0"),
        ({"pause": float("nan")}, "pause"),
        ({"opening": (0, 3, 1, 4, 2)}, "ends the game"),
        ({"participants": (PERSON, agent("rules:style=corners")), "game": CONNECT4}, "has gravity"),
    ],
)
def test_a_setup_that_cannot_be_played_is_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InarowError, match=words):
        Setup(**{"game": TICTACTOE, **wrong})  # type: ignore[arg-type]


def test_words_for_sitters_and_order() -> None:
    assert participant(" Human ") is PERSON
    assert participant("rules") == agent("rules")
    assert Starts.of("RANDOM") is Starts.RANDOM
    with pytest.raises(SetupError, match="did you mean alternate"):
        Starts.of("alternat")
    assert Setup(TICTACTOE).names == ("human 1", "human 2")


@dataclass(frozen=True)
class Unreachable(Agent):
    """Gives no answer the first time it is asked."""

    name = "unreachable"
    summary = "for tests"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return UnreachableMind("lowest")


class UnreachableMind(ScriptedMind):
    asked = 0
    error: Exception = HostFailure("its worker has died")

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        self.asked += 1
        if self.asked == 1:
            raise self.error
        return super().think(position, limit, stop)


@pytest.mark.parametrize(
    ("error", "words"),
    [(HostFailure("its worker has died"), "its worker has died"), (MemoryError(), "out of memory")],
)
def test_an_agent_without_an_answer_loses_nothing_and_is_asked_again_when_resumed(
    error: Exception, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UnreachableMind, "error", error)
    table = Table(two=Unreachable())
    table.session.play(4)
    (failed,) = (event for event in table.settle() if isinstance(event, AgentFailed))
    assert failed == AgentFailed(SECOND, words)
    assert (table.session.ending, table.session.thinking, table.session.paused) == (None, None, True)
    table.session.pause(False)
    table.settle()
    assert table.session.moves == (4, 0)
