"""The features of a network that look at the whole board, where stones fall.

Every pair of columns has a table with an entry for what their winning cells, as far as they are empty, amount to:

- code_of, (first player's winning cells in a column, the second's above them): its *code*, what of them matters;
- pair_of, (pair of columns): where its table begins, its two columns, whether they mirror each other.

The *memory* is the last ``memory`` entries: every position shares one with its mirror image, by a hash.
"""

from __future__ import annotations

from inarow.kernels.common.board import mirror, mix, plus
from inarow.kernels.ntuple.arguments import Net, Rules, Stones, Work

# An entry of ``pair_of``: where the table of the pair begins, the two columns, 1 if they mirror each other.
PAIR_BEGIN, PAIR_LEFT, PAIR_RIGHT, PAIR_MIRRORED = range(4)
PAIR = 4


def wide_features(rules: Rules) -> int:
    """How many features look at more than the cells of a tuple: the pairs of columns and the memory."""
    return rules.pairs + (1 if rules.memory != 0 else 0)


def note_wide(net: Net, work: Work, stones: Stones, player: int, at: int) -> None:
    """Write the indices of the wide features from ``at`` on. ``player`` is to move."""
    first, second = (stones.other, stones.mine) if player else (stones.mine, stones.other)
    pairs, entries = net.rules.pairs, net.rules.memory
    if pairs != 0:
        empty = ~(first | second)
        wins = (stones.other_wins, stones.mine_wins) if player else (stones.mine_wins, stones.other_wins)
        _note_pairs(net, work, empty & wins[0], empty & wins[1], at)
    if entries != 0:
        stride, columns = net.rules.stride, net.rules.units
        image = mix(mix(mirror(first, columns, stride)) ^ mirror(second, columns, stride))
        entry = mix(plus(mix(mix(first) ^ second), image)) & (entries - 1)
        work.index[at + pairs] = net.rules.size - entries + entry


def _note_pairs(net: Net, work: Work, first_wins: int, second_wins: int, at: int) -> None:
    """Write the indices of all pairs of columns, by the winning cells of both players that are still empty."""
    tables, codes = net.tables, work.forced
    stride, code_of = net.rules.stride, net.rules.code_of
    rows = stride - 1
    column = (1 << rows) - 1
    for unit in range(net.rules.units):
        shift = unit * stride
        cells = first_wins >> shift & column | (second_wins >> shift & column) << rows
        codes[unit] = tables[code_of + cells]
    code_count, entry = net.rules.codes, net.rules.pair_of
    for pair in range(net.rules.pairs):
        left = codes[tables[entry + PAIR_LEFT]]
        right = codes[tables[entry + PAIR_RIGHT]]
        if tables[entry + PAIR_MIRRORED] != 0 and left > right:
            left, right = right, left
        begin = tables[entry + PAIR_BEGIN]
        work.index[at + pair] = begin + left * code_count + right
        entry += PAIR
