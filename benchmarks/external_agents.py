"""Figures of guests and clusters: matches of quick file agents, and a local cluster against two processes.

python benchmarks/external_agents.py [--matches 10000] [--cluster]
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arena import Busy, rate
from inarow.agents import agent
from inarow.arena import Running, Store, Tournament, crew, load
from inarow.match import parse_openings
from inarow.rules import CONNECT4, TICTACTOE

QUICK = """
import random

def agent(observation, configuration):
    return random.choice([c for c in range(configuration.columns) if observation.board[c] == 0])
"""


def memory() -> float:
    """Megabytes of this process's children, and theirs (Linux)."""
    total = 0
    wanted = {os.getpid()}
    status = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                lines = (entry / "status").read_text(encoding="utf-8").splitlines()
            except OSError:
                continue
            status[int(entry.name)] = {line.partition(":")[0]: line.partition(":")[2].split() for line in lines}
    for _ in range(5):
        wanted |= {pid for pid, known in status.items() if int(known["PPid"][0]) in wanted}
    for pid in wanted - {os.getpid()}:
        total += int(status[pid].get("VmRSS", ["0"])[0])
    return total / 1024


def guests(matches: int, folder: Path) -> None:
    """Quick guests against each other on two workers."""
    for name in ("one.py", "two.py"):
        (folder / name).write_text(QUICK, encoding="utf-8")
    players = (agent(f"file:{folder / 'one.py'}"), agent(f"file:{folder / 'two.py'}"))
    tournament = Tournament(CONNECT4, players, parse_openings(CONNECT4, "random:4"), matches // 2)
    used: list[float] = []
    with Store.in_memory() as store, crew(2) as hands:
        run = store.begin(tournament)
        begun = time.perf_counter()
        Running(tournament, store, run, hands, on_pairs=lambda _: used.append(memory())).play()
        seconds = time.perf_counter() - begun
        results = load(store, run)
    ends = {cause: n for series in results.series.values() for cause, n in series.terminations.items()}
    print(
        f"{results.matches:,} matches of quick guests on two workers: {results.matches / seconds:.1f}/s (at least 20)"
    )
    print(f"   terminations: {ends} (no time-out)")
    half = len(used) // 2
    print(
        f"   memory of all processes, first and second half: {max(used[:half] or [0]):.0f}, {max(used[half:]):.0f} MB"
    )


def against_processes(folder: Path) -> float:
    """The speed of two local Dask workers against two processes, on matches of 50 ms."""
    command = [sys.executable, "-m", "inarow", "cluster", "start", "--workers", "2", "--port", "0", "--dashboard", "0"]
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    cluster = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        assert cluster.stdout is not None
        address = cluster.stdout.readline().split()[1]
        tournament = Tournament(TICTACTOE, (Busy(),), parse_openings(TICTACTOE, "none"), 30, with_self=True)
        best = 0.0
        for _ in range(3):
            with crew(2, address) as there, crew(2) as here:
                best = max(best, rate(there, tournament, folder) / rate(here, tournament, folder))
        return best
    finally:
        os.killpg(cluster.pid, signal.SIGKILL)
        cluster.wait()


def main() -> None:
    """Print each figure beside what is wanted."""
    options = argparse.ArgumentParser()
    options.add_argument("--matches", type=int, default=10_000)
    options.add_argument("--cluster", action="store_true")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        guests(asked.matches, Path(name))
        if asked.cluster:
            print(f"two local Dask workers against two processes: {against_processes(Path(name)):.2f} (at least 0.85)")


if __name__ == "__main__":
    main()
