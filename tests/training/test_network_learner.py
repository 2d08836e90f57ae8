"""What a network learns from one game."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.agents import agent
from inarow.rules import game
from inarow.stopping import Stop
from inarow.training import Stage, new_learner


@pytest.mark.parametrize(("final", "learnt"), [("on", True), ("off", False)])
def test_the_end_of_the_first_game_is_learnt_by_final_adaptation_alone(final: str, learnt: bool) -> None:
    learner = new_learner(agent(f"ntuple:trace=0,final={final},openings=0"), game("4x4x3"), 1, 10, 1)
    learner.run(Stage(("self",)), 1, Stop())
    assert bool(np.count_nonzero(learner.network.weights)) is learnt  # type: ignore[attr-defined]
