"""A submission file run as Kaggle runs it: in a Python of its own, with the standard library and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from inarow.adapters.notations import board_cells
from inarow.rules import Position

RUNNER = """
import json, sys, time

class Struct(dict):
    __getattr__ = dict.__getitem__

begun = time.process_time()
scope = {}
exec(compile(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1], "exec"), scope)
function = [value for value in scope.values() if callable(value)][-1]  # as kaggle_environments finds it
loaded = time.process_time() - begun
asked = json.load(sys.stdin)
configuration = Struct(asked["configuration"])
moves, seconds = [], []
for board in asked["boards"]:
    stones = sum(1 for cell in board if cell)
    observation = Struct(board=board, mark=stones % 2 + 1, step=stones, remainingOverageTime=60)
    begun = time.process_time()
    moves.append(function(observation, configuration))
    seconds.append(time.process_time() - begun)
ours = sorted(name for name in sys.modules if name.partition(".")[0] in ("inarow", "numpy", "llvmlite"))
print(json.dumps({"moves": moves, "seconds": seconds, "loaded": loaded, "foreign": ours, "name": function.__name__}))
"""


class Answers(NamedTuple):
    """What a submission played, and the processor time it took."""

    moves: list[int]
    seconds: list[float]
    loaded: float
    foreign: list[str]
    name: str


def run_submission(path: Path, positions: Sequence[Position], seconds: float = 2) -> Answers:
    """Ask a submission file for its move in every position."""
    game = positions[0].game
    configuration: dict[str, Any] = {
        "columns": game.columns, "rows": game.rows, "inarow": game.k, "actTimeout": seconds, "episodeSteps": 1000,
    }  # fmt: skip
    asked = {"configuration": configuration, "boards": [board_cells(position) for position in positions]}
    command = [sys.executable, "-I", "-S", "-c", RUNNER, str(path)]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return Answers(**json.loads(done.stdout))
