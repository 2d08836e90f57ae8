"""How long a league takes: a class of typical agents, one changed file, and a round robin among entrants.

python benchmarks/league.py [--class-size 40] [--seconds 0.02] [--robin 46]

The class has default settings. Its agents win and block with growing reliability, from a random player to one that
always does, and take 20 ms of processor time per move. Targets on two idle cores: 15 minutes for a class of 40, 60
seconds for one changed file.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from inarow.arena.executor import cores
from inarow.teaching.league.entrants import read_entrants
from inarow.teaching.league.running import run_league
from inarow.teaching.league.settings import LeagueSettings

AGENT = """
import random
import time

SKILL = {skill}

def wins(board, column, mark, columns, rows, inarow):
    row = max(r for r in range(rows) if board[r * columns + column] == 0)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        count = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < rows and 0 <= c < columns and board[r * columns + c] == mark:
                count, r, c = count + 1, r + sign * down, c + sign * right
        if count >= inarow:
            return True
    return False

def agent(observation, configuration):
    until = time.process_time() + {seconds}
    while time.process_time() < until:
        pass
    size = configuration.columns, configuration.rows, configuration.inarow
    free = [c for c in range(configuration.columns) if observation.board[c] == 0]
    if random.random() < SKILL:
        for mark in (observation.mark, 3 - observation.mark):
            for column in free:
                if wins(observation.board, column, mark, *size):
                    return column
    return random.choice(free)
"""


def hand_in(folder: Path, count: int, seconds: float) -> Path:
    """Write agents of different skill."""
    folder.mkdir()
    for number in range(count):
        source = AGENT.format(seconds=seconds, skill=number / max(1, count - 1))
        (folder / f"agent{number:02}.py").write_text(source, encoding="utf-8")
    return folder


def held(folder: Path, out: Path, settings: LeagueSettings) -> dict[str, float]:
    """Hold a league; returns the seconds that each step took by the clock."""
    steps: dict[str, float] = {}
    current, begun = "", time.perf_counter()

    def watch(what: str, done: int, total: int) -> None:
        nonlocal current, begun
        if what != current:
            now = time.perf_counter()
            if current:
                steps[current] = now - begun
            current, begun = what, now

    run_league(read_entrants(folder), settings, out, watch=watch, tell=print)
    steps[current] = time.perf_counter() - begun
    return steps


def rounded(steps: dict[str, float]) -> str:
    """Format the steps and their seconds."""
    return f"{sum(steps.values()):.0f} s: " + ", ".join(f"{what} {seconds:.1f} s" for what, seconds in steps.items())


def main() -> None:
    """Print the seconds of each step by the clock, and how busy the machine is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--class-size", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.02, help="processor time per move")
    parser.add_argument("--robin", type=int, default=46, help="entrants of the round robin, of 5 ms per move")
    given = parser.parse_args()
    print(f"load of the machine when it began: {os.getloadavg()[0]:.1f} on {cores()} cores")
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        folder, settings = hand_in(base / "class", given.class_size, given.seconds), replace(LeagueSettings(), seed=1)
        print(f"a class of {given.class_size}, {rounded(held(folder, base / 'class-out', settings))}")
        path = folder / f"agent{given.class_size // 2:02}.py"
        path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
        print(f"one changed file, {rounded(held(folder, base / 'class-out', settings))}")
        if given.robin > 1:
            folder = hand_in(base / "robin", given.robin, 0.005)
            steps = held(folder, base / "robin-out", replace(LeagueSettings(), ladder=(), among=1, seed=1))
            print(f"a round robin of {given.robin * (given.robin - 1)} matches, {rounded(steps)}")


if __name__ == "__main__":
    main()
