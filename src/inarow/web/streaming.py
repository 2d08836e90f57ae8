"""Tasks that send intermediate results while they run, for the connections that pass them on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from inarow.errors import InarowError
from inarow.web.pool import Pool, Task, Ticket


@contextlib.asynccontextmanager
async def streamed(
    pool: Pool, task: Task, *arguments: Any, seconds: float
) -> AsyncIterator[tuple[asyncio.Queue[Any], Ticket]]:
    """A task and a queue of what it says; None when it is done. It is stopped when the block ends."""
    loop = asyncio.get_running_loop()
    said: asyncio.Queue[Any] = asyncio.Queue()

    def put(value: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
            loop.call_soon_threadsafe(said.put_nowait, value)

    ticket = pool.submit(task, *arguments, seconds=seconds, listener=put)
    ticket.future.add_done_callback(lambda _: put(None))
    try:
        yield said, ticket
    finally:
        ticket.cancel()


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
