"""The functions of rules, decisions and explanations that other programs than Python's call, the browser above all.

Python calls them as they are. Elsewhere they are compiled, for arguments such as these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inarow.bits import BitLayout
from inarow.kernels import decisions, facts, rules


def exported() -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Return the functions, each with the arguments of one call."""
    board = BitLayout(3, 4, 0b0111_0111_0111, 0b0001_0001_0001, False, 3, 3, 0b1000_1000_1000, 0b0101_0101_0101)
    ints, floats = np.zeros(9, np.int64), np.zeros(9, np.float64)
    moves, seen = np.zeros(9, np.int64), np.zeros(1 + 2 * rules.SEEN, np.int64)
    return [
        (rules.layout_of, (7, 6, 4, True)),
        (rules.reachable, (board, 0, 0, moves, seen)),
        (rules.cell_of, (board, 1)),
        (rules.move_to, (board, 1)),
        (rules.winning_moves, (board, 0, 0)),
        (rules.look, (board, 0, 0)),
        (rules.stone_of, (board, 0, 4)),
        (rules.plies_to_end, (board, 0, 0)),
        (rules.moves_to_end, (board, 0, 1)),
        (decisions.choose, (board, 0b111, decisions.ANY, 0)),
        (decisions.rules_move, (board, 0, 0, decisions.ANY, 0)),
        (decisions.proven_choice, (0b111, 1, ints, ints, True, ints, ints)),
        (decisions.drawn_by_value, (floats, 1.0, 0.5)),
        (facts.why, (board, 0, 0, ints[:1])),
        (facts.hint, (board, 0, 0, 4, True, 0)),
        (facts.misled, (board, 0, 0b11, ints, 0, facts.TREE, 2, 1, 0b11, ints, False, False)),
    ]
