"""Decisions of agents that exist only in Python, and scores for other programs, in two worker processes."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fastapi import HTTPException, Request

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.arena import Executor, Job
from inarow.arena.executor import Task
from inarow.errors import HostFailure, InarowError
from inarow.rules import CONNECT4, Position, game
from inarow.solver import Oracle
from inarow.stopping import Stop
from inarow.web.security import Pending, TooMany, client_of

WORKERS = 2
PENDING = 16
"""Requests of a client that may wait at a time."""
KEPT_MINDS = 8
"""Minds that a worker keeps between the moves of their matches."""
HOMES = 1000
"""Matches whose worker is remembered."""
FULL = 100
"""The score of a column without room."""
_LOOK = 0.1
"""Seconds between checks that a client is still connected."""

T = TypeVar("T")


@dataclass(eq=False)
class _Waiting:
    client: str
    match: str
    """The match whose mind decides; empty for a request of its own."""
    job: Job[Any]
    answer: asyncio.Future[Any]
    task: Task[Any] | None = None


@dataclass
class Deciding:
    """Requests that wait for a worker. Clients take turns, and a match stays with the worker that has its mind."""

    workers: Sequence[Executor]
    """Each runs one job at a time."""
    _pending: Pending = field(
        default_factory=lambda: Pending(PENDING, "too many requests are under way; wait for their answers")
    )
    _lines: OrderedDict[str, deque[_Waiting]] = field(default_factory=OrderedDict)
    """The waiting requests of each client; the one that was served last is at the end."""
    _busy: set[int] = field(default_factory=set)
    _homes: OrderedDict[str, int] = field(default_factory=OrderedDict)
    """The worker of each match."""

    async def answer(
        self,
        http: Request,
        function: Callable[..., T],
        *arguments: Any,
        seconds: float,
        memory_mb: int,
        match: str = "",
    ) -> T:
        """Return the result of a function, which gets a stop flag first; end it if the client leaves."""
        client = client_of(http.scope)
        job = Job(function, arguments, interactive=True, seconds=seconds, memory_mb=memory_mb)
        waiting = _Waiting(client, match, job, asyncio.get_running_loop().create_future())
        try:
            with self._pending.one_more(client):
                self._lines.setdefault(client, deque()).append(waiting)
                self._assign()
                while not (await asyncio.wait([waiting.answer], timeout=_LOOK))[0]:
                    if await http.is_disconnected():
                        raise HTTPException(499, "the client has disconnected")
            answer: T = waiting.answer.result()
            return answer
        except (InarowError, HostFailure, HTTPException, TooMany):
            raise
        except Exception as error:
            raise HostFailure(f"{type(error).__name__}: {error}") from None
        finally:
            self._leave(waiting)

    def _leave(self, waiting: _Waiting) -> None:
        waiting.answer.cancel()
        if waiting.task is not None:
            waiting.task.cancel()
        elif waiting in self._lines.get(waiting.client, ()):
            self._take(waiting)

    def _assign(self) -> None:
        """Give each free worker the next request that it can answer."""
        for worker, executor in enumerate(self.workers):
            if worker in self._busy or (waiting := self._next(worker)) is None:
                continue
            self._busy.add(worker)
            waiting.task = executor.submit(waiting.job)
            done = functools.partial(self._done, worker, waiting)
            loop = waiting.answer.get_loop()
            waiting.task.add_done_callback(functools.partial(_call_on, loop, done))

    def _next(self, worker: int) -> _Waiting | None:
        for line in self._lines.values():
            for waiting in line:
                if self._homes.get(waiting.match, worker) == worker:
                    self._take(waiting)
                    if waiting.match:
                        self._homes[waiting.match] = worker
                        self._homes.move_to_end(waiting.match)
                        while len(self._homes) > HOMES:
                            self._homes.popitem(last=False)
                    return waiting
        return None

    def _take(self, waiting: _Waiting) -> None:
        line = self._lines[waiting.client]
        line.remove(waiting)
        self._lines.move_to_end(waiting.client)
        if not line:
            del self._lines[waiting.client]

    def _done(self, worker: int, waiting: _Waiting, task: Task[Any]) -> None:
        self._busy.discard(worker)
        if not waiting.answer.done():
            if task.cancelled():
                waiting.answer.set_exception(HostFailure("the server is stopping"))
            elif (error := task.exception()) is not None:
                waiting.answer.set_exception(error)
            else:
                waiting.answer.set_result(task.result())
        self._assign()

    def stop(self) -> None:
        """Stop the workers; those that are busy answer with their best result."""
        for one in self.workers:
            one.stop()  # type: ignore[attr-defined]


def _call_on(loop: asyncio.AbstractEventLoop, function: Callable[[Task[Any]], None], task: Task[Any]) -> None:
    with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
        loop.call_soon_threadsafe(function, task)


_minds: OrderedDict[tuple[str, str, str, int], Mind] = OrderedDict()


def decide(stop: Stop, spec: str, board: str, stones: tuple[int, int], limit: Limit, match: str, seed: int) -> Decision:
    """Decide, in a worker, with the mind of a match; without a match, with a new one."""
    position = Position(game(board), *stones)
    key = (match, spec, board, int(position.to_move))
    mind = _minds.pop(key, None) or _agent(spec).start(position.game, position.to_move, seed)
    try:
        decision = mind.decide(position, limit, stop)
    except MemoryError:
        mind.close()
        raise HostFailure(f"{spec} needs more memory than it may use here") from None
    except BaseException:
        mind.close()
        raise
    if not match:
        mind.close()
        return decision._replace(details=dict(decision.details))
    _minds[key] = mind
    while len(_minds) > KEPT_MINDS:
        _minds.popitem(last=False)[1].close()
    return decision._replace(details=dict(decision.details))


@functools.lru_cache(maxsize=64)
def _agent(spec: str) -> Agent:
    return agent(spec)


def scores(stop: Stop, stones: tuple[int, int], seconds: float) -> list[int]:
    """Return the score of each column of Connect 4, in a worker."""
    solution = _oracle().analyse(Position(CONNECT4, *stones), Limit(seconds=seconds), stop=stop)
    if not all(one.solved for one in solution.moves.values()):
        raise HostFailure(f"not solved within {seconds:g} s")
    return [solution.moves[column].low if column in solution.moves else FULL for column in range(CONNECT4.columns)]


@functools.cache
def _oracle() -> Oracle:
    return Oracle(CONNECT4)
