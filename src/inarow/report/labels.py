"""Where the names of points are written in a chart, so that they cover neither each other nor the points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 0.55, 1.25
"""Of a character, as parts of the font's size."""
BESIDE = 7.0
"""Points (typographic ones) between a mark and a name at its side."""
FAR = 9.0
"""A name that is farther above or below than this is tied to its mark by a line."""


class Spot(NamedTuple):
    """Where a name begins or ends, relative to its mark, in typographic points."""

    right: bool
    """Whether it is at the right of the mark."""
    up: float
    """Of the middle of the name."""


class _Box(NamedTuple):
    left: float
    low: float
    right: float
    high: float

    def overlap(self, other: _Box) -> float:
        """The area that both cover."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.high, other.high) - max(self.low, other.low)
        return wide * high if wide > 0 and high > 0 else 0.0


def spots(marks: Sequence[tuple[float, float]], names: Sequence[str], size: float, width: float) -> list[Spot]:
    """A place for each name: the nearest one that is free, in the order of the marks.

    Marks are in typographic points in a chart of this width, ``size`` is that of the font.
    """
    taken = [_Box(x - 5, y - 5, x + 5, y + 5) for x, y in marks]
    step = size * HEIGHT
    tried = [Spot(right, up * step) for up in (0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5, -3.5) for right in (True, False)]
    chosen = []
    for (x, y), name in zip(marks, names, strict=True):
        boxes = {spot: _box(x, y, spot, len(name) * WIDTH * size, step) for spot in tried}
        cost = {
            spot: sum(map(box.overlap, taken)) + 1e6 * (box.left < 0 or box.right > width)
            for spot, box in boxes.items()
        }
        best = min(tried, key=lambda spot: cost[spot])
        chosen.append(best)
        taken.append(boxes[best])
    return chosen


def _box(x: float, y: float, spot: Spot, wide: float, high: float) -> _Box:
    left = x + BESIDE if spot.right else x - BESIDE - wide
    return _Box(left, y + spot.up - high / 2, left + wide, y + spot.up + high / 2)
