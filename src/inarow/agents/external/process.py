"""The client side of an external agent's process: requests with deadlines, and resource limits.

A decision is charged the larger of its processor time and its clock time. Clock time is the time the referee waited
for the process, in ticks; if the referee itself was stopped during a tick, only its usual length counts. Time that the
process waited for a core, or was stopped by something else, is not charged, nor what a hypervisor took from its core.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from inarow.agents.base import Disturbance, Fault
from inarow.agents.external import Policy, wire
from inarow.errors import printable
from inarow.machine import ThreadTimes, own_run_delay, stolen_seconds, thread_times

GRACE = 0.1
"""Seconds by which a decision may exceed its limit."""
BUSY = 10
"""Multiple of its limit that a decision may take by the clock; beyond it, the match on a busy machine is replayed."""
OUTPUT_BYTES = 16 << 20
"""Maximum bytes of output during one request."""
SCRATCH_BYTES = 32 << 20
SCRATCH_FILES = 1000
TICK = 0.05
"""Seconds between two checks of a thinking process."""
_KEPT = 4000  # bytes of an agent's output to keep for messages


class Reply(NamedTuple):
    """The answer of a process, the seconds charged, and the seconds lost to the machine."""

    message: dict[str, Any]
    seconds: float
    lost: float


class Stopwatch:
    """The time of one request, by cause."""

    def __init__(self, threads: dict[str, ThreadTimes]) -> None:
        self.before = self.threads = threads
        """The threads at the question, and when they were last looked at."""
        self.own_delay = own_run_delay()
        """Seconds for which the referee's thread had waited for a core; it may wait after the answer has arrived."""
        self.waited = 0.0
        """Seconds for which the referee has waited."""
        self.lost = 0.0
        """Seconds for which the referee was stopped or delayed."""
        self.stopped = 0.0
        """Seconds for which the process was stopped by something else."""
        self.looked = 0.0
        """The value of ``waited`` at the last look."""
        self.waits: dict[str, float] = {}
        """How long each thread may have been waiting for a core when it was last looked at."""
        self.stolen = 0.0
        """Seconds that the hypervisor took from the core of a thread."""
        self._steal: dict[int, float] = {}

    def tick(self, seconds: float, stopped: bool) -> None:
        """Add a wait of at most a tick that took this long."""
        counted = min(seconds, TICK)
        self.lost += seconds - counted
        if stopped:
            self.stopped += counted
        else:
            self.waited += counted

    def look(self, threads: dict[str, ThreadTimes], stolen: dict[int, float]) -> None:
        """Look at the threads, once a tick: the scheduler counts a wait for a core only when it has ended."""
        since, self.looked = self.waited - self.looked, self.waited
        self.waits = {
            name: since + (self.waits.get(name, 0.0) if self._is_stuck(name, thread) else 0.0)
            for name, thread in threads.items()
            if thread.ready
        }
        cores = {thread.core for thread in threads.values()} & stolen.keys() & self._steal.keys()
        self.stolen += max((stolen[core] - self._steal[core] for core in cores), default=0.0)
        self.threads, self._steal = threads, stolen

    def _is_stuck(self, name: str, thread: ThreadTimes) -> bool:
        """Return True if a thread has neither run nor ended a wait since the last look."""
        before = self.threads.get(name)
        return before is not None and (thread.ran, thread.delay) == (before.ran, before.delay)

    @property
    def waiting(self) -> float:
        """Seconds for which a thread may have been waiting for a core without an end."""
        return max(self.waits.values(), default=0.0)

    def delay(self, processor: float) -> tuple[float, float]:
        """Return the seconds until the last look for which its slowest thread, or the referee, waited for a core.

        The second number is without waits for its own other threads, which used the rest of its processor time.
        """
        longest = foreign = 0.0
        for name, thread in self.threads.items():
            before = self.before.get(name, _NEW)
            delay, others = thread.delay - before.delay, processor - (thread.ran - before.ran)
            longest, foreign = max(longest, delay), max(foreign, delay - max(others, 0.0))
        machine = self.stolen + own_run_delay() - self.own_delay
        return min(longest + machine, self.waited), min(foreign + machine, self.waited)


