"""Arithmetic that gives the same bits on every machine, compiled or not: the C library's differs between systems."""

from __future__ import annotations

import math
import sys

LARGEST = sys.float_info.max
ROOT = math.sqrt(2.0)
SPLIT = 134217729.0
"""2**27 + 1: a product with it splits a number into two halves of 26 bits."""
# ln 2 and 2/3, each as a sum of two numbers. The first part of ln 2 has 42 bits, so that multiples of it are exact.
LN2, LN2_REST = 0.6931471805598903, 5.497923018708371e-14
TWO_THIRDS, TWO_THIRDS_REST = 0.6666666666666666, 3.700743415417188e-17


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


def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return the sum and its rounding error."""
    found = a + b
    part = found - a
    return found, (a - (found - part)) + (b - part)


def two_product(a: float, b: float) -> tuple[float, float]:
    """Return the product and its rounding error."""
    found = a * b
    a_high = SPLIT * a - (SPLIT * a - a)
    b_high = SPLIT * b - (SPLIT * b - b)
    a_low, b_low = a - a_high, b - b_high
    return found, ((a_high * b_high - found) + a_high * b_low + a_low * b_high) + a_low * b_low


def log(x: float) -> float:
    """Return the natural logarithm, correctly rounded but for about one in a thousand; not a number unless x > 0.

    With x = 2**k · m and s = (m − 1) / (m + 1), it is k · ln 2 + 2s + 2s³/3 + 2s⁵/5 + …; the first terms are computed
    as sums of two numbers.
    """
    if x > LARGEST or not x > 0.0:
        return math.nan
    m, k = x, 0
    while m > 65536.0:
        m *= 1.0 / 65536.0
        k += 16
    while m < 1.0 / 65536.0:
        m *= 65536.0
        k -= 16
    while m > ROOT:
        m *= 0.5
        k += 1
    while m < 0.5 * ROOT:
        m *= 2.0
        k -= 1
    above, above_rest = two_sum(m, 1.0)
    s = (m - 1.0) / above
    product, product_rest = two_product(s, above)
    s_rest = ((m - 1.0 - product) - product_rest - s * above_rest) / above
    square, square_rest = two_product(s, s)
    cube, cube_rest = two_product(square, s)
    third, third_rest = two_product(cube, TWO_THIRDS)
    third_rest += cube * TWO_THIRDS_REST + (cube_rest + square_rest * s) * TWO_THIRDS
    tail = 0.0
    for n in range(31, 3, -2):
        tail = tail * square + 2.0 / n
    tail *= cube * square
    found, rest = two_sum(k * LN2, 2.0 * s)
    found, more = two_sum(found, third)
    rest += more + third_rest + tail + 2.0 * s_rest * (1.0 + square + square * square) + k * LN2_REST
    return found + rest


def exp(x: float) -> float:
    """Return e to the power of x to within a unit in the last place; 0 below −700, infinity above 700.

    With x = k · ln 2 + r, it is 2**k · (1 + r + r²/2 + r³/6 + …).
    """
    if x < -700.0:
        return 0.0
    if x > 700.0:
        return math.inf
    k = int(x / LN2 + (0.5 if x >= 0.0 else -0.5))
    r = (x - k * LN2) - k * LN2_REST
    found = 1.0
    for n in range(14, 0, -1):
        found = 1.0 + r * found / n
    return found * power(2.0, k)
