"""A position as SVG: well-formed, complete, in the colours of the palette."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

import inarow
from inarow.drawing.board import DARK, LIGHT, THEMES, WHITE, Theme, hexadecimal, shade
from inarow.drawing.svg import Label, draw_svg, tone_of
from inarow.errors import InarowError

WON = inarow.position("connect4", "4455667")
OPEN = inarow.position("connect4", "44556")
FREE = inarow.position("tictactoe", "1524")


def elements(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter())


def count(svg: str, **wanted: str) -> int:
    return sum(all(element.get(k) == v for k, v in wanted.items()) for element in elements(svg))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in elements(svg) if element.tag.endswith("text")]


@pytest.mark.parametrize("position", [WON, OPEN, FREE, inarow.position("12x3x3", ""), inarow.position("4x4x3-free")])
@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_every_board_is_well_formed_and_says_what_it_is(position: inarow.Position, theme: str) -> None:
    svg = draw_svg(position, theme=theme)
    title = next(element.text for element in elements(svg) if element.tag.endswith("title"))
    assert title == position.describe()
    assert not any(element.get("id") for element in elements(svg)), "two pictures in one page must not collide"


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_every_stone_is_there_with_the_mark_of_its_player(theme: Theme) -> None:
    svg = draw_svg(OPEN, theme=theme.name)
    colours = [hexadecimal(shade(theme.stone(player), "dark")) for player in (0, 1)]
    crosses = [e for e in elements(svg) if e.tag.endswith("polyline")]
    assert [e.get("stroke") for e in crosses] == [colours[0]] * 3
    assert count(svg, stroke=colours[1]) == 2
    letters = draw_svg(FREE, theme=theme.name)
    assert count(letters, stroke=hexadecimal(theme.first)) == count(letters, stroke=hexadecimal(theme.second)) == 2


def test_the_winning_line_is_ringed_and_the_other_stones_are_dimmed() -> None:
    svg = draw_svg(WON, theme="light")
    assert count(svg, stroke=hexadecimal(WHITE)) == 4
    assert count(svg, fill=hexadecimal(LIGHT.first)) == 8, "the line in full colour, two discs each"
    assert count(svg, fill=hexadecimal(LIGHT.second)) == 0
    won = inarow.position("tictactoe", "15243")
    assert count(draw_svg(won, theme="light"), stroke=hexadecimal(LIGHT.accent)) == 3


@pytest.mark.parametrize(("position", "last", "colour"), [(OPEN, 5, WHITE), (FREE, 3, LIGHT.text)])
def test_the_last_move_has_a_dot(position: inarow.Position, last: int, colour: tuple[int, int, int]) -> None:
    before, after = draw_svg(position, theme="light"), draw_svg(position, last=last, theme="light")
    assert count(after, fill=hexadecimal(colour)) == count(before, fill=hexadecimal(colour)) + 1


@pytest.mark.parametrize("position", [OPEN, FREE])
def test_labels_stand_at_their_moves_in_their_tone(position: inarow.Position) -> None:
    labels = {2: Label("+1", "good"), 6: Label("<−2>", "bad")}
    svg = draw_svg(position, labels=labels, theme="dark")
    assert {"+1", "<−2>"} <= set(texts(svg))
    assert count(svg, fill=hexadecimal(DARK.good)) == count(svg, fill=hexadecimal(DARK.bad)) == 1


def test_marked_moves_are_ringed_where_they_land() -> None:
    assert count(draw_svg(OPEN, marked=(0, 6), theme="light"), stroke=hexadecimal(LIGHT.good)) == 2
    assert count(draw_svg(FREE, marked=(8,), theme="light"), stroke=hexadecimal(LIGHT.good)) == 1
    full = inarow.position("connect4", "444444")
    assert count(draw_svg(full, marked=(3,), theme="light"), stroke=hexadecimal(LIGHT.good)) == 0


def test_moves_are_numbered_from_one() -> None:
    assert texts(draw_svg(OPEN)) == [str(column) for column in range(1, 8)]
    assert texts(draw_svg(FREE)) == ["3", "6", "7", "8", "9"]


def test_auto_is_light_unless_the_system_is_dark() -> None:
    """Element by element the same picture: the light colours as they stand, the dark ones by the style sheet."""
    auto = draw_svg(OPEN, labels={0: Label("1")})
    dark = dict(re.findall(r"--inarow-([a-z-]+):(#[0-9a-f]{6})", auto))
    without = re.sub(r"<style>.*?</style>", "", auto).replace("inarow-auto", "inarow-{}")
    light_now = re.sub(r"var\(--inarow-[a-z-]+,(#[0-9a-f]{6})\)", r"\1", without)
    dark_now = re.sub(r"var\(--inarow-([a-z-]+),#[0-9a-f]{6}\)", lambda found: dark[found[1]], without)
    assert light_now.format("light") == draw_svg(OPEN, labels={0: Label("1")}, theme="light")
    assert dark_now.format("dark") == draw_svg(OPEN, labels={0: Label("1")}, theme="dark")
    assert "prefers-color-scheme:dark" in auto


def test_the_size_of_a_cell_scales_the_picture_only() -> None:
    small, large = draw_svg(OPEN, cell=20), draw_svg(OPEN, cell=40)
    sizes = [int(ElementTree.fromstring(svg).get("width", "")) for svg in (small, large)]
    assert abs(2 * sizes[0] - sizes[1]) <= 1
    shapes = [Counter(element.tag for element in elements(svg)) for svg in (small, large)]
    assert shapes[0] == shapes[1]


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(InarowError, match="unknown theme 'blue'; known: auto, dark, light"):
        draw_svg(OPEN, theme="blue")


def test_a_tone_is_the_sign_of_a_value() -> None:
    assert [tone_of(value) for value in (3, 0, -0.5)] == ["good", "even", "bad"]
