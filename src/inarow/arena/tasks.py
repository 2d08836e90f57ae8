"""Independent tasks done by workers: as many at a time as keep all workers busy, and again if a worker dies."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TypeVar

from inarow.arena.workers import Crew, WorkerDied
from inarow.errors import HostFailure

Task = TypeVar("Task")
Result = TypeVar("Result")

MOST_DEATHS = 3
"""How often the worker of one task may die before the work stops."""


def do_tasks(
    crew: Crew,
    do: Callable[[Task], Result],
    next_task: Callable[[], Task | None],
    what_dies: Callable[[Task], str],
    per_worker: int = 2,
) -> Iterator[tuple[Task, Result]]:
    """Each task with its result, as it is finished; ``per_worker`` tasks are given to each worker at a time.

    ``next_task`` returns None if there is none for now; it is asked again when another is finished. A task whose worker
    died is done again; if that does not help, `HostFailure` says ``what_dies``.
    """
    running: dict[Future[Result], Task] = {}
    again: deque[Task] = deque()
    deaths: Counter[int] = Counter()
    try:
        while True:
            while len(running) < per_worker * crew.size:
                task = again.popleft() if again else next_task()
                if task is None:
                    break
                running[crew.submit(do, task)] = task
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                task = running.pop(future)
                try:
                    result = future.result()
                except WorkerDied:
                    deaths[id(task)] += 1
                    if deaths[id(task)] > MOST_DEATHS:
                        raise HostFailure(what_dies(task)) from None
                    again.append(task)
                else:
                    deaths.pop(id(task), None)  # a later task may get the same id
                    yield task, result
    finally:
        for future in running:
            future.cancel()
