"""Functions have few parameters, and no two classes share a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import inarow

ROOT = Path(inarow.__file__).parent
MAX_PARAMETERS = 13

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[Path, Function]]:
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, Function):
                yield path.relative_to(ROOT), node


def parameters(function: Function) -> tuple[str, ...]:
    given = function.args
    return tuple(one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs) if one.arg != "self")


def is_entry_point(path: Path, function: Function) -> bool:
    """A kernel that Python calls, or a function that reads a command line: its parameters are its options."""
    decorators = {one.id for one in function.decorator_list if isinstance(one, ast.Name)}
    if path.parts[0] == "cli":
        return any("command(" in ast.unparse(one) for one in function.decorator_list)
    return path.parts[0] == "kernels" and "kernel" in decorators


def test_no_function_has_too_many_parameters() -> None:
    entry_points = {(one.name, parameters(one)) for path, one in functions() if is_entry_point(path, one)}
    too_many = {
        f"{path}: {one.name}": len(parameters(one))
        for path, one in functions()
        if len(parameters(one)) > MAX_PARAMETERS and (one.name, parameters(one)) not in entry_points
    }
    assert too_many == {}, "group what belongs together (a twin of a kernel has the kernel's parameters)"


def test_no_two_classes_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
