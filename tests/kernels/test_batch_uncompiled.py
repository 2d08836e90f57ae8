"""With the compiler off a batch of boards runs as plain Python, and does the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from inarow.adapters.batch import Batch

SCRIPT = """
import json
from test_batch_uncompiled import played
print(json.dumps(played()))
"""


def played() -> list[list[int]]:
    """What a few boards hold after some steps."""
    found = []
    for board, opponent in (("connect4", "none"), ("connect4", "rules"), ("tictactoe", "random")):
        batch = Batch(board, 3, seed=2, opponent=opponent)
        for _ in range(30):
            batch.step(batch.random_actions())
            parts = (batch.stones, batch.observations, batch.masks, batch.rewards, batch.ended)
            found.append([int(part.astype(int).sum()) for part in parts])
    return found


def test_the_compiler_changes_nothing_but_the_speed_of_a_batch() -> None:
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "INAROW_JIT": "0", "PYTHONPATH": paths}
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == played()
