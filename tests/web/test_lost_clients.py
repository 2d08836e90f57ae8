"""Clients that are gone before they can be answered: their connections end without a word."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import pytest

from support.loops import run_on_a_loop
from support.web_server import RunningServer


@pytest.mark.parametrize(
    ("path", "frame"),
    [("matches/none/live", ""), ("watch/0/live", "?"), ("watch/99/live", "")],
)
def test_a_client_that_is_gone_is_no_error(server: RunningServer, path: str, frame: str) -> None:
    frames: list[MutableMapping[str, Any]] = [
        {"type": "websocket.connect"},
        {"type": "websocket.receive", "text": frame},
        {"type": "websocket.disconnect", "code": 1006},
    ]

    async def receive() -> MutableMapping[str, Any]:
        return frames.pop(0)

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] != "websocket.accept":
            raise OSError("the connection is lost")

    headers = [(b"host", b"127.0.0.1")]
    scope = {"type": "websocket", "path": f"/api/v1/{path}", "query_string": b"", "headers": headers, "client": None}
    run_on_a_loop(lambda: server.app(scope, receive, send))
