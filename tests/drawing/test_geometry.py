"""Proportions of a board that fit together."""

from __future__ import annotations

from inarow.drawing import geometry


def test_a_share_in_pixels_is_whole_division_at_every_size() -> None:
    for cell in range(1, 500):
        assert geometry.pixels(cell, 1 / 7) == cell // 7
        assert geometry.pixels(cell, geometry.BOX_GAP) == cell // 24


def test_a_stone_fills_its_hole_and_stays_in_its_cell() -> None:
    assert geometry.HOLE < geometry.STONE / 2 <= geometry.HOLE_EDGE < 0.5
    radii = [radius for _, radius in geometry.STONE_BANDS]
    assert radii == sorted(radii, reverse=True)
    assert radii[-1] > geometry.MARK_REACH + geometry.MARK_WIDTH / 2
