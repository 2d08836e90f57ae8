"""Work in the background: on a daemon thread, or in another process."""

from __future__ import annotations

import concurrent.futures
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, Generic, TypeAlias, TypeVar

from inarow.stopping import Stop

T = TypeVar("T")
Runner: TypeAlias = Callable[[Callable[[], None]], Any]
"""Starts a function; returns the thread that runs it, if there is one."""


def start_thread(function: Callable[[], None]) -> threading.Thread:
    """Run a function on a daemon thread, so that one that never ends can't keep the program from exiting."""
    thread = threading.Thread(target=function, name="inarow-thinking", daemon=True)
    thread.start()
    return thread


class BackgroundTask(Generic[T]):
    """One piece of work. Its owner polls `done` and reads `result`, or drops the task after `cancel`.

    ``work`` is a function, which gets a stop flag, or the future of another process. ``wake`` is called on the working
    thread once the task is done.
    """

    def __init__(
        self,
        work: Callable[[Stop], T] | Future[T],
        *,
        run: Runner = start_thread,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self._stop = Stop()
        self._elsewhere = isinstance(work, Future)
        self._future: Future[T] = work if isinstance(work, Future) else Future()
        self._future.add_done_callback(lambda future: wake())
        self.thread = None if isinstance(work, Future) else run(lambda: self._run(work))

    def _run(self, work: Callable[[Stop], T]) -> None:
        try:
            self._future.set_result(work(self._stop))
        except Exception as error:
            self._future.set_exception(error)

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self._future.done() and not self._future.cancelled()

    @property
    def running(self) -> bool:
        """Whether its thread has not ended."""
        return self.thread.is_alive() if isinstance(self.thread, threading.Thread) else not self._future.done()

    @property
    def result(self) -> T | Exception:
        """The value, or the exception that was raised instead; blocks until the task is done."""
        try:
            return self._future.result()
        except Exception as error:
            return error

    def wait(self, seconds: float) -> bool:
        """Wait up to ``seconds``; return `done`."""
        concurrent.futures.wait([self._future], seconds)
        return self.done

    def cancel(self) -> None:
        """Ask the work to end early."""
        self._stop.set()
        if self._elsewhere:
            self._future.cancel()

    def afterwards(self, function: Callable[[], None]) -> None:
        """Call a function once the work has ended: now, or later on the working thread."""
        self._future.add_done_callback(lambda future: function())


def join(tasks: Iterable[BackgroundTask[Any]], seconds: float) -> None:
    """Wait up to ``seconds`` for the threads of these tasks to end."""
    until = time.monotonic() + seconds
    for task in tasks:
        if isinstance(task.thread, threading.Thread):
            task.thread.join(max(0.0, until - time.monotonic()))
