"""Complete tables: list every position of a board ply by ply, then give each its exact score from the last ply back.

A position is one integer, the smaller of its own key and that of its mirror image. With gravity the key is the sum of
the stones of the side to move and all stones; without it, the two sides' stones side by side.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.bits import BitLayout, each_bit, line_on, mirror, playable, popcount
from inarow.kernels.lang.jit import kernel

Ints = NDArray[np.int64]

OFFSET = 64
"""Added to a score to make it an index of a histogram."""


def encode(own: int, opp: int, game: BitLayout) -> int:
    """Return the key of a position, the same for its mirror image."""
    width = game.columns * game.stride
    if game.gravity:
        key = own + (own | opp)
        return min(key, mirror(key, game.columns, game.stride))
    image = (mirror(own, game.columns, game.stride) << width) | mirror(opp, game.columns, game.stride)
    return min((own << width) | opp, image)


def decode(key: int, game: BitLayout) -> tuple[int, int]:
    """Return the stones of the side to move and of its opponent."""
    width = game.columns * game.stride
    if not game.gravity:
        return key >> width, key & ((1 << width) - 1)
    marked = key + game.bottom  # in each column the highest bit is one above the stones
    column = (1 << game.stride) - 1
    own = occupied = 0
    for c in range(game.columns):
        bits = (marked >> (c * game.stride)) & column
        filled = bits | bits >> 1
        filled |= filled >> 2
        filled |= filled >> 4
        filled |= filled >> 8
        filled |= filled >> 16
        filled >>= 1
        occupied |= filled << (c * game.stride)
        own |= (bits & filled) << (c * game.stride)
    return own, occupied & ~own


def is_symmetric(own: int, opp: int, game: BitLayout) -> bool:
    """Return True if a position is its own mirror image."""
    if mirror(own, game.columns, game.stride) != own:
        return False
    return mirror(opp, game.columns, game.stride) == opp


@kernel
def expand(keys: Ints, children: Ints, game: BitLayout) -> int:
    """Write the keys of all positions one move later, repeats included, and return their number."""
    count = 0
    for i in range(len(keys)):
        own, opp = decode(keys[i], game)
        if line_on(game, opp):
            continue
        for stone in each_bit(playable(own | opp, game.bottom, game.board, game.gravity)):
            children[count] = encode(opp, own | stone, game)
            count += 1
    return count


def find(key: int, starts: Ints, low: NDArray[np.unsignedinteger[Any]], shift: int) -> int:
    """Return the index of a key, which the ply must have."""
    bucket = key >> shift
    part = key & ((1 << shift) - 1)
    first, last = int(starts[bucket]), int(starts[bucket + 1]) - 1
    while first < last:
        middle = (first + last) >> 1
        if int(low[middle]) < part:
            first = middle + 1
        else:
            last = middle
    return first


@kernel
def score_ply(
    keys: Ints,
    scores: NDArray[np.int8],
    starts: Ints,
    low: NDArray[np.unsignedinteger[Any]],
    later: NDArray[np.int8],
    shift: int,
    counts: Ints,
    game: BitLayout,
) -> int:
    """Score all positions of a ply by those of the next (``starts``, ``low``, ``later``).

    ``counts`` is a histogram of the scores over all positions, mirror images included; the last two of its entries
    count finished games, won and drawn. Returns the number of positions where exactly one of several moves keeps a win
    or a draw.
    """
    only_moves, cells = 0, popcount(game.board)
    for i in range(len(keys)):
        own, opp = decode(keys[i], game)
        weight = 1 if is_symmetric(own, opp, game) else 2
        stones = popcount(own | opp)
        if line_on(game, opp):
            score = (cells + 2 - stones) // 2
            scores[i] = score if game.misere else -score
            counts[len(counts) - 2] += weight
            continue
        if stones == cells:
            scores[i] = 0
            counts[len(counts) - 1] += weight
            continue
        best = -OFFSET
        wins = draws = legal = 0
        for stone in each_bit(playable(own | opp, game.bottom, game.board, game.gravity)):
            legal += 1
            score = -int(later[find(encode(opp, own | stone, game), starts, low, shift)])
            best = max(best, score)
            if score > 0:
                wins += 1
            elif score == 0:
                draws += 1
        scores[i] = best
        counts[best + OFFSET] += weight
        if legal > 1 and ((best > 0 and wins == 1) or (best == 0 and draws == 1)):
            only_moves += weight
    return only_moves


@functools.cache
def warm() -> None:
    """Compile the kernels of this module, or load them."""
    game, none = BitLayout(2, 2, 1, 1, True, 1, 1, 2, 1), np.zeros(0, np.int64)
    expand(none, none, game)
    for low in (np.zeros(1, np.uint16), np.zeros(1, np.uint32)):
        score_ply(none, np.zeros(0, np.int8), np.zeros(2, np.int64), low, np.zeros(1, np.int8), 16, none, game)
