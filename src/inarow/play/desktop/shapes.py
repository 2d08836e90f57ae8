"""Smooth shapes: drawn four times as large, scaled down once, and kept for the next frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import pygame

from inarow.drawing import board as geometry
from inarow.drawing.palette import DARK, Colour, mixed, shade

_SCALE = 4


def _smooth(size: tuple[int, int], paint: Callable[[pygame.Surface], None]) -> pygame.Surface:
    large = pygame.Surface((size[0] * _SCALE, size[1] * _SCALE), pygame.SRCALPHA)
    paint(large)
    # Scaling takes the colour of empty pixels into account; premultiplied, they count for nothing.
    return pygame.transform.smoothscale(large.premul_alpha(), size)


def blit(surface: pygame.Surface, image: pygame.Surface, place: tuple[int, int]) -> None:
    """Put a shape on a surface."""
    surface.blit(image, place, special_flags=pygame.BLEND_PREMULTIPLIED)


def blit_centre(surface: pygame.Surface, image: pygame.Surface, centre: tuple[float, float]) -> None:
    """Put a shape with its middle at a place."""
    where = image.get_rect(center=(round(centre[0]), round(centre[1])))
    blit(surface, image, where.topleft)


@lru_cache(maxsize=256)
def disc(diameter: int, colour: Colour, player: int, alpha: int = 255) -> pygame.Surface:
    """A stone: a cross on the first player's, a ring on the second's."""

    def paint(large: pygame.Surface) -> None:
        size = large.get_width()
        middle = (size / 2, size / 2)
        for name, radius in geometry.STONE_BANDS:
            pygame.draw.circle(large, (*shade(colour, name), alpha), middle, size * radius)
        dark = (*shade(colour, "dark"), alpha)
        _mark(large, dark, player, size * geometry.MARK_REACH, size * geometry.MARK_WIDTH)

    return _smooth((diameter, diameter), paint)


@lru_cache(maxsize=64)
def letter(diameter: int, colour: Colour, player: int, alpha: int = 255) -> pygame.Surface:
    """A large cross or ring, for boards without gravity."""

    def paint(large: pygame.Surface) -> None:
        size = large.get_width()
        _mark(large, (*colour, alpha), player, size * geometry.LETTER_REACH, size * geometry.LETTER_WIDTH)

    return _smooth((diameter, diameter), paint)


def _mark(large: pygame.Surface, colour: tuple[int, int, int, int], player: int, reach: float, width: float) -> None:
    """A cross for the first player, a ring for the second, around the middle."""
    middle = large.get_width() / 2
    if player:
        pygame.draw.circle(large, colour, (middle, middle), reach + width / 2, round(width))
        return
    side = width / 2 / math.sqrt(2)
    for slope in (1, -1):
        corners = [(-reach - side, -reach + side), (-reach + side, -reach - side)]
        corners += [(reach + side, reach - side), (reach - side, reach + side)]
        pygame.draw.polygon(large, colour, [(middle + x, middle + slope * y) for x, y in corners])
        for end in (-reach, reach):
            pygame.draw.circle(large, colour, (middle + end, middle + slope * end), width / 2)


@lru_cache(maxsize=64)
def ring(diameter: int, colour: Colour, width: float) -> pygame.Surface:
    """A ring around a stone; its width in pixels."""

    def paint(large: pygame.Surface) -> None:
        size = large.get_width()
        pygame.draw.circle(large, colour, (size / 2, size / 2), size / 2, max(1, round(width * _SCALE)))

    return _smooth((diameter, diameter), paint)


@lru_cache(maxsize=64)
def dot(diameter: int, colour: Colour) -> pygame.Surface:
    """A small filled circle."""

    def paint(large: pygame.Surface) -> None:
        size = large.get_width()
        pygame.draw.circle(large, colour, (size / 2, size / 2), size / 2)

    return _smooth((diameter, diameter), paint)


@lru_cache(maxsize=32)
def tile(size: int, colour: Colour, edge: Colour) -> pygame.Surface:
    """A cell of a board with gravity: a square with a round hole to see the stone through."""

    def paint(large: pygame.Surface) -> None:
        width = large.get_width()
        large.fill(colour)
        pygame.draw.circle(large, edge, (width / 2, width / 2), width * geometry.HOLE_EDGE)
        pygame.draw.circle(large, (0, 0, 0, 0), (width / 2, width / 2), width * geometry.HOLE)

    return _smooth((size, size), paint)


@lru_cache(maxsize=256)
def panel(
    width: int, height: int, colour: Colour, radius: int, border: Colour | None = None, thick: int = 1
) -> pygame.Surface:
    """A rectangle with round corners, with or without a border."""
    image = pygame.Surface((max(1, width), max(1, height)), pygame.SRCALPHA)
    _fill_round(image, image.get_rect(), border or colour, radius)
    if border is not None:
        _fill_round(image, image.get_rect().inflate(-2 * thick, -2 * thick), colour, radius - thick)
    return image


def _fill_round(image: pygame.Surface, rect: pygame.Rect, colour: Colour, radius: int) -> None:
    """Fill a rectangle with round corners; only these are drawn large and scaled down, so any size is quick."""
    radius = min(radius, rect.width // 2, rect.height // 2)
    if radius < 1:
        image.fill(colour, rect)
        return
    image.fill(colour, rect.inflate(-2 * radius, 0))
    image.fill(colour, rect.inflate(0, -2 * radius))
    round_end = dot(2 * radius, colour)
    for x, left in ((0, rect.left), (radius, rect.right - radius)):
        for y, top in ((0, rect.top), (radius, rect.bottom - radius)):
            corner = pygame.Rect(x, y, radius, radius)
            image.blit(round_end, (left, top), corner, special_flags=pygame.BLEND_PREMULTIPLIED)


@lru_cache(maxsize=64)
def arrow(size: int, colour: Colour, step: int) -> pygame.Surface:
    """A triangle that points to the right (1) or to the left (−1)."""

    def paint(large: pygame.Surface) -> None:
        side = large.get_width()
        tip, back = (side * 0.85, side * 0.2) if step > 0 else (side * 0.15, side * 0.8)
        pygame.draw.polygon(large, colour, [(tip, side / 2), (back, side * 0.05), (back, side * 0.95)])

    return _smooth((size, size), paint)


def icon(size: int) -> pygame.Surface:
    """The program's own icon: four holes of a board, three of them filled."""

    def paint(large: pygame.Surface) -> None:
        side = large.get_width()
        pygame.draw.rect(large, DARK.board, large.get_rect(), border_radius=side // 5)
        for x, y, player in ((0.28, 0.72, 0), (0.72, 0.72, 1), (0.72, 0.28, 0), (0.28, 0.28, None)):
            colour = DARK.hole if player is None else DARK.stone(player)
            pygame.draw.circle(large, colour, (side * x, side * y), side * 0.18)
            if player is not None:
                pygame.draw.circle(large, shade(colour, "dark"), (side * x, side * y), side * 0.18, max(1, side // 40))

    return _smooth((size, size), paint)


def spinner(surface: pygame.Surface, centre: tuple[float, float], radius: float, colour: Colour, turn: float) -> None:
    """Eight dots in a circle, the brightest at ``turn`` (in turns)."""
    back = surface.get_at((round(centre[0]), round(centre[1])))[:3]
    for index in range(8):
        age = (turn * 8 - index) % 8 / 8
        angle = index / 8 * math.tau
        shade = mixed(colour, (back[0], back[1], back[2]), round(age * 8) / 8 * 0.85)
        place = centre[0] + math.sin(angle) * radius, centre[1] - math.cos(angle) * radius
        blit_centre(surface, dot(max(3, round(radius * 0.42)), shade), place)
