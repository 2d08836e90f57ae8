"""Options that several commands share, declared once as the fields of a dataclass."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints


def takes(options: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator for a command whose last parameter is ``options``: an instance of this dataclass.

    On the command line its fields (annotated and with defaults, as Typer wants parameters) are options of the command.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shared = [
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hint)
            for field, hint in _hinted(options)
        ]
        hints = get_type_hints(command, include_extras=True)
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
            for name, parameter in inspect.signature(command).parameters.items()
            if name != "options"
        ]

        @functools.wraps(command)
        def run(**given: Any) -> None:
            values = {parameter.name: given.pop(parameter.name) for parameter in shared}
            command(**given, options=options(**values))

        run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *shared)}
        return run

    return decorate


def _hinted(options: type) -> list[tuple[Any, Any]]:
    hints = get_type_hints(options, include_extras=True)
    return [(field, hints[field.name]) for field in fields(options)]
