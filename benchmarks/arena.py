"""The arena's figures: overhead a match, matches a second with the store, two workers against one, a million matches.

python benchmarks/arena.py [--million]
python benchmarks/arena.py --against CHECKOUT    # the same by another checkout's own benchmark, in turn, and the ratios
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.arena import Running, Store, Tournament, open_executor
from inarow.arena.executor import Executor
from inarow.arena.store import rows_of
from inarow.match import parse_openings, play_match, play_pair
from inarow.match.series import Pair
from inarow.rules import CONNECT4, TICTACTOE, Game, Player, Position
from inarow.stopping import Stop

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Busy(Agent):
    """Plays the first legal move after computing for 8 ms of processor time: a Tic Tac Toe match takes about 50 ms."""

    name = "busy"
    summary = "computes for 8 ms"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return _BusyMind()


class _BusyMind(Mind):
    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        until = time.process_time() + 0.008
        while time.process_time() < until:
            pass
        return Decision(position.legal_moves()[0])


def rate(executor: Executor, tournament: Tournament, folder: Path) -> float:
    """Matches a second into a store, from the first stored pair on (processes have started by then)."""
    begun: list[float] = []
    counted: list[int] = []
    path = folder / "rate.db"
    with Store.create(path, replace=True) as store:
        run = store.begin(tournament)

        def on_pairs(rows: object) -> None:
            if begun:
                counted.append(len(rows))  # type: ignore[arg-type]
            else:
                begun.append(time.perf_counter())

        Running(tournament, store, run, executor, on_pairs=on_pairs).play()
        seconds = time.perf_counter() - begun[0]
    return 2 * sum(counted) / seconds


def processor_seconds() -> float:
    """Of this process and its ended children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def overhead(folder: Path) -> float:
    """Milliseconds a match, beyond the agents' own time, of one process with a store."""
    tournament = Tournament(CONNECT4, (agent("random"), agent("rules")), parse_openings(CONNECT4, "random:4"), 1000)
    taken: list[float] = []
    for _ in range(5):
        with Store.create(folder / "overhead.db", replace=True) as store, open_executor(1) as executor:
            run = store.begin(tournament)
            running = Running(tournament, store, run, executor)
            begun = time.perf_counter()
            running.play()
            spent = time.perf_counter() - begun
            sums = "sum(seconds_first) + sum(seconds_second)"
            own: float = store.database.execute(f"SELECT {sums} FROM timing").fetchone()[0]
        taken.append((spent - own) / 2000 * 1000)
    return min(taken)


def random_matches(folder: Path) -> tuple[float, float]:
    """Random against random on two workers: matches a second, and matches a second of processor time on two cores."""
    tournament = Tournament(CONNECT4, (agent("random"),), parse_openings(CONNECT4, "random:4"), 15_000, with_self=True)
    before = processor_seconds()
    with open_executor(2) as executor:
        wall = max(rate(executor, tournament, folder) for _ in range(2))
    return wall, 2 * 2 * 2 * tournament.pairs / (processor_seconds() - before)


def scaling(folder: Path) -> float:
    """How many times faster two workers are than one, on matches of 50 ms."""
    tournament = Tournament(TICTACTOE, (Busy(),), parse_openings(TICTACTOE, "none"), 40, with_self=True)
    best = 0.0
    for _ in range(3):
        with open_executor(1) as one, open_executor(2) as two:
            best = max(best, rate(two, tournament, folder) / rate(one, tournament, folder))
    return best


