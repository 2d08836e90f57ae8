"""Bringing together what several copies of a network have learnt apart."""

from __future__ import annotations

import numpy as np

from inarow.kernels.door import kernel
from inarow.kernels.ntuple import Floats


@kernel
def merge(weights: Floats, traces: Floats, copies: Floats, pasts: Floats, begin: int, end: int) -> None:
    """Give ``weights`` and all ``copies`` of it, from ``begin`` to ``end``, what was learnt in the copies.

    A weight moves by the mean of the moves that the copies made which moved it at all: one that few positions need is
    learnt in full, one that all need does not move twice as far. Its pair of ``traces`` takes the sum of what the
    copies' ``pasts`` added.
    """
    workers = copies.shape[0]
    for i in range(begin, end):
        old = weights[i]
        step = np.float32(0.0)
        moved = 0
        for worker in range(workers):
            if copies[worker, i] != old:
                step += copies[worker, i] - old
                moved += 1
        if moved == 0:
            continue
        old_net, old_gross = traces[2 * i], traces[2 * i + 1]
        net, gross = old_net, old_gross
        for worker in range(workers):
            net += pasts[worker, 2 * i] - old_net
            gross += pasts[worker, 2 * i + 1] - old_gross
        weights[i] = old + step / np.float32(moved)
        traces[2 * i] = min(max(net, -gross), gross)
        traces[2 * i + 1] = gross
        for worker in range(workers):
            copies[worker, i] = weights[i]
            pasts[worker, 2 * i] = traces[2 * i]
            pasts[worker, 2 * i + 1] = gross


def warm() -> None:
    """Compile what is here."""
    merge(
        np.zeros(2, np.float32), np.ones(4, np.float32), np.ones((2, 2), np.float32), np.ones((2, 4), np.float32), 0, 2
    )
