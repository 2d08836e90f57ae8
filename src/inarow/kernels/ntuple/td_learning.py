"""Temporal-difference learning of an n-tuple network from the positions of games that were played."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.compiler.jit import kernel, primitive
from inarow.kernels.compiler.pointers import handle, peek_float, peek_int32, poke_float, prefetch
from inarow.kernels.ntuple.network import Floats, Indices, Ints, squash

STEP_LEVELS = 1024
MEMORY_RATE = np.float32(10.0)
"""How many times as fast as other weights the memory of a position learns."""


@primitive
def learn(
    weights: Any,
    traces: Any,
    start: int,
    index: Any,
    at: int,
    features: int,
    target: float,
    alpha: float,
    coherence: bool,
    rates: Any,
    memory: bool,
) -> float:
    """Move the value of the position whose indices stand from ``at`` on towards its target; the error before.

    Temporal coherence: each weight keeps the sum N of its steps and the sum A of their sizes (``traces``), and
    learns the slower the more its steps cancel out: by g(|N| / A), tabled in ``rates``. The last feature may be the
    ``memory``, which learns faster.
    """
    a = b = np.float32(0.0)
    i = 0
    while i + 1 < features:
        place = start + peek_int32(index, at + i)
        prefetch(traces, place)
        a += peek_float(weights, place)
        place = start + peek_int32(index, at + i + 1)
        prefetch(traces, place)
        b += peek_float(weights, place)
        i += 2
    if i < features:
        a += peek_float(weights, start + peek_int32(index, at + i))
    value = squash(np.float64(a + b))
    error = target - value
    step = np.float32(error * (1.0 - value * value))
    size = abs(step)
    rate = np.float32(alpha) * step
    top = np.float32(STEP_LEVELS - 1)
    for i in range(features):
        if memory and i == features - 1:
            rate *= MEMORY_RATE
        place = start + peek_int32(index, at + i)
        if coherence:
            net, gross = peek_float(traces, 2 * place), peek_float(traces, 2 * place + 1)
            level = int(abs(net) / gross * top)
            poke_float(weights, place, peek_float(weights, place) + rate * peek_float(rates, level))
            poke_float(traces, 2 * place, net + step)
            poke_float(traces, 2 * place + 1, gross + size)
        else:
            poke_float(weights, place, peek_float(weights, place) + rate)
    return error


@kernel
def adapt(
    weights: Floats,
    traces: Floats,
    rates: Floats,
    index: Indices,
    first_row: int,
    width: int,
    targets: NDArray[np.float64],
    sides: Ints,
    count: int,
    alpha: float,
    coherence: bool,
    memory: bool,
) -> float:
    """Learn from so many positions, the last one first; the sum of the sizes of errors.

    ``index``, from ``first_row`` on, has ``width`` features of each position, ``targets`` what it should be worth to
    the side to move, ``sides`` which side that is. ``traces``: a pair for each weight, begun at a tiny equal pair so
    that the ratio starts at 1; ``rates`` what it makes of the learning rate.
    """
    w, past, steps, x = handle(weights), handle(traces), handle(rates), handle(index)
    size = weights.size // 2
    errors = 0.0
    for j in range(count - 1, -1, -1):
        row = first_row + j * width
        if j > 0:  # what the next position needs is on its way while this one is learnt
            start = sides[j - 1] * size
            for i in range(row - width, row):
                place = start + peek_int32(x, i)
                prefetch(w, place >> 1)
                prefetch(past, place)
        errors += abs(learn(w, past, sides[j] * size, x, row, width, targets[j], alpha, coherence, steps, memory))
    return errors


@kernel
def blend(average: Floats, weights: Floats, part: float) -> None:
    """Move ``average`` by this part of its way to ``weights``."""
    step = np.float32(part)
    for i in range(average.size):
        average[i] += step * (weights[i] - average[i])


def warm() -> None:
    """Compile what is here, on a network of two weights."""
    weights, traces, rates = np.zeros(2, np.float32), np.ones(4, np.float32), np.ones(STEP_LEVELS, np.float32)
    adapt(weights, traces, rates, np.zeros(1, np.int32), 0, 1, np.zeros(1), np.zeros(1, np.int64), 1, 0.1, True, False)
    blend(np.zeros(2, np.float32), weights, 0.5)
