"""Who does the work: an executor in the style of ``concurrent.futures``, here or in other processes.

The arena needs four things of a crew: its size, ``submit``, to be renewed when a worker died, and to be stopped at
once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from multiprocessing.connection import wait
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Crew(ABC):
    """Workers. Use it in a ``with`` block: at its end, however that comes about, no process is left."""

    size: int
    """How many tasks are worked on at once."""
    deaths: tuple[type[BaseException], ...] = (BrokenExecutor,)
    """What a future raises when its worker died before it was done."""

    @abstractmethod
    def submit(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a task done."""

    def renew(self) -> None:
        """Replace workers that died."""

    def stop(self) -> None:
        """End all work at once."""

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Here(Crew):
    """No other process: a task is done when it is submitted."""

    size = 1

    def submit(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(task(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Processes(Crew):
    """Processes on this machine, started when the first task comes."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        if self._pool is None:
            _warm_kernels()
            spawn = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.size, mp_context=spawn, initializer=_start_worker)
        return self._pool.submit(task, *args, **kwargs)

    def renew(self) -> None:
        self.stop()

    def stop(self) -> None:
        if self._pool is None:
            return
        pool, self._pool = self._pool, None
        processes: dict[int, Any] = dict(pool._processes or {})
        for process in processes.values():
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)
        for process in processes.values():
            process.join()


def crew(workers: int) -> Crew:
    """A crew of so many workers on this machine."""
    return Here() if workers == 1 else Processes(workers)


def _warm_kernels() -> None:
    """Compile the kernels once before several workers want them; not if no agent has any."""
    if any(name.startswith("inarow.kernels.") for name in sys.modules):
        from inarow.kernels.warm import warm

        warm()


def _start_worker() -> None:
    """In a new worker: leave Ctrl-C to the parent, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["INAROW_QUIET_COMPILE"] = "1"
    threading.Thread(target=_end_with_parent, name="inarow-parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
