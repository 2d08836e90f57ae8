"""Learning over a connection: what is shown, what can be changed on the way, and that it ends with the page."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from inarow.arena.executor import Channel
from inarow.rules import Position, game
from inarow.web import learning, workers
from inarow.web.learning import LearnFrame, LearnRequest
from support.web_server import RunningServer, wait_until_idle

REQUEST = {"game": "tictactoe", "alpha": 0.5, "epsilon": 0.3, "speed": 0, "seed": 1}


@pytest.fixture(autouse=True)
def _idle(server: RunningServer) -> None:
    wait_until_idle(server)


def opened(server: RunningServer) -> contextlib.AbstractContextManager[ClientConnection]:
    return connect(server.address.replace("http", "ws") + "/api/v1/learn/live", proxy=None)


def heard(socket: ClientConnection, wanted: Callable[[LearnFrame], bool]) -> LearnFrame:
    """The next frame for which something holds."""
    while True:
        frame = LearnFrame.model_validate_json(socket.recv(timeout=60))
        if wanted(frame):
            return frame


def test_it_learns_is_paused_changed_and_played_against_and_ends_with_the_page(server: RunningServer) -> None:
    def send(**command: Any) -> None:
        socket.send(json.dumps(command))

    learners = server.app.state.server.learners
    with opened(server) as socket:
        socket.send(json.dumps(REQUEST))
        first = heard(socket, lambda frame: True)
        assert (first.episodes, first.entries, first.updates) == (0, 0, [])
        assert set(first.shown.values.values()) == {0.0}
        assert first.score is not None
        learnt = heard(socket, lambda frame: frame.score is not None and frame.episodes > 1000)
        assert learnt.score is not None
        assert learnt.score > first.score
        assert learnt.entries > 100
        for update in learnt.updates:
            assert update.new == pytest.approx(update.old + 0.5 * (update.target - update.old), abs=1e-5)
        send(paused=True)
        paused = heard(socket, lambda frame: frame.paused)
        send(alpha=1.0, epsilon=0.0, speed=10)
        changed = heard(socket, lambda frame: frame.alpha == 1.0)
        assert (changed.epsilon, changed.speed, changed.episodes) == (0.0, 10, paused.episodes)
        send(step=True)
        stepped = heard(socket, lambda frame: frame.episodes == paused.episodes + 1)
        assert all(update.new == pytest.approx(update.target, abs=1e-5) for update in stepped.updates)
        send(moves=[4], reply=True)
        reply = heard(socket, lambda frame: frame.reply is not None)
        assert reply.reply in Position.start(game("tictactoe"), [4]).legal_moves()
        assert reply.shown.moves == [4]
        assert reply.reply is not None
        assert reply.shown.values[reply.reply] == max(reply.shown.values.values())
        send(paused=False)
        heard(socket, lambda frame: frame.episodes > paused.episodes + 3)
        (task,) = learners.busy.values()
    until = time.monotonic() + 60
    while not task.done() and time.monotonic() < until:
        time.sleep(0.01)
    assert task.asked_to_end
    assert task.done()


def test_a_network_learns_by_its_curve(server: RunningServer) -> None:
    with opened(server) as socket:
        socket.send(json.dumps({**REQUEST, "kind": "ntuple", "game": "4x4x3", "alpha": 0.02}))
        frame = heard(socket, lambda frame: frame.score is not None and frame.episodes > 50)
        assert frame.updates == []
        assert frame.entries > 0
        assert len(frame.shown.values) == 4


def test_no_more_than_two_learn_at_a_time(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "FIRST_FRAME_SECONDS", 600.0)
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(opened(server))
        with opened(server) as one_more, pytest.raises(ConnectionClosed, match="too many trainings are running"):
            one_more.recv(timeout=60)


@pytest.mark.parametrize(
    "text",
    ["{", json.dumps({**REQUEST, "alpha": 2}), json.dumps({**REQUEST, "kind": "mcts"}), json.dumps({"moves": []})],
)
def test_what_is_no_request_closes_the_connection(server: RunningServer, text: str) -> None:
    with opened(server) as socket:
        socket.send(text)
        with pytest.raises(ConnectionClosed, match="invalid frame"):
            socket.recv(timeout=60)


@pytest.mark.parametrize(
    ("request_", "words"),
    [({**REQUEST, "game": "nogame"}, "nogame"), ({**REQUEST, "kind": "ntuple", "game": "4x12x4"}, "at most 10 rows")],
)
def test_what_cannot_be_learnt_is_said(server: RunningServer, request_: dict[str, Any], words: str) -> None:
    with opened(server) as socket:
        socket.send(json.dumps(request_))
        assert words in json.loads(socket.recv(timeout=60))["ended"]


def test_a_position_that_cannot_be_ends_it_with_a_sentence(server: RunningServer) -> None:
    with opened(server) as socket:
        socket.send(json.dumps({**REQUEST, "speed": 1}))
        socket.send(json.dumps({"moves": [0, 0]}))
        said = ""
        with contextlib.suppress(ConnectionClosed):
            while not said:
                said = json.loads(socket.recv(timeout=60)).get("ended", "")
        assert "taken" in said


class _Paper(Channel):
    """A channel on which nobody answers, and which keeps what is said."""

    __slots__ = ("said",)

    def __init__(self) -> None:
        self.said: list[LearnFrame] = []
        super().__init__(self.said.append)


@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [("MAX_SECONDS", 0.0, "minutes, the limit"), ("MAX_EPISODES", 20, "20 episodes, the limit")],
)
def test_the_limit_that_ended_a_training_is_told(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: float, words: str
) -> None:
    monkeypatch.setattr(learning, limit, value)
    paper = _Paper()
    assert words in learning.learn(paper, LearnRequest.model_validate({**REQUEST, "speed": 0}))
    assert paper.said


def test_a_network_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MAX_WEIGHTS", 100)
    with pytest.raises(learning.TooLarge, match="100 at most"):
        learning.check(LearnRequest.model_validate({**REQUEST, "kind": "ntuple"}), game("tictactoe"))
