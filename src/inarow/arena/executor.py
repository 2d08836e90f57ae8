"""The executor: everything that runs in parallel is a `Job`, done in this process, in worker processes, or by Dask.

A client either iterates over `Executor.run`, which keeps all workers busy and repeats the jobs of workers that died, or
submits a single job and keeps its `Task`: a future that can also be asked to end early, and talked to.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import os
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self, TypeVar

from inarow.agents import Agent
from inarow.arena.jobs import Channel, Job
from inarow.arena.tournament import config_hash
from inarow.errors import HostFailure
from inarow.limits import LimitError, check_count

if TYPE_CHECKING:
    from inarow.arena.store import Store

CROWD, CROWD_PER_CORE = 64, 4
"""The most workers on one machine: each takes about 100 MB of memory."""
MOST_DEATHS = 3
"""How often the worker of one job may die before `Executor.run` gives up."""

T = TypeVar("T")
Listener = Callable[[Any], None]
Stored = tuple[dict[str, Any], dict[str, Any]]
"""A result for JSON, and what of it depends on the clock."""


class WorkerDied(HostFailure):
    """The process that worked on a job ended before the job did."""

    def __init__(self, reason: str = "the worker process has died") -> None:
        super().__init__(reason)


class Task(Future[T]):
    """A submitted job."""

    def __init__(self, job: Job[T], listener: Listener | None = None) -> None:
        super().__init__()
        self.job = job
        self.listener = listener
        """Called with what an interactive job says, on a thread of the executor."""
        self.send: Callable[[str, Any], None] | None = None
        """Sends a message to the job; set while it runs."""
        self.packed = b""
        """The job as it is sent."""
        self.asked_to_end = False

    def cancel(self) -> bool:
        """Drop the job if it waits; if it runs, ask it to end early with what it has."""
        self.asked_to_end = True
        if super().cancel():
            return True
        self._tell("stop", None)
        return False

    def tell(self, value: Any) -> None:
        """Send a value to the job, which gets it from `Channel.told`."""
        self._tell("tell", value)

    def _tell(self, kind: str, value: Any) -> None:
        send = self.send
        if send is not None and not self.done():
            send(kind, value)

    def finish(self, succeeded: bool, value: Any) -> None:
        """Set the result or the exception."""
        self.set_result(value) if succeeded else self.set_exception(value)


class FairQueue:
    """Waiting tasks by priority; within a priority, clients take turns (start-time fair queuing)."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, float, int, Task[Any]]] = []
        self._count = itertools.count()
        self._clock = 0.0
        self._last: dict[str, float] = {}
        """The latest turn of each client that has one after the clock."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._heap)

    def put(self, task: Task[Any]) -> None:
        """Add a task, behind the others of its client."""
        job = task.job
        with self._lock:
            turn = max(self._clock, self._last.get(job.client, 0.0)) + (job.seconds or 1.0)
            self._last[job.client] = turn
            heapq.heappush(self._heap, (-job.priority, turn, next(self._count), task))

    def clients(self) -> set[str]:
        """Return whose tasks wait."""
        with self._lock:
            return {task.job.client for *_, task in self._heap if not task.cancelled()}

    def get(self, but_not: Collection[str] = ()) -> Task[Any] | None:
        """Return the next task that was not cancelled, marked as running; skip those of these clients."""
        while True:
            with self._lock:
                if not self._heap:
                    self._last.clear()
                passed = []
                while self._heap and self._heap[0][3].job.client in but_not:
                    passed.append(heapq.heappop(self._heap))
                found = heapq.heappop(self._heap) if self._heap else None
                for one in passed:
                    heapq.heappush(self._heap, one)
                if found is None:
                    return None
                _, turn, _, task = found
                self._clock = max(self._clock, turn)
            if task.set_running_or_notify_cancel():
                return task


class ChunkSize:
    """How many small jobs are sent together: as many as take the time that a job should take."""

    MOST = 5000

    def __init__(self) -> None:
        self.size = 1

    def fitting(self, share: int) -> int:
        """Return the size of the next chunk: smaller near the end, where a worker's share of the rest is small."""
        return max(1, min(self.size, max(share, self.size // 4)))

    def learn(self, seconds: float, wanted: float) -> None:
        """Fit the size to the seconds that a small job takes, and those that a chunk should take."""
        self.size = max(1, min(int(wanted / max(seconds, 1e-6)), 8 * self.size, self.MOST))


class Executor(ABC):
    """Does jobs. Use it in a ``with`` block: when that ends, for whatever reason, no process is left."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many jobs are done at the same time, now."""

    @property
    def chunk_seconds(self) -> float:
        """How long a job should take: much longer than its overhead, short enough for a live view."""
        return 0.2

    @abstractmethod
    def submit(self, job: Job[T], listener: Listener | None = None) -> Task[T]:
        """Have a job done."""

    def check(self, agents: Sequence[Agent]) -> None:
        """Raise if the workers that are there now can't play these agents."""

    def close(self) -> None:
        """End all work now; jobs that wait or run fail."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, jobs: Iterable[Job[T]] | Callable[[], Job[T] | None], ahead: int = 2) -> Iterator[tuple[Job[T], T]]:
        """Yield each job with its result as it is finished; ``ahead`` jobs are submitted per worker.

        A function returns the next job, or None if there is none for now; it is asked again when another is finished.
        A job whose worker died is repeated; if that does not help, raise `HostFailure` with ``job.what``.
        """
        following = jobs if callable(jobs) else functools.partial(next, iter(jobs), None)
        done: queue.SimpleQueue[Task[T]] = queue.SimpleQueue()
        running: dict[Task[T], None] = {}  # in the order of submission
        again: deque[Job[T]] = deque()
        deaths: Counter[Job[T]] = Counter()
        try:
            while True:
                while len(running) < max(1, ahead * self.size):
                    job = again.popleft() if again else following()
                    if job is None:
                        break
                    running[task := self.submit(job)] = None
                    task.add_done_callback(done.put)  # type: ignore[arg-type]
                if not running:
                    return
                task = done.get()
                del running[task]
                try:
                    result = task.result()
                except WorkerDied:
                    again += self._repeat(task.job, deaths)
                else:
                    yield task.job, result
        except (KeyboardInterrupt, Exception):  # what is finished must not be lost
            for task in running:
                if task.done() and not task.cancelled() and task.exception() is None:
                    yield task.job, task.result()
            raise
        finally:
            for task in running:
                task.cancel()

    def _repeat(self, job: Job[T], deaths: Counter[Job[T]]) -> Sequence[Job[T]]:
        if job.parts is not None:
            return job.parts()
        deaths[job] += 1
        if deaths[job] > MOST_DEATHS:
            raise HostFailure(f"a worker process dies whenever it {job.what}; what is finished is kept")
        return [job]

    def map(self, function: Callable[..., T], *arguments: Iterable[Any], what: str = "does one job") -> Iterator[T]:
        """Yield the results of calls in order, like the built-in ``map``, as soon as they and all before are known.

        Calls are sent in chunks, whose size adapts to the time that they take.
        """
        calls = list(zip(*arguments, strict=False))
        sent, chunks = 0, ChunkSize()
        found: dict[int, T] = {}

        def following() -> Job[tuple[list[T], float]] | None:
            nonlocal sent
            share = (len(calls) - sent) // (2 * max(1, self.size))
            first, sent = sent, min(len(calls), sent + chunks.fitting(share))
            return _chunk(function, first, calls[first:sent], what) if sent > first else None

        shown = 0
        for job, (results, seconds) in self.run(following):
            chunks.learn(seconds, self.chunk_seconds)
            found.update(enumerate(results, start=job.arguments[1]))
            while shown in found:
                yield found.pop(shown)
                shown += 1

    def store(self, jobs: Iterable[Job[Stored]], results: Store) -> Iterator[Job[Stored]]:
        """Do jobs whose results are not stored yet, each key once; yield each when its result is stored."""
        for job, (result, timing) in self.run(not_stored(jobs, results)):
            assert job.key is not None
            results.keep_measured(job.key, result, timing)
            yield job


def _chunk(
    function: Callable[..., T], first: int, calls: Sequence[tuple[Any, ...]], what: str
) -> Job[tuple[list[T], float]]:
    """Return the job of several calls, which is split if the worker dies."""
    numbered = enumerate(calls, start=first)
    parts = None if len(calls) == 1 else lambda: [_chunk(function, n, [call], what) for n, call in numbered]
    return Job(_do_calls, (function, first, calls), what, parts=parts)


def _do_calls(function: Callable[..., T], first: int, calls: Sequence[tuple[Any, ...]]) -> tuple[list[T], float]:
    """Do several calls, in a worker; return their results, and the seconds per call."""
    begun = time.perf_counter()
    results = [function(*call) for call in calls]
    return results, (time.perf_counter() - begun) / len(calls)


def not_stored(jobs: Iterable[Job[T]], results: Store) -> list[Job[T]]:
    """Return the jobs without a stored result; of several with the same key, one."""
    distinct = {config_hash(job.key): job for job in jobs if job.key is not None}
    return [job for job in distinct.values() if results.measured(job.key or {}) is None]


class InProcess(Executor):
    """No other process: a job is done when it is submitted. Limits of time and memory are not enforced."""

    size = 1

    def submit(self, job: Job[T], listener: Listener | None = None) -> Task[T]:
        task = Task(job, listener)
        task.set_running_or_notify_cancel()
        first = (Channel(listener),) if job.interactive else ()
        try:
            task.set_result(job.function(*first, *job.arguments))
        except Exception as error:
            task.set_exception(error)
        return task


def cores() -> int:
    """Return how many processes can run at the same time on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int) -> None:
    """Raise `LimitError` for workers that could only take the machine's memory from each other."""
    if workers < 1:
        raise LimitError(f"workers must be at least 1, not {workers}")
    check_count(f"workers on {cores()} cores", workers, max(CROWD, CROWD_PER_CORE * cores()))


def open_executor(workers: int | None = None, cluster: str | None = None) -> Executor:
    """Return an executor with this many workers on this machine, by default one per core, or the Dask scheduler at an
    address."""
    if cluster is not None:
        from inarow.arena.cluster import Cluster

        return Cluster(cluster)
    workers = cores() if workers is None else workers
    check_workers(workers)
    if workers == 1:
        return InProcess()
    from inarow.arena.processes import Processes

    return Processes(workers)
