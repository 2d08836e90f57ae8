"""An executor that runs jobs on several machines, by the workers of a Dask scheduler.

This is only a client; the cluster is started separately. A job is sent as bytes, so that the scheduler needs no plugin,
and with the identity of its agents: a worker with another version or file refuses it, even if it joins later. Dask
repeats the jobs of a lost worker.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import logging
import re
import socket
import threading
import time
from collections.abc import Sequence
from typing import Any, TypeVar

from inarow import __version__
from inarow.agents import Agent
from inarow.arena.executor import (
    Executor,
    Job,
    Listener,
    Provenance,
    Task,
    TaskQueue,
    WorkerDied,
    WrongProcess,
    agents_in,
    portable,
    run,
)
from inarow.arena.tournament import ArenaError
from inarow.errors import Unsupported, printable

T = TypeVar("T")

CONNECT_SECONDS = 3
RECOUNT_SECONDS = 1.0
AHEAD = 2
"""Jobs sent per worker thread: one running, one waiting."""
JOB_OVERHEAD = 0.005
"""Seconds per job: client and scheduler take about 1.8 ms each, and should be idle for more than half of the time."""
_ADDRESS = re.compile(r"(?:(?:tcp|tls|wss?)://)?(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):(\d{1,5})")


class ClusterError(ArenaError):
    """The cluster can't be used, or was lost."""


def distributed() -> Any:
    """Import Dask's library for clusters. Raises `Unsupported` with what to install if it is missing."""
    try:
        import distributed as library
    except ImportError:
        raise Unsupported("a cluster needs Dask: install it with  pip install 'inarow[cluster]'") from None
    return library


class Cluster(Executor):
    """The workers of a Dask scheduler, as many as there are at any time."""

    def __init__(self, address: str) -> None:
        if importlib.util.find_spec("distributed") is not None:  # check the address before this slow import
            _check_answers(address)
        library = distributed()
        _check_encryption(library, address)
        _silence("distributed")  # a lost scheduler is reported once, by us
        self.address = address
        try:
            self.client = library.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except Exception as error:  # Dask raises anything if something else answers
            reason = "no answer" if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            raise ClusterError(f"no Dask scheduler at {address} within {CONNECT_SECONDS} s: {reason:.200}") from None
        self._killed = library.scheduler.KilledWorker
        self._identities: dict[str, str] = {}
        """Identities of the agents when first sent, by spec."""
        self._waiting = TaskQueue()
        self._lock = threading.Lock()
        self._flight = 0
        self._closed = False
        self._size = 0
        self._counted = float("-inf")
        if not self.size:
            self.client.close()
            raise ClusterError(f"the scheduler at {address} has no workers; start some with `dask worker {address}`")

    @property
    def size(self) -> int:
        """The threads of all workers, counted again every second: workers join and leave."""
        now = time.monotonic()
        if now - self._counted > RECOUNT_SECONDS:
            self._counted = now
            with contextlib.suppress(Exception):  # a lost scheduler is noticed by the jobs
                counts = self.client.sync(self.client.scheduler.ncores, callback_timeout=CONNECT_SECONDS)
                self._size = sum(counts.values())
        return self._size

    @property
    def chunk_seconds(self) -> float:
        """Intended seconds per job, longer with more workers so that client and scheduler are idle half of the time."""
        return max(super().chunk_seconds, JOB_OVERHEAD * self.size)

    def check(self, agents: Sequence[Agent]) -> None:
        """Raise `ClusterError` if a current worker has another version of inarow, or other files."""
        packed = self._packed(Job(_nothing, tuple(agents)))
        try:
            answers = self.client.run(_run, packed)
        except Exception as error:
            raise self._unusable(error) from None
        for succeeded, value in answers.values():
            if not succeeded:
                raise value

    def submit(self, job: Job[T], listener: Listener | None = None) -> Task[T]:
        task = Task(job, listener)
        task.packed = self._packed(job)
        self._waiting.put(task)
        self._pump()
        return task

    def _pump(self, finished: int = 0) -> None:
        """Send a few waiting tasks to each worker; the others wait here in order of priority."""
        with self._lock:
            self._flight -= finished
            while self._flight < AHEAD * max(1, self._size) and (task := self._waiting.get()) is not None:
                try:
                    future = self.client.submit(_run, task.packed, pure=False)
                except Exception as error:  # the connection is lost
                    task.set_exception(ClusterError(f"lost the cluster at {self.address}: {error}"))
                    continue
                self._flight += 1
                # The callback keeps Dask's future alive: Dask cancels jobs without one.
                future.add_done_callback(functools.partial(self._finish, task))

    def _packed(self, job: Job[Any]) -> bytes:
        return job.pack(Provenance.of(agents_in(job.arguments), self._identities))

    def _unusable(self, error: BaseException) -> ClusterError:
        """Return the error for a job that could not be started."""
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        needed = f"install inarow {__version__} on every machine"
        return ClusterError(f"the cluster at {self.address} can't be used ({reason:.200}); {needed}")

    def _finish(self, task: Task[Any], done: Any) -> None:
        try:
            if done.status == "finished":
                task.finish(*done.result())
            elif done.status == "error":
                error = done.exception()
                task.set_exception(WorkerDied() if isinstance(error, self._killed) else self._unusable(error))
            elif self.client.status == "running":  # cancelled by the scheduler because its worker was lost
                task.set_exception(WorkerDied())
            else:
                raise ClusterError(f"lost the scheduler at {self.address}")
        except Exception as error:
            if not task.done():
                lost = error if isinstance(error, ClusterError) else None
                task.set_exception(lost or ClusterError(f"lost the cluster at {self.address}: {error}"))
        if not self._closed:
            self._pump(finished=1)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.client.close(timeout=2)


