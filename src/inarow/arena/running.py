"""Playing pairs: queues of pairs go to workers in chunks, finished pairs into the store; decided pairings stop."""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from inarow.agents import NO_LIMIT, Agent, Limit
from inarow.agents.base import rehearse
from inarow.arena.executor import ChunkSize, Executor, Job
from inarow.arena.results import schedule_of
from inarow.arena.store import PairResult, PairRows, Run, Store, rows_of
from inarow.arena.tournament import ArenaError, Pairing, Tournament
from inarow.match import Pair, SequentialRule, Series, play_pair
from inarow.match.openings import Line
from inarow.rules import Game
from inarow.stats import Sprt

T = TypeVar("T")

_RECOUNT = 50


class FaultFound(ArenaError):
    """An agent failed in a tournament that stops at the first fault."""


@dataclass(frozen=True)
class Chunk:
    """Some pairs of one pairing, to be played one after the other; the results are the same on any worker."""

    game: Game
    a: Agent
    b: Agent
    pairing: int
    pairs: tuple[tuple[int, Line], ...]
    """Index and opening of each."""
    seed: int
    limit: Limit = NO_LIMIT
    raising: bool = False
    adjudicate: bool = False

    def job(self, play: Callable[[Chunk], T]) -> Job[T]:
        """Return the job of playing it, which is split into single pairs if the worker dies."""
        if len(self.pairs) == 1:
            what = f"plays pair {self.pairs[0][0] + 1} of {self.a.spec} against {self.b.spec}"
            return Job(play, (self,), what)
        return Job(play, (self,), parts=lambda: [replace(self, pairs=(pair,)).job(play) for pair in self.pairs])

    def play(self) -> Iterator[Pair]:
        """Play the pairs, in a worker, after both agents have compiled what they need."""
        rehearse(self.a, self.game)
        rehearse(self.b, self.game)
        how: dict[str, Any] = {"limit": self.limit, "strict": self.raising, "adjudicate": self.adjudicate}
        both = self.game, self.a, self.b
        return (play_pair(*both, index=index, opening=line, seed=self.seed, **how) for index, line in self.pairs)


def play_chunk(chunk: Chunk) -> list[Pair]:
    """Play a chunk, in a worker."""
    return list(chunk.play())


def play_rows(chunk: Chunk) -> tuple[list[PairRows], float]:
    """Play a chunk, in a worker; return the rows of its pairs, and the seconds per pair."""
    pairs = chunk.play()
    begun = time.perf_counter()
    rows = [rows_of(chunk.pairing, pair) for pair in pairs]
    return rows, (time.perf_counter() - begun) / max(1, len(rows))


class PairQueue(ABC):
    """Pairs that are still to be played, in order."""

    def __init__(self) -> None:
        self.chunks = ChunkSize()

    @property
    @abstractmethod
    def waiting(self) -> int:
        """How many pairs are to be sent, at most."""

    @abstractmethod
    def take(self, most: int, ahead: bool) -> Chunk | None:
        """Take the next pairs; None if it is over, or should wait for results.

        Pairs that may prove needless are taken only if ``ahead``.
        """

    @abstractmethod
    def receive(self, rows: Sequence[PairRows]) -> Sequence[PairRows]:
        """Count finished pairs; return those that are to be stored now."""

    @property
    def decided(self) -> bool:
        """Whether not even the pairs that are being played are needed."""
        return False


def play_queues(queues: Sequence[PairQueue], executor: Executor, keep: Callable[[Sequence[PairRows]], None]) -> None:
    """Play all pairs that are left, of each queue in turn, so that all progress together.

    ``keep`` stores finished pairs; if it is interrupted, those have been stored.
    """
    turns, sent = deque(queues), dict[int, PairQueue]()
    left = 0
    count = itertools.count()

    def following() -> Job[tuple[list[PairRows], float]] | None:
        nonlocal left
        if next(count) % _RECOUNT == 0:  # pairs of decided pairings are never played
            left = sum(queue.waiting for queue in queues)
        share = left // (2 * max(1, executor.size))
        for ahead in (False, True):
            for _ in range(len(turns)):
                turns.rotate(-1)
                chunk = turns[-1].take(turns[-1].chunks.fitting(share), ahead)
                if chunk is not None:
                    sent[chunk.pairing] = turns[-1]
                    left -= len(chunk.pairs)
                    return chunk.job(play_rows)
        return None

    for job, (rows, seconds) in executor.run(following):
        queue = sent[job.arguments[0].pairing]
        queue.chunks.learn(seconds, executor.chunk_seconds)
        keep(queue.receive(rows))
        if all(queue.decided for queue in queues):
            return


