"""How long a newcomer waits: the first answer of each agent, all kernels, an edit, and with all cached.

python benchmarks/cold.py            # processor seconds on one core (about a minute and a half)
python benchmarks/cold.py --quick    # alphabeta, mcts and solve only

Every command runs in a process of its own on one core, with default parameters and compiled kernels. Times are the
processor's, of the process and its children, so that other work on the machine disturbs less (it still takes away
caches and shared units: a busy machine shows more). The least of several runs is taken where all is cached.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import inarow
from inarow.agents.registry import agent_names, plugin_names
from inarow.kernels import cache

QUICK = ("alphabeta", "mcts")
FIRST = {"solve": 0.8, "decide mcts": 0.9}
"""Seconds that the first answer may take, of most commands `FIRST_ANSWER`."""
FIRST_ANSWER, CACHED, ALL_KERNELS = 1.2, 0.35, 14.0
REPEATS = 3
EDITED = "inarow.kernels.mcts"


def seconds(command: list[str], folder: Path, sources: Path | None = None) -> float:
    """Processor seconds of a command on one core with this cache folder."""
    environment = {**os.environ, "INAROW_CACHE": str(folder), "INAROW_QUIET_COMPILE": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled once, as a user's are
    if sources is not None:
        environment["PYTHONPATH"] = str(sources)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pin: Callable[[], None] | None = None
    if hasattr(os, "sched_setaffinity"):
        core = min(os.sched_getaffinity(0))

        def pin() -> None:
            os.sched_setaffinity(0, {core})

    subprocess.run([sys.executable, *command], env=environment, check=True, stdout=subprocess.DEVNULL, preexec_fn=pin)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(what: str, took: float, wanted: float | None) -> None:
    """Print a line of the table."""
    print(f"{what:<52} {took:6.2f} s" + ("" if wanted is None else f"   (at most {wanted:g})"), flush=True)


def first_answers(commands: dict[str, list[str]], folder: Path) -> None:
    """Each command with an empty cache; the next time, when `decide` may compile the solver; and with all cached."""
    for name, command in commands.items():
        place = folder / name
        row(f"first {name}, empty cache", seconds(command, place), FIRST.get(name, FIRST_ANSWER))
        row(f"      {name}, the next time", seconds(command, place), FIRST_ANSWER)
        row(f"      {name}, cached", min(seconds(command, place) for _ in range(REPEATS)), CACHED)


def after_an_edit(folder: Path) -> None:
    """What an edit in one kernel's source recompiles: the entries that are new."""
    sources, place = folder / "sources", folder / "edited"
    shutil.copytree(Path(inarow.__file__).parent, sources / "inarow", ignore=shutil.ignore_patterns("__pycache__"))
    warm = ["-m", "inarow.kernels.warm"]
    row("all kernels, empty cache", seconds(warm, place, sources), ALL_KERNELS)
    before = set((place / "compiled").glob("*.o"))
    path = sources / EDITED.replace(".", "/")
    with path.with_suffix(".py").open("a") as file:
        file.write("\n# edited\n")
    took = seconds(warm, place, sources)
    new = {entry.name.rpartition("-")[0] for entry in set((place / "compiled").glob("*.o")) - before}
    row(f"after an edit of {EDITED.removeprefix('inarow.')}", took, None)
    print(f"      compiled again: {', '.join(sorted(new))} ({len(new)} of {len(before)})")


def window(folder: Path) -> None:
    """The window's first frame on a machine that never compiled anything, by the clock, and a match against Easy."""
    script = (
        "import sys, time; begun = time.perf_counter()\n"
        "import pygame\n"
        "from inarow.play import desktop; from inarow.play.desktop import app\n"
        "from inarow.play.desktop.game import GameScreen; from inarow.rules import CONNECT4\n"
        "class Timed(app.App):\n"
        "    first = None\n"
        "    def frame(self, events):\n"
        "        super().frame(events)\n"
        "        if self.first is None:\n"
        "            self.first = time.perf_counter() - begun\n"
        "            self.play(CONNECT4)\n"
        "        if isinstance(self.screen, GameScreen):\n"
        "            print(self.first, time.perf_counter() - begun); self.quit()\n"
        "app.App = Timed; desktop.run()\n"
    )
    environment = {**os.environ, "INAROW_CACHE": str(folder / "window"), "INAROW_CONFIG": str(folder / "settings")}
    environment["SDL_VIDEODRIVER"] = "dummy"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print("window: not measured:", done.stderr.strip().splitlines()[-1:])
        return
    first, board = map(float, done.stdout.split()[-2:])  # pygame greets first
    row("the window's first frame, by the clock", first, 2)
    row("a board to play on, against Medium, by the clock", board, None)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    if cache.SHIPPED.exists():
        parser.exit(2, f"remove {cache.SHIPPED}: kernels inside the package would be used\n")
    begun = time.perf_counter()
    commands = {
        f"decide {name}": ["-m", "inarow", "decide", "connect4", "4455", name]
        for name in (QUICK if quick else [name for name in agent_names() if name not in plugin_names()])
    }
    commands["solve"] = ["-m", "inarow", "solve", "connect4", "4455"]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"Processor seconds on one core{load}")
    with tempfile.TemporaryDirectory() as folder:
        first_answers(commands, Path(folder))
        if not quick:
            after_an_edit(Path(folder))
            window(Path(folder))
    print(f"({time.perf_counter() - begun:.0f} s by the clock)")


if __name__ == "__main__":
    main()
