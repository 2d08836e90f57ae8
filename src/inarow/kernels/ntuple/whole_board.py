"""The features of a network that look at the whole board, where stones fall.

Every pair of columns has a table with an entry for what their winning cells, as far as they are empty, amount to:

- CODE_OF, (first player's winning cells in a column, the second's above them): its *code*, what of them matters;
- PAIR_OF, (pair of columns): where its table begins, its two columns, whether they mirror each other.

The *memory* is the last MEMORY entries: every position, with its mirror image, has one, as far as they go round.
"""

from __future__ import annotations

from typing import Any

from inarow.kernels.common.board import mirror, mix, plus
from inarow.kernels.compiler.jit import primitive
from inarow.kernels.compiler.pointers import peek, peek_int32, poke, poke_int32
from inarow.kernels.ntuple.ntuple_layout import CODE_OF, CODES, MEMORY, PAIR_OF, PAIRS, SIZE, STRIDE, UNITS


@primitive
def wide_features(rules: Any) -> int:
    """How many features look at more than the cells of a tuple: the pairs of columns and the memory."""
    return peek(rules, PAIRS) + (1 if peek(rules, MEMORY) != 0 else 0)


@primitive
def note_wide(
    tables: Any,
    rules: Any,
    mine: int,
    other: int,
    mine_wins: int,
    other_wins: int,
    player: int,
    index: Any,
    at: int,
    codes: Any,
) -> None:
    """The indices of the wide features to ``index`` from ``at`` on. ``mine`` are the stones of ``player``; ``codes`` is
    room for a number a column."""
    if player:
        mine, other, mine_wins, other_wins = other, mine, other_wins, mine_wins
    pairs = peek(rules, PAIRS)
    if pairs != 0:
        _note_pairs(tables, rules, ~(mine | other) & mine_wins, ~(mine | other) & other_wins, index, at, codes)
    entries = peek(rules, MEMORY)
    if entries != 0:
        stride, columns = peek(rules, STRIDE), peek(rules, UNITS)
        image = mix(mix(mirror(mine, columns, stride)) ^ mirror(other, columns, stride))
        place = mix(plus(mix(mix(mine) ^ other), image)) & (entries - 1)
        poke_int32(index, at + pairs, peek(rules, SIZE) - entries + place)


@primitive
def _note_pairs(tables: Any, rules: Any, first: int, second: int, index: Any, at: int, codes: Any) -> None:
    """The indices of all pairs of columns, by the winning cells of both players that are still empty."""
    stride, code_of = peek(rules, STRIDE), peek(rules, CODE_OF)
    rows = stride - 1
    column = (1 << rows) - 1
    for unit in range(peek(rules, UNITS)):
        shift = unit * stride
        poke(codes, unit, peek_int32(tables, code_of + (first >> shift & column | (second >> shift & column) << rows)))
    many, row = peek(rules, CODES), peek(rules, PAIR_OF)
    for pair in range(peek(rules, PAIRS)):
        left = peek(codes, peek_int32(tables, row + 1))
        right = peek(codes, peek_int32(tables, row + 2))
        if peek_int32(tables, row + 3) != 0 and left > right:
            left, right = right, left
        poke_int32(index, at + pair, peek_int32(tables, row) + left * many + right)
        row += 4
