"""The registry of agents by name, used by the command line, the interfaces and the errors."""

from __future__ import annotations

import contextlib
import glob
import importlib
import os
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, replace
from pathlib import Path
from typing import Any, cast

from inarow.agents.base import Agent
from inarow.agents.parameters import AgentError, parameter_of, read_arguments
from inarow.errors import printable, unknown
from inarow.plugins import AGENTS, PluginError, load_class, plugins

# The module of each agent, imported when the agent is first used.
_WHERE = {
    "random": "simple:Random",
    "rules": "simple:Rules",
    "greedy": "greedy:Greedy",
    "minimax": "alphabeta:Minimax",
    "alphabeta": "alphabeta:AlphaBeta",
    "mcts": "mcts:Mcts",
    "qlearning": "qlearning:QLearningAgent",
    "ntuple": "ntuple:NTupleAgent",
    "best": "perfect:Best",
    "perfect": "perfect:Perfect",
}
# Agents that need another project or a file: usable by name, but not in lists and menus.
_ELSEWHERE = {"openspiel": "openspiel:OpenSpiel", "strategy": "strategy:Strategy", "torch": "torch:Torch"}
PERSON_NAMES = ("human", "person")
"""Names of a person in `inarow play`."""
_TAKEN = (*_WHERE, *_ELSEWHERE, *PERSON_NAMES, "file")
"""Names that no plugin can take."""


def agent_names() -> list[str]:
    """Return the names of all agents: built-in ones, the simplest first, then those of installed packages."""
    return [*_WHERE, *plugin_names()]


def plugin_names() -> list[str]:
    """Return the names of the agents that installed packages add; built-in ones can't be replaced."""
    return [name for name in plugins(AGENTS) if name not in _TAKEN]


def agent_class(name: str) -> type[Agent]:
    """Return the agent class of this name."""
    builtin = _WHERE | _ELSEWHERE
    if name in builtin:
        module, _, kind = builtin[name].partition(":")
        return cast(type[Agent], getattr(importlib.import_module(f"inarow.agents.{module}"), kind))
    if name in plugin_names():
        return _checked(name, load_class(AGENTS, name, Agent))
    if name in PERSON_NAMES:
        raise AgentError(f"{name} is a person, not an agent; to play yourself, use `inarow play`")
    raise AgentError(unknown("agent", name, agent_names(), "`inarow agents` lists them."))


def _checked(name: str, kind: type[Agent]) -> type[Agent]:
    """Return a plugin's class; raise `PluginError` if a spec can't hold its fields."""
    try:
        needed = [one.name for one in kind.parameters() if one.default is MISSING]
    except AgentError as error:
        raise PluginError(f"the plugin {name} can't be used: {error}") from None
    if needed:
        raise PluginError(f"the plugin {name} can't be used: its field {needed[0]} has no default")
    return kind


def agent_classes() -> list[type[Agent]]:
    """Return all agent classes; unusable plugins are skipped."""
    found = []
    for name in agent_names():
        with contextlib.suppress(PluginError):
            found.append(agent_class(name))
    return found


def agent(spec: Agent | str, **parameters: Any) -> Agent:
    """Return the agent of a spec such as ``rules`` or ``alphabeta:depth=8``, or of a Python file such as ``mine.py``;
    an agent is returned as it is. ``inarow agents`` lists them.

    ``parameters`` add to or override those of the spec. Unlike a spec they can be functions:
    ``agent("alphabeta:depth=4", eval=my_function)``.
    """
    if isinstance(spec, Agent):
        return replace(spec, **_values(spec.name, type(spec), parameters)) if parameters else spec
    if not isinstance(spec, str):
        instance = f"; an instance was meant: {spec.__name__}()" if isinstance(spec, type) else ""
        raise AgentError(f"{spec!r:.60} is not an agent; give a spec such as 'rules', or an Agent{instance}")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in spec.strip()):
        raise AgentError(f"agent {printable(spec)!r} has unprintable characters")
    name, colon, rest = spec.strip().partition(":")
    if not name:
        raise AgentError("no agent was given; `inarow agents` lists them")
    if name == "file" or is_file(spec):  # the rest is a path
        from inarow.agents.file import File

        if parameters:
            raise AgentError(f"give the parameters of a file in its spec: {spec.strip()}:{next(iter(parameters))}=…")
        return File.of(rest.strip() if name == "file" else spec.strip())
    if name.endswith(".npz"):
        raise AgentError(
            f"{printable(name)} is a model file, not an agent; write qlearning:model=FILE or ntuple:model=FILE"
        )
    kind = agent_class(name)
    if colon and not rest.strip():
        raise AgentError(f"{printable(spec)!r} ends with a colon; write {name} alone, or {name}:key=value")
    values = read_arguments(f"agent {name}", kind.parameters(), rest) if rest.strip() else {}
    return kind(**values | _values(name, kind, parameters))


def _values(name: str, kind: type[Agent], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters by field; strings are read as in a spec."""
    owner, values = f"agent {name}", {}
    for key, value in parameters.items():
        one = parameter_of(owner, kind.parameters(), key)
        values[one.field or key] = one.parse(owner, value) if isinstance(value, str) else value
    return values


def absolute_spec(spec: str) -> str:
    """Return a spec that works in any directory: the path of a file is made absolute."""
    from inarow.agents.file import File

    made = agent(spec)
    return File(str(Path(made.path).resolve()), made.given).spec if isinstance(made, File) else made.spec


def is_file(spec: str) -> bool:
    """Return True if a spec is a Python file without ``file:``, such as ``mine.py`` or ``mine.py:depth=3``."""
    spec = spec.strip()
    return (spec.endswith(".py") or ".py:" in spec) and spec.partition(":")[0] not in (*_TAKEN, *plugin_names())


def expand_specs(specs: Iterable[str]) -> list[str]:
    """Return the specs, with folders and patterns such as ``league/*.py`` expanded to their Python files.

    ``file:FOLDER`` remains one agent: one file of the folder is the agent, the others are its modules.
    """
    expanded: list[str] = []
    for spec in specs:
        path = spec.strip().removeprefix("file:")
        is_folder, exists = os.path.isdir(path), os.path.exists(path)  # noqa: PTH110, PTH112 (a Path raises if it is long)
        if is_folder and spec.strip() == path and path not in agent_names():
            expanded += _files(spec, [str(one) for one in Path(path).glob("*.py")])
        elif path.endswith(".py") and any(c in path for c in "*?[") and not exists:
            expanded += _files(spec, glob.glob(path, recursive=True))  # noqa: PTH207 (a Path takes no absolute pattern)
        else:
            expanded.append(spec)
    return expanded


def _files(spec: str, paths: list[str]) -> list[str]:
    """Return the specs of these files in order; names that start with an underscore are skipped."""
    found = sorted(path for path in paths if not Path(path).name.startswith("_"))
    if not found:
        raise AgentError(f"{spec} holds no Python file; give a folder or a pattern with agents, such as league/*.py")
    return [f"file:{path}" for path in found]
