"""Logarithms and powers are kernels of their own: exact where that can be known, and rounded well elsewhere."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import pytest

from inarow.kernels.arithmetic import log, power
from inarow.randomness import Stream


def test_a_logarithm_is_the_nearest_number() -> None:
    stream = Stream(1)
    values = [float(n) for n in range(1, 300)] + [stream.below(1 << 30) + 1.0 for _ in range(300)]
    values += [math.exp(stream.uniform() * 1400 - 700) for _ in range(300)]
    with localcontext() as context:
        context.prec = 50
        for value in values:
            assert log(value) == float(Decimal(value).ln()), value


@pytest.mark.parametrize("value", [5e-324, 2.2e-308, 1 - 1e-16, 1 + 3e-16, 1.7976931348623157e308])
def test_a_logarithm_at_the_ends_of_its_range(value: float) -> None:
    assert log(value) == pytest.approx(math.log(value), rel=1e-15)


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_what_has_no_logarithm_is_not_a_number(value: float) -> None:
    assert math.isnan(log(value))


def test_powers_of_two_are_exact() -> None:
    assert [power(2.0, n) for n in range(-9, 10)] == [2.0**n for n in range(-9, 10)]
