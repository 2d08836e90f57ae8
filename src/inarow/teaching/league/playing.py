"""The pairs that a league still has to play, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from inarow.arena import Store
from inarow.arena.rows import PairRows, points_of
from inarow.arena.running import Chunk, PairQueue
from inarow.match import Termination
from inarow.teaching.league.meetings import Meeting


class MeetingQueue(PairQueue):
    """Meetings that are played one after the other, each up to a number of pairs, until the first player has failed
    too often."""

    def __init__(self, wanted: Sequence[tuple[Meeting, int]], store: Store, most_faults: int | None = None) -> None:
        super().__init__()
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
        self.flight = 0
        """Pairs that are being played."""

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

    def take(self, most: int, ahead: bool) -> Chunk | None:
        """Take some pairs of the next meeting.

        Until it is known that the first player does not fail, one pair at a time is played: failing may take long.
        """
        cautious = self.most_faults is not None and (not self.faults or any(self.faults.values()))
        if self.over or (cautious and self.flight):
            return None
        number = self.left[0][0]
        indices: list[int] = []
        while self.left and self.left[0][0] == number and len(indices) < most:
            indices.append(self.left.popleft()[1])
        self.flight += len(indices)
        meeting, lines = self.meetings[number], self.lines[number]
        tournament = meeting.tournament
        pairs = tuple((index, lines[index]) for index in indices)
        return Chunk(meeting.game, *tournament.pairings[0], number, pairs, tournament.seed, tournament.limit)

    def receive(self, rows: Sequence[PairRows]) -> Sequence[PairRows]:
        """Count the faults of finished pairs."""
        self.flight -= len(rows)
        for pair in rows:
            for row in pair.matches:
                self._count(row.pairing, row.pair, row.swapped, row.result, row.termination)
        return rows
