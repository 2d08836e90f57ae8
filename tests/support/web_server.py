"""A real server on a free port of this machine, for as long as a block runs.

``INAROW_SLOW=0.2 pytest tests/web`` lets all that it hears and says come up to 0.2 seconds late.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI

from inarow.arena.executor import Task
from inarow.web.app import create_app
from inarow.web.serving import WebSettings
from support.api_client import Client
from support.slow_network import slowed

SLOW = float(os.environ.get("INAROW_SLOW", "0"))


@dataclass(frozen=True)
class RunningServer:
    """A server, its address, and a client of it."""

    app: FastAPI
    address: str
    client: Client


@contextlib.contextmanager
def running_server(
    settings: WebSettings | None = None, listener: socket.socket | None = None
) -> Iterator[RunningServer]:
    """Serve in a thread of this process, on a port of its own or a given one; agents think in other processes."""
    settings = settings or WebSettings()
    slow = 0.0 if listener else SLOW
    listener = listener.dup() if listener else socket.create_server(("127.0.0.1", 0))
    app = create_app(settings)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, ws_max_size=1 << 16)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), name="test-server")
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        port = listener.getsockname()[1]
        with slowed(port, slow) if slow else contextlib.nullcontext(port) as reached:
            address = f"http://127.0.0.1:{reached}"
            yield RunningServer(app, address, Client(address, settings.token))
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def thinking_worker(server: RunningServer, spec: str) -> int:
    """The process id of the worker that thinks for an agent, once one does."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for pool in server.app.state.server.deciding.workers:
            busy: dict[int, Task[Any]] = pool.busy
            for process, task in busy.items():
                if task.job.arguments[0] == spec:
                    return process
        time.sleep(0.01)
    raise AssertionError(f"nothing thinks for {spec}")


def match_address(server: RunningServer, game: str, **setup: Any) -> str:
    """The address that begins a match."""
    return f"{server.address}/#/play/start/{quote(json.dumps({'game': game, **setup}), safe='')}"
