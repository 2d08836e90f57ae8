"""One playing: every ending has its name, and the record says what happened."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.agents.base import Fault, Resignation
from inarow.errors import HostFailure, Unsupported
from inarow.match import Termination, play_match, playing
from inarow.rules import CONNECT4, FIRST, SECOND, TICTACTOE, Game, IllegalMove, Outcome, Player, Position, parse_moves
from inarow.solver import Oracle
from inarow.stopping import Clock, Stop


@dataclass(frozen=True)
class Scripted(Agent):
    """Does what a function says; shared by tests of matches."""

    name = "scripted"
    summary = "for tests"
    act: Callable[[Position], Any] = field(default=lambda position: position.legal_moves()[0], compare=False)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ScriptedMind(self.act)


class ScriptedMind(Mind):
    closed = 0

    def __init__(self, act: Callable[[Position], Any]) -> None:
        self.act = act

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        return Decision(self.act(position), value=0.25, nodes=3)

    def close(self) -> None:
        ScriptedMind.closed += 1


class SlowClock(Clock):
    """Advances by a second each time it is asked."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        self.time += 1.0
        return self.time


@dataclass(frozen=True)
class Figures(Agent):
    """The first legal move, with these figures."""

    name = "figures"
    summary = "for tests"
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def spec(self) -> str:
        return self.name

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return FiguresMind(self.figures)


class FiguresMind(Mind):
    def __init__(self, figures: dict[str, Any]) -> None:
        self.figures = figures

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        return Decision(position.legal_moves()[0], **self.figures)


def raising(error: BaseException) -> Callable[[Position], Any]:
    def act(position: Position) -> int:
        raise error

    return act


LOWEST = Scripted()


def test_a_line_ends_a_match() -> None:
    record = play_match(TICTACTOE, LOWEST, LOWEST, seed=3)
    assert record.all_moves == parse_moves(TICTACTOE, "1234567")
    assert record.outcome == Outcome(FIRST)
    assert record.termination is Termination.LINE
    assert record.values == (0.25,) * 7
    assert record.nodes == (3,) * 7
    assert len(record.seconds) == 7
    assert record.mover(1) is SECOND


def test_a_full_board_is_a_draw() -> None:
    moves = list(parse_moves(TICTACTOE, "123546879"))
    drawn = Scripted(lambda position: moves[position.ply])
    record = play_match(TICTACTOE, drawn, drawn)
    assert record.outcome == Outcome(None)
    assert record.termination is Termination.FULL_BOARD
    assert record.result == "draw"


def test_a_numpy_integer_is_a_move_and_a_boolean_is_none() -> None:
    numpy = Scripted(lambda position: np.array(position.legal_moves())[-1])
    record = play_match(CONNECT4, numpy, LOWEST)
    assert record.outcome == Outcome(FIRST)
    assert all(type(move) is int for move in record.moves)
    record = play_match(CONNECT4, Scripted(lambda position: True), LOWEST)
    assert record.termination is Termination.ILLEGAL_MOVE
    assert record.fault == "True is not a move: connect4 has columns 0 to 6"


@pytest.mark.parametrize(
    ("act", "termination", "fault"),
    [
        (lambda position: 7, Termination.ILLEGAL_MOVE, "move 7 is out of range"),
        (lambda position: None, Termination.ILLEGAL_MOVE, "None is not a move"),
        (lambda position: "4", Termination.ILLEGAL_MOVE, "'4' is not a move"),
        (raising(RuntimeError("boom")), Termination.EXCEPTION, "RuntimeError: boom"),
        (raising(Resignation()), Termination.RESIGNATION, ""),
        (raising(Fault("out of time", "slept")), Termination.OUT_OF_TIME, "slept"),
    ],
)
def test_an_agent_that_fails_loses_with_its_termination(
    act: Callable[[Position], Any], termination: Termination, fault: str
) -> None:
    for first, second, winner in ((Scripted(act), LOWEST, SECOND), (LOWEST, Scripted(act), FIRST)):
        before = ScriptedMind.closed
        record = play_match(CONNECT4, first, second)
        assert record.outcome == Outcome(winner)
        assert record.termination is termination
        assert fault in record.fault
        assert len(record.moves) == (0 if winner is SECOND else 1)
        assert ScriptedMind.closed > before
        assert termination.is_fault == (termination is not Termination.RESIGNATION)


def test_a_decision_that_overruns_a_matchs_limit_is_out_of_time() -> None:
    record = play_match(CONNECT4, LOWEST, LOWEST, limit=Limit(seconds=0.5), clock=SlowClock())
    assert record.termination is Termination.OUT_OF_TIME
    assert record.outcome == Outcome(SECOND)
    assert record.fault == "1.000 s for a decision, 0.5 s allowed"
    assert play_match(CONNECT4, LOWEST, LOWEST, limit=Limit(seconds=1.0), clock=SlowClock()).outcome == Outcome(FIRST)


