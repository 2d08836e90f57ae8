"""A real server on a free port of this machine, for as long as a block runs."""

from __future__ import annotations

import contextlib
import multiprocessing
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from inarow.web.app import create_app
from inarow.web.client import Client
from inarow.web.settings import WebSettings


@dataclass(frozen=True)
class RunningServer:
    """A server, its address, and a client of it."""

    app: FastAPI
    address: str
    client: Client


@contextlib.contextmanager
def running_server(settings: WebSettings | None = None, port: int = 0) -> Iterator[RunningServer]:
    """Serve in a thread of this process; agents think in processes of their own."""
    settings = settings or WebSettings()
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    app = create_app(settings)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, ws_max_size=1 << 16)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), name="test-server")
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield RunningServer(app, address, Client(address, settings.token))
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def thinking_worker() -> int:
    """The process id of the worker that uses the processor."""
    workers = [process.pid or 0 for process in multiprocessing.active_children()]
    while True:
        before = {process: _ticks_used(process) for process in workers}
        time.sleep(0.1)
        used = {process: _ticks_used(process) - before[process] for process in workers}
        busiest = max(used, key=lambda process: used[process])
        if used[busiest] > 0:
            return busiest


def _ticks_used(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[11])
