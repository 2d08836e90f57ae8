"""What installed packages add to a registry, by entry points: agents under ``inarow.agents``, studies likewise.

A plugin's module is imported when one of its names is first asked for, never to list the names.
"""

from __future__ import annotations

import functools
from importlib.metadata import EntryPoint, entry_points

from inarow.errors import InarowError

AGENTS = "inarow.agents"
STUDIES = "inarow.studies"


class PluginError(InarowError):
    """An installed package that adds something which can't be used."""


@functools.cache
def plugins(group: str) -> dict[str, EntryPoint]:
    """What installed packages add under this group, sorted by name; of two with the same name the first one found."""
    found: dict[str, EntryPoint] = {}
    for one in entry_points(group=group):
        found.setdefault(one.name, one)
    return dict(sorted(found.items()))


def load_plugin(group: str, name: str, base: type) -> type:
    """The class behind a name; it must be a subclass of ``base`` whose ``name`` is the entry point's."""
    entry = plugins(group)[name]
    where = f"the plugin {name} ({entry.value}{f' of {entry.dist.name}' if entry.dist else ''})"
    try:
        kind = entry.load()
    except Exception as error:  # whatever somebody else's module raises
        raise PluginError(f"{where} can't be imported: {type(error).__name__}: {error}") from None
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise PluginError(f"{where} is not a subclass of {base.__module__}.{base.__name__}")
    if getattr(kind, "name", None) != name:
        raise PluginError(f"{where} calls itself {getattr(kind, 'name', None)!r}; both names must be the same")
    return kind