def _silence(library: str) -> None:
    """Silence a library's loggers, including those with their own level."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == library:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _check_answers(address: str) -> None:
    """Raise `ClusterError` if the address is invalid or no scheduler answers: Dask might wait forever."""
    parts = _ADDRESS.fullmatch(address)
    if parts is None or not 0 < int(parts[2]) < 65536:
        raise ClusterError(f"no Dask scheduler at {printable(address)}: an address is written tcp://HOST:PORT")
    reasons: list[str] = []

    def connect() -> None:
        place = parts[1].strip("[]"), int(parts[2])
        try:
            with socket.create_connection(place, timeout=CONNECT_SECONDS) as line:
                # Over plain TCP a scheduler sends first, beginning with the length of its message.
                greeting = b"\0" * 8 if re.match("tls|ws", address) else line.recv(8)
        except TimeoutError:
            return
        except (OSError, ValueError) as error:
            reasons.append(f"nothing answers there ({getattr(error, 'strerror', None) or error})")
        else:
            is_scheduler = len(greeting) == 8 and not any(greeting[4:])
            reasons.append("" if is_scheduler else "something else answers there")

    thread = threading.Thread(target=connect, name="inarow-address", daemon=True)  # resolving names may be slow
    thread.start()
    thread.join(CONNECT_SECONDS - 0.5)
    reason = reasons[0] if reasons else "no scheduler answers there"
    if reason:
        raise ClusterError(f"no Dask scheduler at {address} within {CONNECT_SECONDS} s: {reason}")


def _check_encryption(library: Any, address: str) -> None:
    """Raise `ClusterError` if the address needs encryption and Dask is not configured for it."""
    if not re.match("tls:|wss:", address):
        return
    try:
        ready = library.security.Security().get_connection_args("client")["ssl_context"] is not None
    except (OSError, ValueError) as error:
        raise ClusterError(f"the TLS settings of Dask can't be used: {error}") from None
    if not ready:
        raise ClusterError(
            f"no Dask scheduler at {address}: Dask has no TLS settings (distributed.comm.tls in its configuration); "
            "without encryption an address is written tcp://HOST:PORT"
        )


def _run(packed: bytes, dask_worker: Any = None) -> tuple[bool, Any]:
    """Run a packed job on a worker; return (True, result) or (False, exception).

    ``Client.run`` passes the worker; in a submitted job it is looked up.
    """
    try:
        return True, run(packed)
    except WrongProcess as error:
        worker = dask_worker or distributed().get_worker()
        return False, ClusterError(f"worker {worker.address} {error}")
    except Exception as error:
        return False, portable(error)


def _nothing(*agents: Agent) -> None:
    """Do nothing: loading the job is the check."""
