"""Functions for every statement and expression of the kernels' language, to run compiled and uncompiled.

Arguments are integers of moderate size, floats, truth values, and arrays; see `test_corpus`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow.bits import each_bit, each_index, fours, gaps, has_line, lowest, mirror, popcount, runs, winning_cells
from inarow.kernels.arithmetic import log, power
from inarow.kernels.lang.records import Array, Float32, Int8, Int32, record
from inarow.randomness import advance, below, mix, plus, times

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
FACTOR = 7
BOARD = 0x7EFDFBF7EFDFB >> 2


@record
class Node:
    """Numbers of several sizes."""

    mean: Float32
    visits: Int32
    total: float
    flag: bool
    cell: Int8


class Pair(NamedTuple):
    """Two numbers."""

    first: int
    second: float


def sums(a: int, b: int, c: int) -> int:
    return a + b * c - FACTOR * a


def whole_division(a: int, b: int) -> tuple[int, int]:
    divisor = b if b != 0 else 3
    return a // divisor, a % divisor


def constant_division(a: int) -> tuple[int, int, int, int, int, int]:
    return a // 2, a % 8, a // 7, a % 7, a // -3, a % -3


def true_division(a: int, b: float) -> float:
    return a / 4 + b / 3.0


def bit_operations(a: int, b: int) -> tuple[int, int, int, int]:
    return a & b, a | b, a ^ b, ~a


def shifts(a: int, b: int) -> tuple[int, int]:
    return a << (b & 7), a >> (b & 63)


def signs(a: int, x: float, flag: bool) -> tuple[int, float, bool, int]:
    return -a, -x, not flag, -flag


def comparisons(a: int, b: int) -> int:
    return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a >= b) + 32 * (a > b)


def mixed_comparisons(a: int, x: float) -> int:
    return (a < x) + 2 * (a <= x) + 4 * (a == x) + 8 * (x != a) + 16 * (x >= a) + 32 * (x > a)


def both(a: int, b: int, flag: bool) -> bool:
    return a > b and (flag or b > 0) and not (a == 1 or b == 2)


def conditions(a: int, b: int) -> int:
    if a and not b:
        return 1
    if (a > 3 or b > 3) and a != b:
        return 2
    return 3 if a or b else 4


def choice(a: int, x: float) -> float:
    return a if a > 0 else x


def chosen_tuple(a: int, b: int) -> tuple[int, int]:
    low, high = (a, b) if a < b else (b, a)
    return low, high


def nested_choice(a: int) -> int:
    return 1 if a > 9 else 2 if a > 4 else 3


def several_targets(a: int, b: int) -> int:
    c = d = a
    c, d = d + b, c
    d, c = c, d
    return c * 1000 + d


def augmented(a: int, b: int) -> int:
    a += b
    a -= 3
    a *= 2
    a &= 0xFFFF
    a |= 5
    a ^= b
    a <<= 2
    a >>= 1
    a //= 3
    a %= 1000
    return a


def branches(a: int) -> int:
    if a < 0:
        result = -1
    elif a == 0:
        result = 0
    else:
        result = 1
    return result


def counting(a: int, b: int) -> int:
    total = 0
    for i in range(a & 31):
        total = total * 3 + i
        total &= 0xFFFFFF
    for i in range(b & 7, a & 31):
        total += i
    for i in range(a & 31, -3, -2):
        total -= i
    return total


def loop_variable(a: int) -> int:
    last = -1
    for i in range(a & 7):
        last = i
        i = 100  # noqa: PLW2901
        last += i
    return last


def endless(a: int) -> int:
    steps = 0
    value = (a & 0xFFFF) + 1
    while True:
        if value == 1:
            found = steps
            break
        value = value // 2 if value & 1 == 0 else 3 * value + 1
        steps += 1
    return found


def skipping(a: int, b: int) -> int:
    total, i = 0, 0
    while i < (a & 31):
        i += 1
        if i & 1 == b & 1:
            continue
        if total > 200:
            break
        total += i
    return total


def nested_loops(a: int) -> int:
    total = 0
    for i in range(a & 7):
        for j in range(i):
            if j == 3:
                break
            total += i * j
        else_like = i
        total += else_like
    return total


def each_of_a_set(a: int, b: int) -> int:
    total = 0
    for bit in each_bit(a & 0xFFFF):
        if bit == b & 0xFF:
            continue
        total = (total * 3 + bit) & 0xFFFFFF
    for index in each_index(b & 0xFFFF):
        if index > 12:
            break
        total += index
    return total


def triple(a: int) -> int:
    return 3 * (a & 0xFFFF)


def twice(function: Callable[[int], int], a: int) -> int:
    return function(function(a))


def function_as_argument(a: int) -> int:
    return twice(triple, a)


def returns_early(values: Ints, wanted: int) -> int:
    for i in range(len(values)):
        if values[i] == wanted % 10:
            return i
    return -1


def smallest_and_largest(a: int, b: int, x: float) -> tuple[int, float, int, float]:
    return min(a, b), max(x, a), max(a, 3), min(0.0, x)


def absolute(a: int, x: float) -> tuple[int, float]:
    return abs(a), abs(x)


def conversions(a: int, x: float, flag: bool) -> tuple[int, float, bool, int]:
    return int(x), float(a), bool(a), int(flag)


def roots(x: float) -> tuple[float, float]:
    return math.sqrt(abs(x)), log(abs(x) + 1.0)


def rounded_each(x: float, y: float) -> float:
    return x * y + x - y * y * x


def single(x: float, y: float) -> float:
    a, b = np.float32(x), np.float32(max(-2.0, min(2.0, y)))
    for _ in range(5):
        a = a * b + a
    return float(a)


def powers(x: float, a: int) -> float:
    return power(x, a % 12)


def squares(values: Ints) -> int:
    total = 0
    for i in range(len(values)):
        values[i] *= values[i]
        total += values[i]
    return total


def table(grid: Floats, a: int, b: int) -> float:
    rows, columns = grid.shape[0], grid.shape[1]
    grid[a % rows, b % columns] += 1.5
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += grid[i, j] * (i + 1)
    return total


def small_numbers(bytes_: NDArray[np.int8], words: NDArray[np.uint16], halves: NDArray[np.int32], a: int) -> int:
    words[0] = a & 0xFFFF
    halves[0] = -(a & 0xFFFFF)
    bytes_[0] = a & 0x7F
    return int(bytes_[0]) + 3 * int(words[0]) + 5 * int(halves[0]) + int(words[1]) + int(bytes_[1])


def on_the_stack(a: int) -> int:
    fixed, flexible = np.zeros(4, dtype=np.int64), np.empty((2, FACTOR), np.int64)
    for i in range((a & 3) + 1):
        flexible[0, i] = i
        flexible[1, i] = a
        fixed[i] += flexible[0, i] * flexible[1, i]
    return int(fixed[0] + fixed[1] + fixed[2] + fixed[3])


def structures(nodes: Array[Node], a: int) -> float:
    at = a % len(nodes)
    node = nodes[at]
    node.visits += 1
    node.mean = 0.5 * a
    nodes[(at + 1) % len(nodes)] = nodes[at]
    return float(node.mean) + float(nodes[(at + 1) % len(nodes)].visits)


def swapped(pair: Pair, a: int) -> tuple[int, float]:
    other = Pair(pair.first + a, pair.second * 2)
    return other.first, other[1]


def made_pair(a: int, x: float) -> Pair:
    return Pair(a, x) if a > 0 else Pair(-a, -x)


def through_pairs(a: int, x: float) -> float:
    pair = made_pair(a, x)
    return swapped(pair, a)[0] + pair.second


def recursion(a: int, depth: int) -> int:
    depth = depth % 6
    if depth == 0:
        return a & 15
    return recursion(a + 1, depth - 1) + recursion(a ^ 3, depth - 1)


def board_functions(a: int, b: int) -> tuple[int, int, int, bool, int, int]:
    stones = (a * 0x1234567 ^ b) & BOARD
    lines = has_line(stones, 4, 7)
    return popcount(stones), runs(stones, 7, 2), fours(stones, 7), lines, mirror(stones, 7, 7), lowest(stones | 1 << 40)


def other_boards(a: int, b: int) -> tuple[int, int]:
    stones = (a * 0x1234567 ^ b) & BOARD
    return winning_cells(stones, 3 + (a & 1), 7, BOARD), gaps(stones, 6, 5, BOARD)


def random_numbers(a: int) -> int:
    state = advance(plus(a & 0xFFFFFF, times(a & 0xFFFF, 0x1E3779B97F4A7C15)))
    return below(mix(state), 1000)
