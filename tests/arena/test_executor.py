"""The executor: a job gets a result or a reason, is repeated if its worker dies, and the next one is served."""

from __future__ import annotations

import multiprocessing
import os
import queue
import runpy
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from inarow.adapters.dataset import make_dataset
from inarow.agents import agent
from inarow.arena import Executor, Job, Store
from inarow.arena import processes as module
from inarow.arena.executor import MAX_DEATHS, InProcess, Task, TaskQueue, WorkerDied
from inarow.arena.processes import Processes
from inarow.errors import HostFailure, InarowError
from inarow.rules import game
from inarow.solver.building import solve_all
from inarow.truth import grade_matches, grade_positions
from support import pool_tasks as jobs

LONG = 60.0


class Mortal(InProcess):
    """Workers that die some times at the job of this number."""

    size = 2

    def __init__(self, deadly: int, deaths: int) -> None:
        self.deadly, self.deaths = deadly, deaths
        self.submitted: Counter[int] = Counter()

    def submit(self, job: Job[Any], listener: Any = None) -> Task[Any]:
        number = job.arguments[0]
        self.submitted[number] += 1
        if number != self.deadly or self.submitted[number] > self.deaths:
            return super().submit(job, listener)
        died = Task(job)
        died.set_exception(WorkerDied())
        return died


def square(number: int) -> int:
    return number * number


def squares(executor: Executor, numbers: range) -> dict[int, int]:
    wanted = [Job(square, (n,), f"squares {n}") for n in numbers]
    return {job.arguments[0]: result for job, result in executor.run(wanted)}


def test_a_job_whose_worker_died_is_repeated() -> None:
    executor = Mortal(deadly=3, deaths=MAX_DEATHS)
    assert squares(executor, range(1, 10)) == {n: n * n for n in range(1, 10)}
    assert {n for n, times in executor.submitted.items() if times > 1} == {3}


def test_a_job_that_always_kills_its_worker_ends_the_work_and_is_named() -> None:
    executor = Mortal(deadly=3, deaths=100)
    with pytest.raises(HostFailure, match="dies whenever it squares 3"):
        squares(executor, range(1, 10))
    assert executor.submitted[3] == MAX_DEATHS + 1


def test_a_large_job_whose_worker_died_is_done_in_parts() -> None:
    whole = Job(square, (9,), parts=lambda: [Job(square, (4,)), Job(square, (5,))])
    found = list(Mortal(deadly=9, deaths=1).run([whole]))
    assert sorted(result for _, result in found) == [16, 25]


def test_jobs_that_come_later_are_asked_for_when_others_are_finished() -> None:
    waiting, found = [1], []
    for job, result in InProcess().run(lambda: Job(square, (waiting.pop(),)) if waiting else None):
        found.append(result)
        if job.arguments[0] < 4:
            waiting.append(job.arguments[0] + 1)
    assert found == [1, 4, 9, 16]


def test_what_is_finished_is_delivered_before_an_exception() -> None:
    found = []
    with pytest.raises(TypeError):  # noqa: PT012
        for job, _ in Mortal(0, 0).run([Job(square, ("x",)), Job(square, (2,)), Job(square, (3,))]):
            found.append(job.arguments[0])
    assert found == [2, 3]


def test_a_map_is_in_order_whichever_job_is_finished_first() -> None:
    assert list(Mortal(deadly=0, deaths=2).map(square, range(6))) == [0, 1, 4, 9, 16, 25]


def measure(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"square": number * number}, {"seconds": 0.1}


def test_a_result_is_stored_under_its_key_and_not_computed_again() -> None:
    executor = Mortal(0, 0)
    with Store.in_memory() as store:
        for _ in range(2):
            wanted = [Job(measure, (n,), key={"n": abs(n)}) for n in (2, -2, 3)]
            list(executor.store(wanted, store))
        assert executor.submitted.total() == 2
        assert store.measured({"n": 2}) == {"square": 4, "timing": {"seconds": 0.1}}


def test_a_higher_priority_is_served_first_and_equal_ones_in_order() -> None:
    waiting = TaskQueue()
    for number, priority in enumerate((0, 1, 0, 2, 1)):
        waiting.put(Task(Job(square, (number,), priority=priority)))
    assert [task.job.arguments[0] for task in iter(waiting.get, None)] == [3, 1, 4, 0, 2]


