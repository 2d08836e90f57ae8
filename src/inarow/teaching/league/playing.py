"""Playing what is missing: queues of pairs handed to workers, finished pairs into the store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from inarow.arena import Store
from inarow.arena.rows import PairRows, points_of
from inarow.arena.running import CHUNK_SECONDS, Chunk, play_chunk
from inarow.arena.tasks import do_tasks
from inarow.arena.workers import Crew
from inarow.match import Termination
from inarow.match.openings import Line
from inarow.teaching.league.meetings import Meeting

_MOST_PAIRS = 100


class Queue:
    """Meetings that are played one after the other, each up to a number of pairs, until the first player has failed
    too often."""

    def __init__(self, wanted: Sequence[tuple[Meeting, int]], store: Store, most_faults: int | None = None) -> None:
        meetings = [meeting for meeting, _ in wanted]
        self.meetings = {meeting.number: meeting for meeting in meetings}
        self.most_faults = most_faults
        self.order = [(meeting.number, pair) for meeting, count in wanted for pair in range(count)]
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
        return Chunk(meeting.game, *tournament.pairings[0], number, pairs, tournament.seed, tournament.limit)

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

    def next_chunk() -> Chunk | None:
        for _ in range(len(turns)):
            turns.rotate(-1)
            chunk = turns[-1].next_chunk()
            if chunk is not None:
                return chunk
        return None

    def what_dies(chunk: Chunk) -> str:
        return f"a worker process dies whenever {chunk.a.spec} plays {chunk.b.spec}; finished pairs are kept"

    for chunk, (rows, seconds) in do_tasks(crew, play_chunk, next_chunk, what_dies):
        store.add(sorted(rows, key=lambda row: (row.pairing, row.pair)))
        of[chunk.pairing].receive(rows, seconds)
        on_pairs(rows)
