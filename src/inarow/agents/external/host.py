"""What runs in a guest's process: it loads the file and answers for it.

Two kinds of file are known: one with a class derived from `inarow.agents.Agent`, and one whose last callable is an
agent as in Kaggle's ConnectX, called with an observation and a configuration, or with the observation only.
"""

from __future__ import annotations

import contextlib
import inspect
import operator
import os
import random
import resource
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy.random  # most guests use it; imported here, before the fork, it costs them nothing

from inarow.agents.base import Agent, Decision
from inarow.agents.external import wire
from inarow.limits import Limit
from inarow.rules import Game, Player, Position, game


class Struct(dict[str, Any]):
    """A mapping whose items are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


Answer = Callable[[Position, float, float], dict[str, Any]]
"""From a position, the seconds a move may take and those it may take more this time, to a message."""


def run(connection: socket.socket) -> None:
    """Answer messages until the connection closes."""
    # Not inherited from the server: its buffers and its locks.
    sys.stdout = open(1, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    reader = wire.Reader()
    answer: Answer | None = None
    board: Game | None = None
    while (message := wire.receive(connection, reader)) is not None:
        try:
            if "load" in message:
                _limit(message["memory"])
                board = game(message["game"])
                answer = load(Path(message["load"]), board, Player(message["player"]), message["seed"])
                reply: dict[str, Any] = {"ready": True}
            else:
                assert answer is not None
                assert board is not None
                position = Position(board, message["first"], message["second"])
                reply = answer(position, message["seconds"], message["allowance"])
        except MemoryError:
            reply = {"fault": "out of memory", "message": "MemoryError"}
        except BaseException as error:  # a guest may raise anything, SystemExit among it
            reply = {"fault": "exception", "message": _words(error)}
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        wire.send(connection, reply)


def _limit(megabytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


def load(path: Path, board: Game, player: Player, seed: int) -> Answer:
    """What answers for a file."""
    os.chdir(path.parent)
    sys.path.insert(0, str(path.parent))
    random.seed(seed)
    numpy.random.seed(seed & 0xFFFFFFFF)
    scope: dict[str, Any] = {"__name__": "guest", "__file__": str(path)}
    exec(compile(path.read_bytes(), str(path), "exec"), scope)
    for value in reversed(scope.values()):
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == "guest":
            return _native(value(), board, player, seed)
    callables = [value for value in scope.values() if callable(value)]
    if not callables:
        raise ValueError("the file has no function; write one such as agent(observation, configuration)")
    return _connectx(callables[-1])


def _native(agent: Agent, board: Game, player: Player, seed: int) -> Answer:
    mind = agent.start(board, player, seed)

    def answer(position: Position, seconds: float, allowance: float) -> dict[str, Any]:
        decision = mind.think(position, Limit(seconds=seconds), None)
        if not isinstance(decision, Decision):
            return {"fault": "no decision", "message": f"it returned {decision!r:.60}, a Decision was wanted"}
        return {**_move(decision.move), "value": decision.value, "nodes": decision.nodes}

    return answer


def _connectx(function: Callable[..., Any]) -> Answer:
    arguments = _arguments(function)

    def answer(position: Position, seconds: float, allowance: float) -> dict[str, Any]:
        board = position.game
        stones = [0 if stone is None else int(stone) + 1 for row in position.grid() for stone in row]
        observation = Struct(
            board=stones, mark=int(position.to_move) + 1, step=position.ply, remainingOverageTime=allowance
        )
        configuration = Struct(
            rows=board.rows, columns=board.columns, inarow=board.k, actTimeout=seconds, episodeSteps=board.cells
        )
        return _move(function(*(observation, configuration)[:arguments]))

    return answer


def _arguments(function: Callable[..., Any]) -> int:
    """With how many arguments an agent is called: two if it takes them, else one."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return 2
    for count in (2, 1):
        with contextlib.suppress(TypeError):
            signature.bind(*range(count))
            return count
    return 2


def _move(move: Any) -> dict[str, Any]:
    """A whole number as the move, whatever its type; anything else in words."""
    if isinstance(move, bool):
        return {"nonsense": repr(move)}
    try:
        return {"move": operator.index(move)}
    except TypeError:
        return {"nonsense": f"{move!r:.80}"}


def _words(error: BaseException) -> str:
    """An exception with the guest's line that raised it."""
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    where = f" (line {lines[-1].lineno} of {Path(lines[-1].filename).name})" if lines else ""
    if isinstance(error, SyntaxError):
        where = ""
    return f"{type(error).__name__}: {error}{where}"[:500]


_OURS = str(Path(__file__).parents[2])
