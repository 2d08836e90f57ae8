"""The API of a real server: what it answers, and that every wrong request gets a sentence."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from inarow.agents import agent, agent_names
from inarow.rules import CONNECT4, Position
from inarow.web.data import AGENTS
from support.api_client import ApiError, Client
from support.web_server import RunningServer, thinking_worker

GAME_OVER = (3, 0, 3, 0, 3, 0, 3)


def test_the_server_names_the_agents_and_opponents_that_the_page_does_not_have(
    client: Client, agent_file: Path
) -> None:
    listed = {one["name"]: one for one in client.get("agents")}
    assert [*(name for name in agent_names() if name not in AGENTS), f"file:{agent_file}"] == list(listed)
    depth = next(one for one in listed["r4-minimax"]["parameters"] if one["name"] == "depth")
    assert (depth["kind"], depth["low"]) == ("integer", 0)
    assert "usual" not in {one["name"] for one in client.get("games/connect4/lineups")}
    assert {one["name"] for one in client.get("games/connect4/lineups")} >= {"r1", "r3"}


def test_an_agent_decides_as_it_does_alone(client: Client) -> None:
    position = Position.start(CONNECT4, (3, 3))
    wanted = agent("r4-minimax").start(CONNECT4, position.to_move, 5).decide(position)
    found = client.decide("connect4", "r4-minimax", (3, 3), match="a-match", seed=5)
    assert (found["move"], found["value"], found["nodes"]) == (wanted.move, wanted.value, wanted.nodes)
    assert client.decide("connect4", "mcts", limit={"simulations": 50})["nodes"] > 0


def test_a_file_that_was_named_at_the_start_plays(client: Client, agent_file: Path) -> None:
    assert client.decide("connect4", f"file:{agent_file}")["move"] == 0
    label = client.post("agent", game="connect4", agent="r4-minimax:depth=2")
    assert label == {"spec": "r4-minimax:depth=2", "label": agent("r4-minimax:depth=2").label}


def test_a_match_is_shared_played_and_ended(client: Client) -> None:
    shared = client.share("tictactoe", names=["Ada", "Bob"], opening=[4], played=[[0]])
    assert shared.move(1)["played"] == [[0, 1]]
    assert shared.command("undo")["undone"] == [1]
    assert shared.command("redo")["played"] == [[0, 1]]
    assert shared.command("new")["played"] == [[0, 1], []]
    assert client.get("status")["matches"] >= 1
    shared.end()
    with pytest.raises(ApiError, match="expired") as gone:
        shared.refresh()
    assert gone.value.status == 404


WRONG: list[tuple[str, str, Any, int, str]] = [
    ("POST", "decide", {"game": "chess", "agent": "rules"}, 422, "chess"),
    ("POST", "decide", {"game": "connect4", "agent": "rules", "moves": [3] * 7}, 422, "full"),
    ("POST", "decide", {"game": "connect4", "agent": "rules", "colour": "red"}, 422, "colour"),
    ("POST", "decide", "[]", 422, "."),
    ("POST", "decide", {"game": "connect4", "agent": "alphabat"}, 422, "did you mean alphabeta"),
    ("POST", "decide", {"game": "connect4", "agent": "alphabeta:depth=0"}, 422, "depth=0"),
    ("POST", "decide", {"game": "connect4", "agent": "mcts:tree_mb=500"}, 422, "MB per agent"),
    ("POST", "decide", {"game": "connect4", "agent": "file:/etc/passwd"}, 422, "only agents in files"),
    ("POST", "decide", {"game": "connect4", "agent": "qlearning:model=/etc/passwd"}, 422, "is a file"),
    ("POST", "decide", {"game": "connect4", "agent": "rules", "moves": GAME_OVER}, 422, "over"),
    ("POST", "decide", {"game": "connect4", "agent": "rules", "limit": {"seconds": -1}}, 422, "seconds"),
    ("POST", "agent", {"game": "connect4", "agent": "file:/etc/passwd"}, 422, "only agents in files"),
    ("POST", "agent", {"game": "5x4x4", "agent": "qlearning"}, 422, "qlearning"),
    ("POST", "matches", {"game": "connect4", "opening": GAME_OVER}, 422, "opening"),
    ("POST", "matches", {"game": "connect4", "played": [[9]]}, 422, "9|10"),
    ("GET", "matches/0123456789abcdef", None, 404, "expired"),
    ("GET", "games/0x0x0/lineups", None, 422, "."),
    ("GET", "nothing", None, 404, "."),
    ("DELETE", "agents", None, 405, "."),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "says"), WRONG)
def test_a_wrong_request_gets_a_status_and_one_sentence(
    client: Client, method: str, path: str, body: Any, status: int, says: str
) -> None:
    with pytest.raises(ApiError, match=says) as error:
        client.call(method, path, body)
    assert error.value.status == status
    assert "\n" not in str(error.value)
    assert "Traceback" not in str(error.value)


def test_a_wrong_command_is_a_conflict_and_changes_nothing(client: Client) -> None:
    shared = client.share("connect4")
    state = shared.state
    for path, body, status in (
        ("move", {"move": 3, "ply": 5}, 409),
        ("move", {"move": 62}, 422),
        ("undo", None, 409),
        ("redo", None, 409),
        ("dance", None, 422),
    ):
        with pytest.raises(ApiError) as error:
            client.call("POST", f"matches/{shared.id}/{path}", body)
        assert error.value.status == status
    assert shared.refresh() == state


def test_a_body_that_is_too_large_is_refused_also_in_pieces(server: RunningServer) -> None:
    host, _, port = server.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 30) as line:
        line.sendall(
            f"POST /api/v1/decide HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode()
        )
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        try:
            for _ in range(20):
                line.sendall(piece)
            line.sendall(b"0\r\n\r\n")
            answer = line.recv(1000)
        except ConnectionError:
            answer = b"HTTP/1.1 400"  # it closed the connection before we had sent everything
    assert answer.startswith(b"HTTP/1.1 4")


def test_a_worker_that_is_killed_in_mid_thought_is_replaced(server: RunningServer) -> None:
    spec = "r4-minimax:depth=30"
    errors: list[ApiError] = []

    def ask() -> None:
        try:
            server.client.decide("connect4", spec)
        except ApiError as error:
            errors.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    os.kill(thinking_worker(server, spec), signal.SIGKILL)
    asking.join(60)
    assert [(one.status, "the worker process has died" in str(one)) for one in errors] == [(503, True)]
    for _ in range(2):
        assert server.client.decide("connect4", "r4-default")["move"] in range(7), "the server goes on"


def _live(server: RunningServer, match: str) -> ClientConnection:
    return connect(f"{server.address.replace('http', 'ws')}/api/v1/matches/{match}/live", proxy=None)


@pytest.mark.parametrize("frame", ["hello", "{}", "\x00" * 1000, b"\xff\xfe", b"", "x" * 100_000])
def test_a_frame_that_nobody_asked_for_closes_one_connection_only(server: RunningServer, frame: str | bytes) -> None:
    shared = server.client.share("connect4")
    with _live(server, shared.id) as other, _live(server, shared.id) as rude:
        other.recv(60)
        rude.recv(60)
        with contextlib.suppress(ConnectionClosed):  # by a server that does not wait for the end of a long one
            rude.send(frame)
        with pytest.raises(ConnectionClosed):
            rude.recv(60)
        shared.move(3)
        assert '"played":[[3]]' in str(other.recv(60))


@pytest.mark.parametrize("junk", [b"\xff" * 50, b"\x81\xff", b"\x8f\x80", b"\x00\x01\x02", b"\xc1\x85abcd12345"])
def test_bytes_that_are_no_frame_close_one_connection_only(server: RunningServer, junk: bytes) -> None:
    shared = server.client.share("connect4")
    with _live(server, shared.id) as other:
        other.recv(60)
        with _live(server, shared.id) as rude:
            rude.recv(60)
            rude.socket.sendall(junk)
            with contextlib.suppress(OSError):  # if the server was quicker
                rude.socket.shutdown(socket.SHUT_RDWR)
        shared.move(3)
        assert '"played":[[3]]' in str(other.recv(60))


def test_a_match_that_is_gone_says_so_to_those_who_listen(server: RunningServer) -> None:
    shared = server.client.share("connect4")
    with _live(server, shared.id) as listening:
        listening.recv(60)
        shared.end()
        with pytest.raises(ConnectionClosed) as closed:
            listening.recv(60)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4404
    with _live(server, shared.id) as listening, pytest.raises(ConnectionClosed) as closed:
        listening.recv(60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404
