"""In which order a solver asks its questions: each is whether the score is more than some number."""

from __future__ import annotations

from inarow.kernels.door import primitive

GLANCES = 4
"""How many cheap questions come first, from the quickest wins and losses inwards."""
STEP = 2


@primitive
def next_question(low: int, high: int, asked: int) -> int:
    """The number to compare the score with, which lies between the bounds low < high; ``asked`` so many before.

    A question far from the truth is cheap: it is about a quick win or loss, and the search is shallow.
    """
    if low < 0 and high > 0:
        if asked >= GLANCES:
            return 0
        return max(high - 1 - STEP, 0) if asked & 1 == 0 else min(low + STEP, -1)
    return low if low >= 0 else high - 1
