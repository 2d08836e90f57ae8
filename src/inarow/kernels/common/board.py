"""The board arithmetic of ``bits``, the random numbers and the stop flag, for kernels to call."""

from __future__ import annotations

from inarow.bits import fours, gaps, has_line, lowest, mirror, playable, popcount, runs, winning_cells
from inarow.randomness import advance, below, mix, plus, times
from inarow.stopping import raised

__all__ = (
    "advance", "below", "fours", "gaps", "has_line", "lowest", "mirror", "mix", "playable", "plus", "popcount",
    "raised", "runs", "times", "winning_cells",
)  # fmt: skip
