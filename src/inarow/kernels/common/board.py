"""The board arithmetic of ``bits``, the random numbers and the stop flag, compiled, for kernels to call."""

from __future__ import annotations

from inarow import bits, randomness, stopping
from inarow.kernels.compiler.jit import compiled

popcount = compiled(bits.popcount)
lowest = compiled(bits.lowest)
playable = compiled(bits.playable)
runs = compiled(bits.runs)
has_line = compiled(bits.has_line)
gaps = compiled(bits.gaps)
fours = compiled(bits.fours)
winning_cells = compiled(bits.winning_cells)
mirror = compiled(bits.mirror)
plus = compiled(randomness.plus)
times = compiled(randomness.times)
advance = compiled(randomness.advance)
mix = compiled(randomness.mix)
below = compiled(randomness.below)
raised = compiled(stopping.raised)
