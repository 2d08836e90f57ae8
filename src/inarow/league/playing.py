"""Playing what is missing: queues of pairs handed to workers, finished pairs into the store."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, TypeVar

from inarow.arena import ArenaError, Store
from inarow.arena.rows import PairRows, points_of
from inarow.arena.running import CHUNK_SECONDS, Chunk, play_chunk
from inarow.arena.workers import Crew, WorkerDied
from inarow.league.meetings import Meeting
from inarow.match import Termination
from inarow.match.openings import Line

T = TypeVar("T")
Task = tuple[Callable[[T], Any], T]
"""A function for a worker, and its argument."""
MOST_DEATHS = 3
"""How often the worker of one task may die before the league stops."""
_MOST_PAIRS = 100


class Queue:
    """Meetings that are played one after the other, until the first player has failed too often."""

    def __init__(self, meetings: Sequence[Meeting], store: Store, most_faults: int | None = None) -> None:
        self.meetings = {meeting.number: meeting for meeting in meetings}
        self.most_faults = most_faults
        self.order = [(meeting.number, pair) for meeting in meetings for pair in range(meeting.tournament.pairs)]
        self.lines = {meeting.number: meeting.tournament.lines() for meeting in meetings}
        self.faults: dict[tuple[int, int], int] = {}
        """Of the first player, in each finished pair."""
        for meeting in meetings:
            self._recall(store, meeting)
        self.left = deque(at for at in self.order if at not in self.faults)
        self.size = 1
        self.flight = 0
        """Chunks that are being played."""

    def _recall(self, store: Store, meeting: Meeting) -> None:
        rows = store.database.execute(
            "SELECT pairing, pair, swapped, result, termination FROM match WHERE id >= ? AND id < ?", meeting.run.ids()
        )
        for number, pair, swapped, result, cause in rows:
            self._count(number, pair, swapped, result, cause)

    def _count(self, number: int, pair: int, swapped: int, result: str, cause: str) -> None:
        failed = Termination(cause).is_fault and points_of(result, swapped) == 0
        self.faults[number, pair] = self.faults.get((number, pair), 0) + failed

    @property
    def over(self) -> bool:
        """Whether nothing is left to send: all is played, or the first player has failed too often.

        Only pairs without a gap before them count, so that it does not matter which worker was faster.
        """
        if not self.left or self.most_faults is None:
            return not self.left
        count = 0
        for at in self.order:
            if at not in self.faults:
                return False
            count += self.faults[at]
            if count >= self.most_faults:
                return True
        return False

    @property
    def waiting(self) -> int:
        """How many pairs are to be played, at most."""
        return 0 if self.over else len(self.left)

    def next_chunk(self) -> Chunk | None:
        """Some pairs of the next meeting; None if it is over, or should wait.

        Until it is known that the first player does not fail, one pair at a time is played: failing may take long.
        """
        cautious = self.most_faults is not None and (not self.faults or any(self.faults.values()))
        if self.over or (cautious and self.flight):
            return None
        self.flight += 1
        number, first = self.left.popleft()
        indices = [first]
        while len(indices) < self.size and self.left and self.left[0][0] == number:
            indices.append(self.left.popleft()[1])
        return self._chunk(number, indices)

    def _chunk(self, number: int, indices: Iterable[int]) -> Chunk:
        meeting = self.meetings[number]
        tournament = meeting.tournament
        pairs: tuple[tuple[int, Line], ...] = tuple((index, self.lines[number][index]) for index in indices)
        seed = tournament.seed_of(tournament.pairings[0])
        return Chunk(meeting.game, *tournament.pairings[0], number, pairs, seed, tournament.limit)

    def receive(self, rows: Iterable[PairRows], seconds: float) -> None:
        """Count finished pairs, and fit the size of chunks to the seconds that a pair took."""
        self.flight -= 1
        for pair in rows:
            for row in pair.matches:
                self._count(row.pairing, row.pair, row.swapped, row.result, row.termination)
        self.size = max(1, min(int(CHUNK_SECONDS / max(seconds, 1e-6)), 4 * self.size, _MOST_PAIRS))


def play_queues(
    queues: Sequence[Queue], store: Store, crew: Crew, on_pairs: Callable[[Sequence[PairRows]], None]
) -> None:
    """Play all that is left, of each queue in turn. If it is interrupted, finished pairs have been stored."""
    of: dict[int, Queue] = {number: queue for queue in queues for number in queue.meetings}
    turns = deque(queues)

    def next_task() -> Task[Chunk] | None:
        for _ in range(len(turns)):
            turns.rotate(-1)
            chunk = turns[-1].next_chunk()
            if chunk is not None:
                return play_chunk, chunk
        return None

    def keep(chunk: Chunk, answer: tuple[list[PairRows], float]) -> None:
        rows, seconds = answer
        store.add(sorted(rows, key=lambda row: (row.pairing, row.pair)))
        of[chunk.pairing].receive(rows, seconds)
        on_pairs(rows)

    work_through(crew, next_task, keep)


def work_through(
    crew: Crew, next_task: Callable[[], tuple[Callable[[T], Any], T] | None], keep: Callable[[T, Any], None]
) -> None:
    """Have workers do tasks, two at a time each; ``keep`` is called with each task's argument and its answer.

    ``next_task`` gives None if there is none for now; it is asked again when another is done. A task whose worker died
    is done again.
    """
    flight: dict[Future[Any], Task[T]] = {}
    again: deque[Task[T]] = deque()
    deaths: Counter[int] = Counter()
    try:
        while True:
            while len(flight) < 2 * crew.size:
                task = again.popleft() if again else next_task()
                if task is None:
                    break
                flight[crew.submit(task[0], task[1])] = task
            if not flight:
                return
            done, _ = wait(flight, return_when=FIRST_COMPLETED)
            for future in done:
                task = flight.pop(future)
                try:
                    answer = future.result()
                except WorkerDied:
                    deaths[id(task[1])] += 1
                    if deaths[id(task[1])] > MOST_DEATHS:
                        raise ArenaError(
                            "a worker process dies whenever it does one task; finished ones are kept"
                        ) from None
                    again.append(task)
                else:
                    keep(task[1], answer)
    finally:
        for future in flight:
            future.cancel()
