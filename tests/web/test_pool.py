"""The pool of workers: whatever a task does, it gets an answer or a reason, and the next one is served."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest

from inarow.errors import InarowError
from inarow.web import pool as pool_module
from inarow.web.pool import Pool, TaskFailed, Ticket
from support import pool_tasks as tasks

LONG = 60.0


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as one:
        yield one


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that is told to stop has time to do so."""
    monkeypatch.setattr(pool_module, "GRACE", LONG)


def serves(pool: Pool) -> bool:
    return bool(pool.submit(tasks.double, 21, seconds=LONG).future.result(LONG) == 42)


def begun(ticket: Ticket) -> None:
    """Wait until a worker has the task."""
    while not ticket.future.running():
        time.sleep(0.005)


def test_a_task_is_answered(pool: Pool) -> None:
    assert serves(pool)


def test_an_error_of_a_task_comes_back(pool: Pool) -> None:
    with pytest.raises(InarowError, match="do something else"):
        pool.submit(tasks.complain, seconds=LONG).future.result(LONG)
    assert serves(pool)


def test_a_worker_that_dies_fails_its_task_only(pool: Pool) -> None:
    with pytest.raises(TaskFailed, match="died"):
        pool.submit(tasks.die, seconds=LONG).future.result(LONG)
    assert serves(pool)


def test_a_task_that_hangs_is_ended_after_its_time(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "GRACE", 0.2)
    with pytest.raises(TaskFailed, match=r"no answer within 0\.1 s"):
        pool.submit(tasks.deaf, seconds=0.1).future.result(LONG)
    assert serves(pool)


def test_a_task_is_told_when_its_time_is_up(pool: Pool) -> None:
    assert pool.submit(tasks.until_stopped, seconds=0.05).future.result(LONG) == "stopped"


def test_a_cancelled_task_ends_with_what_it_has(pool: Pool) -> None:
    ticket = pool.submit(tasks.until_stopped, seconds=LONG)
    begun(ticket)
    ticket.cancel()
    assert ticket.future.result(LONG) == "stopped"


def test_a_task_that_is_cancelled_while_it_waits_never_runs(pool: Pool) -> None:
    busy = pool.submit(tasks.until_stopped, seconds=LONG)
    waiting = pool.submit(tasks.die, seconds=LONG)
    waiting.cancel()
    with pytest.raises(CancelledError):
        waiting.future.result(LONG)
    begun(busy)
    busy.cancel()
    assert busy.future.result(LONG) == "stopped"
    assert serves(pool)


def test_an_answer_that_cannot_be_sent_is_an_error(pool: Pool) -> None:
    with pytest.raises(TaskFailed, match="can't be sent"):
        pool.submit(tasks.unsendable, seconds=LONG).future.result(LONG)
    assert serves(pool)


def test_a_worker_that_died_between_two_tasks_is_replaced_unnoticed(pool: Pool) -> None:
    process = pool.submit(tasks.process_id, seconds=LONG).future.result(LONG)
    os.kill(process, signal.SIGKILL)
    while process in [child.pid for child in multiprocessing.active_children()]:
        time.sleep(0.01)
    assert serves(pool)


def test_a_worker_that_starts_does_not_hear_ctrl_c() -> None:
    known = {child.pid for child in multiprocessing.active_children()}
    with Pool(1) as pool:
        asked = pool.submit(tasks.process_id, seconds=LONG)
        started: set[int | None] = set()
        while not started:
            started = {child.pid for child in multiprocessing.active_children()} - known
        (process,) = started
        assert process is not None
        while not asked.future.done():
            os.kill(process, signal.SIGINT)
            time.sleep(0.001)
        assert asked.future.result(LONG) == process, "the first worker is still there"


def test_closing_fails_what_waits_and_leaves_no_process() -> None:
    pool = Pool(1)
    process = pool.submit(tasks.process_id, seconds=LONG).future.result(LONG)
    busy = pool.submit(tasks.until_stopped, seconds=LONG)
    waiting = pool.submit(tasks.double, 1, seconds=LONG)
    begun(busy)
    pool.close()
    assert busy.future.result(LONG) == "stopped"
    for ticket in (waiting, pool.submit(tasks.double, 1, seconds=LONG)):
        with pytest.raises(TaskFailed, match="shutting down"):
            ticket.future.result(LONG)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_task_says_what_it_has_so_far_and_hears_what_it_is_told(pool: Pool) -> None:
    said: queue.SimpleQueue[object] = queue.SimpleQueue()
    ticket = pool.submit(tasks.echo, seconds=LONG, listener=said.put)
    assert said.get(timeout=LONG) == "ready"
    for number in (3, 4):
        ticket.tell(number)
        assert said.get(timeout=LONG) == 2 * number
    ticket.cancel()
    assert ticket.future.result(LONG) == "done, None"
    assert serves(pool)
