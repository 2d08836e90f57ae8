"""Kill a tournament at each of its calls that change a file, resume it, and compare its rows, tables and report.

Run by `attacks.processes.kill_points` with ``kill_at.c`` preloaded: python -m attacks.kill_points FOLDER SEED SECONDS.
Prints how many were killed, and a line for each that was not resumed to the same rows, tables and report.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from inarow.arena import Running, Store, Tournament, load, results_json
from inarow.arena.executor import InProcess
from support.reports import report_with_times_of

KILL_AT = ctypes.CDLL(None)


def play(path: Path, format_: str) -> None:
    """Play or resume the tournament in this process."""
    tournament = Tournament.of(
        "connect4", ["random", "rules", "greedy", "rules:style=centre"], "random:3", 4, format=format_
    )
    with Store.open(path) if path.exists() else Store.create(path) as store:
        Running(tournament, store, store.resume(tournament), InProcess()).play()


def play_in_child(path: Path, format_: str, calls: int) -> bool:
    """Play in a process that is killed at this call, if it gets there (never with −1); return True if it ended well."""
    child = os.fork()
    if not child:
        KILL_AT.arm(ctypes.c_long(calls))
        try:
            play(path, format_)
        finally:
            KILL_AT.arm(ctypes.c_long(-1))
            os._exit(sys.exc_info()[0] is not None)
    ended = os.waitpid(child, 0)[1]
    return ended == 0 or (ended == signal.SIGKILL and calls >= 0)


def content(path: Path, whole: Path) -> tuple[str, list[tuple[object, ...]], list[str], str]:
    """Return the tables of a store, its rows, its notes, and its report with the times of the whole run."""
    report = report_with_times_of(path, whole)
    with Store.read(path) as store:
        tables = results_json(load(store, store.runs()[0]))
        del tables["timing"]
        rows = store.database.execute("SELECT * FROM match ORDER BY id").fetchall()
        return json.dumps(tables), rows, store.notes, report


def main(folder: Path, seed: int, seconds: float) -> None:
    """Kill at each call in turn, and then at up to three random ones while it is resumed."""
    chance, until, tried = random.Random(seed), time.monotonic() + seconds, 0
    for format_ in ("round-robin", "swiss:2", "groups:2"):
        whole, killed = folder / f"{format_}.db", folder / "killed.db"
        play(folder / f"{format_}-first.db", format_)
        KILL_AT.arm(ctypes.c_long(-1))
        play(whole, format_)
        calls, expected = int(KILL_AT.calls_seen()), content(whole, whole)
        for call in range(calls):
            for path in [*folder.glob("killed.db*"), *folder.glob(".killed.db*")]:
                path.unlink()
            moments = [call, *(chance.randrange(calls) for _ in range(chance.randint(0, 3)))]
            ended = [play_in_child(killed, format_, moment) for moment in (*moments, -1)]
            if not all(ended) or content(killed, whole) != expected:
                sys.stdout.write(f"{format_}, killed at {moments}: {ended}\n")
            tried += len(moments)
            if time.monotonic() > until:
                break
    sys.stdout.write(f"{tried}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
