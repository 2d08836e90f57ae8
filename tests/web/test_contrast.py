"""What must be seen has a contrast of at least 3:1 with what is around it, in both themes (WCAG 2.1, 1.4.11)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import inarow.web
from inarow.drawing.board import BLACK, THEMES, WHITE, Colour, Theme, mixed

STYLE = (Path(inarow.web.__file__).parent / "static" / "style.css").read_text(encoding="utf-8")


def declared(selector: str, name: str) -> str:
    """The value of a property in the rules of exactly this selector."""
    rules = re.findall(rf"^{re.escape(selector)} \{{\n(.*?)^\}}", STYLE, re.MULTILINE | re.DOTALL)
    found = re.search(rf"^  {name}: (.*);$", "\n".join(rules), re.MULTILINE)
    assert found, f"{selector} has no {name}"
    return found[1]


def colour(text: str, theme: Theme, ground: Colour = BLACK, stone: Colour = BLACK) -> Colour:
    """A colour of the style sheet as it appears on a ground."""
    names = {"black": BLACK, "#000": BLACK, "white": WHITE, "#fff": WHITE, "var(--stone)": stone}
    if text in names:
        return names[text]
    if variable := re.fullmatch(r"(?:3px solid |inset 0 0 0 5px )?var\(--(\w+)\)", text):
        value: Colour = getattr(theme, variable[1])
        return value
    if mix := re.fullmatch(r"color-mix\(in srgb, (.+) (\d+)%, (.+)\)", text):
        a, b = (colour(part, theme, ground, stone) for part in (mix[1], mix[3]))
        return mixed(a, b, 1 - int(mix[2]) / 100)
    alpha = re.fullmatch(r"rgb\(0 0 0 / (\d+)%\)", text)
    assert alpha, f"{text} is not understood"
    return mixed(ground, BLACK, int(alpha[1]) / 100)


def luminance(one: Colour) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in one)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a: Colour, b: Colour) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_faint_words_are_readable(theme: Theme) -> None:
    """At least 4.5:1 (WCAG 2.1, 1.4.3), also on a chosen opponent."""
    chosen = colour(declared(".opponents label:has(:checked)", "background"), theme)
    for ground in (theme.back, theme.panel, theme.raised, chosen):
        assert contrast(theme.faint, ground) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_the_focus_is_seen(theme: Theme) -> None:
    for selector in (":focus-visible", ".button:focus-within", ".opponents label:has(:focus-visible)"):
        ring = colour(declared(selector, "outline"), theme)
        assert min(contrast(ring, ground) for ground in (theme.back, theme.panel, theme.raised)) >= 3
    on_board = [colour(declared(".by-keys .move:focus", name), theme) for name in ("outline", "box-shadow")]
    for ground in (theme.board, theme.hole, theme.first, theme.second, theme.panel):
        assert max(contrast(ring, ground) for ring in on_board) >= 3


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize("player", [0, 1])
def test_stones_and_threats_are_seen_without_colour(theme: Theme, player: int) -> None:
    stone = theme.stone(player)
    edge = colour(declared(".stone", "stroke"), theme, stone=stone)
    assert max(contrast(one, theme.hole) for one in (stone, edge)) >= 3
    assert contrast(colour(declared(".mark", "stroke"), theme, ground=stone), stone) >= 3
    assert contrast(colour(declared(f".player{player}", "--letter"), theme, stone=stone), theme.panel) >= 3
    threat = colour(declared(".threat", "stroke"), theme)
    assert min(contrast(threat, ground) for ground in (theme.hole, theme.panel)) >= 3
    letter = colour(declared(f".threat-text.player{player}", "fill"), theme)
    assert contrast(letter, stone) >= 3
    assert contrast(colour(declared(".hint", "stroke"), theme), theme.hole) >= 3
