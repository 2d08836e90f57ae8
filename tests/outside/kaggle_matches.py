"""Exported agents and replays in Kaggle's own ConnectX; run by ``make check-kaggle`` where kaggle-environments is.

python tests/outside/kaggle_matches.py FOLDER: every ``*.py`` in the folder plays both seats against Kaggle's agents,
and each match is written there as a replay. With ``--show`` the replays in the folder are loaded and shown instead.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kaggle_environments import __version__, make


def play(folder: Path) -> None:
    """Every submission in both seats."""
    for path in sorted(folder.glob("*.py")):
        for seat in (0, 1):
            for rival in ("random", "negamax"):
                env = make("connectx")
                pair = [rival, rival]
                pair[seat] = str(path)
                env.run(pair)
                last = env.steps[-1]
                assert [part.status for part in last] == ["DONE", "DONE"], (path.name, rival, last)
                left = min(step[seat].observation.remainingOverageTime for step in env.steps)
                assert left == 60, f"{path.name} took more than 2 s for a move"
                assert last[seat].reward == 1 or rival == "negamax", f"{path.name} did not beat random play"
                name = f"{path.stem}-{seat}-{rival}.json"
                (folder / name).write_text(json.dumps(env.toJSON()), encoding="utf-8")
                print(f"{path.name} in seat {seat} against {rival}: reward {last[seat].reward}")


def show(folder: Path) -> None:
    """Replays that inarow has written."""
    for path in sorted(folder.glob("*.replay")):
        data = json.loads(path.read_text(encoding="utf-8"))
        env = make("connectx", configuration=data["configuration"], steps=data["steps"], info=data["info"])
        assert env.done
        assert "+---+" in env.render(mode="ansi")
        print(f"{path.name}: {len(env.steps) - 1} moves")


if __name__ == "__main__":
    print(f"kaggle-environments {__version__}")
    (show if "--show" in sys.argv else play)(Path(sys.argv[1]))