class Reading:
    """The finished pairs of one pairing, read in order. Those that would only repeat an earlier one are skipped."""

    def __init__(
        self, series: Series, lines: Sequence[Line], stopping: Sprt | SequentialRule | None, repeat: bool
    ) -> None:
        self.series = series
        self.lines = lines
        """The opening of each pair, by index."""
        self.stopping = stopping
        self.repeat = repeat
        """Whether pairs are played although they only repeat others."""
        self.next = 0
        """The index of the next pair to be read."""
        self.look = 0 if stopping is None else stopping.next_look(0)
        self.decided = False
        self._waiting: dict[int, tuple[PairResult, PairRows | None]] = {}

    @property
    def done(self) -> bool:
        """Whether no more pairs are needed."""
        return self.decided or self.next >= len(self.lines)

    @property
    def counted(self) -> int:
        """How many pairs have been counted."""
        return self.series.pairs.total()

    def skips(self, index: int) -> bool:
        """Return True if the pair of this index would only repeat another one."""
        return not self.repeat and self.series.repeats.is_settled(self.lines[index])

    def until_look(self, index: int) -> int:
        """Return how many pairs from this index on are needed before the next look; all, if there is none."""
        if self.stopping is None:
            return len(self.lines) - index
        return self.next + self.look - self.counted - index

    def _read(self, pair: PairResult) -> None:
        """Count the next pair."""
        new = self.series.read(self.lines[pair.pair], pair.stochastic, pair.lines, pair.points)
        self.next = pair.pair + 1
        while self.next < len(self.lines) and self.skips(self.next):
            self._waiting.pop(self.next, None)
            self.next += 1
        if new and self.stopping is not None and self.counted >= self.look:
            self.decided = self.stopping.is_enough(self.series)
            self.look = self.stopping.next_look(self.counted)

    def resume(self, pair: PairResult) -> None:
        """Take a pair that is stored already; it is read once all before it are there."""
        self._waiting[pair.pair] = pair, None
        self.release(())

    def release(self, rows: Iterable[PairRows]) -> list[PairRows]:
        """Return the new pairs that have now been read: each once all before it are there, until it is decided."""
        self._waiting.update({row.pair: (row.result, row) for row in rows if row.pair >= self.next})
        released: list[PairRows] = []
        while not self.done and self.next in self._waiting:
            result, row = self._waiting.pop(self.next)
            released += [row] if row is not None else []
            self._read(result)
        return released


class _PairingQueue(PairQueue):
    """The pairs of one pairing of a tournament."""

    def __init__(self, tournament: Tournament, pairing: Pairing, number: int, reading: Reading, raising: bool) -> None:
        super().__init__()
        self.tournament = tournament
        self.pairing = pairing
        self.number = number
        self.reading = reading
        self.raising = raising
        self.left: deque[int] = deque()

    @property
    def waiting(self) -> int:
        return len(self.left)

    @property
    def decided(self) -> bool:
        return self.reading.done

    def take(self, most: int, ahead: bool) -> Chunk | None:
        """Take the next pairs; those beyond the next look may prove needless."""
        while self.left and self.reading.skips(self.left[0]):
            self.left.popleft()
        if not self.left or self.decided:
            return None
        count = min(most, len(self.left), most if ahead else self.reading.until_look(self.left[0]))
        pairs = tuple((index, self.reading.lines[index]) for index in (self.left.popleft() for _ in range(count)))
        given = self.tournament
        chunk = Chunk(given.game, *self.pairing, self.number, pairs, given.seed, given.limit)
        return replace(chunk, raising=self.raising, adjudicate=given.adjudicate) if pairs else None

    def receive(self, rows: Sequence[PairRows]) -> Sequence[PairRows]:
        return self.reading.release(rows)


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
        executor: Executor,
        *,
        strict: bool = False,
        raising: bool = False,
        on_pairs: Callable[[Sequence[PairRows]], None] | None = None,
    ) -> None:
        self.tournament = tournament
        self.store = store
        self.run = run
        self.executor = executor
        self.strict = strict
        self.on_pairs = on_pairs
        executor.check(tournament.agents)
        lines, fixed = tournament.lines(), tournament.schedule.fixed
        self._queues = {
            number: _PairingQueue(
                tournament,
                pairing,
                number,
                Reading(
                    Series(tournament.game, *pairing),
                    lines[: tournament.most(pairing)] if fixed else lines,
                    tournament.stopping,
                    tournament.repeat or not fixed,
                ),
                raising,
            )
            for number, pairing in zip(sorted(run.pairings), tournament.pairings, strict=True)
        }
        for pair in store.results(run):
            self._queues[pair.pairing].reading.resume(pair)
        if fixed:  # otherwise the first round is opened when it is played
            self._fill({number: tournament.most(queue.pairing) for number, queue in self._queues.items()})

    @property
    def decided(self) -> bool:
        """Whether no pairing needs more pairs."""
        return all(queue.decided for queue in self._queues.values())

    def play(self) -> None:
        """Play all pairs that are left. If it is interrupted, finished pairs have been stored."""
        while not self.decided:
            play_queues(list(self._queues.values()), self.executor, self._keep)
            if not self._open_round():
                return

    def _fill(self, wanted: dict[int, int]) -> bool:
        """Queue the missing pairs of each pairing up to a number; False if there are none."""
        finished = self.store.finished(self.run)
        for number, queue in self._queues.items():
            queue.left = deque(index for index in range(wanted.get(number, 0)) if index not in finished[number])
        return any(queue.left for queue in self._queues.values())

    def _open_round(self) -> bool:
        """Begin the next round of a format whose rounds depend on results; False if there is none."""
        schedule = schedule_of(self.store, self.run)
        if schedule is None:
            return False
        wanted = self.tournament.wanted(schedule.scores)
        specs = {number: (one.pairing.a.spec, one.pairing.b.spec) for number, one in self._queues.items()}
        return self._fill({number: wanted.get(met, 0) for number, met in specs.items()})

    def _keep(self, rows: Sequence[PairRows]) -> None:
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
