"""Play tournaments: send chunks of pairs to workers, store finished pairs, and stop decided pairings."""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from inarow.agents import NO_LIMIT, Agent, Limit
from inarow.agents.base import rehearse
from inarow.arena.executor import ChunkSize, Executor, Job
from inarow.arena.results import schedule_of
from inarow.arena.store import Run, Store, StoredPair, rows_of
from inarow.arena.tournament import ArenaError, Tournament
from inarow.match import Pair, Series, play_pair
from inarow.match.openings import Line
from inarow.match.playing import PlayOptions
from inarow.rules import Game

T = TypeVar("T")

_RECOUNT = 50


class FaultFound(ArenaError):
    """An agent failed, and the tournament stops at the first fault."""


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
        """Return the job that plays it; it is split into single pairs if the worker dies."""
        if len(self.pairs) == 1:
            what = f"plays pair {self.pairs[0][0] + 1} of {self.a.spec} against {self.b.spec}"
            return Job(play, (self,), what)
        return Job(play, (self,), parts=lambda: [replace(self, pairs=(pair,)).job(play) for pair in self.pairs])

    def play(self) -> Iterator[Pair]:
        """Play the pairs, in a worker, after both agents have compiled their kernels."""
        rehearse(self.a, self.game)
        rehearse(self.b, self.game)
        options: PlayOptions = {"limit": self.limit, "strict": self.raising, "adjudicate": self.adjudicate}
        players = self.game, self.a, self.b
        return (play_pair(*players, index=index, opening=line, seed=self.seed, **options) for index, line in self.pairs)


def play_chunk(chunk: Chunk) -> list[Pair]:
    """Play a chunk, in a worker."""
    return list(chunk.play())


def play_rows(chunk: Chunk) -> tuple[list[StoredPair], float]:
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
        """The maximum number of pairs still to be sent."""

    @abstractmethod
    def take(self, most: int, ahead: bool) -> Chunk | None:
        """Take the next pairs, or None at the end or to wait for results.

        Pairs that may turn out to be unnecessary are taken only if ``ahead``.
        """

    @abstractmethod
    def receive(self, rows: Sequence[StoredPair]) -> Sequence[StoredPair]:
        """Count finished pairs; return those to be stored now."""

    @property
    def decided(self) -> bool:
        """True if no more pairs are needed, not even those being played."""
        return False


def play_queues(queues: Sequence[PairQueue], executor: Executor, keep: Callable[[Sequence[StoredPair]], None]) -> None:
    """Play all remaining pairs, of each queue in turn, so that all progress together.

    ``keep`` stores finished pairs, even if it is interrupted.
    """
    turns, sent = deque(queues), dict[int, PairQueue]()
    left = 0
    count = itertools.count()

    def next_job() -> Job[tuple[list[StoredPair], float]] | None:
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

    for job, (rows, seconds) in executor.run(next_job):
        queue = sent[job.arguments[0].pairing]
        queue.chunks.learn(seconds, executor.chunk_seconds)
        keep(queue.receive(rows))
        if all(queue.decided for queue in queues):
            return


