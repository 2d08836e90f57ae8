"""Time that the machine takes away: a process that is stopped or suspended, threads that wait for a core."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator

TICK = 0.05
"""Seconds between two beats."""
_IDLE = 1.0  # seconds for which it goes on after the last use, so that quick decisions don't wake its thread


def run_delays(process: int) -> dict[str, float]:
    """Return the seconds for which each thread of a process was ready but had no core (Linux; elsewhere nothing)."""
    try:
        threads = os.listdir(f"/proc/{process}/task")  # noqa: PTH208
    except OSError:
        return {}
    return {thread: _run_delay(f"{process}/task/{thread}") for thread in threads}


def own_run_delay() -> float:
    """Return the seconds for which this thread was ready but had no core (Linux; elsewhere 0)."""
    return _run_delay("thread-self")


def _run_delay(thread: str) -> float:
    try:
        with open(f"/proc/{thread}/schedstat", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


class Heartbeat:
    """A thread that sleeps in short ticks while something is timed; what a tick takes longer was lost."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._users = 0
        self._until = 0.0
        self._beat = 0.0
        self._lost = 0.0

    @contextlib.contextmanager
    def watching(self) -> Iterator[Callable[[], float]]:
        """Give a function that returns the seconds lost since the block began.

        They include time for which another thread held the interpreter: compare with the processor time.
        """
        with self._changed:
            self._users += 1
            if self._thread is None or not self._thread.is_alive():  # also after a fork
                self._beat = time.monotonic()
                self._thread = threading.Thread(target=self._run, name="inarow-heartbeat", daemon=True)
                self._thread.start()
            elif time.monotonic() > self._until and self._users == 1:
                self._beat = time.monotonic()
                self._changed.notify()
            before = self._total()
        try:
            yield lambda: self._total() - before
        finally:
            with self._changed:
                self._users -= 1
                self._until = time.monotonic() + _IDLE

    def _total(self) -> float:
        return self._lost + _excess(time.monotonic() - self._beat)

    def _run(self) -> None:
        with self._changed:
            while True:
                self._changed.wait(TICK if self._users or time.monotonic() < self._until else None)
                now = time.monotonic()
                if self._users:
                    self._lost += _excess(now - self._beat)
                self._beat = now


def _excess(seconds: float) -> float:
    """Return by how much a tick was too long; a small delay is usual."""
    return seconds - TICK if seconds > 2 * TICK else 0.0


HEARTBEAT = Heartbeat()
