"""How a stone arrives: it falls and bounces, or, where nothing falls, it grows. Times in seconds, lengths in cells."""

from __future__ import annotations

import math

_GRAVITY = 60.0  # cells per second squared
_BOUNCE = 0.28  # the share of its speed that a stone keeps when it hits the one below
_BOUNCES = 2
_GROWTH = 0.16


def fall_time(height: float) -> float:
    """How long a stone moves that falls from this height, its bounces included."""
    first = math.sqrt(2 * height / _GRAVITY)
    return first + sum(2 * first * _BOUNCE**number for number in range(1, _BOUNCES + 1))


def fallen(height: float, seconds: float) -> float:
    """How far above its cell a stone is, this many seconds after it was dropped from this height."""
    first = math.sqrt(2 * height / _GRAVITY)
    if seconds < first:
        return height - _GRAVITY * seconds**2 / 2
    seconds -= first
    for number in range(1, _BOUNCES + 1):
        speed = _GRAVITY * first * _BOUNCE**number
        up_and_down = 2 * speed / _GRAVITY
        if seconds < up_and_down:
            return speed * seconds - _GRAVITY * seconds**2 / 2
        seconds -= up_and_down
    return 0.0


def grown(seconds: float) -> float:
    """The size of a stone that has been growing for this long, as a share of its full size."""
    share = min(1.0, max(0.0, seconds / _GROWTH))
    return 1 - (1 - share) ** 3


def growth_time() -> float:
    """How long a stone grows."""
    return _GROWTH
