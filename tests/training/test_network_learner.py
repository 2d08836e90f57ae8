"""What a network learns from one game, and on several threads."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.arena.executor import InProcess
from inarow.kernels.td import blend
from inarow.models.files import ModelError, ModelFile, save
from inarow.rules import game
from inarow.stopping import Stop
from inarow.training import Stage, trainer
from inarow.training.ntuple import NTupleLearner


@pytest.mark.parametrize(("final", "learnt"), [("on", True), ("off", False)])
def test_the_end_of_the_first_game_is_learnt_by_final_adaptation_alone(final: str, learnt: bool) -> None:
    learner = trainer(f"ntuple:lambda=0,final={final},opening_share=0").learner(game("4x4x3"), 1, 10)
    learner.run(Stage(("self",)), 1, Stop())
    assert bool(np.count_nonzero(learner.network.weights)) is learnt  # type: ignore[attr-defined]


def test_random_moves_count_where_they_turn_out_well_and_do_no_harm_where_they_do_not() -> None:
    # Hardly any learning, so that all moves seem equal throughout: those who won gain, those who lost keep their hopes.
    spec = "ntuple:tuples=8,length=4,threats=off,memory=off,epsilon=1,opening_share=0,alpha=0.000001,coherence=0"
    learner = trainer(spec).learner(game("6x5x4"), 1, 200)
    learner.run(Stage(("self",)), 200, Stop())
    weights = learner.arrays()["weights"]
    assert weights[weights > 0].sum() > 3 * -weights[weights < 0].sum() > 0


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_what_is_learnt_does_not_depend_on_how_a_training_is_cut_up(
    workers: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NTupleLearner, "ROUND", 60)
    monkeypatch.setattr(NTupleLearner, "BATCH", 20)
    found = []
    for pieces in ([250], [1, 9, 90, 37, 113], [50] * 5):
        spec = "ntuple:tuples=6,length=4,average=0.5,epsilon=decay(0.5,0.99,0.01)"
        learner = trainer(spec).learner(game("5x4x4"), 1, 250, workers)
        for count in pieces:
            assert learner.run(Stage(("self",)), count, Stop()) == count
        found.append({**learner.arrays(), "tally": np.array(list(learner.tally().values()))})
    for other in found[1:]:
        for name, array in found[0].items():
            assert other[name] == pytest.approx(array, rel=1e-9), name


def test_any_number_of_workers_learns_the_same_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NTupleLearner, "BATCH", 50)
    learnt = []
    for workers in (None, 1, 2, 3):
        learner = trainer("ntuple:tuples=6,length=4").learner(game("5x4x4"), 1, 220, workers)
        learner.run(Stage(("self",)), 220, Stop())
        learnt.append({**learner.arrays(), "tally": np.array(list(learner.tally().values()))})
    alone, one, *others = learnt
    assert (alone["weights"] != one["weights"]).any()
    for other in others:
        assert all((other[name] == array).all() for name, array in one.items())


def test_the_average_moves_by_a_part_of_its_way() -> None:
    average, weights = np.array([0.0, 1.0, -2.0], np.float32), np.array([1.0, 1.0, 2.0], np.float32)
    blend(average, weights, 0.25)
    assert average.tolist() == [0.25, 1.0, -1.0]
    assert weights.tolist() == [1.0, 1.0, 2.0]


def learner_of_short_rounds(
    monkeypatch: pytest.MonkeyPatch, average: float, workers: int | None = None
) -> NTupleLearner:
    monkeypatch.setattr(NTupleLearner, "ROUND", 10)
    monkeypatch.setattr(NTupleLearner, "BATCH", 5)
    learner = trainer(f"ntuple:tuples=6,length=4,average={average}").learner(game("5x4x4"), 1, 100, workers)
    assert isinstance(learner, NTupleLearner)
    return learner


def keep(learner: NTupleLearner, path: Path, arrays: dict[str, Any]) -> None:
    told = {"spec": "ntuple", "seed": 1, "episodes": learner.episodes, "history": []}
    save(path, {"kind": "ntuple", "game": "5x4x4", "model": learner.header(), **told}, arrays)


@pytest.mark.parametrize("workers", [None, 2])
def test_what_plays_is_the_average_of_the_last_part_of_training(
    workers: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = learner_of_short_rounds(monkeypatch, 0.5, workers)
    ends = []
    for _ in range(4):
        learner.run(Stage(("self",)), 10, Stop())
        ends.append(learner.network.weights.copy())
    # Half of two rounds is one: the weights themselves. From then on they count 1 / (rounds / 2).
    third = ends[1] + (ends[2] - ends[1]) * 2 / 3
    fourth = third + (ends[3] - third) / 2
    assert learner.played.weights == pytest.approx(fourth, abs=1e-7)
    assert learner.arrays()["weights"] == pytest.approx(fourth, abs=1e-7)
    learner.run(Stage(("self",)), 9, Stop())  # a round that is not full does not count yet
    assert learner.played.weights == pytest.approx(fourth, abs=1e-7)


def test_a_short_training_and_one_without_average_play_with_the_weights_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for average, episodes in ((0.2, 45), (0, 45)):
        learner = learner_of_short_rounds(monkeypatch, average)
        learner.run(Stage(("self",)), episodes, Stop())
        assert learner.played is learner.network
        assert "latest" not in learner.arrays()


@pytest.mark.parametrize(
    ("workers", "episodes"),
    [
        (None, 33),
        (1, 33),
        (3, 33),
        (None, 13),
    ],  # in the midst of a batch, a round and an average; before there is an average
)
def test_a_training_goes_on_from_its_file_as_if_never_interrupted(
    workers: int | None, episodes: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    learner = learner_of_short_rounds(monkeypatch, 0.5, workers)
    learner.run(Stage(("self",)), episodes, Stop())
    keep(learner, tmp_path / "model.npz", learner.arrays())
    again = learner_of_short_rounds(monkeypatch, 0.5, workers)
    with ModelFile(tmp_path / "model.npz") as file:
        again.restore(file)
    for one in (learner, again):
        one.run(Stage(("self",)), 30, Stop())
    wanted, found = learner.arrays(), again.arrays()
    assert set(wanted) == set(found) == {"weights", "latest", "traces", "state", "counts"}
    for name, array in wanted.items():
        assert (found[name] == array).all(), name
    assert (wanted["weights"] != wanted["latest"]).any()


@pytest.mark.parametrize(
    ("name", "value"), [("traces", np.inf), ("traces", 0), ("traces", np.nan), ("latest", np.nan), ("state", -1)]
)
def test_a_damaged_training_is_refused(
    name: str, value: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    learner = learner_of_short_rounds(monkeypatch, 0.5)
    learner.run(Stage(("self",)), 30, Stop())
    arrays = {one: array.copy() for one, array in learner.arrays().items()}
    arrays[name].reshape(-1)[-1] = value
    keep(learner, tmp_path / "model.npz", arrays)
    refused = pytest.raises(ModelError, match=r"damaged; start again|weights are not numbers")
    with ModelFile(tmp_path / "model.npz") as file, refused:
        learner_of_short_rounds(monkeypatch, 0.5).restore(file)


def test_of_two_threads_one_learns_what_the_other_played_with_the_weights_of_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learner = learner_of_short_rounds(monkeypatch, 0, workers=2)
    learner.run(Stage(("self",)), 5, Stop())
    assert not learner.network.weights.any()  # the first batch is played, and waits
    learner.run(Stage(("self",)), 1, Stop())
    first = learner.network.weights.copy()
    assert first.any()
    assert np.count_nonzero(learner.played.weights != first)  # who wants to play it lets it learn all


def test_threads_that_are_stopped_leave_nothing_unlearnt(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = learner_of_short_rounds(monkeypatch, 0, workers=2)
    play = NTupleLearner._play
    finished: list[int] = []

    def play_three_at_most(self: NTupleLearner, shard: int, count: int, stop: Stop, tally: Any) -> int:
        played = play(self, shard, count if shard < 6 else 0, stop, tally)
        finished.append(shard)
        if shard == 9:
            while len(finished) < 10:  # the other thread may still play a shard
                time.sleep(0.001)
            stop.set()
        return played

    monkeypatch.setattr(NTupleLearner, "_play", play_three_at_most)
    assert learner.run(Stage(("self",)), 50, Stop()) == learner.episodes == 3
    learnt = learner.network.weights.copy()
    assert learnt.any()
    assert (learner.played.weights == learnt).all()


def test_a_pool_of_other_processes_plays_what_threads_play() -> None:
    found = []
    for workers, pool in ((2, None), (None, InProcess())):
        learner = trainer("ntuple:tuples=6,length=4").learner(game("5x4x4"), 1, 6_000, workers, pool)
        for count in (200, 2_300, 3_000):
            learner.run(Stage(), count, Stop())
        found.append(learner.arrays())
    assert all((found[0][name] == found[1][name]).all() for name in found[0])
