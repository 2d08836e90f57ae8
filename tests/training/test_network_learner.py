"""What a network learns from one game, and on several threads."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.agents import agent
from inarow.kernels.merging import merge
from inarow.rules import game
from inarow.stopping import Stop
from inarow.training import Stage, new_learner
from inarow.training.network_learner import NTupleLearner


@pytest.mark.parametrize(("final", "learnt"), [("on", True), ("off", False)])
def test_the_end_of_the_first_game_is_learnt_by_final_adaptation_alone(final: str, learnt: bool) -> None:
    learner = new_learner(agent(f"ntuple:trace=0,final={final},openings=0"), game("4x4x3"), 1, 10, 1)
    learner.run(Stage(("self",)), 1, Stop())
    assert bool(np.count_nonzero(learner.network.weights)) is learnt  # type: ignore[attr-defined]


def test_random_moves_count_where_they_turn_out_well_and_do_no_harm_where_they_do_not() -> None:
    # Hardly any learning, so that all moves seem equal throughout: those who won gain, those who lost keep their hopes.
    spec = "ntuple:tuples=8,length=4,threats=off,memory=off,epsilon=1,openings=0,alpha=0.000001,coherence=0"
    learner = new_learner(agent(spec), game("6x5x4"), 1, 200, 1)
    learner.run(Stage(("self",)), 200, Stop())
    weights = learner.arrays()["weights"]
    assert weights[weights > 0].sum() > 3 * -weights[weights < 0].sum() > 0


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_what_is_learnt_does_not_depend_on_how_a_training_is_cut_up(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NTupleLearner, "CHUNK", 100)
    monkeypatch.setattr(NTupleLearner, "SHARE", 20)
    found = []
    for pieces in ([250], [1, 9, 90, 37, 113], [50] * 5):
        spec = "ntuple:tuples=6,length=4,epsilon=decay(0.5,0.99,0.01)"
        learner = new_learner(agent(spec), game("5x4x4"), 1, 250, workers)
        for count in pieces:
            assert learner.run(Stage(("self",)), count, Stop()) == count
        found.append({**learner.arrays(), "tally": np.array(list(learner.tally().values()))})
    for other in found[1:]:
        for name, array in found[0].items():
            assert other[name] == pytest.approx(array, rel=1e-9), name


def test_several_threads_learn_other_things_than_one() -> None:
    learnt = []
    for workers in (1, 2):
        learner = new_learner(agent("ntuple:tuples=6,length=4"), game("5x4x4"), 1, 200, workers)
        learner.run(Stage(("self",)), 200, Stop())
        learnt.append(learner.arrays()["weights"])
    assert (learnt[0] != learnt[1]).any()


def test_copies_are_merged_by_the_mean_of_those_that_moved_and_the_sum_of_their_pasts() -> None:
    weights = np.array([0.5, 0.5, 0.5, 0.5], np.float32)
    traces = np.array([0.0, 2.0] * 4, np.float32)
    copies = np.array([[0.5, 0.75, 0.75, 0.25], [0.5, 0.5, 1.25, 0.5]], np.float32)
    pasts = np.array([[0, 2, 1, 3, 1, 3, -9, 3], [0, 2, 0, 2, 3, 5, 0, 2]], np.float32)
    merge(weights, traces, copies, pasts, 0, 3)
    assert weights.tolist() == [0.5, 0.75, 1.0, 0.5]  # nobody's, one's and both's; the last is not asked for
    assert traces.tolist() == [0, 2, 1, 3, 4, 6, 0, 2]
    assert (copies[:, :3] == weights[:3]).all()
    assert (pasts[:, :6] == traces[:6]).all()
    merge(weights, traces, copies, pasts, 3, 4)
    assert weights[3] == 0.25
    assert traces[6:].tolist() == [-3, 3]  # the net sum is never larger than the sum of sizes
