"""Export an agent as one file for Kaggle's ConnectX, where inarow is not installed.

The file is made of the same sources that inarow compiles, without the compiler (see `bundle`), with the agent's
settings or weights. So it decides as the agent does, and needs nothing but Python's standard library.
"""

from __future__ import annotations

import ast
import base64
import inspect
import sys
import textwrap
import zlib
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from types import ModuleType
from typing import Any, get_type_hints

import numpy as np

from inarow import __version__, bits, randomness
from inarow.adapters.notations import board_cells
from inarow.agents import Agent, AgentError
from inarow.agents.alphabeta import FULL, UNLIMITED, Searcher
from inarow.agents.evaluators import Learned
from inarow.agents.ntuple import NTupleAgent
from inarow.agents.ties import centre_first
from inarow.errors import InarowError
from inarow.kernels import alphabeta, ntuple
from inarow.kernels.lang.kinds import Fixed, Pointer, Struct
from inarow.kernels.lang.records import innermost
from inarow.match import MatchRecord
from inarow.match.record import Termination
from inarow.rules import CONNECT4, Game, IllegalMove, Outcome, Player, Position
from inarow.rules.game import UnknownGame

SHARE = 0.7
"""Share of ConnectX's time limit that a search uses; the rest is for slower machines."""
MAX_ENTRIES = 1 << 15
"""Size of a search's transposition table; it never changes a decision."""
WIDTH = 100


def export_agent(agent: Agent, game: Game = CONNECT4, *, seed: int = 0) -> str:
    """Return the source of a submission that plays as the agent does (see `truth.grading.decider`) with this seed.

    A search stops in time, at the depth it has reached. Raises `AgentError` for an agent that can't be exported.
    """
    game.check_usual("ConnectX")
    if not game.gravity:
        raise AgentError(f"ConnectX has gravity; an agent for {game} can't play there")
    agent.check(game)
    bundle = Bundle(absent={"network", "leaves"})
    bundle.add(randomness, "derive", "Stream")
    if isinstance(agent, Searcher):
        own = _search_parts(agent, game, bundle)
    elif isinstance(agent, NTupleAgent):
        own = _network_parts(agent, game, bundle)
    else:
        raise AgentError(f"agent {agent.name} can't be exported; alphabeta, minimax and ntuple can")
    about = {
        "COLUMNS": game.columns, "ROWS": game.rows, "IN_A_ROW": game.k, "CELLS": game.cells, "SEED": seed,
        "SHARE": SHARE, "SECONDS": getattr(agent, "seconds", None) or 1e9,
    }  # fmt: skip
    parts = [
        f'"""{agent.spec} of inarow {__version__}, as a ConnectX submission for {game.title}.\n\n'
        "Made by `inarow export`; it needs nothing but Python's standard library.\n"
        '"""',
        "import array, base64, collections, hashlib, itertools, struct, sys, time, zlib  # noqa: E401",
        constants(about),
        bundle.text(),
        *own,
        _template("agent"),
    ]
    return "\n\n\n".join(parts) + "\n"


def _search_parts(agent: Searcher, game: Game, bundle: Bundle) -> list[str]:
    """Add the kernel of a search; return its settings and player."""
    if isinstance(agent.eval, Learned):
        raise AgentError(f"agent {agent.spec} can't be exported: its evaluator is a network; export ntuple itself")
    if agent.asks_solver:
        raise AgentError(f"agent {agent.spec} can't be exported: the solver is too large; use solver=off")
    bundle.add(
        alphabeta, "begin_search", "deepen", "SearchSetup", "SearchState", "Entry", "Root", "BitLayout", "popcount"
    )
    setups = [agent.new_setup(game, player) for player in Player]
    settings = {
        "SETUPS": [_fields(setup) for setup in setups],
        "LAYOUT": tuple(game.layout),
        "PLIES": agent.plies or FULL,
        "NODE_LIMIT": agent.nodes or UNLIMITED,
        "TABLE_ENTRIES": min(agent.tt_entries, MAX_ENTRIES),
        "BEST_FIRST": agent.best_first,
        "TIES": agent.ties,
        "CENTRE_FIRST": centre_first(game, range(game.moves)),
    }
    return [constants(settings), _template("search")]


