"""Worker processes for thinking: tasks with deadlines that can be stopped, and workers that are replaced when they die.

A worker runs one task at a time on a thread of its own; its main thread listens for a request to stop. A task that is
not done some time after its deadline is ended by killing its worker.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing.connection import Connection
from typing import Any

from inarow.children import interrupts_blocked, serve_parent
from inarow.play.background import Unanswered
from inarow.stopping import Stop

GRACE = 3.0
"""Seconds after its deadline, or after it was told to stop, until a task's worker is killed."""
START_SECONDS = 120.0
"""Within which a worker must be ready: on a slow machine it compiles kernels first."""
_POLL = 0.02
_STOP = "stop"

Task = Callable[..., Any]
"""A function of a module, whose first argument is the `Stop` that ends it early."""


class TaskFailed(Unanswered):
    """The worker died or had to be killed; the message says which. Trying again may work."""


class Ticket:
    """A task under way."""

    def __init__(self, task: Task, arguments: tuple[Any, ...], seconds: float) -> None:
        self.task = task
        self.arguments = arguments
        self.seconds = seconds
        self.future: Future[Any] = Future()
        self.cancelled = threading.Event()

    def cancel(self) -> None:
        """Ask the task to end early with what it has; one that has not started is dropped at once."""
        self.cancelled.set()
        self.future.cancel()


class Pool:
    """Worker processes, started when the first tasks come. Use it in a ``with`` block, which leaves no process."""

    def __init__(
        self,
        size: int,
        *,
        prepare: Callable[[], None] | None = None,
        memory_mb: int | None = None,
        ready: threading.Event | None = None,
    ) -> None:
        """Work begins once ``ready`` is set, if it is given; each worker runs ``prepare`` before its first task."""
        self.size = size
        self.under_way: dict[int, Ticket] = {}
        """The tasks that workers have begun, by the worker's process id."""
        self._prepare = prepare
        self._ready = ready or threading.Event()
        if ready is None:
            self._ready.set()
        self._memory_mb = memory_mb
        self._tickets: queue.SimpleQueue[Ticket | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._closing = False

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the workers now instead of with the first tasks."""
        with self._lock:
            if not self._threads and not self._closing:
                self._threads = [
                    threading.Thread(target=self._serve, name=f"inarow-pool-{index}", daemon=True)
                    for index in range(self.size)
                ]
                for thread in self._threads:
                    thread.start()

    def submit(self, task: Task, *arguments: Any, seconds: float) -> Ticket:
        """Have ``task(stop, *arguments)`` done by a worker, which is killed if it takes much longer than that."""
        self.start()
        ticket = Ticket(task, arguments, seconds)
        with self._lock:  # none is put behind the last one that `close` looks at
            if self._closing:
                ticket.future.set_exception(TaskFailed("the server is shutting down"))
            else:
                self._tickets.put(ticket)
        return ticket

    def close(self) -> None:
        """End all workers; tasks that wait fail."""
        with self._lock:
            self._closing = True
        self._ready.set()
        for _ in self._threads:
            self._tickets.put(None)
        for thread in self._threads:
            thread.join(10)
        while not self._tickets.empty():
            ticket = self._tickets.get()
            if ticket is not None and ticket.future.set_running_or_notify_cancel():
                ticket.future.set_exception(TaskFailed("the server is shutting down"))

    def _serve(self) -> None:
        """Give tasks to one worker, one after the other, and replace it when it dies."""
        self._ready.wait()
        worker: _Worker | None = None
        with contextlib.suppress(EOFError, OSError):  # if it can't be started, the first task will say so
            worker = None if self._closing else self._new_worker()
        while (ticket := self._tickets.get()) is not None:
            if not ticket.future.set_running_or_notify_cancel():
                continue
            try:
                if self._closing:
                    raise TaskFailed("the server is shutting down")
                if worker is not None and not worker.process.is_alive():  # it died between two tasks
                    worker.close()
                    worker = None
                worker = worker or self._new_worker()
                done, value = self._run(worker, ticket)
            except TimeoutError:
                ticket.future.set_exception(TaskFailed(f"no answer within {ticket.seconds:g} s"))
            except (EOFError, OSError):
                ticket.future.set_exception(TaskFailed("the process that was thinking has died"))
            except Exception as error:  # arguments that can't be sent, or an answer that can't be read
                ticket.future.set_exception(error)
                continue
            else:
                ticket.future.set_result(value) if done else ticket.future.set_exception(value)
                continue
            if worker is not None:
                worker.close()
            worker = None
        if worker is not None:
            worker.close()

    def _run(self, worker: _Worker, ticket: Ticket) -> tuple[bool, Any]:
        number = worker.process.pid or 0
        self.under_way[number] = ticket
        try:
            return worker.run(ticket)
        finally:
            del self.under_way[number]

    def _new_worker(self) -> _Worker:
        return _Worker(self._prepare, self._memory_mb, lambda: self._closing)


class _Worker:
    """A process and this end of its pipe."""

    def __init__(self, prepare: Callable[[], None] | None, memory_mb: int | None, closing: Callable[[], bool]) -> None:
        self._closing = closing
        spawn = multiprocessing.get_context("spawn")
        self.pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(target=_work, args=(theirs, prepare, memory_mb), daemon=True)
        with interrupts_blocked():
            self.process.start()
        theirs.close()  # so that the pipe ends when the worker does
        try:
            until = time.monotonic() + START_SECONDS
            while not self.pipe.poll(_POLL):
                if closing() or time.monotonic() > until:
                    raise TimeoutError
            self.pipe.recv()  # it is prepared
        except BaseException:
            self.close()
            raise

    def run(self, ticket: Ticket) -> tuple[bool, Any]:
        """The answer to a task: whether it was done, and its value or exception."""
        self.pipe.send((ticket.task, ticket.arguments))
        until = time.monotonic() + ticket.seconds + GRACE
        told = False
        while not self.pipe.poll(_POLL):
            now = time.monotonic()
            if not told and (ticket.cancelled.is_set() or self._closing() or now > until - GRACE):
                self.pipe.send(_STOP)
                told = True
                until = min(until, now + GRACE)
            if now > until:
                raise TimeoutError
        answer: tuple[bool, Any] = self.pipe.recv()
        return answer

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()


def _work(pipe: Connection[Any, Any], prepare: Callable[[], None] | None, memory_mb: int | None) -> None:
    """What a worker does. Ctrl-C is left to the parent; the worker ends with it."""
    serve_parent()
    os.environ["INAROW_QUIET_COMPILE"] = "1"
    if memory_mb is not None:
        _bound_memory(memory_mb)
    if prepare is not None:
        prepare()
    pipe.send("ready")
    stop = Stop()
    with contextlib.suppress(EOFError, OSError):
        while True:
            message = pipe.recv()
            if message == _STOP:
                stop.set()
            else:  # the parent sends the next task only after the answer to the last one
                stop = Stop()
                threading.Thread(target=_answer, args=(pipe, stop, *message), daemon=True).start()


def _answer(pipe: Connection[Any, Any], stop: Stop, task: Task, arguments: tuple[Any, ...]) -> None:
    try:
        answer = True, task(stop, *arguments)
    except Exception as error:
        answer = False, error
    with contextlib.suppress(OSError):
        try:
            pipe.send(answer)
        except Exception as error:  # what can't be pickled; nothing was sent yet
            pipe.send((False, TaskFailed(f"an answer that can't be sent: {type(error).__name__}: {error}")))


def _bound_memory(megabytes: int) -> None:
    """Let allocations beyond this fail; not where the system can't."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
