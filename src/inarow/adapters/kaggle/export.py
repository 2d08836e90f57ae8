"""An agent as one file that plays in Kaggle's ConnectX, where inarow is not installed.

The file is made of the same sources that inarow compiles, without the compiler: `bits`, `randomness` and the kernels
of the agent, with its settings or its weights. So it decides as the agent does, and needs nothing but Python's standard
library.
"""

from __future__ import annotations

import ast
import base64
import inspect
import textwrap
import zlib
from collections.abc import Iterable
from importlib import resources
from types import ModuleType
from typing import Any

import numpy as np

from inarow import __version__, bits, randomness
from inarow.agents import Agent, AgentError
from inarow.agents.move_order import move_masks
from inarow.agents.ntuple import NTuple
from inarow.agents.search_presets import FULL
from inarow.agents.searching import UNLIMITED, Searcher
from inarow.agents.ties import centre_first
from inarow.kernels.alphabeta import counting, ordering, search, transposition
from inarow.kernels.common import evaluate, search_layout, tactics
from inarow.kernels.ntuple import network, ntuple_layout, whole_board
from inarow.rules import CONNECT4, Game, Player

SHARE = 0.7
"""The share of ConnectX's seconds for a move that a search takes: the rest is for slower machines."""
MOST_ENTRIES = 1 << 15
"""Of a search's table; its size never changes a decision."""
WIDTH = 100

_BITS = (
    "popcount", "lowest", "playable", "runs", "has_line", "gaps", "fours", "winning_cells", "mirror",
)  # fmt: skip
_NOT_EXPORTED = {
    "root": ("carried",), "ties": ("order",), "ordering": ("tallest",), "sooner_from": ("root",),
    "ends": ("evaluated", "points"),
}  # fmt: skip
"""Settings of a search that the file, which deepens ply by ply, would not keep."""
_RANDOM = ("plus", "times", "advance", "mix", "below", "derive", "Stream")
_POINTERS = """
def handle(array):
    return array


def peek(array, index):
    return array[index]


def poke(array, index, value):
    array[index] = value


def prefetch(array, index):
    pass


def raised(flag):
    return time.monotonic() > flag[0]


peek_int32 = peek_float = peek
poke_int32 = poke_float = poke
"""


def export_agent(agent: Agent, game: Game = CONNECT4, *, seed: int = 0) -> str:
    """The text of a submission file that decides as the agent does (see `truth.grading.decider`) with this seed.

    A search stops in time, at the depth it has reached; raises `AgentError` for an agent that can't be exported.
    """
    if not game.gravity:
        raise AgentError(f"in ConnectX stones fall; an agent for {game} can't play there")
    agent.check(game)
    if isinstance(agent, Searcher):
        body = _search_parts(agent.settled(game), game)
    elif isinstance(agent, NTuple):
        body = _network_parts(agent, game)
    else:
        raise AgentError(f"agent {agent.name} can't be exported; alphabeta, minimax and ntuple can")
    parts = [
        f'"""{agent.spec} of inarow {__version__}, as a ConnectX submission for {game.title}.\n\n'
        "Made by `inarow export`; it needs nothing but Python's standard library.\n"
        '"""',
        "import array, base64, hashlib, struct, sys, time, zlib  # noqa: E401",
        _constants(
            COLUMNS=game.columns, ROWS=game.rows, IN_A_ROW=game.k, CELLS=game.cells, SEED=seed, SHARE=SHARE,
            SECONDS=min(getattr(agent, "seconds", None) or 1e9, 1e9),
        ),
        _constants(**_upper(bits), **_upper(randomness)),
        *_functions(bits, _BITS),
        *_functions(randomness, _RANDOM),
        _POINTERS.strip(),
        *body,
        _template("agent"),
    ]  # fmt: skip
    return "\n\n\n".join(parts) + "\n"


