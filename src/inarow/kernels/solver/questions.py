"""In which order a solver asks its questions: each is whether the score is more than some number."""

from __future__ import annotations

GLANCES = 4
"""How many cheap questions come first, from the quickest wins and losses inwards."""
STEP = 2


def answered(low: int, high: int, question: int, score: int) -> tuple[int, int]:
    """The bounds after a search for whether the score is more than ``question`` has returned ``score``."""
    if score > question:
        return max(low, score), high
    return low, min(high, score)


def next_question(low: int, high: int, asked: int, far: int) -> int:
    """The number to compare the score with, which lies between the bounds low < high; ``asked`` questions came before.

    A question far from the truth is cheap: it is about a quick win or loss, and the search is shallow. So scores of
    ``far`` and more are asked about from the outside; those near 0, which take deep searches, one by one from 0.
    """
    quick_win, quick_loss = high - 1 - STEP, low + STEP
    if low < 0 and high > 0:
        if asked >= GLANCES:
            return 0
        if asked & 1 == 0:
            return quick_win if quick_win >= far else 0
        return quick_loss if quick_loss <= -far else 0
    if low >= 0:
        return quick_win if quick_win >= far and quick_win > low else low
    return quick_loss if quick_loss <= -far and quick_loss < high - 1 else high - 1
