"""One server for all tests of the API: its workers take seconds to start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inarow.web.client import Client
from inarow.web.settings import WebSettings
from support.web_server import RunningServer, running_server

AGENT = """
def agent(observation, configuration):
    return next(c for c in range(configuration.columns) if observation.board[c] == 0)
"""


@pytest.fixture(scope="session")
def agent_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with an agent that plays the leftmost column."""
    path = tmp_path_factory.mktemp("agents") / "leftmost.py"
    path.write_text(AGENT, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def server(agent_file: Path) -> Iterator[RunningServer]:
    """A server that allows one file, and is not strict about how often it is asked."""
    settings = WebSettings(agents=(f"file:{agent_file}",), requests_per_second=10_000, sessions_per_client=1000)
    with running_server(settings) as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """A client of it."""
    return server.client
