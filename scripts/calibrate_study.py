"""The counts that stand for times in the study `compare`, measured here: python scripts/calibrate_study.py

It rewrites `src/inarow/data/studies/budgets.json` and takes about five minutes on an idle machine.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from inarow import __version__
from inarow.arena.executor import cores
from inarow.kernels.lang.loader import processor_name
from inarow.paths import write_text
from inarow.studies.compare.measuring import calibrate

FILE = Path(__file__).parents[1] / "src" / "inarow" / "data" / "studies" / "budgets.json"


def show(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Measure, and rewrite the file."""
    data = {
        "command": f"python scripts/{Path(__file__).name}",
        "what": "nodes or simulations per move by searcher and time, measured by processor time",
        "processor": processor_name(),
        "cores": cores(),
        "inarow": __version__,
        "counts": calibrate(note=show),
    }
    write_text(FILE, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    sys.stdout.write(f"wrote {FILE}\n")


if __name__ == "__main__":
    main()