def interrupt(folder: Path) -> float:
    """Seconds from Ctrl-C to the end of a tournament with two workers."""
    command = [sys.executable, "-m", "inarow", "tournament", "connect4", "random", "rules", "--pairs", "100000"]
    out = folder / "interrupt.db"
    taken = []
    for _ in range(3):
        running = subprocess.Popen(
            [*command, "--workers", "2", "--out", str(out), "--force"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        log = out.with_name(out.name + "-wal")
        while running.poll() is None and (not log.exists() or log.stat().st_size < 300_000):
            time.sleep(0.05)
        begun = time.perf_counter()
        running.send_signal(signal.SIGINT)
        running.wait()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def million(folder: Path) -> tuple[float, float]:
    """Seconds and megabytes of ``inarow results`` on a million stored matches between five agents."""
    specs = ("random", "rules", "rules:style=centre", "greedy", "greedy:depth=1")[:4]
    openings = parse_openings(CONNECT4, "random:4")
    tournament = Tournament(CONNECT4, tuple(agent(spec) for spec in specs), openings, 83_334)
    path = folder / "million.db"
    draw = random.Random(1)
    sample = [play_match(CONNECT4, agent("random"), agent("random"), seed=seed) for seed in range(2000)]
    shapes = [rows_of(0, Pair(0, a, b)) for a, b in zip(sample[::2], sample[1::2], strict=True)]
    with Store.create(path) as store:
        run = store.begin(tournament)
        for pairing in run.pairings:
            for start in range(0, tournament.pairs, 5000):
                rows = []
                for pair in range(start, min(start + 5000, tournament.pairs)):
                    shape = draw.choice(shapes)
                    ids = [pairing << 32 | pair << 1 | swapped for swapped in (0, 1)]
                    matches = [
                        row._replace(id=number, pairing=pairing, pair=pair, moves_hash=draw.getrandbits(62))
                        for number, row in zip(ids, shape.matches, strict=True)
                    ]
                    timings = [row._replace(id=number) for number, row in zip(ids, shape.timings, strict=True)]
                    rows.append(shape._replace(pairing=pairing, pair=pair, matches=matches, timings=timings))
                store.add(rows)
    taken = []
    for _ in range(3):
        begun = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", _MEASURED, str(path)], check=True, capture_output=True, text=True)
        taken.append((time.perf_counter() - begun, float(done.stdout.split()[-1])))
    print(f"   (the store has {path.stat().st_size / 1e6:,.0f} MB)")
    return min(taken)


_MEASURED = """
import resource, sys
sys.argv = ["inarow", "results", sys.argv[1]]
from inarow.cli.main import run
try: run()
except SystemExit: pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


FIGURES = {
    "overhead a match": r"overhead a match: ([\d.]+)",
    "matches a second": r"with the store: ([\d,]+) matches",
    "matches a second of processor time": r"free cores would do: ([\d,]+)",
}


def compare(other: Path, rounds: int) -> None:
    """Print the figures of this checkout over those of another one: medians of several rounds, in turn."""
    found: dict[Path, dict[str, list[float]]] = {}
    for tree in (ROOT, other.resolve()) * rounds:
        command = [sys.executable, str(tree / "benchmarks" / "arena.py")]
        environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
        shown = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        for name, pattern in FIGURES.items():
            (value,) = re.findall(pattern, shown)
            found.setdefault(tree, {}).setdefault(name, []).append(float(value.replace(",", "")))
    here, there = found.values()
    for name in FIGURES:
        ours, theirs = median(here[name]), median(there[name])
        print(f"{name}: {ours:,.3f} here, {theirs:,.3f} there, ratio {ours / theirs:.3f}")


def main() -> None:
    """Print each figure beside what is wanted."""
    options = argparse.ArgumentParser()
    options.add_argument("--million", action="store_true")
    options.add_argument("--against", type=Path, help="another checkout to compare with")
    options.add_argument("--rounds", type=int, default=3)
    asked = options.parse_args()
    if asked.against is not None:
        compare(asked.against, asked.rounds)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        play_pair(CONNECT4, agent("random"), agent("rules"))
        print(f"overhead a match: {overhead(folder):.3f} ms (at most 0.4)")
        wall, processor = random_matches(folder)
        print(f"random–random on two workers with the store: {wall:,.0f} matches/s (at least 2,500);")
        print(f"   by processor time, as two free cores would do: {processor:,.0f}")
        print(f"two workers against one on matches of 50 ms: {scaling(folder):.2f} (at least 1.8)")
        print(f"Ctrl-C to the end: {interrupt(folder):.2f} s (at most 2)")
        if asked.million:
            seconds, megabytes = million(folder)
            print(f"results of a million matches: {seconds:.2f} s (at most 5), {megabytes:.0f} MB (at most 500)")


if __name__ == "__main__":
    main()
