"""The longer trainings on the learning curve of the study `compare`: nice python scripts/long_training.py

It trains tables of 1 and 5 million games of Connect 4, records their decisions as the study does, and rewrites
`src/inarow/data/studies/long_training.json`. It takes about five minutes and 2 GB of memory.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from inarow import __version__
from inarow.kernels.lang.loader import processor_name
from inarow.paths import write_text
from inarow.rules import CONNECT4
from inarow.studies.compare.lineup import SCALE
from inarow.studies.compare.measuring import in_play, train_table
from inarow.studies.compare.study import CURVE_OPENINGS, CURVE_PAIRS, TRAINER

FILE = Path(__file__).parents[1] / "src" / "inarow" / "data" / "studies" / "long_training.json"
EPISODES = (1_000_000, 5_000_000)
SEED = 0


def main() -> None:
    """Train, record, and rewrite the file."""
    trainings = []
    with tempfile.TemporaryDirectory() as folder:
        for episodes in EPISODES:
            model = str(Path(folder) / "models" / f"{episodes}.npz")
            settings = {"trainer": TRAINER, "game": CONNECT4.name, "episodes": episodes, "seed": SEED, "model": model}
            trained, timing = train_table(settings)
            sys.stdout.write(f"{trained['verdict']}, {timing['seconds']:.0f} s\n")
            play, play_timing = in_play(
                {
                    "agent": f"qlearning:guide=none,model={model}", "game": CONNECT4.name, "opponents": list(SCALE),
                    "openings": CURVE_OPENINGS, "pairs": CURVE_PAIRS[1], "seed": SEED, "graded": False,
                }
            )  # fmt: skip
            del play["verdict"], trained["verdict"]
            play["points"] = dict(zip(SCALE, play["points"].values(), strict=True))
            trainings.append({**trained, **timing, "play": {**play, "timing": play_timing}})
            Path(model).unlink()
    data = {
        "command": f"python scripts/{Path(__file__).name}",
        "trainer": TRAINER,
        "seed": SEED,
        "processor": processor_name(),
        "inarow": __version__,
        "trainings": trainings,
    }
    write_text(FILE, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(f"wrote {FILE}\n")


if __name__ == "__main__":
    main()
