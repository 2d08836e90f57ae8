"""Damage of every kind to the bytes of a file, from a seed: flipped bits, cuts, zeroed and repeated parts, rubbish."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

Damage = Callable[[random.Random, bytearray], bytes]


def _place(chance: random.Random, data: bytearray, most: int = 600) -> slice:
    start = chance.randrange(len(data)) if data else 0
    return slice(start, start + chance.randint(1, most))


def _flip(chance: random.Random, data: bytearray) -> bytes:
    for _ in range(chance.choice((1, 1, 4, 40))):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def _cut(chance: random.Random, data: bytearray) -> bytes:
    return bytes(data[: chance.randrange(len(data) + 1)])


def _zero(chance: random.Random, data: bytearray) -> bytes:
    place = _place(chance, data, 8192)
    data[place] = bytes(len(data[place]))
    return bytes(data)


def _rubbish(chance: random.Random, data: bytearray) -> bytes:
    place = _place(chance, data)
    data[place] = chance.randbytes(len(data[place]))
    return bytes(data)


def _remove(chance: random.Random, data: bytearray) -> bytes:
    del data[_place(chance, data)]
    return bytes(data)


def _repeat(chance: random.Random, data: bytearray) -> bytes:
    place = _place(chance, data)
    return bytes(data[: place.stop] + data[place] + data[place.stop :])


def _append(chance: random.Random, data: bytearray) -> bytes:
    return bytes(data) + chance.randbytes(chance.randint(1, 5000))


DAMAGES: tuple[Damage, ...] = (_flip, _flip, _cut, _zero, _rubbish, _remove, _repeat, _append)

NUMBERS = (b"0", b"-1", b"1e400", b"9" * 30, b"9" * 5000, b"null", b'"x"', b"[]", b"true", b"NaN", b"{}", b"[" * 5000)
"""What may stand where a number was."""


def damaged(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """That many damaged forms of a file's bytes; the same seed gives the same."""
    chance = random.Random(seed)
    for _ in range(count):
        yield chance.choice(DAMAGES)(chance, bytearray(data))


def crafted_number(data: bytes, chance: random.Random) -> bytes:
    """A text in which one number has been replaced by something else."""
    places = [at for at in range(len(data)) if data[at : at + 1].isdigit()]
    if not places:
        return data
    start = end = chance.choice(places)
    while start > 0 and data[start - 1 : start].isdigit():
        start -= 1
    while data[end : end + 1].isdigit():
        end += 1
    return data[:start] + chance.choice(NUMBERS) + data[end:]
