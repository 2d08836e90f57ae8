"""Running a tournament: pairs go to workers, finished pairs into the store; pairings that are decided stop."""

from __future__ import annotations

import itertools
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from inarow.agents import Agent, Limit
from inarow.agents.rehearsal import rehearse
from inarow.arena.rounds import schedule_of
from inarow.arena.rows import PairRows, rows_of
from inarow.arena.sequential import Reading, stopping_of
from inarow.arena.store import Run, Store
from inarow.arena.tasks import MOST_DEATHS
from inarow.arena.tournament import ArenaError, Pairing, Tournament
from inarow.arena.workers import Crew, WorkerDied
from inarow.match import Series, play_pair
from inarow.match.openings import Line
from inarow.rules import Game

CHUNK_SECONDS = 0.2
"""How long a chunk of pairs should take: much longer than the overhead of a task, short enough for a live view."""
_MOST_PAIRS = 500


class FaultFound(ArenaError):
    """An agent failed in a tournament that stops at the first fault."""


@dataclass(frozen=True)
class Chunk:
    """Some pairs of one pairing, to be played one after the other."""

    game: Game
    a: Agent
    b: Agent
    pairing: int
    pairs: tuple[tuple[int, Line], ...]
    """Index and opening of each."""
    seed: int
    limit: Limit
    raising: bool = False
    adjudicate: bool = False


def play_chunk(chunk: Chunk) -> tuple[list[PairRows], float]:
    """Play a chunk, in a worker; returns the rows of its pairs, and the seconds per pair."""
    for agent in (chunk.a, chunk.b):
        rehearse(agent, chunk.game)
    begun = time.perf_counter()
    pairs = (
        play_pair(
            chunk.game,
            chunk.a,
            chunk.b,
            index=index,
            opening=line,
            seed=chunk.seed,
            limit=chunk.limit,
            strict=chunk.raising,
            adjudicate=chunk.adjudicate,
        )
        for index, line in chunk.pairs
    )
    rows = [rows_of(chunk.pairing, pair) for pair in pairs]
    return rows, (time.perf_counter() - begun) / max(1, len(rows))


_Answer = Future[tuple[list[PairRows], float]]


@dataclass
class _Queue:
    """The pairs of one pairing that are still to be played, in order."""

    pairing: Pairing
    number: int
    left: deque[int]
    size: int = 1
    """The current number of pairs per chunk."""

    def learn(self, seconds: float) -> None:
        """Fit the size of chunks to the seconds that a pair takes."""
        fitting = int(CHUNK_SECONDS / max(seconds, 1e-6))
        self.size = max(1, min(fitting, 8 * self.size, _MOST_PAIRS))


