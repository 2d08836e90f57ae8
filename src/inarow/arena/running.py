"""Running a tournament: pairs go to workers, finished pairs into the store; a sequential test reads them in order."""

from __future__ import annotations

import itertools
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from inarow.agents import Agent, Limit
from inarow.agents.rehearsal import rehearse
from inarow.arena.rows import PairRows, rows_of
from inarow.arena.store import Run, Store
from inarow.arena.tournament import ArenaError, Pairing, Tournament
from inarow.arena.workers import Crew, WorkerDied
from inarow.match import play_pair
from inarow.match.openings import Line
from inarow.rules import Game
from inarow.stats import Sprt
from inarow.stats.sprt import SCORES

CHUNK_SECONDS = 0.2
"""How long a chunk of pairs should take: much longer than the overhead of a task, short enough for a live view."""
_MOST_PAIRS = 500
_MOST_DEATHS = 3  # of the worker that plays one pair, before that pair is given up


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


def play_chunk(chunk: Chunk) -> tuple[list[PairRows], float]:
    """Play a chunk, in a worker; returns the rows of its pairs, and the seconds per pair."""
    for agent in (chunk.a, chunk.b):
        rehearse(agent, chunk.game)
    begun = time.perf_counter()
    rows = [
        rows_of(
            chunk.pairing,
            play_pair(chunk.game, chunk.a, chunk.b, index=index, opening=line, seed=chunk.seed, limit=chunk.limit),
        )
        for index, line in chunk.pairs
    ]
    return rows, (time.perf_counter() - begun) / max(1, len(rows))


_Answer = Future[tuple[list[PairRows], float]]


@dataclass
class _Queue:
    """The pairs of one pairing that are still to be played, in order."""

    pairing: Pairing
    number: int
    seed: int
    left: deque[int]
    size: int = 1
    """The current number of pairs per chunk."""

    def learn(self, seconds: float) -> None:
        """Fit the size of chunks to the seconds that a pair takes."""
        fitting = int(CHUNK_SECONDS / max(seconds, 1e-6))
        self.size = max(1, min(fitting, 8 * self.size, _MOST_PAIRS))


class _InOrder:
    """The finished pairs of a sequential test, each held back until all before it are there."""

    def __init__(self, test: Sprt, before: Iterable[Sequence[float]]) -> None:
        self.test = test
        self.counts = [0] * len(SCORES)
        self.next = 0
        self.waiting: dict[int, PairRows] = {}
        for points in before:
            self._read(points)

    def _read(self, points: Sequence[float]) -> None:
        self.counts[SCORES.index(sum(points) / len(points))] += 1
        self.next += 1

    @property
    def decided(self) -> bool:
        return self.test.state(self.counts).accepted is not None

    def release(self, rows: Iterable[PairRows]) -> list[PairRows]:
        """The pairs that the test has now read: those that came in order, until it was decided."""
        self.waiting.update({row.pair: row for row in rows})
        released = []
        while not self.decided and self.next in self.waiting:
            released.append(self.waiting.pop(self.next))
            self._read(released[-1].points)
        return released


class Running:
    """A tournament that is being played. ``on_pairs`` is called with every batch of pairs that has been stored."""

    def __init__(
        self,
        tournament: Tournament,
        store: Store,
        run: Run,
        crew: Crew,
        *,
        strict: bool = False,
        on_pairs: Callable[[Sequence[PairRows]], None] | None = None,
    ) -> None:
        self.tournament = tournament
        self.store = store
        self.run = run
        self.crew = crew
        self.strict = strict
        self.on_pairs = on_pairs
        crew.prepare(tournament.agents)
        self._lines = tournament.lines()
        finished = store.finished(run)
        self._queues = {
            number: _Queue(
                pairing,
                number,
                tournament.seed_of(pairing),
                deque(index for index in range(tournament.pairs) if index not in finished[number]),
            )
            for number, pairing in zip(sorted(run.pairings), tournament.pairings, strict=True)
        }
        self._turns = itertools.cycle(self._queues.values())
        self._flight: dict[_Answer, Chunk] = {}
        self._again: deque[Chunk] = deque()
        self._deaths: Counter[tuple[int, int]] = Counter()
        test = tournament.sprt
        self._in_order = None if test is None else _InOrder(test, (points for _, _, points in store.points(run)))

    @property
    def decided(self) -> bool:
        """Whether a sequential test has ended."""
        return self._in_order is not None and self._in_order.decided

    def play(self) -> None:
        """Play all pairs that are left. If it is interrupted, finished pairs have been stored."""
        try:
            while not self.decided and self._send():
                done, _ = wait(self._flight, return_when=FIRST_COMPLETED)
                self._receive(done)
        except KeyboardInterrupt:
            done = {answer for answer in self._flight if answer.done() and answer.exception() is None}
            self._receive(done)
            raise
        finally:
            for answer in self._flight:
                answer.cancel()

    def _send(self) -> bool:
        """Give each worker a chunk to work on and one to wait; False when nothing is left."""
        while len(self._flight) < 2 * self.crew.size:
            chunk = self._again.popleft() if self._again else self._next_chunk()
            if chunk is None:
                break
            self._flight[self.crew.submit(play_chunk, chunk)] = chunk
        return bool(self._flight)

    def _next_chunk(self) -> Chunk | None:
        """The next pairs, of each pairing in turn, so that all progress together."""
        for queue in itertools.islice(self._turns, len(self._queues)):
            if queue.left:
                share = -(-len(queue.left) // (2 * self.crew.size))  # the last chunks are small: no worker waits long
                return self._chunk(queue, [queue.left.popleft() for _ in range(min(queue.size, share))])
        return None

    def _chunk(self, queue: _Queue, indices: Iterable[int]) -> Chunk:
        pairs = tuple((index, self._lines[index]) for index in indices)
        a, b = queue.pairing
        return Chunk(self.tournament.game, a, b, queue.number, pairs, queue.seed, self.tournament.limit)

    def _receive(self, done: Iterable[_Answer]) -> None:
        rows: list[PairRows] = []
        for answer in done:
            chunk = self._flight.pop(answer)
            try:
                found, seconds = answer.result()
            except WorkerDied:
                self._replay(chunk)
            else:
                rows += found
                self._queues[chunk.pairing].learn(seconds)
        self._keep(rows)

    def _replay(self, chunk: Chunk) -> None:
        """Repeat the pairs of a chunk whose worker died, each on its own: so it shows which one kills it."""
        for index, _ in chunk.pairs:
            self._deaths[chunk.pairing, index] += len(chunk.pairs) == 1
            if self._deaths[chunk.pairing, index] > _MOST_DEATHS:
                a, b = self.run.pairings[chunk.pairing]
                raise ArenaError(
                    f"the worker process dies whenever it plays pair {index + 1} of {a} against {b}; "
                    "finished pairs are kept"
                )
            self._again.append(self._chunk(self._queues[chunk.pairing], [index]))

    def _keep(self, rows: list[PairRows]) -> None:
        if self._in_order is not None:
            rows = self._in_order.release(rows)
        if not rows:
            return
        rows.sort(key=lambda row: (row.pairing, row.pair))
        self.store.add(rows)
        if self.on_pairs is not None:
            self.on_pairs(rows)
        if self.strict:
            for row in rows:
                if row.fault is not None:
                    a, b = self.run.pairings[row.pairing]
                    where = f"pair {row.pair + 1} of {a} against {b}"
                    raise FaultFound(f"stopped at the first fault, in {where}: {': '.join(row.fault)}")
