"""A random generator with the same numbers in Python and compiled kernels, on every platform and version.

A splitmix generator on 63 bits: all arithmetic is modulo 2**63, so that every number fits a signed
64-bit integer. Seeds are derived by name, so that one seed gives the same results for any order of execution and number
of workers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from inarow.bits import lowest, popcount

T = TypeVar("T")

MASK63 = 0x7FFFFFFFFFFFFFFF
GAMMA = 0x1E3779B97F4A7C15
MIX_A = 0x3F58476D1CE4E5B9
MIX_B = 0x14D049BB133111EB


def plus(a: int, b: int) -> int:
    """Return the sum modulo 2**63."""
    return (a + b) & MASK63


def times(a: int, b: int) -> int:
    """Return the product modulo 2**63."""
    return (a * b) & MASK63


def advance(state: int) -> int:
    """Return the generator's next state."""
    return plus(state, GAMMA)


def mix(state: int) -> int:
    """Return the random number in [0, 2**63) of a state."""
    z = times(state ^ (state >> 30), MIX_A)
    z = times(z ^ (z >> 27), MIX_B)
    return z ^ (z >> 31)


def below(number: int, n: int) -> int:
    """Map a random number in [0, 2**63) to [0, n), for n up to 2**31."""
    return ((number >> 31) * n) >> 32


def uniform(number: int) -> float:
    """Map a random number in [0, 2**63) to [0, 1)."""
    return (number >> 10) / 9007199254740992.0


def pick(cells: int, number: int) -> int:
    """Choose a uniformly random cell of a set, as a bit, by a random number in [0, 2**63)."""
    for _ in range(below(number, popcount(cells))):
        cells &= cells - 1
    return cells & -cells


def pick_weighted(cells: int, weights: Any, number: int) -> int:
    """Choose a random cell of a set, as a bit, with probability proportional to the weight of its bit."""
    total = 0
    rest = cells
    while rest:
        total += weights[lowest(rest)]
        rest &= rest - 1
    at = below(number, total)
    rest = cells
    while True:
        at -= weights[lowest(rest)]
        if at < 0:
            return rest & -rest
        rest &= rest - 1


def derive(seed: int, *names: str | int) -> int:
    """Derive the seed of a part of a run, such as ``derive(7, "pair", 3, "first")``."""
    text = "/".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") & MASK63


class Stream:
    """A stream of random numbers from a seed."""

    __slots__ = ("_idle", "_start", "state")

    def __init__(self, seed: int) -> None:
        self.state = self._start = mix(seed & MASK63)
        self._idle = 0  # draws with a single possibility, which decide nothing
        if (opened := _opened.get()) is not None:
            opened.append(self)

    @property
    def used(self) -> bool:
        """True if a number was drawn that could have affected a decision."""
        return self.state != (self._start + self._idle * GAMMA) & MASK63

    def number(self) -> int:
        """Return an integer in [0, 2**63)."""
        self.state = state = (self.state + GAMMA) & MASK63
        z = ((state ^ (state >> 30)) * MIX_A) & MASK63  # mix(), inlined: random matches spend their time here
        z = ((z ^ (z >> 27)) * MIX_B) & MASK63
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return an integer in [0, n)."""
        if n == 1:
            self._idle += 1
        return ((self.number() >> 31) * n) >> 32

    def uniform(self) -> float:
        """Return a float in [0, 1)."""
        return (self.number() >> 10) / (1 << 53)

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items, uniformly at random."""
        n = len(items)
        return items[((self.number() >> 31) * n) >> 32] if n > 1 else items[self.below(n)]  # below(), inlined

    def weighted(self, items: Sequence[T], weights: Sequence[int]) -> T:
        """Return one of the items, with probability proportional to its weight."""
        total = sum(weights)
        at = self.below(total)
        if len(items) == 1 < total:
            self._idle += 1
        for item, weight in zip(items, weights, strict=True):
            at -= weight
            if at < 0:
                return item
        raise ValueError("weighted needs at least one positive weight")

    def draw(self, choose: Callable[[int], tuple[T, int]]) -> T:
        """Return the choice of a function of a random number, which also returns the number of possibilities."""
        found, among = choose(self.number())
        self._idle += among == 1
        return found

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put the items in a random order, in place."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


_opened: ContextVar[list[Stream] | None] = ContextVar("opened streams", default=None)


@contextmanager
def opened_streams() -> Iterator[list[Stream]]:
    """Collect the streams opened within the block, to check later if they were `used`."""
    opened: list[Stream] = []
    token = _opened.set(opened)
    try:
        yield opened
    finally:
        _opened.reset(token)
