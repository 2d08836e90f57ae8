"""Worker processes on this machine, replaced when they die.

One thread, the dispatcher, owns all workers. Other threads send it messages through a queue; it sends waiting tasks to
idle workers and sets the tasks' results. In a worker, the main thread runs jobs while another one reads the pipe, so
that a running job can be asked to end.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from inarow.arena.executor import (
    Channel,
    Executor,
    Job,
    Listener,
    Task,
    TaskQueue,
    WorkerDied,
    WrongProcess,
    portable,
    run,
)
from inarow.arena.tournament import ArenaError
from inarow.errors import HostFailure

GRACE = 3.0
"""Seconds between a job's limit, or a request to end, and the kill of its worker."""
START_SECONDS = 120.0
"""Seconds in which a worker must be ready; it may have to compile kernels first."""
NOT_STARTED = (
    "a worker process ended while it started; a script that uses several workers must be a file, and start them under "
    '`if __name__ == "__main__":`'
)
CLOSED = "the workers are shutting down"

T = TypeVar("T")


class Processes(Executor):
    """Worker processes on this machine, started on demand.

    The standard library's pool abandons all tasks when one worker dies, and so does loky's; neither has time limits.
    """

    size: int = 1

    def __init__(self, size: int, *, ready: threading.Event | None = None) -> None:
        """Make a pool without starting workers; they start when ``ready`` is set, or else after compiling kernels."""
        self.size = size
        self._ready = ready
        self._waiting = TaskQueue()
        self._messages: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._woken, self._wake = multiprocessing.Pipe(duplex=False)
        self._waking = threading.Lock()
        self._is_woken = False
        self.workers: list[_Worker] = []
        """Changed by the dispatcher only."""
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._any_started = False

    def submit(self, job: Job[T], listener: Listener | None = None) -> Task[T]:
        self._begin()
        task = Task(job, listener)
        task.packed = job.pack()
        with self._lock:
            if self._closed:
                task.set_exception(HostFailure(CLOSED))
            else:
                self._waiting.put(task)
                self._post()
        return task

    @property
    def busy(self) -> dict[int, Task[Any]]:
        """The running tasks, by process id of their worker."""
        return {worker.pid: task for worker in list(self.workers) if (task := worker.task) is not None}

    def stop(self) -> None:
        """Begin to close, without waiting for it."""
        with self._lock:
            self._closed = True
        if self._ready is not None:
            self._ready.set()
        self._post()

    def close(self) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def _begin(self) -> None:
        with self._lock:
            if self._thread is None and not self._closed:
                if self._ready is None:
                    _warm_kernels()
                self._thread = threading.Thread(target=self._dispatch, name="inarow-dispatcher", daemon=True)
                self._thread.start()

    def _post(self, action: Callable[..., None] | None = None, *arguments: Any) -> None:
        """Have the dispatcher do something, or only check its queues."""
        self._messages.put(functools.partial(action, *arguments) if action is not None else lambda: None)
        with self._waking:
            if not self._is_woken:  # once only: a full pipe would block, and the dispatcher posts, too
                self._wake.send_bytes(b"")
                self._is_woken = True

    def _dispatch(self) -> None:
        """Send tasks to workers and receive their answers, until closed."""
        if self._ready is not None:
            self._ready.wait()
        try:
            while not self._closed:
                self._assign()
                self._wait()
            self._stop_all()
        finally:
            with self._lock:
                self._closed = True
            for worker in list(self.workers):
                self._lose_quietly(worker)
            while (task := self._waiting.get()) is not None:
                task.set_exception(HostFailure(CLOSED))

    def _wait(self) -> None:
        """Wait for the next message or deadline, and process it."""
        now = time.monotonic()
        until = min((worker.until for worker in self.workers), default=float("inf"))
        pipes = {worker.pipe: worker for worker in self.workers}
        ends = {worker.process.sentinel: worker for worker in self.workers}
        found = wait([self._woken, *pipes, *ends], timeout=min(max(0.0, until - now), 3600))
        if self._woken in found:
            with self._waking:
                self._woken.recv_bytes()
                self._is_woken = False
            with contextlib.suppress(queue.Empty):
                while True:
                    self._messages.get_nowait()()
        for one in found:
            if one in pipes:
                self._receive(pipes[one])
        for one in found:
            if one in ends and ends[one] in self.workers and not ends[one].pipe.poll():
                self._lose(ends[one], WorkerDied())
        now = time.monotonic()
        for worker in [one for one in self.workers if one.until <= now]:
            self._expire(worker)

    def _assign(self) -> None:
        """Send waiting tasks to idle workers; start another worker if none is idle."""
        while len(self._waiting):
            idle = next((one for one in self.workers if one.idle), None)
            if idle is None:
                while len(self.workers) < self.size:
                    if sum(not one.greeted for one in self.workers) >= len(self._waiting):
                        break
                    self._add_worker()
                return
            task = self._waiting.get()
            if task is None:
                return
            task.send = functools.partial(self._post, self._tell, idle, task)
            self._begin_task(idle, task)

    def _begin_task(self, worker: _Worker, task: Task[Any]) -> None:
        try:
            worker.begin(task)
        except OSError:
            self._lose(worker, WorkerDied())

    def _tell(self, worker: _Worker, task: Task[Any], kind: str, value: Any) -> None:
        if worker.task is not task or worker not in self.workers:
            return
        if kind == "stop":
            worker.until = min(worker.until, time.monotonic() + GRACE)
            worker.asked = True
        with contextlib.suppress(OSError):
            worker.pipe.send((kind, value))

    def _add_worker(self) -> None:
        """Start a worker; if that fails, so does the next task."""
        try:
            self.workers.append(_Worker())
        except OSError as error:  # too many processes or open files, too little memory
            self._fail_next(
                HostFailure(f"a worker process can't be started: {error.strerror or error}; give fewer workers")
            )
        except RuntimeError:  # this process is itself a worker, which runs the script again
            self._fail_next(HostFailure(NOT_STARTED))

    def _fail_next(self, error: Exception) -> None:
        task = self._waiting.get()
        if task is not None:
            task.set_exception(error)

    def _receive(self, worker: _Worker) -> None:
        try:
            kind, value = worker.pipe.recv()
        except (EOFError, OSError):
            self._lose(worker, WorkerDied())
            return
        except Exception as error:  # an answer that can't be read here
            kind, value = "done", (False, error)
        task = worker.task
        if kind == "ready":
            worker.free()
            self._any_started = True
        elif kind == "message":
            if task is not None and task.listener is not None:
                task.listener(value)
        elif task is not None:
            worker.free()
            task.finish(*value)

    def _expire(self, worker: _Worker) -> None:
        """Ask a job whose time is up to end, and kill the worker of one that was asked before."""
        task = worker.task
        if task is None or worker.asked:
            seconds = START_SECONDS if task is None else task.job.seconds
            self._lose(worker, HostFailure("no answer" + (f" within {seconds:g} s" if seconds else "")))
        else:
            self._tell(worker, task, "stop", None)
            worker.until = time.monotonic() + GRACE

    def _lose(self, worker: _Worker, reason: HostFailure) -> None:
        """Remove a worker that died or must be killed; its task fails."""
        if worker in self.workers:
            self.workers.remove(worker)
            worker.close()
            if worker.task is not None:
                worker.task.set_exception(reason)
            elif not worker.greeted:
                self._fail_next(reason if self._any_started else HostFailure(NOT_STARTED))

    def _stop_all(self) -> None:
        """Give interactive jobs a moment to return a partial result; stop all others now."""
        for worker in list(self.workers):
            if worker.task is None or not worker.task.job.interactive:
                self._lose_quietly(worker)
            else:
                self._tell(worker, worker.task, "stop", None)
        while self.workers:
            self._wait()
            for worker in [one for one in self.workers if one.task is None]:
                self._lose_quietly(worker)

    def _lose_quietly(self, worker: _Worker) -> None:
        worker.greeted = True
        self._lose(worker, HostFailure(CLOSED))


