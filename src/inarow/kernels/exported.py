"""The kernels that other programs than Python's call, browsers above all, in bundles: each becomes a module.

A function is exported by adding it to a bundle, with the arguments of any call: their kinds are what it is compiled for
(`kernels.wasm`). One that takes optional parts is listed once for each combination that is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inarow import randomness
from inarow.bits import BitLayout
from inarow.kernels import alphabeta, decisions, evaluate, exam, facts, mcts, ntuple, qgraph, qlearning, rules, td
from inarow.kernels.evaluate import SearchSetup
from inarow.kernels.lang.records import array_of
from inarow.kernels.ntuple import NetBoard, smallest_whole
from inarow.kernels.solver import analyse, misere, prove, setup, solve, solve_free

Call = tuple[Callable[..., Any], tuple[Any, ...]]
TRACED = frozenset({"trace"})
"""The bundles whose functions tell the program of their events."""


def exported() -> dict[str, list[Call]]:
    """Return the functions of each bundle, each with the arguments of one call."""
    return {
        "rules": _rules(),
        "solver": _solver(),
        "search": _set_up() + _searches(None) + _trees(mcts.Node) + _trees(mcts.ValuedNode),
        "network": _searches(NetBoard(*smallest_whole())) + _trees(mcts.GuidedNode) + _networks(),
        "trace": _searches(None) + _searches(NetBoard(*smallest_whole())) + _learners(),
        "exam": _exams(),
        "learning": _learners() + _tables() + _network_learners(),
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
        (rules.symmetries, (board,)),
        (rules.image_of, (board, 0, 0)),
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
        (decisions.highest, (0b111, floats)),
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
        (analyse.find, (books.scores, board, 0, 0)),
        (analyse.begin, (state, board, books, 0, 0, 0, False, 0)),
        (analyse.advance_gravity, (state, board, search[0], books, 0)),
        (analyse.advance_free, (state, board, free[0], books, 0)),
        (prove.begin_proof, (prove.ProofState(), state, board, books, 0, 0, 0, -1)),
        (prove.prove, (prove.ProofState(), state, board, books, 0.0)),
        (prove.judge_moves, (prove.ProofState(), state)),
        (prove.choice_of, (prove.ProofState(),)),
        (setup.table_words, (board, 1)),
        (setup.image_words, (board,)),
        (setup.set_up, (search[0], board, 1)),
        (setup.set_up_free, (free[0], board)),
        (misere.set_up_misere, (misere.smallest()[0], board)),
        (analyse.advance_misere, (state, board, misere.smallest()[0], books, 0)),
        (analyse.unpack_keys, (np.zeros(8, np.uint8), np.zeros(1, np.int64))),
    ]


def _set_up() -> list[Call]:
    """Return how searches are prepared, and the evaluators."""
    setup, board, ints = SearchSetup(), _board(), np.zeros(9, np.int64)
    return [
        (evaluate.set_up, (setup, board, True, 0)),
        (evaluate.set_windows, (setup, board, *[0.0] * 7)),
        (evaluate.set_lines, (setup, board, *[0.0] * 3)),
        (evaluate.points_after, (setup, 0, 0, ints, ints)),
        (alphabeta.begin_search, (alphabeta.new_search(), alphabeta.Root(), 0, 0)),
    ]


def _searches(network: NetBoard | None) -> list[Call]:
    """Return the searches, with a network or without."""
    ints = np.zeros(9, np.int64)
    board, options = SearchSetup(), mcts.Options(1.0, False, True, False, np.zeros(9))
    search = alphabeta.new_search()
    guides: dict[type[Any], Any] = {mcts.Node: None, mcts.ValuedNode: mcts.Heuristic(None)}
    if network is not None:
        guides = {mcts.GuidedNode: mcts.Prior(network, 1.0, False)}
    return [
        (alphabeta.deepen, (board, search, alphabeta.Root(), _board(), 0, 0, 1, 1, True, network)),
        *(
            (mcts.simulate, (board, mcts.TreeState(), array_of(kind, 1), 0, 0, 0, 0, options, guide, ints))
            for kind, guide in guides.items()
        ),
    ]


def _trees(kind: type[Any]) -> list[Call]:
    """Return what else the searches need, for trees of nodes of this kind."""
    ints, tree, nodes = np.zeros(9, np.int64), mcts.TreeState(), array_of(kind, 1)
    return [
        (mcts.least_visits, (tree, nodes, 0, ints)),
        (mcts.keep_below, (tree, nodes, nodes, 0, 0, 0, ints)),
        (mcts.expected_line, (nodes, 0, ints)),
        (mcts.find_node, (nodes, 0, 0, 0, 0)),
        (mcts.best_moves, (nodes, _board(), 0, 0, 0, True, kind is mcts.GuidedNode)),
    ]


def _networks() -> list[Call]:
    """Return what n-tuple networks say of positions and moves."""
    ints = np.zeros(9, np.int64)
    return [
        (ntuple.judge, (*ntuple.smallest(), 0, 0, 1.0, np.zeros(2))),
        (ntuple.take_apart, (*ntuple.smallest(), 0, 0, 1, ntuple.Parts(np.zeros(2), ints, ints, ints))),
        (ntuple.set_board, (*ntuple.smallest(), 0, 0)),
        (ntuple.set_board, (*smallest_whole(), 0, 0)),
        (ntuple.points_of, (*smallest_whole(), 0, 0)),
        (ntuple.points_after, (*smallest_whole(), 0, 0, ints, ints)),
    ]


def _exams() -> list[Call]:
    """Return the algorithms on small trees with given leaves."""
    ints, floats = np.zeros(9, np.int64), np.zeros(9)
    tree, steps = exam.GivenTree(ints, ints, ints, floats), exam.Steps(ints, ints, ints, floats, floats, floats, ints)
    return [
        (exam.search, (tree, 0, True, 0.0, 1.0, steps)),
        (exam.best_child, (tree, 0)),
        (exam.simulate, (tree, ints, floats, 0.0, 1.0, 1.0, steps)),
        (exam.most_visited, (tree, ints, floats)),
        (exam.draw, (tree, exam.Shape(ints, ints, 0, 1, 0, True), 1, ints, steps)),
    ]


def _learners() -> list[Call]:
    """Return Q-learning with a table, whose updates can be watched."""
    (q_table, board), ints = qlearning.smallest(), np.zeros(4, np.int64)
    episode, guide = qlearning.Episode(ints, ints, ints, ints), qlearning.GuideRecord(0, 0.0)
    return [(qlearning.episodes, (q_table, board, guide, *qlearning.smallest_settings(), episode, ints, 0, 0, 1, ints))]


def _tables() -> list[Call]:
    """Return tables of Q-values, and learning on the graph of a small game."""
    (q_table, board), ints, indices = qlearning.smallest(), np.zeros(4, np.int64), np.zeros(8, np.int32)
    keys, values, visits = np.zeros((2, 2), np.int64), np.zeros((2, 2), np.float32), np.zeros((2, 2), np.int32)
    positions = qgraph.Graph(2, indices, indices, indices, indices, indices, np.zeros(8, np.float32), indices)
    return [
        (qlearning.judge, (q_table, board, qlearning.GuideRecord(0, 0.0), 0, 0, np.zeros(2), ints)),
        (qlearning.rehash, (keys, values, visits, ints, values, visits)),
        (qlearning.rate_now, (np.zeros(5), 0)),
        (qgraph.list_positions, (board, positions, keys, ints, indices)),
        (qgraph.episodes, (positions, *qlearning.smallest_settings(), indices, 1, ints)),
    ]


def _network_learners() -> list[Call]:
    """Return TD learning of n-tuple networks."""
    (net, work), ints, floats = ntuple.smallest(rows=5), np.zeros(5, np.int64), np.zeros(5)
    log = td.Log(work.index, floats, ints)
    coherence = td.Coherence(np.ones(4, np.float32), np.ones(4, np.float32))
    settings = td.Settings(0.0, 0.0, 0.0, 0.0, 0.0, 0, False, False)
    return [
        (td.self_play, (net, work, log, coherence, settings, ints, 1, 0, ints, floats)),
        (td.learn_match, (net, work, log, coherence, settings, ints, 0, floats)),
        (td.adapt, (net.weights, coherence, log, 0, 1, 1, 0.1, True, False)),
        (td.blend, (net.weights, net.weights, 0.5)),
    ]
