"""The solver's table: proven bounds of scores, one 64-bit word per position, two words per slot.

The key of a position (see `Position.key`) times an odd number, modulo a power of two, is another unique number. Its
upper bits are the slot, the lower ones are stored with the entry: an answer never belongs to another position. A word
is, from the top: generation, stored part of the key, a hint (cell of the best move), the logarithm of the work behind
it, and both bounds. A new generation makes the table empty without clearing it.

The first word of a slot holds the costliest position, the second the latest of the others.
"""

from __future__ import annotations

from inarow.kernels.common.board import times
from inarow.kernels.lang.pointers import peek, poke
from inarow.kernels.solver import solver_layout as memory

MULTIPLIER = 0x1E3779B97F4A7C15
BOUND_BITS = 6
ZERO = 32
"""Added to a bound, so that it is stored as a number from 0."""
WORK = 2 * BOUND_BITS
HINT = WORK + 5
VALUE_BITS = HINT + 6
NO_HINT = 63


def mirrored(m: int, key: int) -> int:
    """The key of the mirror image."""
    stride = peek(m, memory.STRIDE)
    column = (1 << stride) - 1
    image = 0
    for _ in range(peek(m, memory.COLUMNS)):
        image = (image << stride) | (key & column)
        key >>= stride
    return image


def scattered(m: int, key: int, ply: int) -> int:
    """The key as the table has it; early positions share theirs with their mirror image."""
    if ply < peek(m, memory.MIRROR_UNTIL):
        key = min(key, mirrored(m, key))
    return times(key, MULTIPLIER) & peek(m, memory.KEY_MASK)


def slot_of(m: int, code: int) -> int:
    """Where the two words of a scattered key are."""
    return (code >> peek(m, memory.TAG_BITS)) << 1


def _stamp(m: int, code: int) -> int:
    tag_bits = peek(m, memory.TAG_BITS)
    return (peek(m, memory.GENERATION) << tag_bits) | (code & ((1 << tag_bits) - 1))


def recall(m: int, table: int, code: int) -> int:
    """The word of a position; 0 if it is not known."""
    slot = slot_of(m, code)
    stamp = _stamp(m, code)
    word = peek(table, slot)
    if word >> VALUE_BITS == stamp:
        return word
    word = peek(table, slot + 1)
    if word >> VALUE_BITS == stamp:
        return word
    return 0


def low_of(word: int) -> int:
    """The lower bound."""
    return ((word >> BOUND_BITS) & 63) - ZERO


def high_of(word: int) -> int:
    """The upper bound."""
    return (word & 63) - ZERO


def hint_of(word: int) -> int:
    """The cell of the best move, as a bit; 0 for none."""
    index = (word >> HINT) & 63
    return 0 if index == NO_HINT else 1 << index


def keep(m: int, table: int, code: int, low: int, high: int, nodes: int, hint: int) -> None:
    """Store the bounds of a position and the nodes that they cost; ``hint`` is the index of a cell, or NO_HINT."""
    slot = slot_of(m, code)
    stamp = _stamp(m, code)
    work = 0
    while nodes > 1:
        nodes >>= 2
        work += 1
    word = (stamp << VALUE_BITS) | (hint << HINT) | (work << WORK) | ((low + ZERO) << BOUND_BITS) | (high + ZERO)
    old = peek(table, slot)
    if old >> VALUE_BITS == stamp:
        poke(table, slot, word)
    elif old >> (VALUE_BITS + peek(m, memory.TAG_BITS)) != peek(m, memory.GENERATION) or work >= (old >> WORK) & 31:
        poke(table, slot + 1, old)
        poke(table, slot, word)
    else:
        poke(table, slot + 1, word)
