"""How busy a tournament keeps many workers: by a cost model of Dask, or with Dask itself and players that only sleep.

    python benchmarks/scaling_out.py                 # the model: 10 to 800 workers
    python benchmarks/scaling_out.py --dask 200      # a real scheduler and 200 worker threads on this machine

The model runs the arena's own scheduler, with its queues and chunk sizes, in simulated time. Client and scheduler each
handle one message at a time; the client also stores every pair. Work is distributed as Dask does it: a job goes to the
worker with the least to do. Efficiency is the work divided by the workers' time from the first job to the last result.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.arena import Executor, Job, Running, Store, Tournament
from inarow.arena.cluster import JOB_OVERHEAD, Cluster, distributed
from inarow.arena.executor import Task
from inarow.arena.running import Chunk, PairQueue, play_queues
from inarow.arena.store import StoredPair
from inarow.match import parse_openings
from inarow.rules import CONNECT4, TICTACTOE, Game, Player, Position
from inarow.stopping import Stop

CLIENT, SCHEDULER = 0.0017, 0.0018
"""Seconds of processor time per job, measured with Dask 2025: half for the job, half for its result."""
STORED = 0.00004
"""Seconds in which the client reads and stores a pair (measured: 4 and 33 µs)."""


class Simulated(Executor):
    """A cluster in simulated time, whose workers join at given times."""

    def __init__(self, joins: Sequence[float], seconds: Callable[[int], float]) -> None:
        self.joins = sorted(joins)
        self.seconds = seconds
        """Of the pair with this index."""
        self.now = self.work = 0.0
        self.jobs = 0

    @property
    def size(self) -> int:
        return sum(joined <= self.now for joined in self.joins)

    @property
    def chunk_seconds(self) -> float:
        return max(super().chunk_seconds, JOB_OVERHEAD * self.size)

    def submit(self, job: Job[Any], listener: Any = None) -> Task[Any]:
        raise NotImplementedError

    def run(self, jobs: Any, ahead: int = 2) -> Iterator[tuple[Job[Any], Any]]:
        """Do jobs; the results are the seconds per pair."""
        results: list[tuple[float, int, Job[Any], float]] = []
        free = [(joined, number) for number, joined in enumerate(self.joins)]
        scheduler = 0.0
        count = itertools.count()
        while True:
            while len(results) < max(1, ahead * self.size) and (job := jobs()) is not None:
                self.now += CLIENT / 2
                scheduler = max(scheduler, self.now) + SCHEDULER / 2
                taken = sum(self.seconds(index) for index, _ in job.arguments[0].pairs)
                begun, worker = heapq.heappop(free)
                end = max(begun, scheduler) + taken
                heapq.heappush(free, (end, worker))
                heapq.heappush(results, (end, next(count), job, taken))
                self.work += taken
                self.jobs += 1
            if not results:
                return
            end, _, job, taken = heapq.heappop(results)
            scheduler = max(scheduler, end) + SCHEDULER / 2
            pairs = len(job.arguments[0].pairs)
            self.now = max(self.now, scheduler) + CLIENT / 2 + STORED * pairs
            yield job, ([None] * pairs, taken / pairs)


class Pairs(PairQueue):
    """The pairs of one pairing."""

    def __init__(self, number: int, pairs: int) -> None:
        super().__init__()
        self.number, self.pairs, self.sent = number, pairs, 0

    @property
    def waiting(self) -> int:
        return self.pairs - self.sent

    def take(self, most: int, ahead: bool) -> Chunk | None:
        first, self.sent = self.sent, min(self.pairs, self.sent + most)
        one = agent("random")
        pairs = tuple((index, ()) for index in range(first, self.sent))
        return Chunk(CONNECT4, one, one, self.number, pairs, 0) if pairs else None

    def receive(self, rows: Sequence[StoredPair]) -> Sequence[StoredPair]:
        return rows


@dataclass(frozen=True)
class Found:
    """What a simulation gave."""

    efficiency: float
    seconds: float
    jobs: int


def simulate(joins: Sequence[float], pairings: int, pairs: int, seconds: Callable[[int], float]) -> Found:
    """Simulate a tournament; efficiency is over the time for which each worker was there."""
    executor = Simulated(joins, seconds)
    play_queues([Pairs(number, pairs) for number in range(pairings)], executor, lambda rows: None)
    there = sum(max(0.0, executor.now - joined) for joined in joins)
    return Found(executor.work / there, executor.now, executor.jobs)


def varied(mean: float) -> Callable[[int], float]:
    """Pairs whose time varies by a factor of nine."""
    return lambda index: mean * (0.2 + 1.6 * (index * 7919 % 1000) / 999)


@dataclass(frozen=True)
class Sleepy(Agent):
    """Plays the first legal move after 70 ms of sleep: a pair of Tic Tac Toe takes about a second."""

    name = "sleepy"
    summary = "sleeps for 70 ms"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return _SleepyMind()


class _SleepyMind(Mind):
    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        time.sleep(0.07)
        return Decision(position.legal_moves()[0])


def on_dask(threads: int, pairs: int) -> float:
    """The efficiency of this many worker threads in four processes; importable, so run it from this folder."""
    each = -(-threads // 4)
    openings = parse_openings(TICTACTOE, "none")
    tournament = Tournament(TICTACTOE, (Sleepy(),), openings, pairs, with_self=True, repeat=True)
    with (
        distributed().LocalCluster(n_workers=4, threads_per_worker=each, dashboard_address=None) as local,
        Store.in_memory() as store,
        Cluster(local.scheduler_address) as executor,
    ):
        begun = time.perf_counter()
        Running(tournament, store, store.begin(tournament), executor).play()
        seconds = time.perf_counter() - begun
        work = store.database.execute("SELECT sum(seconds_first) + sum(seconds_second) FROM timing").fetchone()[0]
    return float(work / (seconds * 4 * each))


def main(given: argparse.Namespace) -> None:
    if given.dask:
        print(f"{given.dask} threads of a Dask cluster: efficiency {on_dask(given.dask, given.pairs):.0%}")
        return
    print("workers  ms per pair  pairs      seconds  jobs    efficiency")
    for workers, milliseconds in itertools.product((10, 50, 200, 800), (10, 50, 500)):
        pairs = int(workers * 120 / milliseconds * 1000) // 10  # two minutes of work for everybody
        found = simulate([0.0] * workers, 10, pairs, varied(milliseconds / 1000))
        row = f"{workers:7}  {milliseconds:11}  {10 * pairs:9,}  {found.seconds:7.1f}  {found.jobs:6,}"
        print(f"{row}  {found.efficiency:.1%}")
    late = simulate([0.0, *[10.0] * 6], 3, 800, varied(0.05))
    print(f"1 worker and 6 more after 10 s: {late.seconds:.1f} s, efficiency {late.efficiency:.1%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dask", type=int, default=0, help="threads of a real Dask cluster")
    parser.add_argument("--pairs", type=int, default=6000)
    main(parser.parse_args())