class _PairingQueue(PairQueue):
    """The pairs of one pairing. Finished ones are counted in order; repeats of earlier ones are skipped."""

    def __init__(
        self, tournament: Tournament, agents: tuple[Agent, Agent], number: int, lines: Sequence[Line], raising: bool
    ) -> None:
        super().__init__()
        fixed = tournament.schedule.fixed
        self.tournament = tournament
        self.agents = agents
        self.number = number
        self.lines = lines[: tournament.most(agents)] if fixed else lines
        """The opening of each pair, by index."""
        self.raising = raising
        self.series = Series(tournament.game, *agents)
        self.repeat = tournament.repeat or not fixed
        """True to play even pairs that only repeat others."""
        self.stopping = tournament.stopping
        self.left: deque[int] = deque()
        self.next = 0
        """The index of the next pair to count."""
        self.look = 0 if self.stopping is None else self.stopping.next_look(0)
        self._enough = False
        self._finished: dict[int, StoredPair] = {}
        """Finished pairs that wait for others before them."""

    @property
    def waiting(self) -> int:
        return len(self.left)

    @property
    def decided(self) -> bool:
        return self._enough or self.next >= len(self.lines)

    @property
    def counted(self) -> int:
        """The number of pairs counted."""
        return self.series.pairs.total()

    def _skips(self, index: int) -> bool:
        """Return True if the pair of this index would only repeat another one."""
        return not self.repeat and self.series.repeats.is_settled(self.lines[index])

    def take(self, most: int, ahead: bool) -> Chunk | None:
        """Take the next pairs; those beyond the next look may be unnecessary."""
        while self.left and self._skips(self.left[0]):
            self.left.popleft()
        if not self.left or self.decided:
            return None
        if self.stopping is not None and not ahead:
            most = min(most, self.next + self.look - self.counted - self.left[0])
        indices = [self.left.popleft() for _ in range(min(most, len(self.left)))]
        pairs = tuple((index, self.lines[index]) for index in indices)
        (a, b), tournament = self.agents, self.tournament
        chunk = Chunk(
            tournament.game,
            a,
            b,
            self.number,
            pairs,
            tournament.seed,
            tournament.limit,
            self.raising,
            tournament.adjudicate,
        )
        return chunk if pairs else None

    def receive(self, pairs: Iterable[StoredPair]) -> list[StoredPair]:
        """Count finished pairs in order, without gaps, until the pairing is decided; return those to be stored."""
        self._finished |= {pair.pair: pair for pair in pairs if pair.pair >= self.next}
        new: list[StoredPair] = []
        while not self.decided and self.next in self._finished:
            pair = self._finished.pop(self.next)
            new += [pair] if pair.matches else []
            self._read(pair)
        return new

    def _read(self, pair: StoredPair) -> None:
        """Count the next pair."""
        counts = self.series.read(self.lines[pair.pair], pair.stochastic, pair.lines, pair.points)
        self.next += 1
        while self.next < len(self.lines) and self._skips(self.next):
            self._finished.pop(self.next, None)
            self.next += 1
        if counts and self.stopping is not None and self.counted >= self.look:
            self._enough = self.stopping.is_enough(self.series)
            self.look = self.stopping.next_look(self.counted)


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
        on_pairs: Callable[[Sequence[StoredPair]], None] | None = None,
    ) -> None:
        self.tournament = tournament
        self.store = store
        self.run = run
        self.executor = executor
        self.strict = strict
        self.on_pairs = on_pairs
        executor.check(tournament.agents)
        lines, numbered = tournament.lines(), zip(sorted(run.pairings), tournament.pairings, strict=True)
        self._queues = {number: _PairingQueue(tournament, both, number, lines, raising) for number, both in numbered}
        for pair in store.results(run):
            self._queues[pair.pairing].receive([pair])
        if tournament.schedule.fixed:  # otherwise the first round is opened when it is played
            self._fill({number: tournament.most(queue.agents) for number, queue in self._queues.items()})

    @property
    def decided(self) -> bool:
        """True if no pairing needs more pairs."""
        return all(queue.decided for queue in self._queues.values())

    def play(self) -> None:
        """Play all remaining pairs. Finished pairs are stored even if it is interrupted."""
        while not self.decided:
            play_queues(list(self._queues.values()), self.executor, self._keep)
            if not self._open_round():
                return

    def _fill(self, wanted: dict[int, int]) -> bool:
        """Queue each pairing's missing pairs up to a number; return False if there are none."""
        finished = self.store.finished(self.run)
        for number, queue in self._queues.items():
            queue.left = deque(index for index in range(wanted.get(number, 0)) if index not in finished[number])
        return any(queue.left for queue in self._queues.values())

    def _open_round(self) -> bool:
        """Begin the next round of a format that depends on results; return False if there is none."""
        schedule = schedule_of(self.store, self.run)
        if schedule is None:
            return False
        wanted = self.tournament.wanted(schedule.scores)
        return self._fill({number: wanted.get(met, 0) for number, met in self.run.pairings.items()})

    def _keep(self, rows: Sequence[StoredPair]) -> None:
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