def waits(position: Position) -> int:
    time.sleep(0.15 if position.ply < 2 else 0)
    return 0


def works(position: Position) -> int:
    until = time.process_time() + 0.15
    while time.process_time() < until:
        pass
    return 0


@pytest.mark.parametrize("act", [waits, works])
def test_a_late_decision_is_out_of_time_whether_it_worked_or_slept(act: Callable[[Position], int]) -> None:
    record = play_match(CONNECT4, Scripted(act), LOWEST, limit=Limit(seconds=0.01))
    assert record.termination is Termination.OUT_OF_TIME


def test_a_busy_machine_is_not_held_against_an_agent() -> None:
    """What a thread waited for a core is not charged, unless it was working."""
    with mock.patch("inarow.match.playing.own_run_delay", time.monotonic), mock.patch("inarow.match.playing.PAUSE", 0):
        for act, late in ((waits, False), (works, True)):
            record = play_match(CONNECT4, Scripted(act), LOWEST, limit=Limit(seconds=0.01))
            assert (record.termination is Termination.OUT_OF_TIME) == late


STOPPED = """
import os, signal, subprocess, time
from inarow.agents import Limit
from inarow.match import play_match, playing
from inarow.rules import CONNECT4
from match.test_playing import LOWEST, Scripted

stops = []

def act(position):
    if len(stops) < 3:
        stops.append(position)
        subprocess.Popen(["sh", "-c", f"sleep 0.4; kill -CONT {os.getpid()}"])
        os.kill(os.getpid(), signal.SIGSTOP)
    return position.legal_moves()[-1]

playing.PAUSE = 0
record = play_match(CONNECT4, Scripted(act), LOWEST, limit=Limit(seconds=0.1))
print(record.termination.value, len(stops))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process can't be stopped here")
def test_a_process_that_is_stopped_does_not_lose_on_time() -> None:
    """It is stopped in each of three attempts; the last one is played to its end."""
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", STOPPED],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "line 3\n"


@pytest.mark.parametrize(
    "figures", [{"nodes": 1 << 63}, {"nodes": -1}, {"nodes": 0.5}, {"value": float("nan")}, {"value": "1"}]
)
def test_figures_that_a_record_cannot_hold_are_no_decision(figures: dict[str, Any]) -> None:
    record = play_match(CONNECT4, Figures(figures), LOWEST)
    assert record.termination is Termination.NO_DECISION
    assert "from 0 to 2**63 - 1" in record.fault


def test_numbers_of_numpy_are_numbers() -> None:
    record = play_match(CONNECT4, Figures({"nodes": np.int64(3), "value": np.float32(0.25)}), LOWEST)
    assert {(type(n), type(v)) for n, v in zip(record.nodes, record.values, strict=True)} == {(int, float)}


def test_what_an_exception_says_is_made_safe() -> None:
    record = play_match(CONNECT4, Scripted(raising(ValueError("a\x1b[2J\udc80" + "b" * 9999))), LOWEST)
    assert record.fault.startswith("ValueError: a\ufffd[2J\ufffdbbb")
    assert len(record.fault) == 900
    unspeakable = type("Unspeakable", (Exception,), {"__str__": lambda self: 1 / 0})
    assert "can't be shown" in play_match(CONNECT4, Scripted(raising(unspeakable())), LOWEST).fault


def test_a_match_that_is_stopped_has_no_result() -> None:
    stop = Stop()

    def stopping(position: Position) -> int:
        if position.ply == 2:
            stop.set()
        return 0

    record = play_match(CONNECT4, Scripted(stopping), LOWEST, stop=stop)
    assert record.termination is Termination.INTERRUPTED
    assert record.outcome is None
    assert record.result == "none"
    assert len(record.moves) == 2


class Waiting(Scripted):
    """Thinks until it is stopped."""

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return WaitingMind(self.act)


class WaitingMind(ScriptedMind):
    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        assert stop is not None
        assert limit.match_seconds is None
        while not stop.is_set():
            time.sleep(0.001)
        return super().think(position, limit, stop)


def test_a_match_whose_time_is_over_is_drawn_and_the_thinking_agent_stopped() -> None:
    record = play_match(CONNECT4, LOWEST, Waiting(), limit=Limit(match_seconds=0.02))
    assert record.termination is Termination.TIME_LIMIT
    assert not record.termination.is_fault
    assert record.outcome == Outcome(None)
    assert record.stochastic is None
    assert len(record.moves) <= 1
    record.check()
    slow = play_match(CONNECT4, LOWEST, LOWEST, limit=Limit(match_seconds=5), clock=SlowClock())
    assert (slow.termination, len(slow.moves) < 6) == (Termination.TIME_LIMIT, True)
    quick = play_match(CONNECT4, LOWEST, LOWEST, limit=Limit(match_seconds=3600))
    assert quick.moves == play_match(CONNECT4, LOWEST, LOWEST).moves
    assert quick.termination is Termination.LINE


def test_a_stopped_match_with_a_time_limit_is_interrupted_not_drawn() -> None:
    stop = Stop()
    stop.set()
    record = play_match(CONNECT4, LOWEST, LOWEST, limit=Limit(match_seconds=3600), stop=stop)
    assert record.termination is Termination.INTERRUPTED


def test_a_match_starts_from_its_opening() -> None:
    opening = parse_moves(CONNECT4, "445")
    record = play_match(CONNECT4, LOWEST, LOWEST, opening=opening)
    assert record.opening == opening
    assert record.all_moves[:3] == opening
    assert record.mover(0) is SECOND
    with pytest.raises(IllegalMove, match="the opening is a finished game"):
        play_match(TICTACTOE, LOWEST, LOWEST, opening=parse_moves(TICTACTOE, "14253"))


def test_a_match_is_a_function_of_its_seed() -> None:
    def moves(seed: int) -> tuple[int, ...]:
        return play_match(CONNECT4, agent("random"), agent("random"), seed=seed).moves

    assert moves(5) == moves(5)
    assert len({moves(seed) for seed in range(20)}) == 20


def test_every_decision_can_be_watched() -> None:
    seen: list[int] = []
    record = play_match(TICTACTOE, LOWEST, LOWEST, on_decision=lambda position, decision: seen.append(decision.move))
    assert tuple(seen) == record.moves


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (raising(KeyError("nope")), KeyError, "nope"),
        (lambda position: 7, IllegalMove, "it returned 7: move 7 is out of range"),
        (lambda position: None, IllegalMove, "None is not a move"),
    ],
)
def test_a_strict_match_raises_what_is_wrong_with_an_agent(
    act: Callable[[Position], Any], error: type[Exception], words: str
) -> None:
    before = ScriptedMind.closed
    with pytest.raises(error, match=words) as raised:
        play_match(CONNECT4, LOWEST, Scripted(act), strict=True)
    assert raised.value.__notes__ == [f"raised by {Scripted(act).spec} in {Position.start(CONNECT4, [0])!r}"]
    assert ScriptedMind.closed > before


@pytest.mark.parametrize("error", [Resignation(), Fault("out of time", "slept"), SystemExit(3)])
def test_what_is_no_bug_is_scored_in_a_strict_match_too(error: BaseException) -> None:
    assert play_match(CONNECT4, LOWEST, Scripted(raising(error)), strict=True).outcome == Outcome(FIRST)


HOST_ERRORS = [
    MemoryError(),
    OSError(errno.ENOSPC, "No space left on device"),
    BrokenPipeError(errno.EPIPE, "Broken pipe"),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("error", [*HOST_ERRORS, Unsupported("it needs llvmlite")])
def test_a_failure_of_the_machine_is_never_an_agents_fault(
    error: Exception, strict: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "PAUSE", 0.0)
    with pytest.raises((HostFailure, Unsupported), match=r"not because of an agent: |llvmlite"):
        play_match(CONNECT4, LOWEST, Scripted(raising(error)), strict=strict)


@pytest.mark.parametrize("error", HOST_ERRORS)
def test_a_match_that_the_machine_disturbed_is_played_again_and_the_log_says_so(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(playing, "PAUSE", 0.0)
    errors = [error]

    def act(position: Position) -> int:
        if position.ply == 5 and errors:
            raise errors.pop()
        return position.legal_moves()[-1]

    wanted = play_match(CONNECT4, LOWEST, Scripted(lambda position: position.legal_moves()[-1]))
    assert play_match(CONNECT4, LOWEST, Scripted(act)).moves == wanted.moves
    assert not errors
    (line,) = caplog.messages
    assert f"attempt 2 of 3, because of this machine: {playing.host_problem(error)}" in line


def test_a_file_that_an_agent_does_not_find_is_its_own_fault() -> None:
    record = play_match(CONNECT4, Scripted(raising(FileNotFoundError(errno.ENOENT, "No such file"))), LOWEST)
    assert record.termination is Termination.EXCEPTION


@pytest.mark.parametrize("seed", range(8))
def test_an_adjudicated_match_has_the_outcome_of_perfect_play(seed: int) -> None:
    record = play_match(CONNECT4, agent("random"), agent("rules"), seed=seed, adjudicate=True)
    assert record.termination is Termination.ADJUDICATION
    record.check()
    position = record.position()
    verdict = Oracle(CONNECT4).verdict(position)
    winner = None if not verdict else position.to_move if verdict > 0 else position.to_move.other
    assert record.outcome == Outcome(winner)
