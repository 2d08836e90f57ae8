"""The API of a real server, through the typed client: what it answers, and that every wrong request gets a sentence."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from inarow.agents import agent_names
from inarow.play import Setup
from inarow.rules import CONNECT4, Position, game
from inarow.solver import Oracle
from inarow.web.app import FirstSession, create_app
from inarow.web.client import ApiError, Client
from support.web_server import RunningServer, thinking_worker

GAME_OVER = [3, 0, 3, 0, 3, 0, 3]
SIX = "4" * 6


def test_the_server_names_games_agents_and_levels(client: Client, agent_file: Path) -> None:
    assert [one.name for one in client.games()] == ["connect4", "tictactoe"]
    listed = {one.name: one for one in client.agents()}
    assert [*agent_names(), f"file:{agent_file}"] == list(listed)
    depth = next(one for one in listed["alphabeta"].parameters if one.name == "depth")
    assert (depth.kind, depth.low) == ("integer", 1)
    assert client.lineups("tictactoe")[0].levels[0].spec == "random"
    ratings = {level.label: level.elo for level in client.lineups("tictactoe")[0].levels}
    assert ratings["Easy"] == 0
    assert (ratings["Medium"] or 0) > 100
    assert (ratings["Hard – MCTS"] or 0) > (ratings["Medium"] or 0)
    usual = client.lineups("connect4")[0]
    (watched,) = [mode for mode in usual.modes if mode.label == "AI – semi"]
    assert (watched.two, watched.title) == ("rules", "AI – semi")
    assert watched.one in {level.spec for level in usual.levels}


def test_a_position_is_drawn_with_its_moves_and_threats(client: Client) -> None:
    found = client.position("connect4", text="414141")
    assert found.rows[-1] == "O..X..."
    assert found.landing[3] == 2 * 7 + 3
    assert found.threats == [[2 * 7 + 3], [2 * 7]]
    assert client.position("connect4", moves=GAME_OVER).outcome == "first"


def test_an_agent_decides(client: Client) -> None:
    found = client.decide("connect4", "alphabeta:depth=4", [3, 0, 3, 0, 3, 0])
    assert found.move == 3
    assert found.value == 1
    assert client.decide("connect4", "mcts", simulations=50).nodes > 0


def test_a_file_that_was_named_at_the_start_plays(client: Client, agent_file: Path) -> None:
    assert client.decide("connect4", f"file:{agent_file}").move == 0


def test_the_truth_is_that_of_the_solver(client: Client) -> None:
    moves = [3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 4, 4]
    found = client.solve("connect4", moves, line=True)
    exact = Oracle(CONNECT4).scores(Position.start(CONNECT4, moves))
    assert found.solved
    assert {move: one.low for move, one in found.moves.items()} == exact
    assert sorted(found.best) == sorted(move for move, score in exact.items() if score == max(exact.values()))
    assert found.line[0] in found.best
    assert found.why


def test_the_truth_comes_in_steps_score_first_then_moves_then_the_line(client: Client) -> None:
    moves = [3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 4, 4]
    seen = client.solve_stream("connect4", moves, line=True, seconds=5)
    assert [one.looking_for for one in seen] == ["score", *["moves"] * 4, "line", ""]
    assert seen[1].verdict is not None
    assert [one.solved for one in seen[:2]] == [False, False]
    assert [bool(one.line) for one in seen] == [False] * 6 + [True]
    assert seen[-1].moves == client.solve("connect4", moves, line=True).moves
    assert all(0 <= one.seconds_left <= 5 for one in seen)
    with pytest.raises(ApiError, match="over"):
        client.solve_stream("connect4", GAME_OVER)


def test_a_match_is_reviewed_move_by_move(client: Client) -> None:
    found = client.review("tictactoe", [0, 1, 4, 8, 3])
    assert [one.index for one in found.moves if one.mistake] == [1]
    assert found.accuracy == [1.0, 0.5]
    assert "became" in found.moves[1].words
    assert found.complete


def test_a_whole_match_is_played_undone_saved_and_loaded(client: Client) -> None:
    session = client.start("tictactoe", two="rules", seed=1, delay=0)
    session.move(0)
    session.wait_for_turn()
    before = session.state.position.text
    session.hint()
    hint = session.wait(lambda state: state.hint is not None).hint
    assert hint is not None
    assert hint.why.startswith(f"{hint.move + 1} ")
    session.move(hint.move)
    session.wait_for_turn()
    assert session.undo().position.text == before
    assert session.redo().can_redo is False
    while session.wait_for_turn().ending is None:
        session.move(session.state.position.legal[0])
    record = session.record()
    assert client.records(record)[0].moves == session.state.position.moves
    assert session.new().number == 2
    session.end()
    with pytest.raises(ApiError, match="expired") as gone:
        session.refresh()
    assert gone.value.status == 404


def test_agents_play_each_other_can_be_paused_and_resumed(client: Client) -> None:
    session = client.start("connect4", one="random", two="rules", delay=0, matches=2)
    session.pace(paused=True)
    version = session.refresh().version
    assert session.refresh().version == version
    session.pace(paused=False, delay=0)
    assert sum(session.wait(lambda state: state.series_over).score) == 2


def test_a_lost_connection_resumes_where_the_match_is(client: Client) -> None:
    session = client.start("connect4", two="rules", delay=0)
    session.move(3)
    session.wait_for_turn()
    assert client.resume(session.state.id).state.position == session.state.position


@pytest.mark.parametrize(("moves", "result"), [(GAME_OVER, "first"), ([3, 3], "none")])
def test_an_analysed_match_is_saved_as_a_record_that_can_be_opened(
    client: Client, moves: list[int], result: str
) -> None:
    text = client.record("connect4", moves, first="Ann", second="Bob")
    (found,) = client.records(text)
    assert (found.moves, found.first, found.second, found.result) == (moves, "Ann", "Bob", result)


WRONG: list[tuple[str, str, Any, int, str]] = [
    ("POST", "position", {"game": "chess"}, 422, "chess"),
    ("POST", "position", {"game": "connect4", "text": f"{SIX}4"}, 422, "full"),
    ("POST", "position", {"game": "connect4", "moves": [9]}, 422, "9|10"),
    ("POST", "position", {"game": "connect4", "rows": ["X"]}, 422, "row"),
    ("POST", "position", {"game": "connect4", "colour": "red"}, 422, "colour"),
    ("POST", "position", "[]", 422, "."),
    ("POST", "decide", {"game": "connect4", "agent": "alphabat"}, 422, "did you mean alphabeta"),
    ("POST", "decide", {"game": "connect4", "agent": "alphabeta:depth=0"}, 422, "depth=0"),
    ("POST", "decide", {"game": "connect4", "agent": "mcts:tree_mb=100000"}, 422, "MB per agent"),
    ("POST", "decide", {"game": "connect4", "agent": "file:/etc/passwd"}, 422, "only agents in files"),
    ("POST", "decide", {"game": "connect4", "agent": "qlearning:model=/etc/passwd"}, 422, "is a file"),
    ("POST", "decide", {"game": "connect4", "agent": "rules", "moves": GAME_OVER}, 422, "over"),
    ("POST", "decide", {"game": "connect4", "agent": "rules", "limit": {"seconds": -1}}, 422, "seconds"),
    ("POST", "solve", {"game": "connect4", "moves": GAME_OVER}, 422, "over"),
    ("POST", "review", {"game": "connect4", "moves": [3], "first": 99}, 422, "first"),
    ("POST", "records", {"text": "no record"}, 422, "Game"),
    ("POST", "page", {"game": "connect4", "moves": []}, 422, "at least one move"),
    ("POST", "record", {"game": "connect4", "moves": []}, 422, "at least one move"),
    ("POST", "sessions", {"game": "connect4", "two": "file:/etc/passwd"}, 422, "only agents in files"),
    ("POST", "sessions", {"game": "connect4", "opening": GAME_OVER}, 422, "opening"),
    ("POST", "sessions", {"game": "connect4", "record": "junk"}, 422, "Game"),
    ("POST", "sessions", {"game": "5x4x4", "two": "qlearning"}, 422, "qlearning"),
    ("GET", "sessions/0123456789abcdef", None, 404, "expired"),
    ("GET", "games/0x0x0", None, 422, "."),
    ("GET", "nothing", None, 404, "."),
    ("DELETE", "games", None, 405, "."),
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
    session = client.start("connect4", two="human")
    state = session.state
    for path, body, status in (
        ("move", {"move": 3, "ply": 5}, 409),
        ("move", {"move": 62}, 422),
        ("undo", None, 409),
        ("redo", None, 409),
        ("dance", None, 422),
    ):
        with pytest.raises(ApiError) as error:
            client.call("POST", f"sessions/{state.id}/{path}", body)
        assert error.value.status == status
    assert session.refresh() == state


def test_a_body_that_is_too_large_is_refused_also_in_pieces(server: RunningServer) -> None:
    host, _, port = server.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 30) as line:
        line.sendall(
            f"POST /api/v1/records HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
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


def test_a_worker_that_is_killed_in_mid_thought_is_replaced_and_the_player_goes_on(server: RunningServer) -> None:
    session = server.client.start("connect4", one="human", two="mcts:seconds=600", delay=0)
    session.move(3)
    process = thinking_worker(server, "mcts:seconds=600")
    os.kill(process, signal.SIGKILL)
    state = session.wait(lambda one: one.failure is not None)
    assert state.failure == "the worker process has died"
    assert (state.ending, state.thinking) == (None, None)
    assert server.client.decide("connect4", "rules").move in range(7), "the server goes on"
    assert session.undo().awaits_person
    session.end()


def _live(server: RunningServer, session: str) -> ClientConnection:
    return connect(f"{server.address.replace('http', 'ws')}/api/v1/sessions/{session}/live", proxy=None)


@pytest.mark.parametrize("frame", ["hello", "{}", "\x00" * 1000, b"\xff\xfe", b"", "x" * 100_000])
def test_a_frame_that_nobody_asked_for_closes_one_connection_only(server: RunningServer, frame: str | bytes) -> None:
    session = server.client.start("connect4", two="human")
    with _live(server, session.state.id) as other, _live(server, session.state.id) as rude:
        other.recv(60)
        rude.recv(60)
        with contextlib.suppress(ConnectionClosed):  # by a server that does not wait for the end of a long one
            rude.send(frame)
        with pytest.raises(ConnectionClosed):
            rude.recv(60)
        session.move(3)
        assert '"text":"4"' in str(other.recv(60))


@pytest.mark.parametrize("junk", [b"\xff" * 50, b"\x81\xff", b"\x8f\x80", b"\x00\x01\x02", b"\xc1\x85abcd12345"])
def test_bytes_that_are_no_frame_close_one_connection_only(server: RunningServer, junk: bytes) -> None:
    session = server.client.start("connect4", two="human")
    with _live(server, session.state.id) as other:
        other.recv(60)
        with _live(server, session.state.id) as rude:
            rude.recv(60)
            rude.socket.sendall(junk)
            with contextlib.suppress(OSError):  # if the server was quicker
                rude.socket.shutdown(socket.SHUT_RDWR)
        session.move(3)
        assert '"text":"4"' in str(other.recv(60))


def test_a_session_that_is_gone_says_so_to_those_who_listen(server: RunningServer) -> None:
    session = server.client.start("connect4", two="human")
    with _live(server, session.state.id) as socket:
        socket.recv(60)
        session.end()
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(60)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4404
    with _live(server, session.state.id) as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


def test_no_position_travels_as_a_large_integer(client: Client) -> None:
    """JavaScript holds 53 bits."""
    schema = create_app().openapi()["components"]["schemas"]
    assert not {"first", "second", "stones"} & set(schema["PositionInfo"]["properties"])
    assert max(map(int, re.findall(r":(\d+)", client.call("POST", "position", {"game": "9x6x4"}).decode()))) < 2**31


def test_a_server_can_start_with_a_session(client: Client) -> None:
    first = FirstSession("an-id-that-is-known", Setup(game("tictactoe")))
    assert create_app(first=first).title == "inarow"


def test_a_server_that_does_not_answer_is_said_so() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(ApiError, match="does not answer"):  # nobody listens on a port that is only bound
            Client(f"http://127.0.0.1:{free.getsockname()[1]}").status()
