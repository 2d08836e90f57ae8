"""Every agent by name: the one place that the command line, the interfaces and the errors read."""

from __future__ import annotations

import importlib
from typing import cast

from inarow.agents.base import Agent
from inarow.agents.grammar import read_arguments
from inarow.agents.parameters import AgentError
from inarow.errors import unknown

# Where each agent lives; a module is imported when its agent is first asked for.
_WHERE = {
    "random": "random_agent:Random",
    "rules": "rules:Rules",
    "greedy": "greedy:Greedy",
    "minimax": "minimax:Minimax",
    "alphabeta": "alphabeta:AlphaBeta",
    "mcts": "mcts:Mcts",
    "qlearning": "qlearning:QLearning",
    "ntuple": "ntuple:NTuple",
    "perfect": "perfect:Perfect",
}


# Agents of other projects, which may not be installed: they play by name, but no list or menu offers them.
_ELSEWHERE = {"openspiel": "openspiel:OpenSpiel"}


def agent_names() -> list[str]:
    """The names of all agents, from the simplest up."""
    return list(_WHERE)


def agent_class(name: str) -> type[Agent]:
    """The kind of agent of this name."""
    known = _WHERE | _ELSEWHERE
    if name not in known:
        raise AgentError(unknown("agent", name, _WHERE, "`inarow agents` lists them."))
    module, _, kind = known[name].partition(":")
    return cast(type[Agent], getattr(importlib.import_module(f"inarow.agents.{module}"), kind))


def agent(spec: str) -> Agent:
    """The agent of a spec such as ``random`` or ``rules:style=centre``."""
    name, colon, rest = spec.strip().partition(":")
    if not name:
        raise AgentError("an empty text names no agent; `inarow agents` lists them")
    if name == "file":  # all the rest is a path
        from inarow.agents.file import File

        return File(rest.strip())
    kind = agent_class(name)
    if colon and not rest.strip():
        raise AgentError(f"{spec!r} ends with a colon; write {name} alone, or {name}:key=value")
    if not rest.strip():
        return kind()
    return kind(**read_arguments(f"agent {name}", kind.parameters(), rest, kind.old_spellings))
