"""Stop a computation: a flag that kernels poll, set by deadlines and by Ctrl-C.

A compiled kernel on the main thread keeps Python from seeing a signal until it returns. So the signal's arrival
is written to a socket (`signal.set_wakeup_fd`), a daemon thread reads it and sets the flag of every
computation under way; the kernel returns, and Python then raises KeyboardInterrupt as usual.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import signal
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def raised(flag: NDArray[np.int64]) -> int:
    """Return 1 once the flag of a `Stop` is set. Kernels call this: a plain ``flag[0]`` may be read only once."""
    return int(flag[0])


class Stop:
    """A flag that ends a computation early: kernels poll `raised` every thousand nodes or so."""

    __slots__ = ("__weakref__", "_parts", "flag")

    def __init__(self, within: Stop | None = None) -> None:
        """Make a new flag; setting ``within`` also sets this one, but not vice versa."""
        import numpy as np  # imported here: the grader of an assignment runs without it

        self.flag: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self._parts: weakref.WeakSet[Stop] | None = None
        if within is not None:
            within._add(self)

    def _add(self, part: Stop) -> None:
        if self._parts is None:
            self._parts = weakref.WeakSet()
        self._parts.add(part)
        if self.is_set():
            part.set()

    def set(self) -> None:
        """Ask the computation to end now."""
        self.flag[0] = 1
        for part in list(self._parts or ()):
            part.set()

    def is_set(self) -> bool:
        """Return True if the flag is set."""
        return bool(self.flag[0])


class Clock:
    """The time in seconds, and alarms that set a stop flag; tests substitute their own clock."""

    def now(self) -> float:
        """Return the seconds since a fixed moment."""
        return time.perf_counter()

    @contextlib.contextmanager
    def alarm(self, seconds: float | None, stop: Stop) -> Iterator[None]:
        """Set ``stop`` after this many seconds (never if None), and on Ctrl-C, while the block runs."""
        _running.add(stop)
        entry = _alarms.add(seconds, stop) if seconds is not None else None
        try:
            yield
        finally:
            _running.discard(stop)
            if entry is not None:
                _alarms.cancel(entry)


SYSTEM_CLOCK = Clock()


class _ClockEntry:
    __slots__ = ("stop",)

    def __init__(self, stop: Stop) -> None:
        self.stop: Stop | None = stop


class _Alarms:
    """One daemon thread for all deadlines (a thread each would cost 0.2 ms)."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, _ClockEntry]] = []
        self._count = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, seconds: float, stop: Stop) -> _ClockEntry:
        entry = _ClockEntry(stop)
        with self._changed:
            item = (time.perf_counter() + seconds, next(self._count), entry)
            heapq.heappush(self._heap, item)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="inarow-alarms", daemon=True)
                self._thread.start()
            elif self._heap[0] is item:
                self._changed.notify()
        return entry

    def cancel(self, entry: _ClockEntry) -> None:
        entry.stop = None

    def _run(self) -> None:
        with self._changed:
            while True:
                while self._heap and self._heap[0][2].stop is None:
                    heapq.heappop(self._heap)
                if not self._heap:
                    self._changed.wait()
                    continue
                wait = self._heap[0][0] - time.perf_counter()
                if wait > 0:
                    self._changed.wait(wait)
                    continue
                stop = heapq.heappop(self._heap)[2].stop
                if stop is not None:
                    stop.set()


_alarms = _Alarms()
_running: set[Stop] = set()


def stop_on_interrupt() -> None:
    """Make Ctrl-C set the flag of every computation under an alarm. Further calls do nothing.

    Does nothing outside the main thread, or if another library already listens for signals.
    """
    listening = any(thread.name == "inarow-interrupt" for thread in threading.enumerate())
    if listening or threading.current_thread() is not threading.main_thread():
        return
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        reader.close()
        writer.close()
        return
    # The thread keeps both ends alive for as long as the process runs.
    threading.Thread(target=_listen, args=(reader, writer), name="inarow-interrupt", daemon=True).start()


def _listen(reader: socket.socket, writer: socket.socket) -> None:
    while received := reader.recv(64):  # `writer` is an argument so that it stays open
        if signal.SIGINT in received or signal.SIGTERM in received:
            for stop in list(_running):
                stop.set()
