"""Tasks done by workers: each is done once, again if its worker dies, and not for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from inarow.arena import Crew
from inarow.arena.tasks import MOST_DEATHS, do_tasks
from inarow.arena.workers import WorkerDied
from inarow.errors import HostFailure


class Mortal(Crew):
    """Workers that die some times at the first of these tasks."""

    size = 2

    def __init__(self, deadly: int, deaths: int) -> None:
        self.deadly, self.deaths = deadly, deaths
        self.submitted: Counter[int] = Counter()

    def submit(self, task: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.submitted[args[0]] += 1
        if args[0] == self.deadly and self.submitted[args[0]] <= self.deaths:
            future.set_exception(WorkerDied())
        else:
            future.set_result(task(*args, **kwargs))
        return future


def squares(crew: Crew, numbers: range) -> dict[int, int]:
    left = iter(numbers)
    return dict(do_tasks(crew, lambda n: n * n, lambda: next(left, None), lambda n: f"{n} is deadly"))


def test_a_task_whose_worker_died_is_done_again() -> None:
    crew = Mortal(deadly=3, deaths=MOST_DEATHS)
    assert squares(crew, range(1, 10)) == {n: n * n for n in range(1, 10)}
    assert {n for n, times in crew.submitted.items() if times > 1} == {3}


def test_a_task_that_always_kills_its_worker_ends_the_work_with_its_name() -> None:
    crew = Mortal(deadly=3, deaths=100)
    with pytest.raises(HostFailure, match="3 is deadly"):
        squares(crew, range(1, 10))
    assert crew.submitted[3] == MOST_DEATHS + 1


def test_tasks_that_come_later_are_asked_for_when_others_are_finished() -> None:
    waiting, found = [1], []
    for task, result in do_tasks(Mortal(0, 0), lambda n: -n, lambda: waiting.pop() if waiting else None, str):
        found.append(result)
        if task < 4:
            waiting.append(task + 1)
    assert found == [-1, -2, -3, -4]


def test_deaths_are_forgotten_with_the_task_that_is_done() -> None:
    class Often(Mortal):
        """Workers that die at every task until its last chance."""

        def submit(self, task: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
            if self.submitted[args[0]] > MOST_DEATHS:
                self.submitted.clear()
            return super().submit(task, *args, **kwargs)

    waiting, found = [3], []  # the same object twice, one after the other
    for _, result in do_tasks(Often(3, MOST_DEATHS), str, lambda: waiting.pop() if waiting else None, str):
        found.append(result)
        if len(found) == 1:
            waiting.append(3)
    assert found == ["3", "3"]
