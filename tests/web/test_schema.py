"""Requests made up from the API's own description: none of them makes the server fail."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from inarow.frontend import STATIC
from inarow.web.app import create_app
from support.web_server import RunningServer

GAMES = ("connect4", "tictactoe", "4x4x3", "3x3x3-free")
AGENTS = ("random", "rules", "alphabeta:depth=2", "r4-default", "mcts:simulations=20", "perfect:seconds=0.1")


@pytest.fixture(scope="session")
def session_id(server: RunningServer) -> str:
    return server.client.share("connect4").id


schema = schemathesis.openapi.from_dict(create_app().openapi())
schema.config.phases.update(phases=["examples", "fuzzing"])  # every boundary of every field would take a minute


def make_sensible(case: Any, session_id: str) -> None:
    """Put names in that exist, in half of the cases: invented ones would all be refused at once."""
    body = case.body if isinstance(case.body, dict) else {}
    chance = len(str(case.body))
    if chance % 2:
        return
    for field, values in (("game", GAMES), ("agent", AGENTS)):
        if field in body:
            body[field] = values[chance // 2 % len(values)]
    if "seconds" in body:
        body["seconds"] = 0.05
    if case.path_parameters and "id" in case.path_parameters:
        case.path_parameters["id"] = session_id
    if case.path_parameters and "name" in case.path_parameters:
        case.path_parameters["name"] = GAMES[chance % len(GAMES)]


@schema.parametrize()
@settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None, derandomize=True, database=None)
def test_no_request_makes_the_server_fail(case: Any, server: RunningServer, session_id: str) -> None:
    make_sensible(case, session_id)
    if case.method == "DELETE" and case.path_parameters["id"] == session_id:  # that session is still needed
        case.path_parameters["id"] = server.client.share("connect4").id
    answer = case.call(base_url=server.address, timeout=60)
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert isinstance(answer.json()["detail"], str)


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_the_page_is_checked_against_the_messages_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    script = importlib.import_module("page_types")
    assert script.TYPES.read_text(encoding="utf-8") == script.types(), "run python scripts/page_types.py"


def test_no_line_of_the_page_is_longer_than_those_of_python() -> None:
    files = [path for path in STATIC.rglob("*") if path.suffix in (".js", ".css", ".html", ".ts")]
    assert len(files) > 30
    long = [f"{path.name}:{at}" for path in files for at, line in enumerate(read_lines(path), 1) if len(line) > 120]
    assert not long
