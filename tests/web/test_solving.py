"""`GET /solve?pos=…`: the protocol of the well-known Connect 4 solver service, for pages and programs of others."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from inarow.errors import HostFailure
from inarow.rules import CONNECT4, Position
from inarow.rules.notation import parse_moves
from inarow.solver import Oracle
from inarow.stopping import Stop
from inarow.web.deciding import scores
from support.web_server import RunningServer


def ask(
    server: RunningServer, query: str, path: str = "solve", origin: str = "https://a-page.example"
) -> tuple[int, str, dict[str, object]]:
    """The status, the origins that may read the answer, and the answer."""
    request = urllib.request.Request(f"{server.address}/{path}{query}", headers={"origin": origin})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers["access-control-allow-origin"], json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["access-control-allow-origin"], json.load(error)


@pytest.mark.parametrize("pos", ["", "4453", "444444333333", "11111122"])
def test_the_scores_are_those_of_the_solver_and_full_columns_are_100(server: RunningServer, pos: str) -> None:
    position = Position.start(CONNECT4, parse_moves(CONNECT4, pos))
    exact = Oracle(CONNECT4).scores(position)
    wanted = {"pos": pos, "score": [exact.get(column, 100) for column in range(7)]}
    for _ in range(2):  # the second answer is the one that was kept
        assert ask(server, f"?pos={pos}") == (200, "*", wanted)


def test_the_empty_board_has_the_known_scores(server: RunningServer) -> None:
    assert ask(server, "")[2] == {"pos": "", "score": [-2, -1, 0, 1, 0, -1, -2]}


@pytest.mark.parametrize(
    ("pos", "says"),
    [("8", "digits from 1 to 7"), ("4444444", "full"), ("12121212", "X has won|first player"), ("x" * 99, "digits")],
)
def test_what_is_no_position_is_refused_in_a_sentence(server: RunningServer, pos: str, says: str) -> None:
    status, origins, answer = ask(server, f"?pos={pos}")
    assert (status, origins) == (422, "*")
    assert any(part in str(answer["detail"]) for part in says.split("|"))


def test_only_this_route_may_be_read_by_other_sites(server: RunningServer) -> None:
    assert ask(server, "", "api/v1/status")[1] is None


def test_a_position_that_takes_too_long_is_a_failure_and_no_wrong_score() -> None:
    position = Position.start(CONNECT4, parse_moves(CONNECT4, "4455345536"))
    with pytest.raises(HostFailure, match="not solved within"):
        scores(Stop(), (position.first, position.second), 1e-6)
