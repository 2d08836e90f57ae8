"""The executor: everything that runs in parallel is a `Job`, run in this process, in worker processes, or by Dask.

A client either iterates over `Executor.run`, which keeps all workers busy and repeats the jobs of workers that died, or
submits a single job and keeps its `Task`: a future that can also be stopped early and exchange messages.

Jobs are sent to other processes as bytes. Classes of ``__main__`` or a notebook are sent by value if cloudpickle is
installed. Jobs for a cluster carry the versions and file hashes of their agents; a worker that differs refuses them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import heapq
import itertools
import os
import pickle
import queue
import sys
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from inarow import __version__
from inarow.agents import Agent
from inarow.arena.tournament import ArenaError, config_hash
from inarow.errors import HostFailure, InarowError, check_instance, check_integer
from inarow.limits import LimitError
from inarow.machine import Usage
from inarow.stopping import SYSTEM_CLOCK, Stop

if TYPE_CHECKING:
    from inarow.arena.store import Store


CROWD, CROWD_PER_CORE = 64, 4
"""Maximum number of workers on one machine, in all and per core; each takes about 100 MB of memory."""
SLACK_MB = 200
"""Memory that a job may take beyond its limit, for models, loaded kernels and threads."""
MAX_DEATHS = 3
"""Number of workers that may die on one job before `Executor.run` gives up."""

T = TypeVar("T")
Listener = Callable[[Any], None]
Stored = tuple[dict[str, Any], dict[str, Any]]
"""A result for JSON, and its times."""


class WorkerDied(HostFailure):
    """The worker process died before it finished the job."""

    def __init__(self, reason: str = "the worker process has died") -> None:
        super().__init__(reason)


class Task(Future[T]):
    """A submitted job."""

    def __init__(self, job: Job[T], listener: Listener | None = None) -> None:
        super().__init__()
        self.job = job
        self.listener = listener
        """Called with each message of an interactive job, on a thread of the executor."""
        self.send: Callable[[str, Any], None] | None = None
        """Sends a message to the job; set while it runs."""
        self.packed = b""
        """The serialized job."""
        self.asked_to_end = False

    def cancel(self) -> bool:
        """Cancel the job if it waits; if it is running, ask it to return its partial result."""
        self.asked_to_end = True
        if super().cancel():
            return True
        self._tell("stop", None)
        return False

    def tell(self, value: Any) -> None:
        """Send a value to the job, which receives it by `Channel.receive`."""
        self._tell("tell", value)

    def _tell(self, kind: str, value: Any) -> None:
        send = self.send
        if send is not None and not self.done():
            send(kind, value)

    def finish(self, succeeded: bool, value: Any) -> None:
        """Set the result or the exception."""
        self.set_result(value) if succeeded else self.set_exception(value)


class TaskQueue:
    """Waiting tasks by priority, and within a priority in the order in which they came."""

    def __init__(self) -> None:
        self._tasks: list[tuple[int, int, Task[Any]]] = []
        self._count = itertools.count()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._tasks)

    def put(self, task: Task[Any]) -> None:
        """Add a task."""
        with self._lock:
            heapq.heappush(self._tasks, (-task.job.priority, next(self._count), task))

    def get(self) -> Task[Any] | None:
        """Return the next task that was not cancelled, marked as running; None if there is none."""
        with self._lock:
            while self._tasks:
                *_, task = heapq.heappop(self._tasks)
                if task.set_running_or_notify_cancel():
                    return task
            return None


class ChunkSize:
    """The number of calls that are sent as one job, adapted so that a job takes the intended time."""

    MAXIMUM = 5000

    def __init__(self) -> None:
        self.size = 1

    def fitting(self, share: int) -> int:
        """Return the size of the next chunk: smaller near the end, where a worker's share of the rest is small."""
        return max(1, min(self.size, max(share, self.size // 4)))

    def learn(self, seconds: float, wanted: float) -> None:
        """Adapt the size to the seconds per call, and the intended seconds per chunk."""
        self.size = max(1, min(int(wanted / max(seconds, 1e-6)), 8 * self.size, self.MAXIMUM))


class Executor(ABC):
    """Runs jobs. Use it in a ``with`` block: when the block ends, for whatever reason, no process is left."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The current number of jobs that run at the same time."""

    @property
    def chunk_seconds(self) -> float:
        """Intended seconds per job: much longer than its overhead, short enough for a live view."""
        return 0.2

    @abstractmethod
    def submit(self, job: Job[T], listener: Listener | None = None) -> Task[T]:
        """Submit a job."""

    def check(self, agents: Sequence[Agent]) -> None:
        """Raise if the current workers can't play these agents."""

    def close(self) -> None:
        """Stop now; waiting and running jobs fail."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, jobs: Iterable[Job[T]] | Callable[[], Job[T] | None], ahead: int = 2) -> Iterator[tuple[Job[T], T]]:
        """Yield each job with its result as it is finished; ``ahead`` jobs are submitted per worker.

        A function returns the next job, or None to wait until another one is finished.
        A job whose worker died is repeated; if that does not help, raise `HostFailure` with ``job.what``.
        """
        next_job = jobs if callable(jobs) else functools.partial(next, iter(jobs), None)
        done: queue.SimpleQueue[Task[T]] = queue.SimpleQueue()
        running: dict[Task[T], None] = {}  # in the order of submission
        retries: deque[Job[T]] = deque()
        deaths: Counter[Job[T]] = Counter()
        try:
            while True:
                while len(running) < max(1, ahead * self.size):
                    job = retries.popleft() if retries else next_job()
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
                    retries += self._repeat(task.job, deaths)
                else:
                    yield task.job, result
        except (KeyboardInterrupt, Exception):  # finished results must not be lost
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
        if deaths[job] > MAX_DEATHS:
            raise HostFailure(f"a worker process dies whenever it {job.what}; finished results are kept")
        return [job]

    def map(self, function: Callable[..., T], *arguments: Iterable[Any], what: str = "does one job") -> Iterator[T]:
        """Yield the results of calls in order, like the built-in ``map``, each as soon as all before it are known.

        Calls are sent in chunks, whose size adapts to the time that they take.
        """
        calls = list(zip(*arguments, strict=False))
        sent, chunks = 0, ChunkSize()
        found: dict[int, T] = {}

        def next_job() -> Job[tuple[list[T], float]] | None:
            nonlocal sent
            share = (len(calls) - sent) // (2 * max(1, self.size))
            first, sent = sent, min(len(calls), sent + chunks.fitting(share))
            return _chunk(function, first, calls[first:sent], what) if sent > first else None

        next_index = 0
        for job, (results, seconds) in self.run(next_job):
            chunks.learn(seconds, self.chunk_seconds)
            found.update(enumerate(results, start=job.arguments[1]))
            while next_index in found:
                yield found.pop(next_index)
                next_index += 1

    def store(self, jobs: Iterable[Job[Stored]], results: Store) -> Iterator[Job[Stored]]:
        """Run jobs whose results are not stored yet, each key once; yield each when its result is stored."""
        for job, (result, timing) in self.run(not_stored(jobs, results)):
            assert job.key is not None
            results.keep_measured(job.key, result, timing)
            yield job


def _chunk(
    function: Callable[..., T], first: int, calls: Sequence[tuple[Any, ...]], what: str
) -> Job[tuple[list[T], float]]:
    """Return a job of several calls, which is split if the worker dies."""
    numbered = enumerate(calls, start=first)
    parts = None if len(calls) == 1 else lambda: [_chunk(function, n, [call], what) for n, call in numbered]
    return Job(_do_calls, (function, first, calls), what, parts=parts)


def _do_calls(function: Callable[..., T], first: int, calls: Sequence[tuple[Any, ...]]) -> tuple[list[T], float]:
    """Make several calls, in a worker; return their results, and the seconds per call."""
    begun = time.perf_counter()
    results = [function(*call) for call in calls]
    return results, (time.perf_counter() - begun) / len(calls)


def not_stored(jobs: Iterable[Job[T]], results: Store) -> list[Job[T]]:
    """Return the jobs without a stored result; of several with the same key, one."""
    distinct = {config_hash(job.key): job for job in jobs if job.key is not None}
    return [job for job in distinct.values() if results.measured(job.key or {}) is None]


class InProcess(Executor):
    """Runs each job in this process when it is submitted. Time and memory limits are not enforced."""

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
    """Raise `LimitError` if this machine has too little memory for so many workers."""
    most = max(CROWD, CROWD_PER_CORE * cores())
    check_integer(f"workers on {cores()} cores", workers, 1, most, LimitError)


def open_executor(workers: int | None = None, cluster: str | None = None) -> Executor:
    """Return an executor with this many workers on this machine, by default one per core, or the Dask scheduler at an
    address."""
    if cluster is not None:
        check_instance("cluster", cluster, str, "the address of a Dask scheduler, such as 'tcp://host:8786'")
        from inarow.arena.cluster import Cluster

        return Cluster(cluster)
    workers = cores() if workers is None else workers
    check_workers(workers)
    if workers == 1:
        return InProcess()
    from inarow.arena.processes import Processes

    return Processes(workers)


_HASHED = {".py", ".npz", ".json", ".csv", ".book", ".verdicts"}
"""Files of a package that can decide how an agent plays."""


class WrongProcess(ArenaError):
    """The process has another version of an agent or package; the message completes "worker …"."""


class Provenance(NamedTuple):
    """The versions of packages and files that determine how agents play in a process."""

    packages: Mapping[str, str]
    """The version and a digest of the sources of inarow and of each package with a class of an agent."""
    identities: Mapping[str, str]
    """By spec."""

    @classmethod
    def of(cls, agents: Iterable[Agent], known: MutableMapping[str, str] | None = None) -> Provenance:
        """Return the provenance of agents in this process; ``known`` caches identities by spec."""
        found = {} if known is None else known
        packages = {"inarow"}
        specs = []
        for agent in agents:
            specs.append(agent.spec)
            if agent.spec not in found:
                found[agent.spec] = agent.identity
            packages |= {_package(kind.__module__) for kind in type(agent).__mro__}
        packages -= {*sys.stdlib_module_names, "__main__", "__mp_main__"}
        return cls({name: _version(name) for name in sorted(packages)}, {spec: found[spec] for spec in specs})

    def check(self, agents: Iterable[Agent]) -> None:
        """Raise `WrongProcess` if these agents are not the same in this process."""
        try:
            here = Provenance.of(agents)
        except InarowError as error:
            raise WrongProcess(f"can't play: {error}") from None
        for package, wanted in self.packages.items():
            if here.packages.get(package) != wanted:
                raise WrongProcess(
                    f"has {package} {here.packages.get(package)}, this is {wanted}, so "
                    f"{', '.join(self.identities) or 'a job'} may give other results there; install the same"
                )
        for spec, identity in self.identities.items():
            if here.identities.get(spec) != identity:
                raise WrongProcess(f"has another file for {spec}; copy it there")


def agents_in(values: Iterable[object]) -> Iterator[Agent]:
    """Yield the agents among these values, also within tuples, lists and dataclasses."""
    for value in values:
        if isinstance(value, Agent):
            yield value
        elif isinstance(value, tuple | list):
            yield from agents_in(value)
        elif is_dataclass(value) and not isinstance(value, type):
            yield from agents_in(getattr(value, field.name) for field in fields(value))


def _dumps(value: object) -> bytes:
    try:
        data = pickle.dumps(value)
        if b"__main__" not in data:
            return data
    except Exception:  # pickle raises various errors for local classes and lambdas
        data = b""
    try:
        import cloudpickle
    except ImportError:
        if data and getattr(sys.modules["__main__"], "__file__", None):  # a worker process imports that file
            return data
        where = "its class is defined in a notebook or a function"
        raise pickle.PicklingError(f"{where}; move it to a module, pip install cloudpickle") from None
    try:
        sent: bytes = cloudpickle.dumps(value)
    except Exception as error:
        raise pickle.PicklingError(f"{type(error).__name__}: {error}; remove it") from None
    return sent


def _can_be_sent(agent: Agent) -> bool:
    try:
        return bool(_dumps(agent))
    except pickle.PicklingError:
        return False


class Channel(Stop):
    """The connection of an interactive job to its client: the flag that ends it early, and messages in both
    directions."""

    __slots__ = ("_received", "send")

    def __init__(self, send: Callable[[Any], None] | None = None) -> None:
        super().__init__()
        self.send = send or (lambda value: None)
        """Send a value to the listener of the task."""
        self._received: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def tell(self, value: Any) -> None:
        """Queue a value for the job."""
        self._received.put(value)

    def receive(self, seconds: float = 0.0) -> Any | None:
        """Return the next value sent to the job, or None if none arrives within this time."""
        try:
            return self._received.get(timeout=seconds) if seconds else self._received.get_nowait()
        except queue.Empty:
            return None


@dataclass(frozen=True, eq=False)
class Job(Generic[T]):
    """A call to a function of a module whose result depends only on its arguments, such as a seed."""

    function: Callable[..., T]
    arguments: tuple[Any, ...] = ()
    what: str = "does one job"
    """Completes the sentence "a worker process dies whenever it …"."""
    key: dict[str, Any] | None = None
    """The configuration under which the result is stored, if any."""
    parts: Callable[[], Sequence[Job[T]]] | None = None
    """Smaller jobs to run instead if the worker dies, to find the one that kills it."""
    interactive: bool = False
    """Pass a `Channel` as the first argument, for messages and for stopping early."""
    seconds: float | None = None
    """Ask the job to end after this long, and kill its worker soon after."""
    memory_mb: int | None = None
    """Memory that the job may take: larger allocations fail."""
    priority: int = 0
    """Waiting jobs of higher priority run first."""

    def pack(self, expected: Provenance | None = None) -> bytes:
        """Return the job as bytes for `run`. Raises `ArenaError` if an argument can't be sent."""
        try:
            return _dumps((self.function, self.arguments, self.interactive, self.seconds, self.memory_mb, expected))
        except pickle.PicklingError as error:
            sender = next((agent.spec for agent in agents_in(self.arguments) if not _can_be_sent(agent)), "a job")
            raise ArenaError(f"{sender} can't be sent to another process: {error}, or give workers=1") from None


def run(data: bytes, channel: Channel | None = None) -> Any:
    """Run a packed job. Raises `WrongProcess` if its agents are not the same in this process."""
    try:
        function, arguments, interactive, seconds, memory_mb, expected = pickle.loads(data)
    except Exception as error:  # a missing or different module can raise anything
        raise WrongProcess(
            f"can't load an agent or a job ({type(error).__name__}: {error}); install its requirements there"
        ) from None
    if expected is not None:
        expected.check(agents_in(arguments))
    with _memory_limit(memory_mb):
        if not interactive:
            return function(*arguments)
        channel = channel or Channel()
        with SYSTEM_CLOCK.alarm(seconds, channel):
            return function(channel, *arguments)


@contextlib.contextmanager
def _memory_limit(megabytes: int | None) -> Iterator[None]:
    """Make allocations fail that would grow this process by clearly more than this, if the system supports it."""
    if megabytes is None or not (allocated := Usage.now().allocated):
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (int(allocated + megabytes + SLACK_MB) << 20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def portable(error: Exception) -> Exception:
    """Return an exception that can be sent to another process, with the traceback as a note."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # its class can't be unpickled
        error = RuntimeError("".join(traceback.format_exception_only(error)).strip())
    error.add_note(f"in a worker process:\n{trace}")
    return error


def _package(module: str) -> str:
    """Return the package that a module belongs to; the module itself in a namespace package."""
    top = module.partition(".")[0]
    return top if getattr(sys.modules.get(top), "__file__", None) else module


@functools.cache
def _version(package: str) -> str:
    """Return the version of an imported package and a digest of its sources and data."""
    module = sys.modules.get(package)
    file = getattr(module, "__file__", None)
    digest = hashlib.sha256()
    if file is not None:
        root = Path(file).parent if hasattr(module, "__path__") else Path(file)
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if path.suffix in _HASHED:
                digest.update(f"{path.relative_to(root).as_posix()}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
    version = __version__ if package == "inarow" else getattr(module, "__version__", "")
    return " ".join(filter(None, (str(version), f"(sources {digest.hexdigest()[:12]})")))
