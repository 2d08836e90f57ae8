"""Jobs for workers: well-behaved ones and others."""

from __future__ import annotations

import os
import threading
import time

from inarow.arena.executor import Channel
from inarow.errors import InarowError
from inarow.stopping import Stop


def double(stop: Stop, number: int) -> int:
    """Does what it should."""
    return 2 * number


def process_id(stop: Stop) -> int:
    """The worker's process."""
    return os.getpid()


def until_stopped(stop: Stop) -> str:
    """Ends when it is told to."""
    while not stop.is_set():
        time.sleep(0.005)
    return "stopped"


def allocate(megabytes: int) -> int:
    """Takes memory."""
    return len(bytearray(megabytes << 20))


def deaf(stop: Stop) -> None:
    """Does not listen."""
    time.sleep(600)


def die(stop: Stop) -> None:
    """Takes its process with it."""
    os._exit(3)


def complain(stop: Stop) -> None:
    """Finds its input wrong."""
    raise InarowError("that can't be done; do something else")


def unsendable(stop: Stop) -> object:
    """Its answer can't be sent to another process."""
    return threading.Lock()


def echo(channel: Channel) -> str:
    """Says what it is told, twice as much of it, until it is stopped."""
    channel.send("ready")
    while not channel.is_set():
        heard = channel.receive(0.05)
        if heard is not None:
            channel.send(2 * heard)
    return f"done, {channel.receive()}"
