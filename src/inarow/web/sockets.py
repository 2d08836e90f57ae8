"""WebSockets on which the server only sends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from inarow.errors import InarowError
from inarow.web.security import Missing, TooMany


class Closed(Exception):
    """Closes a WebSocket with a code and a reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@contextlib.asynccontextmanager
async def connection(socket: WebSocket) -> AsyncIterator[None]:
    """Accept a WebSocket, and turn errors of the block into its closing code and reason.

    A client that leaves early is not an error.
    """
    await socket.accept()
    try:
        try:
            yield
        except Closed as closed:
            await socket.close(closed.code, str(closed))
        except Missing as error:
            await socket.close(4404, str(error))
        except TooMany as error:
            await socket.close(1013, str(error))
    except (WebSocketDisconnect, RuntimeError):
        pass


async def send_until_closed(socket: WebSocket, sending: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that sends, until the client leaves; a frame from the client closes the connection."""
    working, listening = asyncio.ensure_future(sending), asyncio.ensure_future(_until_closed(socket))
    try:
        await asyncio.wait([working, listening], return_when=asyncio.FIRST_COMPLETED)
        (working if working.done() else listening).result()
    finally:
        for one in (working, listening):
            one.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, InarowError, Closed):
                await one


async def _until_closed(socket: WebSocket) -> None:
    if (await socket.receive())["type"] != "websocket.disconnect":
        raise Closed(1003, "this connection only sends; use the API for commands")
