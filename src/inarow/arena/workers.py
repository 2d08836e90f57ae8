"""Workers: an executor in the style of ``concurrent.futures``, in this process or in others.

The arena needs three things of a crew: its size, ``submit``, and to be stopped at once. A task whose worker died ends
with `WorkerDied`; the next task finds a new worker in its place.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import pickle
import queue
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

from inarow.agents import Agent
from inarow.arena.jobs import WrongProcess, pack, run
from inarow.arena.tournament import ArenaError
from inarow.children import interrupts_blocked, serve_parent
from inarow.limits import LimitError, check_count

CROWD, CROWD_PER_CORE = 64, 4
"""The most workers on one machine: each takes about 100 MB of memory."""

NOT_STARTED = (
    "a worker process ended while it started; a script that asks for several workers must be a file, and do so under "
    '`if __name__ == "__main__":`'
)

P = ParamSpec("P")
T = TypeVar("T")


class WorkerDied(Exception):
    """The process that worked on a task ended before the task did."""


class Crew(ABC):
    """Workers. Use it in a ``with`` block: when that ends, for whatever reason, no process is left."""

    size: int
    """How many tasks are worked on at once."""

    @abstractmethod
    def submit(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a task."""

    def prepare(self, agents: Sequence[Agent]) -> None:
        """Raise if the workers can't play these agents."""

    def stop(self) -> None:
        """End all work at once."""

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Here(Crew):
    """No other process: a task runs when it is submitted."""

    size = 1

    def submit(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(task(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Processes(Crew):
    """Processes on this machine, each with a pipe and a thread of its own, started when tasks come.

    The standard library's pool abandons all tasks when one worker dies, and may wait for ever when its workers are
    killed while they answer.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._tasks: queue.SimpleQueue[tuple[Future[Any], bytes] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._workers: dict[int, _Worker] = {}
        self._stopping = False
        self._ready = False
        """Whether a worker has begun to work."""

    def submit(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        if not self._threads:
            _warm_kernels()
            self._threads = [
                threading.Thread(target=self._serve, args=(number,), name=f"inarow-crew-{number}", daemon=True)
                for number in range(self.size)
            ]
            for thread in self._threads:
                thread.start()
        future: Future[T] = Future()
        self._tasks.put((future, pack(functools.partial(task, **kwargs), *args)))
        return future

    def _serve(self, number: int) -> None:
        """Hand tasks to the worker of this number, one after the other."""
        while (item := self._tasks.get()) is not None:
            future, packed = item
            if self._stopping or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            try:
                worker = self._workers.get(number) or self._started(number)
            except OSError as error:  # too many processes or open files, too little memory
                said = f"a worker process can't be started: {error.strerror or error}; give fewer workers"
                future.set_exception(ArenaError(said))
                continue
            except RuntimeError:  # this is a worker itself, in which a script runs again
                future.set_exception(ArenaError(NOT_STARTED))
                continue
            try:
                worker.greet()
                self._ready = True
                done, value = worker.call(packed)
            except (EOFError, OSError):
                self._workers.pop(number).close()
                future.set_exception(WorkerDied() if self._ready else ArenaError(NOT_STARTED))
            else:
                future.set_result(value) if done else future.set_exception(value)

    def _started(self, number: int) -> _Worker:
        self._workers[number] = worker = _Worker()
        return worker

    def stop(self) -> None:
        self._stopping = True
        for worker in list(self._workers.values()):
            worker.process.kill()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        for worker in self._workers.values():  # one may have started meanwhile
            worker.close()


class _Worker:
    """A process and this end of its pipe."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(target=_work, args=(theirs,), daemon=True)
        try:
            with interrupts_blocked():
                self.process.start()
        except BaseException:
            self.pipe.close()
            raise
        finally:
            theirs.close()  # so that the pipe ends when the worker does
        self._greeted = False

    def greet(self) -> None:
        """Wait until the worker has started. Raises EOFError if it ends before."""
        if not self._greeted:
            self.pipe.recv()
            self._greeted = True

    def call(self, packed: bytes) -> tuple[bool, Any]:
        self.pipe.send_bytes(packed)
        answer: tuple[bool, Any] = self.pipe.recv()
        return answer

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()


def cores() -> int:
    """How many processes can run at the same time on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int) -> None:
    """Raise `LimitError` for workers that could only take the machine's memory from each other."""
    if workers < 1:
        raise LimitError(f"workers must be at least 1, not {workers}")
    check_count(f"workers on {cores()} cores", workers, max(CROWD, CROWD_PER_CORE * cores()))


def crew(workers: int, cluster: str | None = None) -> Crew:
    """A crew of this many workers on this machine, or of the Dask scheduler at an address."""
    if cluster is not None:
        from inarow.arena.cluster import Cluster

        return Cluster(cluster)
    check_workers(workers)
    return Here() if workers == 1 else Processes(workers)


def _warm_kernels() -> None:
    """Compile the kernels once before several workers need them, unless no agent uses any."""
    if any(name.startswith("inarow.kernels.") for name in sys.modules):
        from inarow.kernels.lang.warm import warm

        warm()


def _work(pipe: Connection[Any, Any]) -> None:
    """The main loop of a worker: tasks from the pipe until it closes. Ctrl-C is left to the parent."""
    serve_parent()
    os.environ["INAROW_QUIET_COMPILE"] = "1"
    with contextlib.suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            packed = pipe.recv_bytes()
            try:
                answer = True, run(packed)
            except WrongProcess as error:
                answer = False, ArenaError(f"a worker process {error}")
            except Exception as error:
                answer = False, _portable(error)
            pipe.send(answer)


def _portable(error: Exception) -> Exception:
    """Return an exception that can be sent to the parent, with the traceback as a note."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # of a class that the parent can't make again
        error = RuntimeError("".join(traceback.format_exception_only(error)).strip())
    error.add_note(f"in a worker process:\n{trace}")
    return error
