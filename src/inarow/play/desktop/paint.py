"""Text and smooth shapes on a surface. Shapes are drawn four times as large, scaled down, and cached."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Concatenate, ParamSpec, cast

import pygame

from inarow.drawing import board as geometry
from inarow.drawing.board import DARK, Colour, Theme, mixed, shade

_TEXT_SCALE = 3  # keeps the distances between small letters even
_SCALE = 4
AWAY = (-1, -1)
"""Pointer position outside the window."""

# Text.


@lru_cache(maxsize=64)
def _font(height: int) -> pygame.font.Font:
    return pygame.font.Font(None, height * _TEXT_SCALE)


def text_width(text: str, height: int) -> int:
    """Return the width of a line in pixels."""
    return -(-_font(max(8, height)).size(text)[0] // _TEXT_SCALE)


@lru_cache(maxsize=512)
def _rendered(text: str, height: int, colour: Colour) -> pygame.Surface:
    large = _font(max(8, height)).render(text or " ", True, colour)
    size = (max(1, round(large.get_width() / _TEXT_SCALE)), max(1, round(large.get_height() / _TEXT_SCALE)))
    return pygame.transform.smoothscale(large, size)


@lru_cache(maxsize=512)
def _fitted(text: str, height: int, width: int) -> tuple[str, int]:
    """Shrink a label to fit, to two thirds of its height at least, then cut it; return label and height."""
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
    """Wrap a string at this width."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and text_width(longer, height) > width:
            lines.append(line)
            longer = word
        line = longer
    return (*lines, line)


# Shapes.

P = ParamSpec("P")


def _shape(paint: Callable[Concatenate[pygame.Surface, P], None]) -> Callable[Concatenate[int, P], pygame.Surface]:
    """Turn a function that paints a square surface into one that returns a smooth, cached image of a given size."""

    @lru_cache(maxsize=256)
    def make(size: int, *arguments: P.args, **options: P.kwargs) -> pygame.Surface:
        large = pygame.Surface((size * _SCALE, size * _SCALE), pygame.SRCALPHA)
        paint(large, *arguments, **options)
        # Scaling mixes in the colour of empty pixels; with premultiplied alpha they have no weight.
        return pygame.transform.smoothscale(large.premul_alpha(), (size, size))

    return cast(Callable[Concatenate[int, P], pygame.Surface], make)


def _circle(large: pygame.Surface, colour: tuple[int, ...], radius: float, width: int = 0) -> None:
    """Paint a circle in the middle; its radius is a share of the side."""
    side = large.get_width()
    pygame.draw.circle(large, colour, (side / 2, side / 2), side * radius, width)


@_shape
def disc(large: pygame.Surface, colour: Colour, player: int, alpha: int = 255) -> None:
    """Paint a stone: with a cross for the first player, a ring for the second."""
    for name, radius in geometry.STONE_BANDS:
        _circle(large, (*shade(colour, name), alpha), radius)
    _mark(large, (*shade(colour, "dark"), alpha), player, geometry.MARK_REACH, geometry.MARK_WIDTH)


@_shape
def letter(large: pygame.Surface, colour: Colour, player: int, alpha: int = 255) -> None:
    """Paint a large cross or ring, for boards without gravity."""
    _mark(large, (*colour, alpha), player, geometry.LETTER_REACH, geometry.LETTER_WIDTH)


def _mark(large: pygame.Surface, colour: tuple[int, ...], player: int, reach: float, width: float) -> None:
    """Paint a cross for the first player, a ring for the second; measures are shares of the side."""
    side = large.get_width()
    middle, reach, width = side / 2, side * reach, side * width
    if player:
        pygame.draw.circle(large, colour, (middle, middle), reach + width / 2, round(width))
        return
    half = width / 2 / math.sqrt(2)
    for slope in (1, -1):
        corners = [(-reach - half, -reach + half), (-reach + half, -reach - half)]
        corners += [(reach + half, reach - half), (reach - half, reach + half)]
        pygame.draw.polygon(large, colour, [(middle + x, middle + slope * y) for x, y in corners])
        for end in (-reach, reach):
            pygame.draw.circle(large, colour, (middle + end, middle + slope * end), width / 2)


@_shape
def ring(large: pygame.Surface, colour: Colour, width: float) -> None:
    """Paint a ring; its width is in pixels of the result."""
    _circle(large, colour, 0.5, max(1, round(width * _SCALE)))


@_shape
def dot(large: pygame.Surface, colour: Colour) -> None:
    """Paint a filled circle."""
    _circle(large, colour, 0.5)


@_shape
def tile(large: pygame.Surface, colour: Colour, edge: Colour) -> None:
    """Paint a cell of a board with gravity: a square with a hole to see the stone through."""
    large.fill(colour)
    _circle(large, edge, geometry.HOLE_EDGE)
    _circle(large, (0, 0, 0, 0), geometry.HOLE)


