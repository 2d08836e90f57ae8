"""What an agent's file declares about itself: a name, a summary and typed parameters.

It is read from the syntax tree, so that no code of the file runs. A class derived from `Agent` declares its attributes
``name`` and ``summary`` and its dataclass fields; a file with a function ``agent`` declares a module variable ``name``,
the first line of the function's docstring, and its keyword-only arguments. Only literal values are understood.
"""

from __future__ import annotations

import ast
from dataclasses import MISSING, Field
from typing import Any, NamedTuple

from inarow.agents import parameters
from inarow.agents.parameters import Kind, Number, Switch, kind_of

MOST_BYTES = 1 << 20
"""A larger file declares nothing."""
_FIELDS = ("integer", "number", "choice", "switch", "string", "file")
"""The functions of `parameters` that make a field."""
_HELP = "declared by the file"


class Declared(NamedTuple):
    """The declarations of a file; empty where it makes none."""

    name: str = ""
    summary: str = ""
    parameters: tuple[Kind, ...] = ()


def declared(source: bytes) -> Declared:
    """Read the declarations of a file. A file that cannot be parsed declares nothing."""
    if len(source) > MOST_BYTES:
        return Declared()
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Declared()
    classes = [one for one in body if isinstance(one, ast.ClassDef) and any(_is_agent(base) for base in one.bases)]
    if classes:
        return _of_class(classes[-1])
    functions = [one for one in body if isinstance(one, ast.FunctionDef) and one.name == "agent"]
    return _of_function(functions[-1], body) if functions else Declared(_string(body, "name"))


def _is_agent(base: ast.expr) -> bool:
    return (isinstance(base, ast.Name) and base.id == "Agent") or (
        isinstance(base, ast.Attribute) and base.attr == "Agent"
    )


def _of_class(made: ast.ClassDef) -> Declared:
    kinds = []
    for line in made.body:
        if (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and line.value is not None
            and "ClassVar" not in ast.unparse(line.annotation)
        ):
            kinds.append(_kind(line.target.id, line.value))
    return Declared(
        _string(made.body, "name"), _string(made.body, "summary"), tuple(kind for kind in kinds if kind is not None)
    )


def _of_function(made: ast.FunctionDef, module: list[ast.stmt]) -> Declared:
    keywords = zip(made.args.kwonlyargs, made.args.kw_defaults, strict=True)
    kinds = [_kind(one.arg, default) for one, default in keywords if default is not None]
    summary = (ast.get_docstring(made) or "").partition("\n")[0].strip().rstrip(".")
    return Declared(_string(module, "name"), summary, tuple(kind for kind in kinds if kind is not None))


def _string(body: list[ast.stmt], name: str) -> str:
    """Return the string that a statement assigns to this name, or an empty one."""
    found = ""
    for line in body:
        targets = line.targets if isinstance(line, ast.Assign) else []
        for one in targets:
            if isinstance(one, ast.Name) and one.id == name and isinstance(line, ast.Assign):
                value = _literal(line.value)
                found = value if isinstance(value, str) else found
    return "".join(character for character in found if character.isprintable())[:60].strip()


def _literal(value: ast.expr) -> Any:
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return MISSING


def _kind(name: str, default: ast.expr) -> Kind | None:
    """Return the kind of a parameter with this default, or None if it is no literal."""
    if isinstance(default, ast.Call):
        return _made(name, default)
    value = _literal(default)
    if isinstance(value, bool):
        return Switch(name, value, _HELP)
    if isinstance(value, int | float):
        return Number(name, value, _HELP, whole=isinstance(value, int))
    return Kind(name, value, _HELP) if isinstance(value, str) else None


def _made(name: str, call: ast.Call) -> Kind | None:
    """Return the kind that one of the functions for fields makes."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = [_literal(one) for one in call.args]
    named = {str(one.arg): _literal(one.value) for one in call.keywords}
    if function not in _FIELDS or MISSING in (*given, *named.values()):
        return None
    try:
        field: Field[Any] = getattr(parameters, function)(*given, **named)
        field.name = name
        kind = kind_of(field)
        if kind is not None:
            kind.check(name, kind.default)
    except (TypeError, ValueError):
        return None
    return kind
