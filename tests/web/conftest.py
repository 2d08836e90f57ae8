"""One server for all tests: its processes take seconds to start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from inarow.web.serving import WebSettings
from support.api_client import Client
from support.screen import Screen
from support.watched_files import write_store
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
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tournament's store, and the folder of a study with its report."""
    folder = tmp_path_factory.mktemp("watched")
    study = folder / "study"
    study.mkdir()
    (study / "report.html").write_text("<title>A report</title><h1>What was found</h1>", encoding="utf-8")
    write_store(folder / "league.db", "connect4", ("random", "rules", "greedy"), pairs=4)
    write_store(study / "study.db", "tictactoe", ("random", "rules"), pairs=2)
    return folder / "league.db", study


@pytest.fixture(scope="session")
def server(agent_file: Path, watched: tuple[Path, Path]) -> Iterator[RunningServer]:
    """A server that allows one file, watches two, and is not strict about how often it is asked; agents may think for
    so long that whatever a test does comes in the midst of it."""
    settings = WebSettings(
        agents=(f"file:{agent_file}",),
        watch=watched,
        decision_seconds=600,
        requests_per_second=10_000,
        matches_per_client=1000,
    )
    with running_server(settings) as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """A client of it."""
    return server.client


@pytest.fixture
def screen(browser: Browser) -> Iterator[Screen]:
    """A page on which nothing may go wrong."""
    one = Screen(browser, reduced_motion="reduce")
    yield one
    one.context.close()
    assert one.problems == []
