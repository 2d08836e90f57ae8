"""The solver's table: proven bounds of scores, one 64-bit word per position, two words per slot.

The key of a position (see `Position.key`) times an odd number, modulo a power of two, is another unique number. Its
upper bits are the slot, the lower ones are stored with the entry: an answer never belongs to another position. A word
is, from the top: generation, stored part of the key, the cell of the best move, the logarithm of the work behind
it, and both bounds. A new generation makes the table empty without clearing it.

The first word of a slot holds the costliest position, the second the latest of the others.
"""

from __future__ import annotations

from inarow.kernels.solver.state import Search
from inarow.randomness import times

MULTIPLIER = 0x1E3779B97F4A7C15
BOUND_BITS = 6
ZERO = 32
"""Added to a bound, so that it is stored as a number from 0."""
WORK = 2 * BOUND_BITS
MOVE_AT = WORK + 5
VALUE_BITS = MOVE_AT + 6
NO_MOVE = 63


def mirrored(search: Search, key: int) -> int:
    """The key of the mirror image."""
    stride = search.stride
    column = (1 << stride) - 1
    image = 0
    for _ in range(search.columns):
        image = (image << stride) | (key & column)
        key >>= stride
    return image


def scattered(search: Search, key: int, ply: int) -> int:
    """The key as the table has it; early positions share theirs with their mirror image."""
    if ply < search.mirror_until:
        key = min(key, mirrored(search, key))
    return times(key, MULTIPLIER) & search.key_mask


def slot_of(search: Search, code: int) -> int:
    """Where the two words of a scattered key are."""
    return (code >> search.tag_bits) << 1


def _stamp(search: Search, code: int) -> int:
    tag_bits = search.tag_bits
    return (search.generation << tag_bits) | (code & ((1 << tag_bits) - 1))


def probe(search: Search, code: int) -> int:
    """The word of a position; 0 if it is not known."""
    slot = slot_of(search, code)
    stamp = _stamp(search, code)
    word: int = search.tt[slot]
    if word >> VALUE_BITS == stamp:
        return word
    word = search.tt[slot + 1]
    if word >> VALUE_BITS == stamp:
        return word
    return 0


def low_of(word: int) -> int:
    """The lower bound."""
    return ((word >> BOUND_BITS) & 63) - ZERO


def high_of(word: int) -> int:
    """The upper bound."""
    return (word & 63) - ZERO


def tt_move_of(word: int) -> int:
    """The cell of the best move, as a bit; 0 for none."""
    index = (word >> MOVE_AT) & 63
    return 0 if index == NO_MOVE else 1 << index


def store(search: Search, code: int, low: int, high: int, nodes: int, tt_move: int) -> None:
    """Store the bounds of a position and the nodes that they cost; ``tt_move`` is the index of a cell, or NO_MOVE."""
    slot = slot_of(search, code)
    stamp = _stamp(search, code)
    work = 0
    while nodes > 1:
        nodes >>= 2
        work += 1
    word = (stamp << VALUE_BITS) | (tt_move << MOVE_AT) | (work << WORK) | ((low + ZERO) << BOUND_BITS) | (high + ZERO)
    old = search.tt[slot]
    if old >> VALUE_BITS == stamp:
        search.tt[slot] = word
    elif old >> (VALUE_BITS + search.tag_bits) != search.generation or work >= (old >> WORK) & 31:
        search.tt[slot + 1] = old
        search.tt[slot] = word
    else:
        search.tt[slot + 1] = word
