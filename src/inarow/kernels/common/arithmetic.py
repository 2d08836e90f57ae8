"""Arithmetic that gives the same bits on every machine, compiled or not: the C library's differs between systems."""

from __future__ import annotations


def power(base: float, exponent: int) -> float:
    """Return base to the power of an integer, by squaring."""
    result = 1.0
    rest = exponent if exponent >= 0 else -exponent
    while rest != 0:
        if rest & 1 != 0:
            result *= base
        rest >>= 1
        base *= base
    return result if exponent >= 0 else 1.0 / result
