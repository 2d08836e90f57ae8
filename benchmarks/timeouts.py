"""Does any agent of ours lose on time, with all cores busy? Short matches under a limit in seconds, and who was late.

python benchmarks/timeouts.py                    # 10,000 matches, at most about 20 minutes
python benchmarks/timeouts.py --matches 300      # a minute

Every core also has a process that only computes, so that agents get about half of the processor. These processes
end with the benchmark, and by themselves if it is killed. Every pairing plays random openings on Connect 4, Tic Tac Toe
and two small boards. A decision is late under the rule of every match: see `match.playing`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import combinations, cycle
from typing import NamedTuple

from inarow.agents import Limit, agent
from inarow.agents.base import rehearse
from inarow.kernels.warm import warm
from inarow.match import parse_openings, play_series
from inarow.match.record import Termination
from inarow.randomness import derive
from inarow.rules import game

SECONDS = 0.005
"""The limit of a decision: agents that think in time use all of it."""
SEARCHERS = ("perfect", "alphabeta", "minimax", "mcts", "best", "greedy", "rules")
LEARNERS = ("ntuple", "qlearning")
BOARDS = {
    "tictactoe": (0.6, (*SEARCHERS, *LEARNERS)),
    "4x4x3-free": (0.1, SEARCHERS),
    "5x4x4": (0.1, SEARCHERS),
    "connect4": (0.2, (*SEARCHERS, *LEARNERS)),
}
"""For each board its share of the matches, and who plays there."""
CHUNK = 10
BURNERS_END = 3600.0
"""Seconds after which the processes that only compute end by themselves."""


@dataclass
class Tally:
    """What was seen on a board, or in some matches of it."""

    matches: int = 0
    decisions: int = 0
    over: int = 0
    """Decisions that took longer than the limit and its grace by the clock; most because something else ran."""
    slowest: Counter[str] = field(default_factory=Counter)
    """The longest decision of each agent, in milliseconds."""
    lost: list[str] = field(default_factory=list)
    """Matches lost on time, in words."""
    failed: list[str] = field(default_factory=list)
    """Other faults."""

    def add(self, other: Tally) -> None:
        """Count what the other saw as well."""
        self.matches += other.matches
        self.decisions += other.decisions
        self.over += other.over
        self.slowest |= other.slowest
        self.lost += other.lost
        self.failed += other.failed


def burn(until: float) -> None:
    """Compute until a moment by the clock."""
    while time.time() < until:
        sum(range(10_000))


def spec_of(name: str, seconds: float) -> str:
    """The agent's spec with a limit of its own, if it has one."""
    timed = any(parameter.name == "seconds" for parameter in type(agent(name)).parameters())
    return f"{name}:seconds={seconds:g}" if timed else name


def play(board: str, specs: tuple[str, str], matches: int, seed: int, seconds: float) -> Tally:
    """Matches of two agents on a board."""
    played = game(board)
    first, second = (agent(spec) for spec in specs)
    for one in (first, second):
        rehearse(one, played)
    tally = Tally()
    openings = parse_openings(played, "random:2")
    limit = Limit(seconds=seconds)
    for pair in play_series(played, first, second, matches=matches, seed=seed, openings=openings, limit=limit):
        for record, _ in pair.matches():
            tally.matches += 1
            tally.decisions += len(record.seconds)
            for index, took in enumerate(record.seconds, start=len(record.opening)):
                name = (record.first, record.second)[index % 2].partition(":")[0]
                tally.slowest[name] = max(tally.slowest[name], round(1000 * took))
                tally.over += took > seconds + 0.1
            if record.termination.is_fault:
                said = f"{board}: {record.first} – {record.second}: {record.termination}: {record.fault}"
                (tally.lost if record.termination is Termination.OUT_OF_TIME else tally.failed).append(said)
    return tally


class Task(NamedTuple):
    """What `play` takes."""

    board: str
    specs: tuple[str, str]
    matches: int
    seed: int
    seconds: float


def chunks(board: str, share: float, names: tuple[str, ...], options: argparse.Namespace) -> list[Task]:
    """The tasks of a board: pairings in turn, until there are enough matches."""
    left = round(share * options.matches)
    tasks: list[Task] = []
    pairings = cycle(combinations([spec_of(name, options.seconds) for name in names], 2))
    while left > 0:
        seed = derive(options.seed, f"{board} {len(tasks)}")
        tasks.append(Task(board, next(pairings), min(CHUNK, left), seed, options.seconds))
        left -= CHUNK
    return tasks


def main() -> None:
    """Play, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the limit of a decision")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warm()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    until = time.time() + BURNERS_END
    burners = [multiprocessing.Process(target=burn, args=(until,), daemon=True) for _ in range(cores)]
    for burner in burners:
        burner.start()
    begun = time.perf_counter()
    boards = {board: Tally() for board in BOARDS}
    try:
        tasks = [task for board, (share, names) in BOARDS.items() for task in chunks(board, share, names, options)]
        with ProcessPoolExecutor(cores, mp_context=multiprocessing.get_context("spawn")) as workers:
            futures = {workers.submit(play, *task): task.board for task in tasks}
            for future in as_completed(futures):
                boards[futures[future]].add(future.result())
    finally:
        for burner in burners:
            burner.terminate()
    show(boards, time.perf_counter() - begun)


def show(boards: dict[str, Tally], took: float) -> None:
    """Print the table, and every fault."""
    total = Tally()
    print(f"{'board':<12} {'matches':>8} {'decisions':>10} {'slow by the clock':>18} {'lost on time':>13} {'other':>6}")
    for board, tally in (*boards.items(), ("together", total)):
        total.add(tally if tally is not total else Tally())
        counts = f"{tally.matches:>8,} {tally.decisions:>10,} {tally.over:>18,}"
        print(f"{board:<12} {counts} {len(tally.lost):>13,} {len(tally.failed):>6,}")
    print("The slowest decision of each agent:", ", ".join(f"{n} {ms} ms" for n, ms in sorted(total.slowest.items())))
    print("\n".join((*total.lost, *total.failed)))
    print(f"({took:.0f} s by the clock, load {os.getloadavg()[0]:.1f})")


if __name__ == "__main__":
    main()
