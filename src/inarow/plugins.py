"""Entry points for plugins: one group for each kind of extension.

A plugin's module is imported when one of its names is first used, not when the names are listed.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

from inarow.errors import InarowError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

AGENTS = "inarow.agents"
"""Subclasses of `agents.Agent`."""
STUDIES = "inarow.studies"
"""Subclasses of `studies.Study`."""
TRAINERS = "inarow.trainers"
"""Subclasses of `training.Trainer`, named after the agent that plays with their models."""
MODELS = "inarow.models"
"""Subclasses of `models.files.Model`, by the kind that a model file names."""
LINEUPS = "inarow.lineups"
"""Instances of `play.setup.Lineup`: players and modes for the menus of the window and the page."""
COMMANDS = "inarow.commands"
"""Functions that add a command of the same name to a `typer.Typer`."""
KERNELS = "inarow.kernels"
"""Modules whose function ``warm`` compiles their kernels."""

T = TypeVar("T")


class PluginError(InarowError):
    """The plugin can't be used."""


@functools.cache
def plugins(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, sorted; of several with one name, the first."""
    from importlib.metadata import entry_points  # slow import

    found: dict[str, EntryPoint] = {}
    for one in entry_points(group=group):
        found.setdefault(one.name, one)
    return dict(sorted(found.items()))


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _where(group: str, name: str) -> str:
    entry = plugins(group)[name]
    return f"the plugin {name} ({entry.value}{f' of {entry.dist.name}' if entry.dist else ''})"


def load_object(group: str, name: str) -> Any:
    """Import the object of an entry point. Raises `PluginError` if that fails."""
    try:
        return plugins(group)[name].load()
    except Exception as error:  # a plugin may raise anything
        raise PluginError(f"{_where(group, name)} can't be imported: {type(error).__name__}: {error}") from None


def load_class(group: str, name: str, base: type, called: str = "name") -> Any:
    """Import a subclass of ``base``; its attribute ``called`` must be the name of the entry point."""
    kind = load_object(group, name)
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise PluginError(f"{_where(group, name)} is not a subclass of {base.__module__}.{base.__name__}")
    _check_name(group, name, getattr(kind, called, None))
    return kind


def load_instance(group: str, name: str, base: type[T]) -> T:
    """Import an instance of ``base``; its attribute ``name`` must be the name of the entry point."""
    value = load_object(group, name)
    if not isinstance(value, base):
        raise PluginError(f"{_where(group, name)} is not an instance of {base.__module__}.{base.__name__}")
    _check_name(group, name, getattr(value, "name", None))
    return value


def _check_name(group: str, name: str, own: object) -> None:
    if own != name:
        raise PluginError(f"{_where(group, name)} has the name {own!r}; both names must be the same")