class Running:
    """A tournament that is being played. ``on_pairs`` is called with every batch of pairs that has been stored.

    ``strict`` ends it with `FaultFound` at the first fault of any agent; ``raising`` with the exception of an agent
    that runs in the process that plays the match (``strict`` of `play_match`).
    """

    def __init__(
        self,
        tournament: Tournament,
        store: Store,
        run: Run,
        crew: Crew,
        *,
        strict: bool = False,
        raising: bool = False,
        on_pairs: Callable[[Sequence[PairRows]], None] | None = None,
    ) -> None:
        self.tournament = tournament
        self.store = store
        self.run = run
        self.crew = crew
        self.strict = strict
        self.raising = raising
        self.on_pairs = on_pairs
        crew.prepare(tournament.agents)
        self._lines = tournament.lines()
        finished = store.finished(run)
        self._queues = {
            number: _Queue(
                pairing,
                number,
                deque(index for index in range(tournament.most(pairing)) if index not in finished[number]),
            )
            for number, pairing in zip(sorted(run.pairings), tournament.pairings, strict=True)
        }
        if not tournament.schedule.fixed:
            for queue in self._queues.values():  # the first round is opened when it is played
                queue.left.clear()
        self._turns = itertools.cycle(self._queues.values())
        self._flight: dict[_Answer, Chunk] = {}
        self._again: deque[Chunk] = deque()
        self._deaths: Counter[tuple[int, int]] = Counter()
        self._readings = self._begin_readings()

    def _begin_readings(self) -> dict[int, Reading]:
        """By pairing: what has been read of those that are resumed."""
        tournament = self.tournament
        stopping, fixed = stopping_of(tournament), tournament.schedule.fixed
        readings = {
            number: Reading(
                Series(tournament.game, *queue.pairing),
                self._lines[: tournament.most(queue.pairing)] if fixed else self._lines,
                stopping,
                tournament.repeat or not fixed,
            )
            for number, queue in self._queues.items()
        }
        for pair in self.store.results(self.run):
            readings[pair.pairing].resume(pair)
        return readings

    @property
    def decided(self) -> bool:
        """Whether no pairing needs more pairs."""
        return all(reading.done for reading in self._readings.values())

    def play(self) -> None:
        """Play all pairs that are left. If it is interrupted, finished pairs have been stored."""
        try:
            while (not self.decided and self._send()) or self._open_round():
                done, _ = wait(self._flight, return_when=FIRST_COMPLETED)
                self._receive(done)
        except KeyboardInterrupt:
            done = {answer for answer in self._flight if answer.done() and answer.exception() is None}
            self._receive(done)
            raise
        finally:
            for answer in self._flight:
                answer.cancel()

    def _open_round(self) -> bool:
        """Begin the next round of a format whose rounds depend on results; False if there is none."""
        schedule = schedule_of(self.store, self.run)
        if schedule is None:
            return False
        wanted, finished = self.tournament.wanted(schedule.scores), self.store.finished(self.run)
        for number, queue in self._queues.items():
            count = wanted.get((queue.pairing.a.spec, queue.pairing.b.spec), 0)
            queue.left = deque(index for index in range(count) if index not in finished[number])
        return self._send()

    def _send(self) -> bool:
        """Give each worker a chunk to work on and one to wait; False when nothing is left."""
        while len(self._flight) < 2 * self.crew.size:
            chunk = self._again.popleft() if self._again else self._next_chunk()
            if chunk is None:
                break
            self._flight[self.crew.submit(play_chunk, chunk)] = chunk
        return bool(self._flight)

    def _next_chunk(self) -> Chunk | None:
        """The next pairs, of each pairing in turn, so that all progress together.

        Those beyond a pairing's next look, which may prove needless, are played only while nothing else is left.
        """
        for ahead in (False, True):
            for queue in itertools.islice(self._turns, len(self._queues)):
                if indices := [queue.left.popleft() for _ in range(self._sendable(queue, ahead))]:
                    return self._chunk(queue, indices)
        return None

    def _sendable(self, queue: _Queue, ahead: bool) -> int:
        """How many pairs of a pairing may be sent as one chunk now."""
        reading = self._readings[queue.number]
        while queue.left and reading.skips(queue.left[0]):
            queue.left.popleft()
        if not queue.left or reading.done:
            return 0
        share = -(-len(queue.left) // (2 * self.crew.size))  # the last chunks are small: no worker waits long
        until_look = len(queue.left) if ahead else reading.until_look(queue.left[0])
        return max(0, min(queue.size, share, until_look))

    def _chunk(self, queue: _Queue, indices: Iterable[int]) -> Chunk:
        pairs = tuple((index, self._lines[index]) for index in indices)
        a, b = queue.pairing
        given = self.tournament
        return Chunk(given.game, a, b, queue.number, pairs, given.seed, given.limit, self.raising, given.adjudicate)

    def _receive(self, done: Iterable[_Answer]) -> None:
        rows: list[PairRows] = []
        try:
            for answer in done:
                chunk = self._flight.pop(answer)
                try:
                    found, seconds = answer.result()
                except WorkerDied:
                    self._replay(chunk)
                else:
                    rows += found
                    self._queues[chunk.pairing].learn(seconds)
        finally:  # an agent's exception must not lose what is finished
            self._keep(rows)

    def _replay(self, chunk: Chunk) -> None:
        """Repeat the pairs of a chunk whose worker died, one by one, to find the one that kills it."""
        for index, _ in chunk.pairs:
            self._deaths[chunk.pairing, index] += len(chunk.pairs) == 1
            if self._deaths[chunk.pairing, index] > MOST_DEATHS:
                a, b = self.run.pairings[chunk.pairing]
                raise ArenaError(
                    f"the worker process dies each time it plays pair {index + 1} of {a} against {b}; "
                    "finished pairs are kept"
                )
            self._again.append(self._chunk(self._queues[chunk.pairing], [index]))

    def _keep(self, rows: list[PairRows]) -> None:
        of_each = {number: [row for row in rows if row.pairing == number] for number in {r.pairing for r in rows}}
        rows = [row for number, found in sorted(of_each.items()) for row in self._readings[number].release(found)]
        if not rows:
            return
        self.store.add(rows)
        if self.on_pairs is not None:
            self.on_pairs(rows)
        if self.strict:
            for row in rows:
                if row.fault is not None:
                    a, b = self.run.pairings[row.pairing]
                    where = f"pair {row.pair + 1} of {a} against {b}"
                    raise FaultFound(f"stopped at the first fault, in {where}: {': '.join(row.fault)}")
