"""Starting the server: from the command line, with a session, without the extra, and where it can't listen."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from inarow.web import serving
from inarow.web.serving import WebSettings
from support.api_client import Client
from support.commands import inarow


def test_play_opens_the_page_at_a_match_and_ctrl_c_ends_it() -> None:
    slow = "alphabeta:depth=full"
    command = [sys.executable, "-m", "inarow", "play", "connect4", "human", slow, "--opening", "5", "--ui", "web"]
    environment = {**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        assert running.stdout is not None
        said = running.stdout.readline()
        found = re.search(r"Connect 4 is at (http://127\.0\.0\.1:\d+)/#/play/start/(\S+)", said)
        assert found, said
        try:
            wanted = json.loads(unquote(found[2]))
            assert (wanted["one"], wanted["two"], wanted["opening"]) == ("human", slow, [4])
            client = Client(found[1])  # the server listens before it says so
            client.decide("connect4", "rules")
            if sys.platform == "linux":
                _harm_workers(running.pid)
        finally:
            running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0


def _harm_workers(server: int) -> None:
    """End a server's newest worker process, which must be noticed, and halt the others, so that they hear nothing."""

    def workers() -> list[int]:
        tasks = Path(f"/proc/{server}/task").glob("*/children")
        found = sorted({int(child) for task in tasks for child in task.read_text(encoding="ascii").split()})
        return [one for one in found if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]

    while len(workers()) < 1:
        time.sleep(0.05)
    *others, last = workers()
    os.kill(last, signal.SIGKILL)
    while Path(f"/proc/{last}").exists():  # as long as nobody has asked how it ended
        time.sleep(0.05)
    for one in others:
        os.kill(one, signal.SIGSTOP)


def test_beyond_this_machine_a_token_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    monkeypatch.setattr(serving, "serve", lambda settings, say, **more: started.append((settings, more)))
    inarow("serve", "--host", "0.0.0.0", "--port", "0", "--open")
    inarow("serve")
    (open_to_all, more), (local, _) = started
    assert len(open_to_all.token) >= 16
    assert more["open_page"]
    assert (local.host, local.token) == ("127.0.0.1", "")


def test_a_folder_of_agents_is_offered_file_by_file(monkeypatch: pytest.MonkeyPatch, agent_file: Path) -> None:
    started: list[Any] = []
    monkeypatch.setattr(serving, "serve", lambda settings, say, **more: started.append(settings))
    inarow("serve", "--agent", str(agent_file.parent))
    assert started[0].agents == (f"file:{agent_file}",)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    said = inarow("serve", "--port", "0", code=2).stderr
    assert "the web page needs the extra 'web' (uvicorn is missing)" in said
    assert "pip install 'inarow[web]'" in said


def test_a_port_that_is_taken_is_said_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = inarow("serve", "--port", str(taken.getsockname()[1]), code=2).stderr
    assert "give another with --port" in said


def test_the_page_saves_matches_itself(tmp_path: Any) -> None:
    said = inarow("play", "tictactoe", "--ui", "web", "--out", str(tmp_path / "x.txt"), code=2).stderr
    assert "--out does not apply to --ui web" in said


def test_an_unknown_interface_is_named() -> None:
    assert "did you mean web" in inarow("play", "--ui", "wep", code=2).stderr


def test_loopback_has_many_names() -> None:
    assert all(WebSettings(host=name).loopback for name in ("localhost", "127.0.0.1", "::1", "127.0.0.2"))
    assert not WebSettings(host="example.org", token="a-secret-word").loopback


def test_answers_are_sent_without_delay() -> None:
    """Nagle's algorithm would hold back the body of an answer until the client has acknowledged its headers."""
    listener = serving._listen(WebSettings(port=0))

    async def delayed() -> bool:
        accepted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            accepted.set_result(not connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(note, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            found = await accepted
            writer.close()
            return found

    assert not asyncio.run(delayed())