@_shape
def arrow(large: pygame.Surface, colour: Colour, step: int) -> None:
    """Paint a triangle that points to the right (1) or to the left (−1)."""
    side = large.get_width()
    tip, back = (side * 0.85, side * 0.2) if step > 0 else (side * 0.15, side * 0.8)
    pygame.draw.polygon(large, colour, [(tip, side / 2), (back, side * 0.05), (back, side * 0.95)])


@_shape
def icon(large: pygame.Surface) -> None:
    """Paint the program's icon: four holes of a board, three of them filled."""
    side = large.get_width()
    pygame.draw.rect(large, DARK.board, large.get_rect(), border_radius=side // 5)
    for x, y, player in ((0.28, 0.72, 0), (0.72, 0.72, 1), (0.72, 0.28, 0), (0.28, 0.28, None)):
        colour = DARK.hole if player is None else DARK.stone(player)
        pygame.draw.circle(large, colour, (side * x, side * y), side * 0.18)
        if player is not None:
            pygame.draw.circle(large, shade(colour, "dark"), (side * x, side * y), side * 0.18, max(1, side // 40))


@lru_cache(maxsize=256)
def _box(width: int, height: int, colour: Colour, radius: int, border: Colour | None, thick: int) -> pygame.Surface:
    image = pygame.Surface((max(1, width), max(1, height)), pygame.SRCALPHA)
    _fill_round(image, image.get_rect(), border or colour, radius)
    if border is not None:
        _fill_round(image, image.get_rect().inflate(-2 * thick, -2 * thick), colour, radius - thick)
    return image


def _fill_round(image: pygame.Surface, rect: pygame.Rect, colour: Colour, radius: int) -> None:
    """Fill a rectangle with round corners; only the corners are scaled down, so any size is fast."""
    radius = min(radius, rect.width // 2, rect.height // 2)
    if radius < 1:
        image.fill(colour, rect)
        return
    image.fill(colour, rect.inflate(-2 * radius, 0))
    image.fill(colour, rect.inflate(0, -2 * radius))
    for x, left in ((0, rect.left), (radius, rect.right - radius)):
        for y, top in ((0, rect.top), (radius, rect.bottom - radius)):
            corner = pygame.Rect(x, y, radius, radius)
            image.blit(dot(2 * radius, colour), (left, top), corner, special_flags=pygame.BLEND_PREMULTIPLIED)


# Drawing.


@dataclass(frozen=True)
class Pen:
    """A surface to draw on, the colours, and for animated widgets the pointer position and the time."""

    surface: pygame.Surface
    theme: Theme
    mouse: tuple[int, int] = AWAY
    now: float = 0.0

    def write(
        self,
        text: str,
        place: tuple[float, float],
        height: float,
        colour: Colour,
        anchor: str = "topleft",
        width: float | None = None,
    ) -> None:
        """Write a line at a place; one that is wider than ``width`` pixels is made smaller, then cut."""
        fitted = (text, round(height)) if width is None else _fitted(text, round(height), int(width))
        image = _rendered(*fitted, colour)
        self.surface.blit(image, image.get_rect(**{anchor: (round(place[0]), round(place[1]))}))

    def write_lines(
        self,
        lines: Iterable[str],
        place: tuple[float, float],
        height: float,
        colour: Colour,
        width: float,
        anchor: str = "topleft",
    ) -> float:
        """Write lines below each other; return where the next one would begin."""
        x, y = place
        for line in lines:
            self.write(line, (x, y), height, colour, anchor, width)
            y += height * 1.1
        return y

    def put(self, image: pygame.Surface, place: tuple[float, float], anchor: str = "center") -> None:
        """Draw a shape with its middle at a place."""
        where = image.get_rect(**{anchor: (round(place[0]), round(place[1]))})
        self.surface.blit(image, where, special_flags=pygame.BLEND_PREMULTIPLIED)

    def box(
        self, rect: pygame.Rect, colour: Colour, radius: float, border: Colour | None = None, thick: int = 1
    ) -> None:
        """Draw a rectangle with round corners, with or without a border."""
        self.put(_box(rect.width, rect.height, colour, round(radius), border, thick), rect.topleft, "topleft")

    def spinner(self, centre: tuple[float, float], radius: float) -> None:
        """Draw eight dots in a circle, the brightest at a place that turns with the time."""
        back = self.surface.get_at((round(centre[0]), round(centre[1])))[:3]
        for index in range(8):
            age = (self.now * 8 - index) % 8 / 8
            angle = index / 8 * math.tau
            faded = mixed(self.theme.accent, (back[0], back[1], back[2]), round(age * 8) / 8 * 0.85)
            place = centre[0] + math.sin(angle) * radius, centre[1] - math.cos(angle) * radius
            self.put(dot(max(3, round(radius * 0.42)), faded), place)

    @contextlib.contextmanager
    def clipped(self, rect: pygame.Rect) -> Iterator[None]:
        """Draw inside a rectangle only."""
        before = self.surface.get_clip()
        self.surface.set_clip(rect.clip(before))
        yield
        self.surface.set_clip(before)
