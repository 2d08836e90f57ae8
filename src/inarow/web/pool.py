"""Worker processes for thinking: tasks with deadlines that can be stopped, and workers that are replaced when they die.

A worker runs one task at a time on a thread of its own; its main thread listens for a request to stop and for what the
task is told on the way. A task that is not done some time after its deadline is ended by killing its worker.
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
_TELL = "tell"
_SAID = "said"
"""Kinds of messages to a worker, and from it, besides a task and its answer."""

Task = Callable[..., Any]
"""A function of a module, whose first argument is the `Channel` that ends it early."""


class Channel(Stop):
    """A task's connection to its caller: the flag that ends it, what it says before its answer, what it is told."""

    __slots__ = ("_pipe", "_told")

    def __init__(self, pipe: Connection[Any, Any]) -> None:
        super().__init__()
        self._pipe = pipe
        self._told: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def say(self, value: Any) -> None:
        """Send a value to the ticket's listener; for the thread of the task only."""
        with contextlib.suppress(OSError):
            self._pipe.send((_SAID, value))

    def tell(self, value: Any) -> None:
        """Put a value where the task finds it."""
        self._told.put(value)

    def told(self, seconds: float = 0.0) -> Any | None:
        """The next value that the task was told, after waiting this long at most; None if there is none."""
        try:
            return self._told.get(timeout=seconds) if seconds else self._told.get_nowait()
        except queue.Empty:
            return None


class TaskFailed(Unanswered):
    """The worker died or had to be killed; the message says which. Trying again may work."""


class Ticket:
    """A task under way."""

    def __init__(
        self, task: Task, arguments: tuple[Any, ...], seconds: float, listener: Callable[[Any], None] | None = None
    ) -> None:
        self.task = task
        self.arguments = arguments
        self.seconds = seconds
        self.listener = listener
        """Gets what the task says, on a thread of the pool."""
        self.future: Future[Any] = Future()
        self.cancelled = threading.Event()
        self.to_tell: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def cancel(self) -> None:
        """Ask the task to end early with what it has; one that has not started is dropped at once."""
        self.cancelled.set()
        self.future.cancel()

    def tell(self, value: Any) -> None:
        """Tell the task something, which it gets by `Channel.told`."""
        self.to_tell.put(value)


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

    def submit(
        self, task: Task, *arguments: Any, seconds: float, listener: Callable[[Any], None] | None = None
    ) -> Ticket:
        """Have ``task(channel, *arguments)`` done by a worker, which is killed if it takes much longer than that.
        ``listener`` gets what the task says on the way."""
        self.start()
        ticket = Ticket(task, arguments, seconds, listener)
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
        while True:
            if self.pipe.poll(_POLL):
                kind, value = self.pipe.recv()
                if kind != _SAID:
                    return kind, value
                if ticket.listener is not None:
                    ticket.listener(value)
            while not ticket.to_tell.empty():
                self.pipe.send((_TELL, ticket.to_tell.get()))
            now = time.monotonic()
            if not told and (ticket.cancelled.is_set() or self._closing() or now > until - GRACE):
                self.pipe.send((_STOP, None))
                told = True
                until = min(until, now + GRACE)
            if now > until:
                raise TimeoutError

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
    channel = Channel(pipe)
    with contextlib.suppress(EOFError, OSError):
        while True:
            what, value = pipe.recv()
            if what == _STOP:
                channel.set()
            elif what == _TELL:
                channel.tell(value)
            else:  # the parent sends the next task only after the answer to the last one
                channel = Channel(pipe)
                threading.Thread(target=_answer, args=(pipe, channel, what, value), daemon=True).start()


def _answer(pipe: Connection[Any, Any], channel: Channel, task: Task, arguments: tuple[Any, ...]) -> None:
    try:
        answer = True, task(channel, *arguments)
    except Exception as error:
        answer = False, error
    with contextlib.suppress(OSError):
        try:
            pipe.send(answer)
        except Exception as error:  # what can't be pickled; nothing was sent yet
            pipe.send((False, TaskFailed(f"an answer that can't be sent: {type(error).__name__}: {error}")))


def _bound_memory(megabytes: int) -> None:
    """Let allocations beyond this fail, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
