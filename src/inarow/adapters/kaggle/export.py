"""An agent as one file that plays in Kaggle's ConnectX, where inarow is not installed.

The file is made of the same sources that inarow compiles, without the compiler (see `bundle`), with the agent's
settings or weights. So it decides as the agent does, and needs nothing but Python's standard library.
"""

from __future__ import annotations

import base64
import zlib
from importlib import resources
from typing import Any

import numpy as np

from inarow import __version__, randomness
from inarow.adapters.kaggle.bundle import Bundle, constants
from inarow.agents import Agent, AgentError
from inarow.agents.alphabeta import FULL, UNLIMITED, Searcher
from inarow.agents.evaluators import Learned
from inarow.agents.ntuple import NTuple
from inarow.agents.ties import centre_first, move_masks
from inarow.kernels import alphabeta
from inarow.kernels.ntuple import network
from inarow.rules import CONNECT4, Game, Player

SHARE = 0.7
"""The share of ConnectX's seconds for a move that a search takes: the rest is for slower machines."""
MOST_ENTRIES = 1 << 15
"""Of a search's table; its size never changes a decision."""
WIDTH = 100


def export_agent(agent: Agent, game: Game = CONNECT4, *, seed: int = 0) -> str:
    """The text of a submission file that decides as the agent does (see `truth.grading.decider`) with this seed.

    A search stops in time, at the depth it has reached; raises `AgentError` for an agent that can't be exported.
    """
    if not game.gravity:
        raise AgentError(f"ConnectX has gravity; an agent for {game} can't play there")
    agent.check(game)
    bundle = Bundle(absent={"network", "leaves"})
    bundle.add(randomness, "derive", "Stream")
    if isinstance(agent, Searcher):
        own = _search_parts(agent, game, bundle)
    elif isinstance(agent, NTuple):
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
    """Adds the kernel of a search; its settings and player."""
    if isinstance(agent.eval, Learned):
        raise AgentError(f"agent {agent.spec} can't be exported: its evaluator is a network; export ntuple itself")
    if agent.asks_solver:
        raise AgentError(f"agent {agent.spec} can't be exported: the solver is too large; use solver=off")
    bundle.add(alphabeta, "search_root", "SearchSetup", "SearchState", "Entry", "playable", "popcount", "lowest")
    settings = {
        "SETUPS": [_fields(agent.new_setup(game, player)) for player in Player],
        "BOTTOM": game.bottom,
        "BOARD": game.board,
        "ORDER": move_masks(game, agent.order),
        "PLIES": agent.plies or FULL,
        "NODE_LIMIT": agent.nodes or UNLIMITED,
        "TABLE_ENTRIES": min(agent.tt_entries, MOST_ENTRIES),
        "PROVES": agent.proves,
        "REORDERS": agent.deepens or agent.proves != "carried",
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


def _network_parts(agent: NTuple, game: Game, bundle: Bundle) -> list[str]:
    """Adds the kernel of a network; its weights and player."""
    held = agent.held(game)
    bundle.add(network, "judge", "place", "Net", "Rules", "Work")
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
