"""The kernels that browsers run: a WebAssembly module for each bundle of functions, and a manifest.

`exported` lists the bundles. A function is exported by adding it to one with the arguments of any call, for whose kinds
it is compiled. One that takes optional parts is listed once for each combination that is needed.

The manifest has all that a program must know to call them: the parameters and results of the functions, the offsets of
the fields of records, the constants of their modules, and the names of events.
"""

from __future__ import annotations

import ast
import json
import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inarow import randomness
from inarow.bits import BitLayout
from inarow.errors import InarowError
from inarow.kernels import (
    alphabeta,
    cache,
    decisions,
    evaluate,
    exam,
    facts,
    mcts,
    ntuple,
    qgraph,
    qlearning,
    rules,
    td,
)
from inarow.kernels.evaluate import SearchSetup
from inarow.kernels.lang import loader, trace, wasm
from inarow.kernels.lang.jit import Call, function_of
from inarow.kernels.lang.kinds import (
    NONE,
    ArrayOf,
    Content,
    Fixed,
    Kind,
    Pointer,
    Reference,
    Scalar,
    Struct,
    TupleOf,
    kinds_of,
    parameter_kinds,
    result_kind,
)
from inarow.kernels.ntuple import NetBoard, smallest_whole
from inarow.kernels.solver import analyse, prove, solve, solve_free

MANIFEST = "kernels.json"
MAX_SAFE_INTEGER = 1 << 53
TRACED = frozenset({"trace"})
"""The bundles whose functions tell the program of their events."""


def modules() -> dict[str, bytes]:
    """Return the files: ``NAME.wasm`` for each bundle, and the manifest."""
    files = {f"{name}.wasm": code for name, _, code in built()}
    return files | {MANIFEST: json.dumps(manifest(), separators=(",", ":")).encode()}


def built(from_cache: bool = True) -> Iterator[tuple[str, str, bytes]]:
    """Yield the bundles: their names, what they are made of, and their modules."""
    for place, (name, calls) in enumerate(exported().items()):
        functions = [_function(function) for function, _ in calls]
        kinds = [kinds_of(arguments) for _, arguments in calls]
        traced = name in TRACED
        content = f"{cache.sources_digest(*functions)} {wasm.digest()} {kinds!r} {place} {traced}"
        exports = [wasm.Export(*parts) for parts in zip(_names(calls), functions, kinds, strict=True)]
        code = _kept(f"wasm.{name}", content) if from_cache else None
        yield name, content, code or _built(f"wasm.{name}", content, exports, place, traced)


def _kept(file: str, content: str) -> bytes | None:
    """Return a module from the package or the cache, if it is there."""
    kept = cache.read_shipped(file, content, [wasm.TRIPLE])
    return kept or cache.read(file, cache.key_of(content, loader.compiler()))


def _built(file: str, content: str, exports: list[wasm.Export], place: int, traced: bool) -> bytes:
    """Compile a module, and keep it."""
    with cache.needing_compiler(file), cache.compiling(file), cache.without_collector():
        code = wasm.build(exports, place, traced)
    cache.write(file, cache.key_of(content, loader.compiler()), code)
    return code


def _function(function: Callable[..., Any]) -> Callable[..., Any]:
    found = function_of(function)
    assert found is not None
    return found


def _names(calls: list[Call]) -> list[str]:
    """Return the names of the functions in a module; those compiled for several kinds of arguments are numbered."""
    names = [_name(function) for function, _ in calls]
    return [name if names.index(name) == i else f"{name}.{names[:i].count(name)}" for i, name in enumerate(names)]


def _name(function: Callable[..., Any]) -> str:
    return f"{_module_name(_function(function).__module__)}.{function.__name__}"


def _module_name(module: str) -> str:
    return module.removeprefix("inarow.").removeprefix("kernels.")


def manifest() -> dict[str, Any]:
    """Return what a program must know to call the modules (docs/kernels.md says how to read it)."""
    types = Types()
    bundles = exported()
    functions: dict[str, list[dict[str, Any]]] = {}
    for bundle, calls in bundles.items():
        for name, (called, arguments) in zip(_names(calls), calls, strict=True):
            function = _function(called)
            parameters = parameter_kinds(function, kinds_of(arguments))
            result = result_kind(function, parameters)
            assert result is not None
            functions.setdefault(_name(called), []).append(
                {
                    "bundle": bundle,
                    "export": name,
                    "parameters": {one: types.of(kind) for one, kind in parameters.items()},
                    "result": types.of(result),
                }
            )
    return {
        "heap": wasm.heap(len(bundles)),
        "stack": wasm.STACK,
        "traced": sorted(TRACED),
        "events": [event.__name__ for event in trace.EVENTS],
        "functions": functions,
        "records": types.records,
        "tuples": types.tuples,
        "constants": {
            _module_name(module): constants
            for module in sorted({_function(one).__module__ for calls in bundles.values() for one, _ in calls})
            if (constants := _constants(module))
        },
    }


