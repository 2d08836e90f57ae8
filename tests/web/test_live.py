"""Sessions on the server: limits, expiry, failures of workers, and those who watch. Workers are played by the test."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from inarow.agents import NO_LIMIT, Decision
from inarow.arena import Job
from inarow.arena.executor import Task
from inarow.errors import HostFailure, InarowError
from inarow.match.record import record_text
from inarow.rules import Position, game
from inarow.stopping import Stop
from inarow.web import workers
from inarow.web.matches import Live, SessionInfo, SessionRequest, Sessions
from inarow.web.security import Missing, TooMany
from inarow.web.serving import WebSettings
from support.loops import run_on_a_loop


class Workers:
    """A pool whose tasks the test answers."""

    def __init__(self) -> None:
        self.tasks: list[Task[Any]] = []

    def submit(self, job: Job[Any]) -> Task[Any]:
        self.tasks.append(Task(job))
        return self.tasks[-1]

    async def next(self) -> Task[Any]:
        """The next task, once it is there."""
        async with asyncio.timeout(60):
            while not self.tasks:
                await asyncio.sleep(0.002)
        return self.tasks.pop(0)

    async def answer(self, move: int) -> None:
        """Let the agent play a move."""
        task = await self.next()
        _, board, stones, _, _ = task.job.arguments
        task.set_result(Decision(move, position=Position(game(board), *stones)))


def with_sessions(test: Callable[[Sessions, Workers], Awaitable[None]], **settings: Any) -> None:
    """Run a test on a loop of its own."""

    async def run() -> None:
        workers = Workers()
        sessions = Sessions(WebSettings(**settings), workers)  # type: ignore[arg-type]
        try:
            await test(sessions, workers)
        finally:
            sessions.close_all()

    run_on_a_loop(run)


async def until(live: Live, holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.002)


AGAINST_RULES = SessionRequest(game="connect4", one="human", two="rules", delay=0)


def test_a_worker_that_fails_does_not_cost_the_match_and_can_be_asked_again() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        live = await sessions.start(AGAINST_RULES, "me")
        live.session.play(3)
        live.proceed()
        (await workers.next()).set_exception(HostFailure("the worker process has died"))
        await until(live, lambda: live.failure is not None)
        state = live.state()
        assert state.failure == "the worker process has died"
        assert (state.ending, state.paused, state.thinking) == (None, True, None)
        live.session.pause(False)
        live.proceed()
        assert live.state().failure is None
        await workers.answer(2)
        await until(live, lambda: live.session.awaits_person)
        assert live.state().position.text == "43"

    with_sessions(test)


def test_after_a_failure_one_can_also_undo_and_play_something_else() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        live = await sessions.start(AGAINST_RULES, "me")
        live.session.play(3)
        live.proceed()
        (await workers.next()).set_exception(HostFailure("no answer"))
        await until(live, lambda: live.failure is not None)
        live.session.undo()
        live.proceed()
        live.session.play(0)
        live.proceed()
        await workers.answer(6)
        await until(live, lambda: live.session.awaits_person)
        assert (live.state().position.text, live.state().paused) == ("17", False)

    with_sessions(test)


def test_an_agent_that_fails_by_itself_loses() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        live = await sessions.start(AGAINST_RULES, "me")
        live.session.play(3)
        live.proceed()
        (await workers.next()).set_exception(ZeroDivisionError("division by zero"))
        await until(live, lambda: live.session.ending is not None)
        ending = live.state().ending
        assert ending is not None
        assert ending.winner == 0
        assert "exception by Medium" in ending.text

    with_sessions(test)


def test_a_hint_says_why() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        live = await sessions.start(AGAINST_RULES, "me")
        live.session.hint()
        live.proceed()
        assert live.state().hinting
        ticket = await workers.next()
        ticket.set_result(Decision(3, line=(3,), by_move={"score": {3: 1}}, details={"solved": True}))
        await until(live, lambda: live.hint is not None)
        hint = live.state().hint
        assert hint is not None
        assert (hint.move, hint.why) == (3, "4 wins in 21 moves")

    with_sessions(test)


def test_sessions_are_limited_for_each_client_and_in_all() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        await sessions.start(AGAINST_RULES, "a")
        with pytest.raises(TooMany, match="too many sessions"):
            await sessions.start(AGAINST_RULES, "a")
        await sessions.start(AGAINST_RULES, "b")
        with pytest.raises(TooMany, match="too many sessions"):
            await sessions.start(AGAINST_RULES, "c")

    with_sessions(test, sessions_per_client=1, sessions=2)


def test_a_session_that_nobody_uses_expires_and_one_that_is_watched_does_not() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        idle = await sessions.start(AGAINST_RULES, "me")
        watched = await sessions.start(AGAINST_RULES, "me")
        with watched.watch():
            for one in (idle, watched):
                one.used = time.monotonic() - 61
            sessions.drop_idle()
            assert sessions.get(watched.id) is watched
            with pytest.raises(Missing):
                sessions.get(idle.id)

    with_sessions(test, idle_minutes=1)


def test_those_who_watch_hear_of_every_change_and_of_the_end() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        live = await sessions.start(AGAINST_RULES, "me")
        with live.watch() as states:
            live.session.play(3)
            live.proceed()
            state = await states.get()
            assert state is not None
            assert SessionInfo.model_validate_json(state).position.text == "4"
            for move in range(9):  # more than a slow watcher's queue holds
                live.session.undo()
                live.session.play(move % 7)
                live.proceed()
            sessions.close(live.id)
            heard = [states.get_nowait() for _ in range(states.qsize())]
            assert heard[-1] is None
            assert heard[-2] is not None
            assert SessionInfo.model_validate_json(heard[-2]).position.text == "2"

    with_sessions(test)


def test_agents_rest_while_nobody_looks() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        live = await sessions.start(SessionRequest(game="tictactoe", one="random", two="random"), "me")
        live.used -= 100
        sessions.drop_idle()
        assert live.session.paused
        sessions.get(live.id)
        assert not live.session.paused

    with_sessions(test)


def test_ids_cannot_be_guessed() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        ids = {(await sessions.start(AGAINST_RULES, "me")).id for _ in range(20)}
        assert len(ids) == 20
        assert all(len(one) >= 20 for one in ids)

    with_sessions(test)


def test_a_saved_match_is_resumed_and_its_agents_are_checked_before_they_are_made() -> None:
    async def test(sessions: Sessions, workers: Workers) -> None:
        live = await sessions.start(SessionRequest(game="connect4", one="human", two="human"), "me")
        for move in (3, 3, 2):
            live.session.play(move)
        text = record_text(live.session.records()[0])
        again = await sessions.start(SessionRequest(game="connect4", record=text), "me")
        assert again.state().position.text == "443"
        for harmful in ("file:/etc/passwd", "qlearning:model=/etc/passwd"):
            changed = text.replace('[First "human"]', f'[First "{harmful}"]')
            with pytest.raises(InarowError, match=r"clients|server"):
                await sessions.start(SessionRequest(game="connect4", record=changed), "me")
        with pytest.raises(InarowError):
            await sessions.start(SessionRequest(game="connect4", record="{" + '"a":[' * 20_000), "me")

    with_sessions(test)


def test_an_agent_without_memory_is_a_failure_of_the_machine_and_gives_up_minds_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    short = iter([True, False, True, True])

    def decide(*_: object) -> Decision:
        if next(short):
            raise MemoryError
        return Decision(3)

    monkeypatch.setattr("inarow.agents.base.Mind.decide", decide)
    arguments = "rules", "connect4", (0, 0), NO_LIMIT, 1
    assert workers.decide(Stop(), *arguments).move == 3
    with pytest.raises(HostFailure, match="rules needs more memory than it may use here"):
        workers.decide(Stop(), *arguments)
