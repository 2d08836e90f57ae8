"""The example of a learner of one's own learns, and repeats with its seed."""

from __future__ import annotations

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "policy_gradient.py"


def test_the_example_learns_and_a_seed_repeats_it() -> None:
    train = runpy.run_path(str(EXAMPLE))["train"]
    _, points = train(updates=12, seed=1)
    assert points[0] < 0.6
    assert sum(points[-3:]) / 3 > 0.7
    _, again = train(updates=2, seed=1)
    assert again == points[:2]
