"""A real server on a free port of this machine, for as long as a block runs.

``INAROW_SLOW=0.2 pytest tests/web`` lets all that it hears and says come up to 0.2 seconds late.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI

from inarow.arena.executor import Task
from inarow.web.app import create_app
from inarow.web.client import Client
from inarow.web.serving import WebSettings
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
        busy: dict[int, Task[Any]] = server.app.state.server.players.busy
        for process, task in busy.items():
            if task.job.arguments[0] == spec:
                return process
        time.sleep(0.01)
    raise AssertionError(f"nothing thinks for {spec}")


def wait_until_idle(server: RunningServer) -> None:
    """Wait until no page of an earlier test lets agents think or learn."""
    inside = server.app.state.server
    until = time.monotonic() + 60
    while inside.trainings or len(inside.thinking):
        assert time.monotonic() < until, "agents still think or learn"
        time.sleep(0.01)