@pytest.fixture(scope="module")
def pool() -> Iterator[Processes]:
    with Processes(1) as one:
        yield one


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that is asked to end has time to do so."""
    monkeypatch.setattr(module, "GRACE", LONG)


def talk(function: Any, *arguments: Any, **more: Any) -> Job[Any]:
    return Job(function, arguments, interactive=True, **more)


def serves(pool: Processes) -> bool:
    return bool(pool.submit(talk(jobs.double, 21)).result(LONG) == 42)


def begun(task: Task[Any]) -> None:
    """Wait until a worker has the job."""
    while not task.running():
        time.sleep(0.005)


def test_an_error_of_a_job_comes_back(pool: Processes) -> None:
    with pytest.raises(InarowError, match="do something else"):
        pool.submit(talk(jobs.complain)).result(LONG)
    assert serves(pool)


def test_a_worker_that_dies_fails_its_job_only(pool: Processes) -> None:
    with pytest.raises(WorkerDied, match="died"):
        pool.submit(talk(jobs.die)).result(LONG)
    assert serves(pool)


def test_a_job_that_hangs_is_ended_after_its_time(pool: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE", 0.2)
    with pytest.raises(HostFailure, match=r"no answer within 0\.1 s"):
        pool.submit(talk(jobs.deaf, seconds=0.1)).result(LONG)
    assert serves(pool)


def test_a_job_is_told_when_its_time_is_up(pool: Processes) -> None:
    assert pool.submit(talk(jobs.until_stopped, seconds=0.05)).result(LONG) == "stopped"


def test_a_job_that_wants_too_much_memory_fails_alone(pool: Processes) -> None:
    with pytest.raises(MemoryError):
        pool.submit(Job(jobs.allocate, (4000,), memory_mb=2000)).result(LONG)
    assert pool.submit(Job(jobs.allocate, (1,))).result(LONG) == 1 << 20


def test_a_cancelled_job_ends_with_what_it_has(pool: Processes) -> None:
    task = pool.submit(talk(jobs.until_stopped))
    begun(task)
    task.cancel()
    assert task.result(LONG) == "stopped"


def test_a_job_that_is_cancelled_while_it_waits_never_runs(pool: Processes) -> None:
    busy = pool.submit(talk(jobs.until_stopped))
    waiting = pool.submit(talk(jobs.die))
    waiting.cancel()
    with pytest.raises(CancelledError):
        waiting.result(LONG)
    begun(busy)
    busy.cancel()
    assert busy.result(LONG) == "stopped"
    assert serves(pool)


def test_an_answer_that_cannot_be_sent_is_an_error(pool: Processes) -> None:
    with pytest.raises(HostFailure, match="can't be sent"):
        pool.submit(talk(jobs.unsendable)).result(LONG)
    assert serves(pool)


def test_a_worker_that_died_between_two_jobs_is_replaced_unnoticed(pool: Processes) -> None:
    process = pool.submit(talk(jobs.process_id)).result(LONG)
    os.kill(process, signal.SIGKILL)
    while process in [child.pid for child in multiprocessing.active_children()]:
        time.sleep(0.01)
    assert serves(pool)


def test_a_worker_that_starts_does_not_hear_ctrl_c() -> None:
    known = {child.pid for child in multiprocessing.active_children()}
    with Processes(1) as pool:
        asked = pool.submit(talk(jobs.process_id))
        started: set[int | None] = set()
        while not started:
            started = {child.pid for child in multiprocessing.active_children()} - known
        (process,) = started
        assert process is not None
        while not asked.done():
            os.kill(process, signal.SIGINT)
            time.sleep(0.001)
        assert asked.result(LONG) == process, "the first worker is still there"


def test_a_dispatcher_that_falls_behind_holds_nobody_up() -> None:
    """It is woken once, not once per message: 20,000 would fill a pipe, and whoever writes to that then waits."""
    ready = threading.Event()
    pool = Processes(1, ready=ready)
    submitting = threading.Thread(target=lambda: [pool.submit(Job(square, (n,))) for n in range(20_000)], daemon=True)
    submitting.start()
    submitting.join(LONG)
    assert not submitting.is_alive()
    pool.close()


def test_closing_fails_what_waits_and_leaves_no_process() -> None:
    pool = Processes(1)
    process = pool.submit(talk(jobs.process_id)).result(LONG)
    busy = pool.submit(talk(jobs.until_stopped))
    waiting = pool.submit(talk(jobs.double, 1))
    begun(busy)
    pool.close()
    assert busy.result(LONG) == "stopped"
    for task in (waiting, pool.submit(talk(jobs.double, 1))):
        with pytest.raises(HostFailure, match="shutting down"):
            task.result(LONG)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_job_says_what_it_has_so_far_and_hears_what_it_is_told(pool: Processes) -> None:
    said: queue.SimpleQueue[object] = queue.SimpleQueue()
    task = pool.submit(talk(jobs.echo), said.put)
    assert said.get(timeout=LONG) == "ready"
    for number in (3, 4):
        task.tell(number)
        assert said.get(timeout=LONG) == 2 * number
    task.cancel()
    assert task.result(LONG) == "done, None"
    assert serves(pool)


def test_grades_datasets_and_books_are_the_same_with_any_number_of_workers(tmp_path: Path) -> None:
    board = game("4x4x4")

    def found(each: Any) -> Any:
        grade = grade_positions(agent("mcts:simulations=20"), board, count=30, seed=2, first_ply=6, each=each)
        grade_matches(grade, {"perfect": agent("perfect")}, 2, seed=2, each=each)
        scores = solve_all(board, 3, tmp_path / each.__name__, each=each if each is not map else None)
        assert (tmp_path / each.__name__).stat().st_size > 0
        return grade.to_json(), make_dataset(board, range(9, 12), 5, seed=2, each=each), scores

    with Processes(2) as two:

        def elsewhere(*given: Any) -> Any:
            return two.map(*given)

        assert found(elsewhere) == found(map)


def test_two_hundred_workers_are_kept_busy() -> None:
    """By a model of what Dask's client and scheduler take for each job, in simulated time."""
    scaling = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "scaling_out.py"))
    found = scaling["simulate"]([0.0] * 200, 10, 12_000, scaling["varied"](0.05))
    assert found.efficiency > 0.85
    late = scaling["simulate"]([0.0, *[10.0] * 6], 3, 800, scaling["varied"](0.05))
    assert late.efficiency > 0.95
