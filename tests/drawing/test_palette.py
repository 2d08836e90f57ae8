"""Colours as data: told apart by brightness, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import inarow.play.desktop
from inarow.drawing.board import THEMES, Colour, Theme, hexadecimal, mixed

WINDOW = Path(inarow.play.desktop.__file__).parent


def brightness(colour: Colour) -> float:
    red, green, blue = colour
    return 0.299 * red + 0.587 * green + 0.114 * blue


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_players_and_texts_differ_in_brightness_too(theme: Theme) -> None:
    assert abs(brightness(theme.first) - brightness(theme.second)) > 60
    for colour in (theme.text, theme.faint, theme.good, theme.bad, theme.even):
        assert abs(brightness(colour) - brightness(theme.back)) > 80


def test_a_mixed_colour_lies_between() -> None:
    assert mixed((0, 0, 0), (100, 200, 50), 0.5) == (50, 100, 25)
    assert hexadecimal((0, 15, 255)) == "#000fff"


def test_the_window_has_no_colours_of_its_own() -> None:
    for path in WINDOW.glob("*.py"):
        found = re.findall(r"\(\d{1,3}, \d{1,3}, \d{1,3}\)", path.read_text(encoding="utf-8"))
        assert not found, f"{path.name} has {found}; colours belong to inarow.drawing.board"
