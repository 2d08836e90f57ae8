"""Temporal-difference learning of an n-tuple network from the positions of matches that were played."""

from __future__ import annotations

import numpy as np

from inarow.kernels.lang.jit import kernel, prefetch
from inarow.kernels.ntuple.arguments import Array, Coherence, Floats, Log
from inarow.kernels.ntuple.network import squash

STEP_LEVELS = 1024
MEMORY_RATE = np.float32(10.0)
"""The memory of a position learns this many times as fast as other weights."""
# A trace is two numbers per weight: the sum of its steps, and the sum of their sizes.
NET, GROSS = range(2)
TRACE = 2


def learn(
    weights: Array,
    traces: Array,
    rates: Array,
    index: Array,
    row: int,
    width: int,
    start: int,
    target: float,
    alpha: float,
    coherent: bool,
    memory: bool,
) -> float:
    """Move the value of the position whose indices begin at ``row`` towards its target; the error before.

    Its side's weights begin at ``start``. Temporal coherence: a weight learns the more slowly the more its steps
    cancel out, by a factor tabled in ``rates``. The last feature may be the ``memory``, which learns faster.
    """
    even = odd = np.float32(0.0)
    i = 0
    while i + 1 < width:
        at = start + index[row + i]
        prefetch(traces, TRACE * at)
        even += weights[at]
        at = start + index[row + i + 1]
        prefetch(traces, TRACE * at)
        odd += weights[at]
        i += 2
    if i < width:
        even += weights[start + index[row + i]]
    value = squash(np.float64(even + odd))
    error = target - value
    step = np.float32(error * (1.0 - value * value))
    size = abs(step)
    rate = np.float32(alpha) * step
    highest = np.float32(STEP_LEVELS - 1)
    for i in range(width):
        if memory and i == width - 1:
            rate *= MEMORY_RATE
        at = start + index[row + i]
        if coherent:
            net, gross = traces[TRACE * at + NET], traces[TRACE * at + GROSS]
            level = int(abs(net) / gross * highest)
            weights[at] = weights[at] + rate * rates[level]
            traces[TRACE * at + NET] = net + step
            traces[TRACE * at + GROSS] = gross + size
        else:
            weights[at] = weights[at] + rate
    return error


@kernel
def adapt(
    weights: Floats,
    coherence: Coherence,
    log: Log,
    first_row: int,
    width: int,
    count: int,
    alpha: float,
    coherent: bool,
    memory: bool,
) -> float:
    """Learn from the first ``count`` positions of a log, the last one first; the sum of the sizes of errors.

    Each has ``width`` indices, from ``first_row`` on. ``memory``: whether the last one is that of the memory.
    """
    targets, sides = log.targets, log.sides
    size = len(weights) // 2
    into, index = weights, log.index
    traces, rates = coherence.traces, coherence.rates
    errors = 0.0
    for position in range(count - 1, -1, -1):
        row = first_row + position * width
        if position > 0:  # fetch what the next position needs while this one is learnt
            start = sides[position - 1] * size
            for i in range(row - width, row):
                at = start + index[i]
                prefetch(into, at)
                prefetch(traces, TRACE * at)
        start = sides[position] * size
        target = targets[position]
        errors += abs(learn(into, traces, rates, index, row, width, start, target, alpha, coherent, memory))
    return errors


@kernel
def blend(average: Floats, weights: Floats, part: float) -> None:
    """Move ``average`` by this part of its way to ``weights``."""
    step = np.float32(part)
    for i in range(len(average)):
        average[i] += step * (weights[i] - average[i])


def warm() -> None:
    """Compile what is here, on a network of two weights."""
    weights = np.zeros(2, np.float32)
    coherence = Coherence(np.ones(4, np.float32), np.ones(STEP_LEVELS, np.float32))
    log = Log(np.zeros(1, np.int32), np.zeros(1), np.zeros(1, np.int64))
    adapt(weights, coherence, log, 0, 1, 1, 0.1, True, False)
    blend(np.zeros(2, np.float32), weights, 0.5)
