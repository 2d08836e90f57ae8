"""The machine: its memory, and the time that a process or thread loses to others."""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from inarow.errors import InarowError

A = TypeVar("A")

SHARE = 0.5
"""Share of the machine's memory that one search may use."""


def machine_mb() -> float | None:
    """Return the machine's memory in MB, or None if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 20)
    except (AttributeError, ValueError, OSError):
        return None


class Usage(NamedTuple):
    """The memory of this process in MB, without memory shared with others, such as libraries."""

    resident: float = 0.0
    allocated: float = 0.0
    """Private writable memory, used or only allocated."""

    @classmethod
    def now(cls) -> Usage:
        """Return the current values; 0 if unknown."""
        try:
            pages = [int(text) for text in Path("/proc/self/statm").read_text(encoding="ascii").split()]
        except OSError:
            return cls()
        page = os.sysconf("SC_PAGE_SIZE") / 2**20
        return cls((pages[1] - pages[2]) * page, pages[5] * page)


def touched(array: A) -> A:
    """Return an array, unchanged, after a write to each of its pages: the system allocates and clears a page (of up to
    2 MB) at the first write, which takes a large part of a short decision."""
    memory: Any = array
    memory.view("uint8")[:: mmap.PAGESIZE] |= 0
    return array


def check_memory(owner: str, name: str, megabytes: int, error: type[InarowError] = InarowError) -> None:
    """Raise ``error`` if this is more than one search may use."""
    available = machine_mb()
    if available is not None and megabytes > SHARE * available:
        raise error(
            f"{owner}: {name}={megabytes} is too large for this machine, which has {available:.0f} MB; "
            f"give at most {SHARE * available:.0f}"
        )


TICK = 0.05
"""Seconds between two ticks."""
_IDLE = 1.0  # seconds that it keeps running after the last use, so that quick decisions don't restart it


class ThreadTimes(NamedTuple):
    """A thread as the system's scheduler sees it."""

    ready: bool
    """True if it is running, or waits for a core."""
    core: int
    """The core that it was last on."""
    ran: float
    """Seconds on a core."""
    delay: float
    """Seconds for which it was ready but had no core. A wait is added when it ends."""


def thread_times(process: int) -> dict[str, ThreadTimes]:
    """Return the times of each thread of a process (Linux; elsewhere nothing)."""
    threads: dict[str, ThreadTimes] = {}
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended
                fields = _read(f"{process}/task/{thread}/stat").rpartition(")")[2].split()
                threads[thread] = ThreadTimes(fields[0] == "R", int(fields[36]), *_schedule(f"{process}/task/{thread}"))
    return threads


def own_run_delay() -> float:
    """Return the seconds for which this thread was ready but had no core (Linux; elsewhere 0)."""
    try:
        return _schedule("thread-self")[1]
    except (OSError, ValueError, IndexError):
        return 0.0


def stolen_seconds() -> dict[int, float]:
    """Return the seconds that the hypervisor took from each core of this virtual machine (Linux; elsewhere nothing)."""
    with contextlib.suppress(OSError, ValueError, IndexError, AttributeError):
        lines = [line.split() for line in _read("stat").splitlines() if re.match(r"cpu\d", line)]
        ticks = os.sysconf("SC_CLK_TCK")
        return {int(fields[0].removeprefix("cpu")): int(fields[8]) / ticks for fields in lines}
    return {}


def _schedule(thread: str) -> tuple[float, float]:
    """Return the seconds for which a thread had a core, and for which it waited for one."""
    ran, delay, _ = _read(f"{thread}/schedstat").split()
    return int(ran) / 1e9, int(delay) / 1e9


def _read(name: str) -> str:
    with open(f"/proc/{name}", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        return file.read()


class Heartbeat:
    """A thread that sleeps in short ticks while a block is timed; the excess length of a tick is lost time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._users = 0
        self._until = 0.0
        self._beat = 0.0
        self._lost = 0.0

    @contextlib.contextmanager
    def watching(self) -> Iterator[Callable[[], float]]:
        """Yield a function that returns the seconds lost since the block began.

        They include time in which another thread held the interpreter: compare with the processor time.
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
    """Return the excess length of a tick; small delays are ignored."""
    return seconds - TICK if seconds > 2 * TICK else 0.0


HEARTBEAT = Heartbeat()
