"""Agents that are looked at while they think: what they show, what the truth says, and that they stop with the page."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from inarow.agents import agent
from inarow.agents.ntuple import NTupleAgent
from inarow.models.network import contributions
from inarow.rules import CONNECT4, TICTACTOE, Position, game
from inarow.solver import Oracle
from inarow.web import workers
from inarow.web.minds import MindInfo, MindsFrame
from support.web_server import RunningServer, wait_until_idle


@pytest.fixture(autouse=True)
def _idle(server: RunningServer) -> None:
    wait_until_idle(server)


def opened(server: RunningServer) -> contextlib.AbstractContextManager[ClientConnection]:
    return connect(server.address.replace("http", "ws") + "/api/v1/minds/live", proxy=None)


def ask(server: RunningServer, board: str, moves: list[int], *agents: str) -> list[MindsFrame]:
    """All that the server says about a position."""
    return list(_frames(server, {"game": board, "moves": moves, "agents": list(agents)}))


def _frames(server: RunningServer, request: dict[str, Any]) -> Iterator[MindsFrame]:
    with opened(server) as socket:
        socket.send(json.dumps(request))
        while True:
            frame = MindsFrame.model_validate_json(socket.recv(timeout=60))
            yield frame
            if frame.finished:
                return


def minds(frames: list[MindsFrame], number: int) -> list[MindInfo]:
    return [one.mind for one in frames if one.mind is not None and one.mind.agent == number]


def test_every_agent_shows_how_it_thinks_and_decides_as_it_would_alone(server: RunningServer) -> None:
    specs = ["alphabeta:depth=5,root=full,iterative_deepening=on", "mcts:simulations=30000", "ntuple", "qlearning"]
    frames = ask(server, "tictactoe", [0, 4], *specs)
    position = Position.start(TICTACTOE, [0, 4])
    search, tree, network, table = (minds(frames, number) for number in range(4))
    assert [one.depth for one in search] == [1, 2, 3, 4, 5, 5]
    assert [one.done for one in search] == [False] * 5 + [True]
    assert all(one.cutoffs is not None and len(one.line) == len(one.line_cells) for one in search)
    grown = [sum(one.visits.values()) for one in tree]
    assert grown == sorted(grown)
    assert len(grown) >= 2
    assert grown[-1] == 30_000
    for shown, spec in zip((search, network), (specs[0], "ntuple"), strict=True):
        alone = agent(spec).start(TICTACTOE, position.to_move, 0).decide(position)
        assert (shown[-1].move, shown[-1].values) == (alone.move, dict(alone.values))
    assert table[-1].known is not None
    truth = next(one.truth for one in frames if one.truth is not None)
    assert {move: one.low for move, one in truth.moves.items()} == Oracle(TICTACTOE).scores(position)
    judged = {one.judgement.agent: one.judgement for one in frames if one.judgement is not None}
    assert sorted(judged) == [0, 1, 2, 3]
    for number, shown in enumerate((search, tree, network, table)):
        assert judged[number].right == (truth.moves[shown[-1].move].verdict == truth.verdict)
        assert bool(judged[number].why) == (not judged[number].right)


def test_a_networks_value_comes_with_what_speaks_for_it(server: RunningServer) -> None:
    (shown,) = minds(ask(server, "connect4", [3, 3], "ntuple"), 0)
    network = NTupleAgent().held(CONNECT4)
    for move, parts in shown.parts.items():
        wanted = contributions(network, Position.start(CONNECT4, [3, 3]), move).contributions[:8]
        assert [(one.part, one.cells) for one in parts] == [(one.part.value, list(one.cells)) for one in wanted]
        assert all(math.isclose(a.share, b.share, abs_tol=1e-5) for a, b in zip(parts, wanted, strict=True))


def test_a_short_search_is_told_that_it_was_misled_by_its_horizon(server: RunningServer) -> None:
    board = game("5x4x4")
    oracle, search = Oracle(board), agent("alphabeta:depth=1")
    position = Position.start(board)
    while True:  # the first position of a line of bad moves in which a ply is too little
        move = search.start(board, position.to_move, 0).decide(position).move
        scores = oracle.scores(position)
        if (scores[move] > 0) - (scores[move] < 0) < (max(scores.values()) > 0) - (max(scores.values()) < 0):
            break
        position = position.play(min(scores, key=lambda one: (scores[one], one)))
    frames = ask(server, "5x4x4", list(position.history() or ()), "alphabeta:depth=1")
    judged = next(one.judgement for one in frames if one.judgement is not None)
    assert (judged.right, judged.cause) == (False, "horizon")
    assert "It searched 1 ply" in judged.why


def test_what_cannot_be_shown_is_said_for_that_agent_only(server: RunningServer, agent_file: Any) -> None:
    frames = ask(
        server, "5x4x4", [], f"file:{agent_file}", "file:/etc/passwd", "nobody", "ntuple", "mcts:tree_mb=9999", "random"
    )
    said = {one.agent: one.problem for one in frames if one.problem}
    assert sorted(number for number in said if number is not None) == [0, 1, 2, 3, 4]
    assert "can't be shown" in said[0]
    assert "only agents in files that the server was started with" in said[1]
    assert "nobody" in said[2]
    assert "5x4x4" in said[3]
    assert "358 MB" in said[4]
    assert minds(frames, 5)[-1].done


def test_a_game_that_is_over_and_nonsense_get_a_sentence(server: RunningServer) -> None:
    frames = ask(server, "tictactoe", [0, 3, 1, 4, 2], "random")
    assert "the game is over" in frames[0].problem
    assert "0 to 8" in ask(server, "tictactoe", [40], "random")[0].problem
    for text in ("{", "[]", '{"game": "connect4"}', json.dumps({"game": "x", "moves": [], "agents": ["a"] * 9})):
        with opened(server) as socket:
            socket.send(text)
            with pytest.raises(ConnectionClosed, match="invalid frame"):
                socket.recv(timeout=60)


def test_agents_stop_when_the_page_goes_away(server: RunningServer) -> None:
    thinkers = server.app.state.server.thinkers
    with opened(server) as socket:
        request = {"game": "connect4", "moves": [], "agents": ["mcts:seconds=600", "alphabeta:seconds=600"]}
        socket.send(json.dumps(request))
        while MindsFrame.model_validate_json(socket.recv(timeout=60)).mind is None:
            pass
        tasks = list(thinkers.busy.values())
        assert tasks
    until = time.monotonic() + 60
    while any(not one.done() for one in tasks) and time.monotonic() < until:
        time.sleep(0.01)
    assert all(one.asked_to_end and one.done() for one in tasks)


def test_one_client_cannot_take_all_workers(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "FIRST_FRAME_SECONDS", 600.0)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(opened(server))
        with opened(server) as one_more, pytest.raises(ConnectionClosed, match="too many pages"):
            one_more.recv(timeout=60)


def test_a_worker_that_dies_is_said_and_the_others_think_on(server: RunningServer) -> None:
    with opened(server) as socket:
        request = {"game": "tictactoe", "moves": [], "agents": ["mcts:seconds=600,prove=off", "rules"]}
        socket.send(json.dumps(request))
        frames: list[MindsFrame] = []
        killed = False
        while not (frames and frames[-1].finished):
            frames.append(MindsFrame.model_validate_json(socket.recv(timeout=60)))
            thinking = [
                process
                for process, task in server.app.state.server.thinkers.busy.items()
                if task.job.arguments[1] == "mcts:seconds=600,prove=off"
            ]
            if thinking and not killed:
                os.kill(thinking[0], signal.SIGKILL)
                killed = True
    assert {one.agent: one.problem for one in frames if one.problem} == {
        0: "That failed (the worker process has died); try again."
    }
    assert minds(frames, 1)[-1].done
