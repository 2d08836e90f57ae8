"""A small process from which guests are forked, so that a fresh one costs milliseconds.

``python -m inarow.agents.external.server``, with a socket as its standard input. Requests: ``S`` with two handles (the
guest's end of its connection, and where its output goes) starts a guest and answers with its process id; ``E`` and an
id kills a guest with all its children and answers with its exit status. When the socket closes, all are killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import socket
import sys
from pathlib import Path

from inarow.agents.external import host

_SUBREAPER = 36  # prctl: orphans among our descendants become our children, so that they can be found and killed


def serve() -> None:
    """Answer requests until the socket closes."""
    requests = socket.socket(fileno=os.dup(0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    gc.freeze()
    guests: set[int] = set()
    while True:
        data, handles, _, _ = socket.recv_fds(requests, 16, 2)
        if not data:
            break
        if data[:1] == b"S":
            guest = os.fork()
            if guest == 0:
                _become_guest(*handles)
            for handle in handles:
                os.close(handle)
            guests.add(guest)
            requests.sendall(guest.to_bytes(8, "big"))
        else:
            guest = int.from_bytes(data[1:9], "big")
            status = end(guest) if guest in guests else 0
            guests.discard(guest)
            _end_orphans(guests)
            requests.sendall(status.to_bytes(8, "big", signed=True))
    for guest in guests:
        end(guest)
    _end_orphans(set())


def _become_guest(connection: int, output: int) -> None:
    """In the new process: a session of its own, no handles but its own, then the guest's code. Never returns."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        for here, there in ((nothing, 0), (output, 1), (output, 2), (connection, 3)):
            os.dup2(here, there)
        os.closerange(4, 1 << 16)
        host.run(socket.socket(fileno=3))
    finally:
        os._exit(0)


def end(guest: int) -> int:
    """Kill a guest and its process group; its exit status, −signal if a signal ended it."""
    gone, status = os.waitpid(guest, os.WNOHANG)
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(guest, signal.SIGKILL)
    if not gone:
        status = os.waitpid(guest, 0)[1]
    return os.waitstatus_to_exitcode(status)


def _end_orphans(guests: set[int]) -> None:
    """Kill what guests have left: children that left the group become ours when their parent dies."""
    listing = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(10):  # the children of those may come next
        try:
            orphans = {int(word) for word in listing.read_text(encoding="ascii").split()} - guests
        except (OSError, ValueError):
            return
        if not orphans:
            return
        for orphan in orphans:
            with contextlib.suppress(OSError):
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)


if __name__ == "__main__":
    serve()