_NEW = ThreadTimes(ready=False, core=0, ran=0.0, delay=0.0)
Serve = Callable[[dict[str, Any]], dict[str, Any]]
"""A function that answers requests of the process while it works; raises ValueError if one is invalid."""


class Process(ABC):
    """A process that answers for an external agent. It must always be closed."""

    pid: int
    folder: Path
    """The folder of its files."""
    scratch: Path
    """Its scratch folder."""

    def __init__(self) -> None:
        self.reader = wire.Reader()
        self.said = b""
        self.printed = 0
        self.number = 0
        self.charged = 0.0
        """Processor time up to the last answer; time used between requests is charged to the next one."""
        self.open = True

    def confine(self, policy: Policy, megabytes: int, seconds: float) -> None:
        """Make the process enter its sandbox. No code of the agent has run yet, so any failure is the host's."""
        about = {
            "enter": str(self.folder),
            "scratch": str(self.scratch),
            "memory": megabytes,
            "policy": policy.to_json(),
        }
        try:
            answer = self.ask(about, seconds).message
        except Fault as fault:
            raise Disturbance(f"the process of an external agent does not start: {fault}") from None
        if "ready" not in answer:
            self.close()
            raise Disturbance(f"the process of an external agent can't be confined: {answer.get('message')}")

    def ask(self, message: dict[str, Any], seconds: float, serve: Serve | None = None) -> Reply:
        """Return the answer to a question within ``seconds``; ``serve`` answers the process's own questions meanwhile.

        Otherwise ends the process and raises `Fault`, or `Disturbance` if the agent did not cause it.
        """
        self.number += 1
        self.printed = 0
        watch = Stopwatch(thread_times(self.pid))
        try:
            self._send(wire.packed({**message, "number": self.number}), seconds)
            answer = self.reader.feed(b"")
            while answer is None:
                begun = time.monotonic()
                data = self._receive(TICK)
                watch.tick(time.monotonic() - begun, data is None and self._is_stopped())
                if data is not None:
                    answer = self.reader.feed(data)
                if answer is not None and serve is not None and "number" not in answer:
                    self._send(wire.packed(serve(answer)), seconds)
                    answer = self.reader.feed(b"")
                if answer is None:
                    self._watch(watch, seconds)
        except ValueError as error:
            raise self._failed("forbidden", f"its process sent {error}") from None
        except TimeoutError:
            raise self._failed("stalled", f"no answer within {seconds:.3g} s") from None
        except OSError:
            raise self._ended() from None
        if answer.pop("number", None) != self.number:
            raise self._failed("forbidden", "its process sent an answer without a question")
        self._watch(watch, seconds)
        if answer.get("kind") == "OSError":
            self._check_space()
        total = self._used(answer)
        processor, self.charged = max(total - self.charged, 0.0), total
        used, lost = self._charge(watch, processor, seconds)
        if used > seconds + GRACE:
            raise self._late(used, processor, seconds)
        self._suspend()
        return Reply(answer, used, lost)

    def _check_space(self) -> None:
        """Raise `Disturbance` if the disk is too full for what the process may write."""
        _, used = self._scratch_use()
        room = used + shutil.disk_usage(self.scratch).free
        if room < SCRATCH_BYTES:
            self.close()
            promised = f"{SCRATCH_BYTES >> 20} MB that an agent may write"
            raise Disturbance(f"the disk of {tempfile.gettempdir()} is full: it has {room >> 20} of the {promised}")

    def _scratch_use(self) -> tuple[int, int]:
        """Return the number of files in its scratch folder and their bytes, counted until one is too large."""
        files = size = 0
        with contextlib.suppress(OSError), os.scandir(self.scratch) as entries:
            for entry in entries:
                files += 1
                size += entry.stat(follow_symlinks=False).st_size
                if files > SCRATCH_FILES or size > SCRATCH_BYTES:
                    break
        return files, size

    def printed_text(self) -> str:
        """Return the end of the agent's output, as a suffix for a message."""
        text = printable(self.said.decode(errors="replace"), 0)
        return f"; it printed: …{text[-300:]}" if len(text) > 300 else f"; it printed: {text}" if text else ""

    def _charge(self, watch: Stopwatch, processor: float, seconds: float) -> tuple[float, float]:
        """Return the seconds to charge and the seconds lost; a short wait is not analysed."""
        lost = watch.lost + watch.stopped
        if watch.waited <= max(processor, min(seconds, TICK)):
            return max(processor, watch.waited), lost
        if watch.looked < watch.waited:
            watch.look(thread_times(self.pid), stolen_seconds())
        delay, foreign = watch.delay(processor)
        return max(processor, watch.waited - delay), lost + foreign

    def _late(self, used: float, processor: float, seconds: float) -> Fault:
        idle = f" ({processor:.3f} s of processor time)" if processor < used / 2 else " of processor time"
        return self._failed("out of time", f"{used:.3f} s{idle} for a decision, {seconds:g} s allowed")

    def _failed(self, cause: str, message: str) -> Fault:
        """End the process and return the fault."""
        self.close()
        return Fault(cause, message + self.printed_text())

    def _keep(self, data: bytes) -> None:
        """Keep the end of the agent's output."""
        self.said = (self.said + data)[-_KEPT:]
        self.printed += len(data)

    def _watch(self, watch: Stopwatch, seconds: float) -> None:
        """Raise `Fault` if the process broke a rule, `Disturbance` if it can't continue."""
        if self.printed > OUTPUT_BYTES:
            raise self._failed("forbidden", f"it printed more than {OUTPUT_BYTES >> 20} MB")
        processor = self._used({}) - self.charged
        if processor > seconds + GRACE:
            raise self._late(processor, processor, seconds)
        if watch.stopped > seconds + GRACE:
            self.close()
            raise Disturbance("its process was stopped by another")
        if watch.waited < watch.looked + TICK / 2:
            return
        watch.look(thread_times(self.pid), stolen_seconds())
        used, lost = self._charge(watch, processor, seconds)
        if used - watch.waiting > seconds + GRACE:
            raise self._failed("stalled", f"no answer within {used:.3g} s ({processor:.3f} s of processor time)")
        if watch.waited > BUSY * (seconds + 1):
            self.close()
            raise Disturbance(f"the machine is too busy: its process waited {lost + watch.waiting:.0f} s for a core")

    @abstractmethod
    def _send(self, data: bytes, seconds: float) -> None: ...

    @abstractmethod
    def _receive(self, seconds: float) -> bytes | None:
        """Return the next message, or None if none arrives in that time.

        Raises `OSError` at the end of the connection, ValueError for an invalid message.
        """

    @abstractmethod
    def _used(self, answer: dict[str, Any]) -> float:
        """Return the processor time of the process so far."""

    def _is_stopped(self) -> bool:
        """Return True if the process is stopped, which it can't do itself (seccomp)."""
        return False

    def _suspend(self) -> None:
        """Suspend the process until the next request, if the system supports it."""

    def _ended(self) -> Exception:
        """End the process after its connection was closed; return the cause, a `Fault` or a `Disturbance`."""
        alive = self._is_alive()
        status = self.close()
        if alive:
            return Fault("exited", f"it closed the connection to its process{self.printed_text()}")
        if status in (None, -getattr(signal, "SIGKILL", 9)):  # in the sandbox it can't kill itself that way
            return Disturbance(f"its process was killed{self.printed_text()}")
        ending = f"was ended by signal {-status}" if status < 0 else f"ended with exit code {status}"
        return Fault("exited", f"its process {ending}{self.printed_text()}")

    @abstractmethod
    def _is_alive(self) -> bool:
        """Return True if the process is running; it may be about to end if it has just closed its connection."""

    @abstractmethod
    def close(self) -> int | None:
        """End the process and its children; return its exit status, or None if it is unknown."""
