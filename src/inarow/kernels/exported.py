"""The kernels that other programs than Python's call, browsers above all, in bundles: each becomes a module.

A function is exported by adding it to a bundle, with the arguments of any call: their kinds are what it is compiled for
(`kernels.wasm`). One that takes optional parts is listed once for each combination that is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inarow import randomness
from inarow.bits import MAX_BITS, BitLayout
from inarow.kernels import alphabeta, decisions, facts, mcts, rules
from inarow.kernels.common import setup as search_setup
from inarow.kernels.common.evaluate import SearchSetup, points_after
from inarow.kernels.lang.records import array_of
from inarow.kernels.solver import analyse, setup, solve, solve_free

Call = tuple[Callable[..., Any], tuple[Any, ...]]
TRACED = frozenset({"trace"})
"""The bundles whose functions tell the program of their events."""


def exported() -> dict[str, list[Call]]:
    """Return the functions of each bundle, each with the arguments of one call."""
    return {
        "rules": _rules(),
        "solver": _solver(),
        "search": _searches() + _trees(),
        "trace": _searches(),
    }


def _board() -> BitLayout:
    """Return tic-tac-toe."""
    return BitLayout(3, 4, 0b0111_0111_0111, 0b0001_0001_0001, False, 3, 3, 0b1000_1000_1000, 0b0101_0101_0101)


def _rules() -> list[Call]:
    """Return the rules of the games, what agents decide by them, and the facts behind explanations."""
    board = _board()
    ints, floats = np.zeros(9, np.int64), np.zeros(9, np.float64)
    seen = np.zeros(1 + 2 * rules.SEEN, np.int64)
    return [
        (rules.layout_of, (7, 6, 4, True)),
        (rules.reachable, (board, 0, 0, ints, seen)),
        (rules.cell_of, (board, 1)),
        (rules.move_to, (board, 1)),
        (rules.winning_moves, (board, 0, 0)),
        (rules.look, (board, 0, 0)),
        (rules.stone_of, (board, 0, 4)),
        (rules.plies_to_end, (board, 0, 0)),
        (rules.moves_to_end, (board, 0, 1)),
        (randomness.mix, (0,)),
        (randomness.advance, (0,)),
        (randomness.below, (0, 1)),
        (decisions.choose, (board, 0b111, decisions.ANY, 0)),
        (decisions.rules_move, (board, 0, 0, decisions.ANY, 0)),
        (decisions.proven_choice, (0b111, 1, ints, ints, True, ints, ints)),
        (decisions.drawn_by_value, (floats, 1.0, 0.5)),
        (facts.result, (0,)),
        (facts.why, (board, 0, 0, ints[:1])),
        (facts.hint, (board, 0, 0, 4, True, 0)),
        (facts.misled, (board, 0, 0b11, ints, 0, facts.TREE, 2, 1, 0b11, ints, False, False)),
    ]


def _solver() -> list[Call]:
    """Return the solver: a single question, and whole analyses."""
    state, board, books = analyse.AnalysisState(), _board(), analyse.no_books()
    search, free = solve.smallest(), solve_free.smallest()
    return [
        (solve.solve, search),
        (solve_free.solve_free, free),
        (analyse.begin, (state, board, books, 0, 0, 0, False, 0)),
        (analyse.advance_gravity, (state, board, search[0], books, 0)),
        (analyse.advance_free, (state, board, free[0], books, 0)),
        (setup.table_words, (board, 1)),
        (setup.generations, (board, 1)),
        (setup.image_words, (board,)),
        (setup.set_up, (search[0], board, 1)),
        (setup.set_up_free, (free[0], board)),
        (analyse.unpack_keys, (np.zeros(8, np.uint8), np.zeros(1, np.int64))),
    ]


def _searches() -> list[Call]:
    """Return the searches whose events can be watched."""
    ints, lines = np.zeros(9, np.int64), np.zeros((1, MAX_BITS + 1), np.int64)
    board, nodes = SearchSetup(), array_of(mcts.Node, 1)
    options = mcts.Options(1.0, False, True, False, np.zeros(9))
    return [
        (alphabeta.search_root, (board, alphabeta.new_search(), 0, 0, 1, 0, ints, ints, lines, None)),
        (mcts.simulate, (board, mcts.TreeState(), nodes, 0, 0, 0, 0, options, None, ints)),
    ]


def _trees() -> list[Call]:
    """Return what else searches need."""
    ints, tree, nodes = np.zeros(9, np.int64), mcts.TreeState(), array_of(mcts.Node, 1)
    return [
        (search_setup.set_up, (SearchSetup(), _board(), True, 0)),
        (search_setup.set_windows, (SearchSetup(), _board(), *[0.0] * 7)),
        (search_setup.set_lines, (SearchSetup(), _board(), *[0.0] * 3)),
        (points_after, (SearchSetup(), 0, 0, ints, ints)),
        (mcts.least_visits, (tree, nodes, 0, ints)),
        (mcts.keep_below, (tree, nodes, nodes, 0, 0, 0, ints)),
        (mcts.expected_line, (nodes, 0, ints)),
    ]