class _Worker:
    """A process and this end of its pipe; used by the dispatcher only."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.pipe, child_end = spawn.Pipe()
        self.process = spawn.Process(target=_work, args=(child_end,), daemon=True)
        try:
            with interrupts_blocked():
                self.process.start()
        except BaseException:
            self.pipe.close()
            raise
        finally:
            child_end.close()  # so that the pipe ends when the worker does
        self.pid = self.process.pid or 0
        self.task: Task[Any] | None = None
        self.greeted = False
        self.asked = False
        """True if the job was asked to end."""
        self.until = time.monotonic() + START_SECONDS

    @property
    def idle(self) -> bool:
        """True if it can begin a task."""
        return self.greeted and self.task is None

    def begin(self, task: Task[Any]) -> None:
        """Send a task to the process."""
        self.task, self.asked = task, False
        self.until = time.monotonic() + (float("inf") if task.job.seconds is None else task.job.seconds)
        self.pipe.send(("run", task.packed))

    def free(self) -> None:
        """Note that the process has started, or has finished its task."""
        self.task, self.greeted, self.until = None, True, float("inf")

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()


def _warm_kernels() -> None:
    """Compile the kernels once before several workers need them, unless no agent uses any."""
    if any(name.startswith("inarow.kernels.") for name in sys.modules):
        from inarow.kernels.warm import warm

        warm()


def _work(pipe: Connection[Any, Any]) -> None:
    """Run jobs until the parent ends; the parent handles Ctrl-C."""
    serve_parent()
    os.environ["INAROW_QUIET_COMPILE"] = "1"
    jobs: queue.SimpleQueue[tuple[Channel, bytes]] = queue.SimpleQueue()
    lock = threading.Lock()

    def send(kind: str, value: Any) -> None:
        with lock:
            pipe.send((kind, value))

    threading.Thread(target=_listen, args=(pipe, jobs, send), name="inarow-listener", daemon=True).start()
    with contextlib.suppress(OSError):
        send("ready", None)
        while True:
            channel, packed = jobs.get()
            try:
                answer = True, run(packed, channel)
            except WrongProcess as error:
                answer = False, ArenaError(f"a worker process {error}")
            except Exception as error:
                answer = False, portable(error)
            try:
                send("done", answer)
            except OSError:
                raise
            except Exception as error:  # it can't be pickled; nothing was sent yet
                problem = HostFailure(f"the answer can't be sent: {type(error).__name__}: {error}")
                send("done", (False, problem))


def _listen(
    pipe: Connection[Any, Any], jobs: queue.SimpleQueue[tuple[Channel, bytes]], send: Callable[[str, Any], None]
) -> None:
    """Receive jobs, and messages for the running job."""

    def report(value: Any) -> None:
        with contextlib.suppress(OSError):
            send("message", value)

    channel = Channel(report)
    with contextlib.suppress(EOFError, OSError):
        while True:
            kind, value = pipe.recv()
            if kind == "run":
                channel = Channel(report)
                jobs.put((channel, value))
            elif kind == "stop":
                channel.set()
            else:
                channel.tell(value)


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C while a process is started in the block; other signals are unaffected."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve_parent() -> None:
    """Make this process ignore Ctrl-C and end when the parent does; a child calls this first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, name="inarow-parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