def _constants(module: str) -> dict[str, int | float | str]:
    """Return the constants that a module defines; integers that a double does not hold as strings."""
    loaded = sys.modules[module]
    tree = ast.parse("".join(linecache.getlines(str(loaded.__file__))))
    stored = (
        one for node in tree.body if isinstance(node, ast.Assign) for target in node.targets for one in ast.walk(target)
    )
    names = [node.id for node in stored if isinstance(node, ast.Name) and node.id.isupper()]
    found = ((name, getattr(loaded, name)) for name in names)
    return {
        name: value if abs(value) <= MAX_SAFE_INTEGER else str(value)
        for name, value in found
        if isinstance(value, (int, float))
    }


@dataclass
class Types:
    """The types of parameters, results and fields, as JSON: records and named tuples by name."""

    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    tuples: dict[str, dict[str, Any]] = field(default_factory=dict)

    def of(self, kind: Kind) -> Any:
        """Describe a kind: a number by its name, None by null, other things by an object."""
        if isinstance(kind, Scalar):
            return kind.name
        if isinstance(kind, Reference):
            return {"record": self.record(kind.struct)}
        if isinstance(kind, ArrayOf):
            return {"array": self.element(kind.element), "dimensions": kind.ndim}
        if kind == NONE:
            return None
        assert isinstance(kind, TupleOf)  # functions are arguments of Python's only
        parts = [self.of(part) for part in kind.parts]
        if kind.named is None:
            return parts
        described = dict(zip(kind.named._fields, parts, strict=True))  # type: ignore[attr-defined]
        name, number = kind.named.__name__, 1
        while self.tuples.setdefault(name, described) != described:
            number += 1
            name = f"{kind.named.__name__}.{number}"
        return {"tuple": name}

    def element(self, content: Scalar | Struct) -> str:
        """Describe the elements of an array: a number or a record, by name."""
        return content.name if isinstance(content, Scalar) else self.record(content)

    def record(self, struct: Struct) -> str:
        """Describe a record, and return its name."""
        described = {
            "size": struct.size,
            "fields": {name: self.content(content) | {"offset": offset} for name, content, offset in struct.fields},
        }
        if self.records.setdefault(struct.name, described) != described:
            raise InarowError(f"two records of exported kernels have the name {struct.name}")
        return struct.name

    def content(self, content: Content) -> dict[str, Any]:
        """Describe what a record has in a field."""
        if isinstance(content, Fixed):
            return {"type": self.element(content.element), "shape": list(content.lengths)}
        if isinstance(content, Pointer):
            return {"reference": self.element(content.element)}
        return {"type": self.element(content)}


def exported() -> dict[str, list[Call]]:
    """Return the functions of each bundle, each with the arguments of one call."""
    return {
        "rules": _rules(),
        "solver": _solver(),
        "search": _set_up() + _searches(None) + mcts.calls(mcts.Node)[1:] + mcts.calls(mcts.ValuedNode)[1:],
        "network": _searches(NetBoard(*smallest_whole())) + mcts.calls(mcts.GuidedNode)[1:] + _networks(),
        "trace": _searches(None) + _searches(NetBoard(*smallest_whole())) + qlearning.calls()[:1],
        "exam": _exams(),
        "learning": qlearning.calls() + qgraph.calls() + td.calls(),
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
        (solve.table_words, (board, 1)),
        (solve.set_up, (search[0], board, 1)),
        (solve_free.table_words, (board, 1)),
        (solve_free.image_words, (board,)),
        (solve_free.set_up_free, (free[0], board)),
        (analyse.advance_misere, (state, board, free[0], books, 0)),
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
    search, root = alphabeta.new_search(), alphabeta.Root()
    kinds = (mcts.Node, mcts.ValuedNode) if network is None else (mcts.GuidedNode,)
    return [
        (alphabeta.deepen, (SearchSetup(), search, root, _board(), 0, 0, 1, 1, True, network)),
        *(mcts.calls(kind)[0] for kind in kinds),
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