def _search_parts(agent: Searcher, game: Game) -> list[str]:
    for name, values in _NOT_EXPORTED.items():
        value = getattr(agent, name, None)
        if value in values:
            raise AgentError(f"agent {agent.name} with {name}={value} can't be exported; give another {name}")
    if agent.faults:
        raise AgentError(f"agent {agent.name} with faults can't be exported; use faults=none")
    setups = []
    for player in Player:
        setup = agent.write_setup(game, player, 0)
        setups.append({int(at): int(setup[at]) for at in np.flatnonzero(setup)})
    layout = {**_upper(search_layout), "MAX_BITS": bits.MAX_BITS}
    return [
        "class search_layout:\n" + textwrap.indent(_constants(**layout), "    "),
        *(_constants(**_upper(module)) for module in (counting, transposition, ordering, search)),
        _constants(SETUPS=setups),
        _constants(
            BOTTOM=game.bottom,
            BOARD=game.board,
            MASKS=game.move_masks,
            PLIES=agent.plies or FULL,
            NODE_LIMIT=agent.nodes or UNLIMITED,
            TABLE_ENTRIES=min(agent.table_entries, MOST_ENTRIES),
            TIES=agent.ties,
            ORDER=[game.move_masks.index(mask) for mask in move_masks(game, agent.order)],
            CENTRE_FIRST=centre_first(game, range(game.moves)),
        ),
        *_functions(counting, ("visit", "count_leaf", "count_cutoff")),
        *_functions(transposition, ("image_bit", "image_of", "canonical", "place", "recall", "hint_of", "store")),
        *_functions(ordering, ("put_in_order", "_promise", "remember_cutoff")),
        *_functions(evaluate, ("evaluate", "_windows", "_filled", "_runs", "_begun", "_open", "_threes")),
        *_functions(
            search, ("win_points", "leaf_points", "begin_line", "write_line", "_last_ply", "_value", "search_root")
        ),
        _template("search"),
    ]


def _network_parts(agent: NTuple, game: Game) -> list[str]:
    held = agent.held(game)
    half = held.weights.astype(np.float16)
    exact = np.array_equal(half.astype(np.float32), held.weights)
    weights = half.astype("<f2") if exact else held.weights.astype("<f4")
    return [
        _constants(**{**_upper(tactics), **_upper(ntuple_layout), **_upper(network)}),
        _constants(
            RULES=held.rules.tolist(),
            WIDE=held.layout.wide_features,
            GAMMA_A_PLY=held.gamma,
            NOISE=agent.noise,
            WEIGHT_FORMAT="<e" if exact else "<f",
        ),
        f'TABLES_TEXT = """\n{_packed(held.layout.tables.astype("<i4"))}"""',
        f'WEIGHTS_TEXT = """\n{_packed(weights)}"""',
        *_functions(tactics, ("settle",)),
        *_functions(whole_board, ("wide_features", "note_wide", "_note_pairs")),
        *_functions(
            network,
            (
                "squash", "total", "hold", "touch", "change_after", "place", "settled_value", "value_after", "judge",
            ),
        ),
        _template("ntuple"),
    ]  # fmt: skip


def _packed(values: np.ndarray[Any, Any]) -> str:
    text = base64.b64encode(zlib.compress(values.tobytes())).decode("ascii")
    return "".join(f"{text[at : at + WIDTH]}\n" for at in range(0, len(text), WIDTH))


def _constants(**values: Any) -> str:
    return "\n".join(f"{name} = {value!r}" for name, value in values.items())


def _upper(module: ModuleType) -> dict[str, Any]:
    """The constants of a module: numbers with a name in capitals."""
    return {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int | float)}


class _Plain(ast.NodeTransformer):
    """Takes off what only the compiler and the type checker read."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        node.returns = None
        for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            argument.annotation = None
        if node.args.vararg is not None:
            node.args.vararg.annotation = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno)


def _functions(module: ModuleType, names: Iterable[str]) -> list[str]:
    """The sources of these functions and classes, as plain Python."""
    tree = ast.parse(inspect.getsource(module))
    found = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return [ast.unparse(ast.fix_missing_locations(_Plain().visit(found[name]))) for name in names]


def _template(name: str) -> str:
    return resources.files("inarow").joinpath(f"data/export/{name}.py.txt").read_text(encoding="utf-8").strip()
