"""A small process that forks external agents, so that a fresh one costs milliseconds.

``python -P -m inarow.agents.external.server FOLDER POLICY``, with a socket as its standard input, POLICY in JSON.
Requests: ``S`` with two handles (the agent's end of its connection, and its output) starts a process and answers with
its id, or with −errno if that failed; ``E`` and an id kills a process with all its children and answers with its exit
status. When the socket closes, all processes are killed and the folder is removed.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import shutil
import signal
import socket
import sys
from pathlib import Path

from inarow.agents.external import Policy, host
from inarow.agents.external.sandbox import ControlGroups, Sandbox

_SUBREAPER = 36  # prctl: orphaned descendants become our children, so that they can be found and killed


def serve(base: Path, policy: Policy) -> None:
    """Answer requests until the socket closes."""
    requests = socket.socket(fileno=os.dup(0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    if policy.allow_solver:
        _load_solver()
    sandbox, groups = Sandbox(base, policy), ControlGroups()
    gc.freeze()
    agents: set[int] = set()
    while True:
        data, handles, _, _ = socket.recv_fds(requests, 16, 2)
        if not data:
            break
        if data[:1] == b"S":
            try:
                agent = os.fork()
            except OSError as error:
                agent = -(error.errno or 1)
            if agent == 0:
                _become_agent(handles[0], handles[1], sandbox)
            for handle in handles:
                os.close(handle)
            if agent > 0:
                groups.add(agent)
                agents.add(agent)
            requests.sendall(agent.to_bytes(8, "big", signed=True))
        else:
            agent = int.from_bytes(data[1:9], "big")
            status = end(agent) if agent in agents else 0
            agents.discard(agent)
            _end_orphans(agents)
            groups.remove(agent)
            requests.sendall(status.to_bytes(8, "big", signed=True))
    for agent in agents:
        end(agent)
    _end_orphans(set())
    for agent in agents:
        groups.remove(agent)
    shutil.rmtree(base, ignore_errors=True)


def _load_solver() -> None:
    """Load the solver and its compiled kernels before forking: the sandbox has no access to the cache."""
    from inarow.limits import Limit
    from inarow.rules import CONNECT4, TICTACTOE, Position
    from inarow.solver import Oracle

    for game in (CONNECT4, TICTACTOE):
        Oracle(game, tt_mb=1).analyse(Position.start(game), Limit(nodes=1))


def _become_agent(connection: int, output: int, sandbox: Sandbox) -> None:
    """Start a session, close inherited handles and run the agent's code, in the new process. Never returns."""
    code = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (output, 1), (output, 2), (connection, 3)):
            os.dup2(source, target)
        client = socket.socket(fileno=3)
        host.run(client.recv, client.sendall, sandbox.enter)
        code = 0
    finally:
        os._exit(code)


def end(agent: int) -> int:
    """Kill a process and its process group; return its exit status, −signal if a signal ended it."""
    for kill in (os.killpg, os.kill):  # a process that has ended keeps its id until it is waited for
        with contextlib.suppress(OSError):
            kill(agent, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(agent, 0)[1])


def _end_orphans(agents: set[int]) -> None:
    """Kill orphans of agents: children that left the group become ours when their parent dies."""
    listing = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(10):  # their own children may follow
        try:
            orphans = {int(word) for word in listing.read_text(encoding="ascii").split()} - agents
        except (OSError, ValueError):
            return
        if not orphans:
            return
        for orphan in orphans:
            with contextlib.suppress(OSError):
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), Policy.from_json(sys.argv[2]))
