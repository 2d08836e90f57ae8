"""Questions answered in the background: each has a ticket, so that an answer that comes too late is known as such.

A question is either answered by a thread, or followed as a future that another process sets.
"""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from inarow.stopping import Stop


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question: a value, or the exception that was raised instead."""

    ticket: int
    result: Any


class Runner(Protocol):
    """What runs a task; tests use one that runs tasks when they want."""

    def __call__(self, task: Callable[[], None]) -> None: ...


class Threads:
    """A daemon thread for each task, so that one that won't end can't keep the program from ending."""

    def __init__(self) -> None:
        self._running: list[threading.Thread] = []

    def __call__(self, task: Callable[[], None]) -> None:
        thread = threading.Thread(target=task, name="inarow-thinking", daemon=True)
        self._running = [one for one in self._running if one.is_alive()]
        self._running.append(thread)
        thread.start()

    def join(self, seconds: float) -> bool:
        """Wait up to ``seconds`` for the running tasks; whether they have ended."""
        until = time.monotonic() + seconds
        for thread in self._running:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._running)


@dataclass(frozen=True, slots=True)
class Question:
    """A question under way."""

    ticket: int
    cancel: Callable[[], object]
    """Asks whoever thinks about it to end early; the answer will be ignored."""


class Background:
    """Questions under way; whoever owns it collects the answers on its own thread."""

    def __init__(self, run: Runner | None = None, wake: Callable[[], None] | None = None) -> None:
        self._threads = Threads() if run is None else None
        self._run: Runner = run or self._threads or Threads()
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._tickets = itertools.count(1)
        self.wake = wake
        """Called on the answering thread when an answer is there: for loops that sleep until something happens."""

    def ask(self, work: Callable[[Stop], Any]) -> Question:
        """Start some work; its value, or the exception it raised, comes out of `collect`."""
        ticket, stop = next(self._tickets), Stop()

        def task() -> None:
            try:
                result = work(stop)
            except Exception as error:
                result = error
            self._answer(ticket, result)

        self._run(task)
        return Question(ticket, stop.set)

    def follow(self, future: Future[Any]) -> Question:
        """Take the result of a future as the answer to a question."""
        ticket = next(self._tickets)

        def done(future: Future[Any]) -> None:
            if not future.cancelled():
                self._answer(ticket, future.exception() or future.result())

        future.add_done_callback(done)
        return Question(ticket, future.cancel)

    def _answer(self, ticket: int, result: Any) -> None:
        self._answers.put(Answer(ticket, result))
        if self.wake is not None:
            self.wake()

    def collect(self, seconds: float = 0.0) -> list[Answer]:
        """The answers that have come, waiting up to ``seconds`` for the first one."""
        answers = []
        try:
            answers.append(self._answers.get(timeout=seconds) if seconds > 0 else self._answers.get_nowait())
            while True:
                answers.append(self._answers.get_nowait())
        except queue.Empty:
            return answers

    def join(self, seconds: float) -> bool:
        """Wait for the work under way to end; whether it has."""
        return self._threads is None or self._threads.join(seconds)
