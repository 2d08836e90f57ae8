"""Colours, light and dark, and text in the bundled font.

Red and yellow differ in brightness as well as in hue, and every stone carries a cross or a ring, so that nobody needs
to tell the colours apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pygame

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Theme:
    """The colours of everything that is drawn."""

    name: str
    back: Colour
    panel: Colour
    raised: Colour
    line: Colour
    text: Colour
    faint: Colour
    accent: Colour
    on_accent: Colour
    board: Colour
    board_edge: Colour
    hole: Colour
    first: Colour
    second: Colour
    good: Colour
    bad: Colour
    even: Colour

    def stone(self, player: int) -> Colour:
        """The colour of a player's stones."""
        return self.second if player else self.first


DARK = Theme(
    name="dark",
    back=(19, 23, 31),
    panel=(29, 35, 46),
    raised=(43, 51, 66),
    line=(64, 75, 95),
    text=(236, 239, 244),
    faint=(148, 160, 180),
    accent=(88, 148, 255),
    on_accent=(10, 16, 28),
    board=(37, 84, 168),
    board_edge=(28, 64, 132),
    hole=(14, 18, 25),
    first=(226, 62, 62),
    second=(255, 205, 66),
    good=(94, 200, 140),
    bad=(240, 120, 120),
    even=(170, 178, 192),
)

LIGHT = Theme(
    name="light",
    back=(244, 243, 239),
    panel=(255, 255, 255),
    raised=(233, 232, 227),
    line=(205, 203, 196),
    text=(28, 32, 40),
    faint=(105, 110, 122),
    accent=(28, 94, 214),
    on_accent=(255, 255, 255),
    board=(45, 104, 205),
    board_edge=(34, 82, 166),
    hole=(225, 231, 242),
    first=(206, 42, 42),
    second=(250, 190, 30),
    good=(18, 128, 74),
    bad=(196, 40, 40),
    even=(100, 106, 118),
)

THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


def mixed(a: Colour, b: Colour, share: float) -> Colour:
    """A colour between two: ``share`` of the second."""
    return (
        round(a[0] + (b[0] - a[0]) * share),
        round(a[1] + (b[1] - a[1]) * share),
        round(a[2] + (b[2] - a[2]) * share),
    )


_FINE = 3  # letters are drawn that many times larger and scaled down, which keeps their distances even


@lru_cache(maxsize=64)
def _font(height: int) -> pygame.font.Font:
    return pygame.font.Font(None, height * _FINE)


def text_width(text: str, height: int) -> int:
    """How wide a text of this height is, in pixels."""
    return -(-_font(max(8, height)).size(text)[0] // _FINE)


@lru_cache(maxsize=512)
def rendered(text: str, height: int, colour: Colour) -> pygame.Surface:
    """A line of text, drawn once and kept."""
    large = _font(max(8, height)).render(text or " ", True, colour)
    size = (max(1, round(large.get_width() / _FINE)), max(1, round(large.get_height() / _FINE)))
    return pygame.transform.smoothscale(large, size)


def write(
    surface: pygame.Surface,
    text: str,
    place: tuple[float, float],
    height: int,
    colour: Colour,
    anchor: str = "topleft",
    width: float | None = None,
) -> pygame.Rect:
    """Write a line at a place; smaller if it would be wider than ``width`` pixels, and cut if it still is."""
    if width is not None:
        text, height = fitted(text, height, int(width))
    image = rendered(text, height, colour)
    where = image.get_rect(**{anchor: (round(place[0]), round(place[1]))})
    surface.blit(image, where)
    return where


@lru_cache(maxsize=512)
def fitted(text: str, height: int, width: int) -> tuple[str, int]:
    """The text and the height with which it fits into a width: at least two thirds of the height, then cut."""
    least = max(8, height * 2 // 3)
    while height > least and text_width(text, height) > width:
        height -= 1
    if text_width(text, height) <= width:
        return text, height
    while text and text_width(text + "…", height) > width:
        text = text[:-1]
    return text + "…", height


@lru_cache(maxsize=128)
def wrapped(text: str, height: int, width: int) -> tuple[str, ...]:
    """The lines of a text that is to be no wider than this."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".strip()
            if line and text_width(longer, height) > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return tuple(lines)
