"""Figures of a league: a round robin of agents that take 5 ms per move, and one changed file among many.

python benchmarks/league.py [--agents 46] [--class-size 40]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from inarow.arena.workers import cores
from inarow.league import Settings, read_entrants, run_league

AGENT = """
import random
import time

def agent(observation, configuration):
    until = time.process_time() + {seconds}
    while time.process_time() < until:
        pass
    return random.choice([c for c in range(configuration.columns) if observation.board[c] == 0])
"""


def hand_in(folder: Path, count: int, seconds: float) -> Path:
    """A folder of agents that differ in a comment."""
    folder.mkdir()
    for number in range(count):
        text = AGENT.format(seconds=seconds) + f"# number {number}\n"
        (folder / f"agent{number:02}.py").write_text(text, encoding="utf-8")
    return folder


def held(folder: Path, out: Path, settings: Settings) -> dict[str, float]:
    """Hold a league; the seconds that each step took."""
    steps: dict[str, float] = {}
    current, begun = "", time.perf_counter()

    def watch(what: str, done: int, total: int) -> None:
        nonlocal current, begun
        if what != current:
            now = time.perf_counter()
            if current:
                steps[current] = now - begun
            current, begun = what, now

    run_league(read_entrants(folder), settings, out, watch=watch)
    steps[current] = time.perf_counter() - begun
    return steps


def main() -> None:
    """Print the seconds of each step by the clock, and how busy the machine is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=46)
    parser.add_argument("--class-size", type=int, default=40)
    given = parser.parse_args()
    print(f"load of the machine when it began: {os.getloadavg()[0]:.1f} on {cores()} cores")
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        count = given.agents
        folder = hand_in(base / "robin", count, 0.005)
        steps = held(folder, base / "robin-out", replace(Settings(), ladder=(), among=1, seed=1))
        seconds = steps["pairs among entrants"]
        print(f"round robin of {count}: {count * (count - 1)} matches in {seconds:.0f} s; {rounded(steps)}")
        folder = hand_in(base / "class", given.class_size, 0.0)
        print(
            f"a class of {given.class_size}: {rounded(held(folder, base / 'class-out', replace(Settings(), seed=1)))}"
        )
        path = folder / "agent00.py"
        path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
        steps = held(folder, base / "class-out", replace(Settings(), seed=1))
        print(f"one changed file of {given.class_size}: {sum(steps.values()):.1f} s; {rounded(steps)}")


def rounded(steps: dict[str, float]) -> str:
    """The steps and their seconds."""
    return ", ".join(f"{what} {seconds:.1f} s" for what, seconds in steps.items())


if __name__ == "__main__":
    main()
