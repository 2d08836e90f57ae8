"""Kills, Ctrl-C, and hostile external agents."""

from __future__ import annotations

import contextlib
import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from attacks.runner import Attack, Tally, results

from support.external_attacks import ATTACKS
from support.external_corpus import BAD, GOOD, UNLOADABLE, bad_source, write

IDLE = ("sleeps when it is losing, to be asked again", "wakes up all the time, as if it waited for a core")
"""Attacks that must not have a match played again: the machine has done nothing to them."""
TOURNAMENT = ("tournament", "connect4", "random", "rules", "greedy", "--workers", "2", "--pairs")


def kills(attack: Attack, scale: float) -> Tally:
    """Tournaments killed with SIGKILL at random moments and resumed: the tables must be those of a whole run."""
    tally = Tally("tournaments killed and resumed")
    whole, killed, pairs = attack.folder / "whole.db", attack.folder / "killed.db", "400"
    attack.run(tally, *TOURNAMENT, pairs, "--out", str(whole), code=0)
    for _ in attack.times(round(6 * scale)):
        running = attack.start(*TOURNAMENT, pairs, "--out", str(killed), *(["--resume"] if killed.exists() else []))
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(2 + 3 * attack.chance.random())
        running.kill()
        attack.finish(tally, running, killed=True)
    attack.run(tally, *TOURNAMENT, pairs, "--out", str(killed), *(["--resume"] if killed.exists() else []), code=0)
    found = [results(attack, tally, store) for store in (whole, killed)]
    if found[0] != found[1]:
        tally.wrong += 1
        tally.notes.append(f"other tables after kills: {[f'{one!s:.300}' for one in found]}")
    return tally


def kill_points(attack: Attack, scale: float) -> Tally:
    """Tournaments killed at each call that changes a file, and resumed; needs a C compiler and the GNU C library."""
    tally = Tally("tournaments killed at each change of a file")
    here, library = Path(__file__).parent, attack.folder / "kill_at.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(here / "kill_at.c"), "-ldl"], check=True)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "attacks.kill_points",
            attack.folder,
            str(attack.chance.randrange(1000)),
            str(600 * scale),
        ],
        env={
            **attack.environment,
            "LD_PRELOAD": str(library),
            "PYTHONPATH": os.pathsep.join([attack.environment["PYTHONPATH"], str(here.parents[1] / "tests")]),
        },
        cwd=here.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    *tally.notes, tried = done.stdout.splitlines()
    tally.tried, tally.wrong, tally.tracebacks = int(tried), len(tally.notes), done.stderr.count("Traceback")
    return tally


def interrupts(attack: Attack, scale: float) -> Tally:
    """Ctrl-C once to four times at random moments, to the whole group, as a terminal sends it."""
    tally = Tally("Ctrl-C, 1 to 4 times")
    commands = [
        (*TOURNAMENT, "100000"),
        ("match", "connect4", "random", "rules", "-n", "1000000"),
        ("train", "tictactoe", "qlearning", "-n", "50000000", "--out", "model.npz", "--force"),
        ("solve", "7x6x5"),
        ("study", "compare", "--out", "study", "--force"),
        ("rate", "connect4", "rules", "--within", "1", "--workers", "2"),
        ("serve", "--port", "0"),
        ("league", "entrants", "--out", "league", "--workers", "2"),
        ("dataset", "connect4", "--out", "positions.csv", "--per-ply", "100000", "--force"),
        ("grade", "connect4", "greedy", "--positions", "1000000"),
    ]
    (attack.folder / "entrants").mkdir()
    for name in ("connectx", "one argument"):
        write(attack.folder / "entrants", name, GOOD[name])
    for number in attack.times(round(20 * scale)):
        running = attack.start(*commands[number % len(commands)])
        time.sleep(2 + 4 * attack.chance.random())  # Python itself takes a while to start, and is not ours
        for _ in range(attack.chance.randint(1, 4)):
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGINT)
            time.sleep(attack.chance.choice((0, 0.02, 0.3)))
        attack.finish(tally, running)
    return tally


def agents(attack: Attack, scale: float) -> Tally:
    """Hostile external agents in tournaments, each against `random`: the tournament ends, and no process is left.

    One that can't be loaded is named in one line instead.
    """
    tally = Tally("hostile external agents")
    hostile = {name: bad_source(entry[0]) for name, entry in BAD.items()}
    hostile |= {name: entry[0] for name, entry in UNLOADABLE.items()}
    places = {"server": "os.getppid()", "folder": attack.folder}
    hostile |= {name: one.source(**places) for name, one in ATTACKS.items()}
    for number in attack.times(min(len(hostile), round(len(hostile) * scale))):
        name, source = list(hostile.items())[number]
        spec = f"file:{write(attack.folder, f'agent-{number}', source)}"
        play = ("tournament", "connect4", spec, "random", "--pairs", "1", "--workers", "1", "--seconds", "0.2")
        said = attack.run(tally, *play)
        refused = attack.code == 2 and len(said.splitlines()) == 1 and " cannot be loaded: " in said
        if "random" not in said and not refused:
            tally.wrong += 1
            tally.notes.append(f"no table with the agent that {name}: {said[-200:]}")
        if "because of this machine" in said and name in IDLE:
            tally.wrong += 1
            tally.notes.append(f"a match was played again for the agent that {name}: {said[:200]}")
    return tally


def leagues(attack: Attack, scale: float) -> Tally:
    """Leagues with hostile entrants: an innocent one, which tries illegal moves and catches the error, gets the same
    marks as alone, and is never at fault."""
    tally = Tally("leagues with hostile entrants")
    places = {"server": "os.getppid()", "folder": attack.folder}
    hostile = [one.source(**places) for one in ATTACKS.values()]
    # An entrant that sleeps may take 10 s for its first decision in each match, so few failed matches must disqualify.
    settings = "seed = 'attack'\npairs = 5\nmax_pairs = 5\ndisqualify = 0.1\n[limits]\nseconds = 0.2\n"
    (attack.folder / "league.toml").write_text(settings, encoding="utf-8")
    alone = ""
    for number in attack.times(1 + round(len(hostile) / 5 * scale)):
        folder = attack.folder / f"class-{number}"
        folder.mkdir()
        write(folder, "innocent", GOOD["tries illegal moves"])
        for at, source in enumerate(hostile[5 * (number - 1) : 5 * number] if number else ()):
            write(folder, f"hostile-{at}", source)
        attack.run(tally, "league", str(folder), "--workers", "2", code=0)
        marks = (attack.folder / f"class-{number}-league" / "marks.csv").read_text(encoding="utf-8")
        (line,) = (line for line in marks.splitlines() if line.startswith("innocent"))
        alone = alone or line
        (row,) = (row for row in csv.DictReader(marks.splitlines()) if row["name"] == "innocent")
        if line != alone or row["remark"]:
            tally.wrong += 1
            tally.notes.append(f"{line} beside hostile entrants, {alone} alone")
    return tally
