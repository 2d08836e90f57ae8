"""Figures of external agents and clusters: matches of quick file agents, what the sandbox costs, a local cluster.

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
from inarow.agents.external import client
from inarow.arena import Running, Store, Tournament, load, open_executor
from inarow.match import parse_openings, play_match
from inarow.rules import CONNECT4, TICTACTOE

QUICK = """
import random

def agent(observation, configuration):
    return random.choice([c for c in range(configuration.columns) if observation.board[c] == 0])
"""

ENTERING = """
import os, sys, time
from pathlib import Path
from inarow.agents.external import host
from inarow.agents.external.sandbox import Walls

base, count = Path(sys.argv[1]), 50
walls = Walls(base, False)
(base / "scratch").mkdir()
for _ in range(count):
    if os.fork() == 0:
        begun = time.process_time()
        walls.enter(base, base / "scratch", 1024)
        os.write(1, f"{time.process_time() - begun}\\n".encode())
        os._exit(0)
    os.wait()
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


def external(matches: int, folder: Path) -> None:
    """Quick external agents against each other on two workers."""
    for name in ("one.py", "two.py"):
        (folder / name).write_text(QUICK, encoding="utf-8")
    players = (agent(f"file:{folder / 'one.py'}"), agent(f"file:{folder / 'two.py'}"))
    tournament = Tournament(CONNECT4, players, parse_openings(CONNECT4, "random:4"), matches // 2)
    used: list[float] = []
    with Store.in_memory() as store, open_executor(2) as executor:
        run = store.begin(tournament)
        begun = time.perf_counter()
        Running(tournament, store, run, executor, on_pairs=lambda _: used.append(memory())).play()
        seconds = time.perf_counter() - begun
        results = load(store, run)
    ends = {cause: n for series in results.series.values() for cause, n in series.terminations.items()}
    print(
        f"{results.matches:,} matches of quick external agents on two workers: "
        f"{results.matches / seconds:.1f}/s (at least 20)"
    )
    print(f"   terminations: {ends} (no time-out)")
    half = len(used) // 2
    print(
        f"   memory of all processes, first and second half: {max(used[:half] or [0]):.0f}, {max(used[half:]):.0f} MB"
    )


def sandbox(folder: Path, matches: int = 100) -> None:
    """What a match of an external agent costs in processor time, and how much of that is entering the sandbox."""
    entrant, other = agent(f"file:{folder / 'one.py'}"), agent("random")
    play_match(CONNECT4, entrant, other)  # the server starts
    (server,) = client.servers.servers.values()
    before = processor_time(server.process.pid)
    for seed in range(matches):
        play_match(CONNECT4, entrant, other, seed=seed)
    each = 1000 * (processor_time(server.process.pid) - before) / matches
    client.close_server()
    command = [sys.executable, "-c", ENTERING, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    entering = [1000 * float(word) for word in done.stdout.split()]
    print(
        f"processor time of a match of one external agent: {each:.1f} ms; "
        f"entering the sandbox: {sum(entering) / len(entering):.2f} ms of it (at most 10)"
    )


def processor_time(server: int) -> float:
    """Seconds of this process, the server and the agents that have ended (Linux)."""
    fields = Path(f"/proc/{server}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + time.process_time()


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
            with open_executor(2, address) as there, open_executor(2) as here:
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
        external(asked.matches, Path(name))
        sandbox(Path(name))
        if asked.cluster:
            print(f"two local Dask workers against two processes: {against_processes(Path(name)):.2f} (at least 0.85)")


if __name__ == "__main__":
    main()
