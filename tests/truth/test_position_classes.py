"""The classes of positions that ship keep their definition."""

from __future__ import annotations

import runpy
from pathlib import Path

from inarow.rules import CONNECT4
from inarow.solver import Oracle
from inarow.truth.positions import PositionClass, position_classes

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_position_classes.py"


def test_every_class_has_1000_different_positions() -> None:
    found = position_classes()  # which sorts positions into classes by the definition
    assert {name: len(positions) for name, positions in found.items()} == dict.fromkeys(PositionClass, 1000)
    assert len({known.position.canonical_key() for positions in found.values() for known in positions}) == 6000


def test_scores_are_the_solver_s() -> None:
    oracle = Oracle(CONNECT4, book=False)
    for name in (PositionClass.END_EASY, PositionClass.MIDDLE_EASY, PositionClass.MIDDLE_MEDIUM):
        for known in position_classes()[name][:40]:
            assert oracle.scores(known.position) == known.scores


def test_the_script_makes_the_same_positions() -> None:
    made = runpy.run_path(str(SCRIPT))["fill"]("middle", 5, 1)
    assert all(tuple(made[name]) == position_classes()[name][:5] for name in made)
    assert set(made) == {PositionClass.MIDDLE_EASY, PositionClass.MIDDLE_MEDIUM}
