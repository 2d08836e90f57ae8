"""Every kernel returns and writes what it did when its calls were recorded, and stays within its arrays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.recorded_calls import Recorded

RECORDED = Recorded()
KERNELS = RECORDED.kernels()
REPLAY = """
from support.recorded_calls import Recorded
recorded = Recorded()
for calls in recorded.kernels().values():
    for call in calls[-6:]:
        recorded.replay(call)
from inarow.rules import Position, game
from inarow.solver import Oracle
for name in ("4x4x4-free", "4x4x4", "4x4x4-misere"):  # calls with records, which are not recorded
    board = game(name)
    assert Oracle(board, tt_mb=1).score(Position.start(board)) == (-2 if board.misere else 0)
"""


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda name: name.removeprefix("inarow.kernels."))
def test_recorded_calls_give_the_same_bits(kernel: str) -> None:
    for call in KERNELS[kernel]:
        RECORDED.replay(call)


def test_kernels_stay_within_their_arrays() -> None:
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    environment = {**os.environ, "INAROW_JIT": "check", "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", REPLAY], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