def _fields(record: Any) -> dict[str, Any]:
    """Return the fields of a record that are not zero, arrays without the zeros at their ends."""
    found: dict[str, Any] = {}
    for name, *_ in record.__struct__.fields:
        value = getattr(record, name)
        if isinstance(value, np.ndarray):
            value = value.tolist()
            while value and not np.any(value[-1]):
                value.pop()
        if value:
            found[name] = value
    return found


def _network_parts(agent: NTupleAgent, game: Game, bundle: Bundle) -> list[str]:
    """Add the kernel of a network; return its weights and player."""
    held = agent.held(game)
    bundle.add(ntuple, "judge", "place", "Net", "NetworkRules", "Work")
    half = held.weights.astype(np.float16)
    exact = np.array_equal(half.astype(np.float32), held.weights)
    settings = {
        "RULES": _fields(held.rules),
        "WIDE": held.layout.wide_features,
        "SHRINK": float(held.gamma),
        "NOISE": agent.noise,
        "WEIGHT_FORMAT": "<e" if exact else "<f",
    }
    return [
        constants(settings),
        f'TABLES_TEXT = """\n{_packed(held.layout.tables.astype("<i4"))}"""',
        f'WEIGHTS_TEXT = """\n{_packed(half.astype("<f2") if exact else held.weights.astype("<f4"))}"""',
        _template("ntuple"),
    ]


def _packed(values: np.ndarray[Any, Any]) -> str:
    text = base64.b64encode(zlib.compress(values.tobytes())).decode("ascii")
    return "".join(f"{text[at : at + WIDTH]}\n" for at in range(0, len(text), WIDTH))


def _template(name: str) -> str:
    return resources.files("inarow").joinpath(f"data/export/{name}.py.txt").read_text(encoding="utf-8").strip()


PLAIN = """
def prefetch(array, index):
    pass


def raised(flag):
    return time.monotonic() > flag[0]


class _opened:
    get = staticmethod(lambda: None)
"""
"""Replacements for parts of inarow: a stop flag holds the time at which to stop, and streams are not collected."""
_GIVEN = {"prefetch", "raised", "_opened"}


class Bundle:
    """Collect functions and their dependencies: other functions, constants, named tuples, records, modules."""

    def __init__(self, absent: Collection[str] = ()) -> None:
        """Start an empty bundle; ``absent`` are optional arguments that are always None, so their code is omitted."""
        self.absent = absent
        self.constants: dict[str, Any] = {}
        self.namespaces: dict[str, dict[str, Any]] = {}
        self.tuples: dict[str, tuple[str, ...]] = {}
        self.records: dict[str, str] = {}
        self.sources: dict[str, str] = {}
        self._homes: dict[str, ModuleType] = {}

    def add(self, module: ModuleType, *names: str) -> None:
        """Add these names of a module, with their dependencies."""
        for name in names:
            value = vars(module).get(name)
            if name in _GIVEN or value is None:
                continue
            if isinstance(value, ModuleType):
                if value.__name__.startswith("inarow."):
                    self.namespaces[name] = numbers(value)
            elif isinstance(value, int | float):
                self._keep(self.constants, name, value)
            elif isinstance(value, type) and hasattr(value, "_fields"):
                self._keep(self.tuples, name, value._fields)
            elif hasattr(value, "__struct__"):
                self._add_record(name, value)
            elif callable(value):
                self._add_function(_home(name, value), name)

    def _keep(self, kept: dict[str, Any], name: str, value: Any) -> None:
        if kept.setdefault(name, value) != value:
            raise ValueError(f"{name} has two meanings in the sources of one file")

    def _add_record(self, name: str, kind: Any) -> None:
        """Add a record as a plain class whose arrays are lists, initially zero."""
        lines = [f"class {name}:", "    def __init__(self):"]
        for field, content, _ in kind.__struct__.fields:
            text = "None" if isinstance(content, Pointer) else "0"
            if isinstance(content, Fixed):
                if isinstance(content.element, Struct):
                    element = innermost(get_type_hints(kind)[field])
                    self._add_record(element.__name__, element)
                    text = f"{element.__name__}()"
                for length in reversed(content.lengths):
                    text = f"[{text} for _ in range({length})]"
            lines.append(f"        self.{field} = {text}")
        self._keep(self.records, name, "\n".join(lines))

    def _add_function(self, home: ModuleType, name: str) -> None:
        self._keep(self._homes, name, home)
        if name in self.sources:
            return
        node = _Plain(self.absent).visit(_definitions(home)[name])
        self.sources[name] = ast.unparse(ast.fix_missing_locations(node))
        self.add(home, *sorted({part.id for part in ast.walk(node) if isinstance(part, ast.Name)}))

    def text(self) -> str:
        """Return all collected source in executable order."""
        parts = [constants(self.constants)]
        parts += [f"class {name}:\n{textwrap.indent(constants(n), '    ')}" for name, n in self.namespaces.items()]
        parts += [
            "\n".join(f"{name} = collections.namedtuple({name!r}, {fields!r})" for name, fields in self.tuples.items())
        ]
        parts += [*self.records.values(), PLAIN.strip(), *self.sources.values()]
        return "\n\n\n".join(part for part in parts if part)


