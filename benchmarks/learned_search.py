"""Measures searches with a network by bitbully, a solver that is not inarow's.

The positions are random, of plies 4 to 30, with a choice (some moves keep the verdict and others do not) and without a
win in one; a seed makes them anew. Seconds are the processor's, so that other work on the machine does not count; for
agents with a limit in seconds the last columns say by how many milliseconds it was exceeded.

    python benchmarks/learned_search.py [--count 2000] [--seed 1] [--specs SPEC …] [--out FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from inarow.agents import agent
from inarow.agents.base import rehearse
from inarow.rules import CONNECT4, FIRST, Position
from inarow.stats import wilson
from inarow.stopping import Clock, Stop
from referee import Referee, sign

SPECS = [
    "ntuple",
    "mcts:prior=ntuple,leaf=ntuple,reuse_tree=off",
    "mcts:prior=ntuple,leaf=ntuple,reuse_tree=off,solver=on",
    "alphabeta:eval=ntuple,seconds=0.1,solver=off",
    "alphabeta:eval=ntuple,seconds=0.1",
    "best:seconds=0.1",
]
FIRST_PLY, LAST_PLY = 4, 30
TICK = 0.001
QUANTILES = {"half": 0.5, "90 %": 0.9, "99 %": 0.99, "99.9 %": 0.999, "all": 1.0}
"""Parts of all decisions; each has the figure that this part does not exceed."""


class ProcessorClock(Clock):
    """Counts the processor time of this process instead of time passed."""

    def now(self) -> float:
        return time.process_time()

    @contextlib.contextmanager
    def alarm(self, seconds: float | None, stop: Stop) -> Iterator[None]:
        over = threading.Event()
        watcher = None
        if seconds is not None:
            watcher = threading.Thread(target=_watch, args=(self.now() + seconds, stop, over), daemon=True)
            watcher.start()
        try:
            yield
        finally:
            over.set()
            if watcher is not None:
                watcher.join()


def _watch(until: float, stop: Stop, over: threading.Event) -> None:
    while not over.wait(TICK):
        if time.process_time() >= until:
            stop.set()
            return


def test_positions(count: int, seed: int, referee: Referee) -> list[tuple[list[int], dict[int, int]]]:
    """Different positions that the seed makes, by their moves, with the exact score of every move."""
    chance = random.Random(f"learned search {seed}")
    found: dict[int, tuple[list[int], dict[int, int]]] = {}
    while len(found) < count:
        plies = chance.randint(FIRST_PLY, LAST_PLY)
        position, moves = Position.start(CONNECT4), list[int]()
        while len(moves) < plies and position.outcome() is None:
            moves.append(chance.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if position.outcome() is not None or position.winning_moves():
            continue
        key = min(image.key() for image in position.symmetries())
        if key not in found:
            scores = referee.scores(moves)
            if len({sign(score) for score in scores.values()}) > 1:
                found[key] = moves, scores
    return list(found.values())


def measure(spec: str, positions: list[tuple[list[int], dict[int, int]]]) -> dict[str, object]:
    """How often an agent keeps the verdict and plays a move of the best score, with 95 % intervals."""
    one = agent(spec)
    limit = getattr(one, "seconds", None)
    rehearse(one, CONNECT4)
    kept = perfect = 0
    wrong: list[str] = []
    gc.collect()
    gc.freeze()  # what the benchmark itself holds is not the agent's to collect
    mind, begun, seconds = one.start(CONNECT4, FIRST, 0), time.process_time(), list[float]()
    mind.clock = ProcessorClock()
    for moves, scores in positions:
        decision = mind.decide(Position.start(CONNECT4, moves))
        seconds.append(decision.seconds)
        best, score = max(scores.values()), scores[decision.move]
        kept += sign(score) == sign(best)
        perfect += score == best
        if sign(score) != sign(best):
            wrong.append("".join(str(move + 1) for move in moves))
    mind.close()
    count = len(positions)
    return {
        "spec": spec,
        "positions": count,
        "kept": [kept / count, *_ends(kept, count)],
        "perfect": [perfect / count, *_ends(perfect, count)],
        "seconds_per_decision": (time.process_time() - begun) / count,
        "seconds": _quantiles(seconds),
        "excess_ms": _quantiles([1000 * (took - limit) for took in seconds]) if limit is not None else None,
        "wrong": wrong,
    }


def _quantiles(figures: list[float]) -> dict[str, float]:
    """How figures are distributed."""
    ordered = sorted(figures)
    return {name: ordered[int(part * (len(ordered) - 1))] for name, part in QUANTILES.items()}


def _ends(successes: int, count: int) -> tuple[float, float]:
    interval = wilson(successes, count)
    assert interval is not None
    return interval.low, interval.high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--specs", nargs="+", default=SPECS)
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    given = parser.parse_args()
    positions = test_positions(given.count, given.seed, Referee(given.seed))
    found = []
    print(f"spec | verdict kept | perfect moves | seconds per decision | ms over the limit: {', '.join(QUANTILES)}")
    for spec in given.specs:
        one = measure(spec, positions)
        found.append(one)
        kept, perfect = (" ".join(f"{100 * part:.1f}" for part in one[name]) for name in ("kept", "perfect"))  # type: ignore[attr-defined]
        over = " ".join(f"{ms:.1f}" for ms in (one["excess_ms"] or {}).values())  # type: ignore[attr-defined]
        print(f"{spec} | {kept} | {perfect} | {one['seconds_per_decision']:.4f} | {over}", flush=True)
    if given.out:
        given.out.write_text(json.dumps({"seed": given.seed, "agents": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
