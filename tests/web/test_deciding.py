"""Who decides when: clients take turns at the workers, and a match stays with the worker that has its mind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from inarow.agents import Limit, agent
from inarow.arena import Job
from inarow.arena.executor import Task
from inarow.errors import HostFailure
from inarow.rules import CONNECT4, Position
from inarow.stopping import Stop
from inarow.web import deciding
from inarow.web.deciding import PENDING, Deciding, decide
from inarow.web.security import TooMany
from support.loops import run_on_a_loop


class Worker:
    """An executor whose tasks the test answers."""

    def __init__(self) -> None:
        self.tasks: list[Task[Any]] = []

    def submit(self, job: Job[Any]) -> Task[Any]:
        self.tasks.append(Task(job))
        return self.tasks[-1]


class Client:
    """A request of a client, as far as it is looked at."""

    def __init__(self, name: str) -> None:
        self.scope = {"client": (name, 0)}
        self.left = False

    async def is_disconnected(self) -> bool:
        return self.left


def with_workers(test: Callable[[Deciding, Callable[..., asyncio.Task[Any]], list[Worker]], Awaitable[None]]) -> None:
    async def run() -> None:
        workers = [Worker(), Worker()]
        queue = Deciding(workers)  # type: ignore[arg-type]

        def ask(client: Client, name: str, match: str = "") -> asyncio.Task[Any]:
            answer = queue.answer(client, print, name, seconds=1, memory_mb=0, match=match)  # type: ignore[arg-type]
            return asyncio.create_task(answer)

        await test(queue, ask, workers)

    run_on_a_loop(run)


def asked(workers: list[Worker]) -> list[list[str]]:
    """What each worker was asked, in order."""
    return [[task.job.arguments[0] for task in worker.tasks] for worker in workers]


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_clients_take_turns() -> None:
    async def test(queue: Deciding, ask: Callable[..., asyncio.Task[Any]], workers: list[Worker]) -> None:
        many, one = Client("many"), Client("one")
        answers = [ask(many, f"m{number}") for number in range(5)]
        await settle()
        answers.append(ask(one, "o"))
        await settle()
        assert asked(workers) == [["m0"], ["m1"]]
        workers[0].tasks[0].set_result("first")
        await settle()
        workers[1].tasks[0].set_result("second")
        await settle()
        assert "o" in [name for names in asked(workers) for name in names], "the others of a client don't come first"
        assert await answers[0] == "first"
        for answer in answers:
            answer.cancel()

    with_workers(test)


def test_a_match_stays_with_its_worker_also_if_the_other_one_is_free() -> None:
    async def test(queue: Deciding, ask: Callable[..., asyncio.Task[Any]], workers: list[Worker]) -> None:
        client = Client("a")
        first = ask(client, "1", "match")
        await settle()
        workers[0].tasks[0].set_result(None)
        await first
        busy = ask(client, "other")
        await settle()
        second = ask(client, "2", "match")
        await settle()
        assert asked(workers) == [["1", "other"], []]
        workers[0].tasks[1].set_result(None)
        await settle()
        assert asked(workers) == [["1", "other", "2"], []]
        workers[0].tasks[2].set_result("done")
        assert (await second, await busy) == ("done", None)

    with_workers(test)


def test_a_client_that_leaves_is_not_waited_for_and_too_many_requests_are_refused() -> None:
    async def test(queue: Deciding, ask: Callable[..., asyncio.Task[Any]], workers: list[Worker]) -> None:
        gone, other = Client("gone"), Client("other")
        answers = [ask(gone, str(number)) for number in range(PENDING)]
        await settle()
        with pytest.raises(TooMany):
            await ask(gone, "one more")
        gone.left = True
        for answer in answers:
            with pytest.raises(Exception, match="disconnected"):
                await answer
        assert all(worker.tasks[0].asked_to_end for worker in workers)
        for worker in workers:
            if not worker.tasks[0].done():
                worker.tasks[0].set_result(None)
        await settle()
        last = ask(other, "last")
        await settle()
        assert asked(workers)[0][-1] == "last"
        last.cancel()

    with_workers(test)


def test_a_worker_that_fails_is_a_failure_of_the_machine() -> None:
    async def test(queue: Deciding, ask: Callable[..., asyncio.Task[Any]], workers: list[Worker]) -> None:
        answer = ask(Client("a"), "x")
        await settle()
        workers[0].tasks[0].set_exception(ZeroDivisionError("no"))
        with pytest.raises(HostFailure, match="ZeroDivisionError: no"):
            await answer

    with_workers(test)


def test_a_match_keeps_its_mind_between_moves_and_no_other_request_does(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    real = agent("mcts:simulations=50")

    def start(*given: Any) -> Any:
        made.append(given[2])
        return real.start(*given)

    monkeypatch.setattr(deciding, "_agent", lambda spec: SimpleNamespace(start=start))
    monkeypatch.setattr(deciding, "KEPT_MINDS", 1)
    position = Position.start(CONNECT4)
    stones = (position.first, position.second)

    def ask(match: str, seed: int) -> int:
        return decide(Stop(), "mcts:simulations=50", "connect4", stones, Limit(), match, seed).move

    wanted = real.start(CONNECT4, position.to_move, 7).decide(position).move
    assert ask("a", 7) == wanted
    ask("a", 7)
    ask("", 8)
    ask("", 8)
    assert made == [7, 8, 8]
    ask("b", 9)  # the mind of another match takes the only place
    ask("a", 7)
    assert made == [7, 8, 8, 9, 7]