def constants(values: dict[str, Any]) -> str:
    """Return assignments, one per line."""
    return "\n".join(f"{name} = {value!r}" for name, value in values.items())


def numbers(module: ModuleType) -> dict[str, Any]:
    """Return the numeric constants of a module."""
    return {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int | float)}


def _home(name: str, value: Any) -> ModuleType:
    """Return the module that defines a function; its compiled version may be elsewhere."""
    for plain in (bits, randomness):
        if inspect.isfunction(vars(plain).get(name)):
            return plain
    return sys.modules[value.__module__]


@lru_cache(maxsize=32)
def _source(module: ModuleType) -> str:
    return inspect.getsource(module)


def _definitions(module: ModuleType) -> dict[str, ast.FunctionDef | ast.ClassDef]:
    nodes = ast.parse(_source(module)).body
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}


class _Plain(ast.NodeTransformer):
    """Remove code that only the compiler and the type checker need, and code for absent arguments."""

    def __init__(self, absent: Collection[str]) -> None:
        self._absent = absent

    def _kept(self, node: ast.If | ast.IfExp) -> Any:
        """Return the branch that is taken, if it is known, or the whole node."""
        self.generic_visit(node)
        test = node.test
        if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id in self._absent:
            return node.body if isinstance(test.ops[0], ast.Is) else node.orelse
        return node

    def visit_If(self, node: ast.If) -> Any:
        return self._kept(node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self._kept(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        node.returns = None
        self.generic_visit(node)
        ends = [at for at, statement in enumerate(node.body) if isinstance(statement, ast.Return)]
        node.body = node.body[: ends[0] + 1] if ends else node.body or [ast.Pass()]
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Drop events (`kernels.lang.trace`)."""
        called = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "trace":
            return None
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Rewrite ``array[i, j]`` for lists of lists."""
        self.generic_visit(node)
        if not isinstance(node.slice, ast.Tuple):
            return node
        found = node.value
        for index in node.slice.elts[:-1]:
            found = ast.Subscript(found, index, ast.Load())
        return ast.Subscript(found, node.slice.elts[-1], node.ctx)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        if node.value is None:
            return None
        return ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno)


_FAULTS = {
    "INVALID": Termination.ILLEGAL_MOVE,
    "TIMEOUT": Termination.OUT_OF_TIME,
    "ERROR": Termination.EXCEPTION,
}
SECONDS = 2
"""The observation of ConnectX for a move."""


class ReplayError(InarowError):
    """The replay is invalid, or ConnectX can't show the record."""


def record_of_replay(data: Any) -> MatchRecord:
    """Convert a replay to a match record. Raises `ReplayError` with the step that is wrong."""
    steps = _part(data, "steps", list)
    game = _game(_part(data, "configuration", dict))
    position = Position.start(game)
    moves: list[int] = []
    fault = None
    for number, step in enumerate(steps):
        if not (isinstance(step, list) and len(step) == 2 and all(isinstance(part, dict) for part in step)):
            raise ReplayError(f"step {number} of the replay is not a pair of players; it may be cut short")
        mover = position.to_move
        if number > 0 and position.outcome() is None and fault is None:
            fault = _FAULTS.get(step[mover].get("status"))
            if fault is None:
                position = _play(position, step[mover].get("action"), number)
                moves.append(step[mover]["action"])
        board = step[0].get("observation", {}).get("board")
        if fault is None and board is not None and board != board_cells(position):
            raise ReplayError(f"the board of step {number} is not what the moves lead to")
    return _record(data, game, position, moves, fault)


def _record(
    data: Mapping[str, Any], game: Game, position: Position, moves: Sequence[int], fault: Termination | None
) -> MatchRecord:
    outcome = position.outcome()
    if outcome is None and fault is None:
        raise ReplayError(f"the replay ends after {len(moves)} moves, before the match does; it is cut short")
    if outcome is None:
        outcome, termination = Outcome(position.to_move.other), fault
    else:
        termination = Termination.LINE if outcome.winner is not None else Termination.FULL_BOARD
    names = (data.get("info") or {}).get("TeamNames") or ["kaggle player 1", "kaggle player 2"]
    assert termination is not None
    return MatchRecord(
        game=game,
        first=str(names[0]),
        second=str(names[-1]),
        seed=0,
        opening=(),
        moves=tuple(moves),
        outcome=outcome,
        termination=termination,
        nodes=(0,) * len(moves),
        values=(None,) * len(moves),
        seconds=(0.0,) * len(moves),
        fault=f"{position.to_move.name.lower()} player: {fault.value}, says the replay" if fault else "",
    )


def _part(data: Any, key: str, kind: type) -> Any:
    if not isinstance(data, Mapping) or not isinstance(data.get(key), kind) or not data[key]:
        raise ReplayError(f"this is not a replay of ConnectX: {key!r} is missing or empty")
    return data[key]


def _game(configuration: Mapping[str, Any]) -> Game:
    columns, rows, k = (configuration.get(name) for name in ("columns", "rows", "inarow"))
    if not (isinstance(columns, int) and isinstance(rows, int) and isinstance(k, int)):
        raise ReplayError(f"the configuration has columns {columns}, rows {rows}, inarow {k}; expected integers")
    try:
        return Game(columns, rows, k, gravity=True)
    except UnknownGame as error:
        raise ReplayError(f"the replay's board can't be played here: {error}") from None


def _play(position: Position, action: Any, number: int) -> Position:
    try:
        return position.play(action)
    except IllegalMove as error:
        raise ReplayError(f"step {number} of the replay can't be played: {error}") from None


def replay_of_record(record: MatchRecord) -> dict[str, Any]:
    """Convert a record to a replay for ConnectX's viewer and ``kaggle_environments.make(…, steps=…)``."""
    game = record.game
    if not game.gravity:
        raise ReplayError(f"ConnectX has gravity; {game} can't be shown there")
    if record.outcome is None:
        raise ReplayError("the match was interrupted; only finished matches have replays")
    position = Position.start(game)
    steps = [_step(position, 0, None, None)]
    for number, move in enumerate(record.all_moves, start=1):
        mover = position.to_move
        position = position.play(move)
        steps.append(_step(position, number, (mover, move), _rewards(record) if position.outcome() else None))
    statuses, rewards = ["DONE", "DONE"], _rewards(record)
    if record.termination not in (Termination.LINE, Termination.FULL_BOARD):
        words = {termination: word for word, termination in _FAULTS.items()}
        statuses[position.to_move] = words.get(record.termination, "ERROR")
        rewards = [None if seat is position.to_move else 0 for seat in Player]  # as in ConnectX after a fault
        last = _step(position, len(steps), None, rewards)
        for seat, status in enumerate(statuses):
            last[seat]["status"] = status
        steps.append(last)
    return {
        "name": "connectx",
        "title": "ConnectX",
        "version": "1.0.1",
        "schema_version": 1,
        "configuration": {
            "columns": game.columns,
            "rows": game.rows,
            "inarow": game.k,
            "episodeSteps": 1000,
            "actTimeout": SECONDS,
        },
        "info": {"TeamNames": [record.first, record.second]},
        "steps": steps,
        "rewards": rewards,
        "statuses": statuses,
    }


def _rewards(record: MatchRecord) -> list[int | None]:
    winner = None if record.outcome is None else record.outcome.winner
    return [0, 0] if winner is None else [1 if winner is seat else -1 for seat in Player]


def _step(
    position: Position, number: int, played: tuple[Player, int] | None, rewards: list[int | None] | None
) -> list[dict[str, Any]]:
    """Return one step of both players; the first has the board."""
    pair = []
    for seat in Player:
        observation: dict[str, Any] = {"remainingOverageTime": 60, "mark": int(seat) + 1}
        if seat is Player.FIRST:
            observation |= {"step": number, "board": board_cells(position)}
        active = "ACTIVE" if position.to_move is seat else "INACTIVE"
        pair.append(
            {
                "action": played[1] if played is not None and played[0] is seat else 0,
                "reward": 0 if rewards is None else rewards[seat],
                "info": {},
                "observation": observation,
                "status": active if rewards is None else "DONE",
            }
        )
    return pair
