"""What the winning cells of a column amount to, for the part of a network that looks at threats.

Where stones fall, the columns fill up in the end and the sides take turns: the first player comes to the cells of odd
rows (counted from 1 at the bottom), the second to those of even rows. So what matters of a side's winning cells in a
column is the lowest in an odd and the lowest in an even row, below the first cell that would win for both. Nothing says
what they are worth: that is learnt.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray


def code_count(rows: int) -> int:
    """The number of codes of a column with this many rows."""
    return int(code_table(rows).max()) + 1


def code_table(rows: int) -> NDArray[np.int32]:
    """The code of every set of winning cells of a column: bits of the first player's, from the bottom, then of the
    second's."""
    odd, even = range(2, rows, 2), range(1, rows, 2)  # the bottom cell is taken before anything is won there
    masks = np.arange(1 << rows)
    lowest = masks & -masks
    odd_rank, even_rank = (np.zeros(masks.size, np.int32) for _ in range(2))
    for rank, rows_of_kind in ((odd_rank, odd), (even_rank, even)):
        for place, row in reversed(list(enumerate(rows_of_kind, 1))):
            rank[masks >> row & 1 == 1] = place
    first, second = np.tile(masks, masks.size), np.repeat(masks, masks.size)
    both = lowest[first & second]
    reach = np.where(both > 0, 2 * both - 1, masks.size - 1)
    code = np.zeros(first.size, np.int32)
    for cells in (first & reach, second & reach):
        code = (code * (len(odd) + 1) + odd_rank[cells]) * (len(even) + 1) + even_rank[cells]
    return code


def column_pairs(columns: int) -> list[tuple[int, int, int]]:
    """All pairs of columns: the number of its table, and the two in the order of its digits. A pair and its mirror
    image share a table."""
    tables: dict[tuple[int, int], int] = {}
    pairs = []
    for left, right in itertools.combinations(range(columns), 2):
        image = (columns - 1 - right, columns - 1 - left)
        if (left, right) <= image:
            pairs.append((tables.setdefault((left, right), len(tables)), left, right))
        else:
            pairs.append((tables[image], right, left))
    return pairs
