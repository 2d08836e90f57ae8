"""Text in the bundled font: measured, fitted, wrapped and written."""

from __future__ import annotations

from functools import lru_cache

import pygame

from inarow.drawing.palette import Colour

_FINE = 3  # letters are drawn this many times larger and scaled down, which keeps their distances even


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
