"""Every kernel returns and writes what it did when its calls were recorded, bit for bit."""

from __future__ import annotations

import pytest

from support.recorded_calls import Recorded

RECORDED = Recorded()
KERNELS = RECORDED.kernels()


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda name: name.removeprefix("inarow.kernels."))
def test_recorded_calls_give_the_same_bits(kernel: str) -> None:
    for call in KERNELS[kernel]:
        RECORDED.replay(call)
