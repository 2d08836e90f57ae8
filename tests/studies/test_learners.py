"""The learning board: the same result for the same seed, and published figures with their sources."""

from __future__ import annotations

from inarow.agents import agent
from inarow.studies.learners import grade_classes, published, train_learner
from inarow.truth.positions import PositionClass


def test_training_and_grading_depend_on_the_seed_alone() -> None:
    settings = {"game": "connect4", "trainer": "ntuple", "games": 300, "each": 20, "matches": 0, "seed": 3}
    one, two = (train_learner(settings).result for _ in range(2))
    assert one == two
    assert one["history"][-1]["games"] == 300
    assert one != train_learner({**settings, "seed": 4}).result


def test_the_shipped_network_is_accurate_in_easy_positions() -> None:
    classes, seconds = grade_classes(agent("ntuple"), 50, 0)
    assert set(classes) == set(PositionClass)
    assert all(classes[name].kept >= 49 for name in PositionClass if name.endswith("easy"))
    assert seconds > 0


def test_published_figures_name_their_sources() -> None:
    for one in published():
        assert {"system", "player", "training", "measured", "comparable", "source", "url"} <= set(one)
        assert {"mistakes", "perfect", "resistance"} & set(one)
        assert set(one.get("mistakes", {})) <= set(PositionClass)
