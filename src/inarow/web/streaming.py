"""Jobs that send intermediate results while they run, for the connections that pass them on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, TypeVar

from fastapi import WebSocket, WebSocketDisconnect
from starlette.requests import HTTPConnection

from inarow.arena import Executor, Job
from inarow.arena.executor import Task
from inarow.errors import InarowError
from inarow.web.security import client_of
from inarow.web.settings import WORKER_MB

T = TypeVar("T")


def job_of(http: HTTPConnection, function: Callable[..., T], *arguments: Any, seconds: float) -> Job[T]:
    """Return a job for whoever has sent a request; its function gets a `Channel` first."""
    client = client_of(http.scope)
    return Job(function, arguments, interactive=True, seconds=seconds, memory_mb=WORKER_MB, client=client)


@contextlib.asynccontextmanager
async def streamed(executor: Executor, job: Job[T]) -> AsyncIterator[tuple[asyncio.Queue[Any], Task[T]]]:
    """Run an interactive job with a queue of what it says; None when it is done. It is stopped when the block ends."""
    loop = asyncio.get_running_loop()
    said: asyncio.Queue[Any] = asyncio.Queue()

    def put(value: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
            loop.call_soon_threadsafe(said.put_nowait, value)

    task = executor.submit(job, put)
    task.add_done_callback(lambda _: put(None))
    try:
        yield said, task
    finally:
        task.cancel()


async def while_connected(
    socket: WebSocket, work: Coroutine[Any, Any, None], listen: Coroutine[Any, Any, None]
) -> None:
    """Do some work while another coroutine listens to the client; whichever ends first ends both."""
    working, listening = asyncio.ensure_future(work), asyncio.ensure_future(listen)
    try:
        await asyncio.wait([working, listening], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
            await socket.close(1000)
        else:
            listening.result()
    finally:
        for one in (working, listening):
            one.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, InarowError):
                await one


def reason(error: Exception) -> str:
    """What went wrong, as a sentence: the message of an error of ours, or that something failed."""
    if isinstance(error, InarowError):
        return str(error)
    return f"That failed ({str(error) or type(error).__name__}); try again."
