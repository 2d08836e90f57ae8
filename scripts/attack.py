"""Attack inarow: kills, Ctrl-C, damaged files, fuzzed commands, hostile external agents, a full device.

    python scripts/attack.py --scale 1 --seconds 900

Everything is bounded in count (``--scale`` multiplies it) and in time. Processes get signals by their own id or group,
only if this script started them; nothing listens on or connects to more than loopback. The summary table is what
docs/robustness.md shows. Exits with 1 if anything was found.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from attacks.commands import commands, disks, names  # noqa: E402
from attacks.files import files  # noqa: E402
from attacks.processes import agents, interrupts, kill_points, kills, leagues  # noqa: E402
from attacks.runner import Attack, Tally  # noqa: E402
from attacks.stores import stores  # noqa: E402

ATTACKS = (files, stores, disks, names, commands, agents, leagues, kills, kill_points, interrupts)


def main() -> int:
    """Run all attacks and print the table."""
    names = [one.__name__ for one in ATTACKS]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of attacks")
    parser.add_argument("--seconds", type=float, default=1800, help="for all attacks together, roughly")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="some of the attacks")
    given = parser.parse_args()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script, and so in all it starts
        signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="inarow-attack-"))
    attack = Attack(folder, given.seed, time.monotonic() + given.seconds)
    tallies: list[Tally] = []
    try:
        for one in ATTACKS:
            if one.__name__ in given.only:
                found = one(attack, given.scale)
                made = found if isinstance(found, list) else [found]
                sys.stderr.write(f"{one.__name__}: {'; '.join(n for tally in made for n in tally.notes[:9])}\n")
                tallies += made
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = ["| attack | tried | tracebacks | hangs | processes left | wrong exit or exception | wrong result |"]
    lines += ["|---|---|---|---|---|---|---|", *(tally.row() for tally in tallies)]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if any(tally.found for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
