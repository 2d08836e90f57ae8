"""With the compiler off the learners run as plain Python, and learn the same."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inarow.kernels.ntuple import squash
from inarow.rules import Position, game
from inarow.stopping import Stop
from inarow.training import Stage, trainer

TRAININGS = [
    ("ntuple:tuples=4,length=4", "5x4x4", "self", 6),
    ("ntuple", "4x4x3", "self", 3),
    ("ntuple:tuples=3,length=3,tactics=off,coherence=0", "tictactoe", "self", 6),
    ("qlearning", "tictactoe", "self", 20),
    ("qlearning", "tictactoe", "rules", 20),
    ("qlearning:guide=heuristic,backup=own", "connect4", "rules", 3),
]
SCRIPT = """
import json
from test_learning_uncompiled import learnt
print(json.dumps(learnt()))
"""


def learnt() -> list[list[float]]:
    """What every model holds after a few episodes, summed up, and what it then makes of the moves of a position."""
    found = []
    for spec, board, opponent, episodes in TRAININGS:
        learner = trainer(spec).learner(game(board), 3, episodes)
        learner.run(Stage((opponent,)), episodes, Stop())
        sums = [float(np.abs(array.astype(np.float64)).sum()) for _, array in sorted(learner.arrays().items())]
        decision = learner.mind(1).decide(Position.start(game(board), [1, 0]))
        found.append([*sums, decision.move, *(decision.values or {}).values()])
    return found


def test_the_compiler_changes_nothing_but_the_speed_of_learning() -> None:
    environment = {
        **os.environ,
        "INAROW_JIT": "0",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr
    for plain, compiled in zip(json.loads(done.stdout), learnt(), strict=True):
        assert plain == pytest.approx(compiled, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("x", [0.0, 1e-9, -0.3, 0.5, 1.0, -2.5, 4.0, 8.0, -30.0, 1e6])
def test_values_are_squashed_as_by_the_hyperbolic_tangent(x: float) -> None:
    assert squash(x) == pytest.approx(math.tanh(x), abs=1e-7)
