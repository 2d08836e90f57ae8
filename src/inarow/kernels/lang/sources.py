"""What a kernel is made of: the syntax trees of its functions, every function that it calls, and the files they are in.

The hash of these files names the kernel's cache entry, so an edit recompiles what is made of it and nothing else.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import linecache
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inarow.errors import InarowError
from inarow.kernels.lang.jit import Compiled, compiled

_HERE = Path(__file__).parent
# How code is made; the rest of this package decides only where it is kept and when it is made.
_COMPILER = ("build.py", "builtins.py", "entry.py", "kinds.py", "operations.py", "records.py", "translate.py")


class KernelError(InarowError):
    """A function that can't be compiled: where, which expression, and why."""

    def __init__(self, function: Callable[..., Any], node: ast.AST, reason: str) -> None:
        file = Path(function.__code__.co_filename).name
        line = getattr(node, "lineno", function.__code__.co_firstlineno)
        text = "" if isinstance(node, ast.FunctionDef) else f"{ast.unparse(node).splitlines()[0]}: "
        super().__init__(f"{file}:{line}: {text}{reason}")


@functools.cache
def _functions_in(file: str) -> dict[int, ast.FunctionDef]:
    """Return the functions of a file by the line at which they begin, decorators included."""
    tree = ast.parse("".join(linecache.getlines(file)), file)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {min([node.lineno, *(part.lineno for part in node.decorator_list)]): node for node in found}


def tree_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function."""
    code = function.__code__
    tree = _functions_in(code.co_filename).get(code.co_firstlineno)
    if tree is None or tree.name != function.__name__:
        raise InarowError(f"{function.__name__} can't be compiled: its source is not in a file")
    return tree


def function_of(value: Any) -> types.FunctionType | None:
    """Return the Python function behind a value that a kernel may call."""
    kernel = compiled(value)
    value = value if kernel is None else kernel.function
    return value if isinstance(value, types.FunctionType) else None


@functools.cache
def parts(kernel: Compiled) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Return the modules, the constants and the number of functions that a kernel is made of."""
    modules: set[str] = set()
    constants: set[str] = set()
    seen: set[types.FunctionType] = set()
    waiting: list[Any] = [kernel.function]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        modules.add(function.__module__)
        names = function.__code__.co_names
        for name in names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                if value.__name__.startswith("inarow."):
                    modules.add(value.__name__)
                    waiting += [f for f in map(function_of, (getattr(value, n, None) for n in names)) if f]
            elif (called := function_of(value)) is not None:
                waiting.append(called)
            elif isinstance(value, type) and value.__module__.startswith("inarow."):
                modules.add(value.__module__)
            elif isinstance(value, (int, float)):
                constants.add(f"{function.__module__}.{name}={value!r}")
    return tuple(sorted(modules)), tuple(sorted(constants)), len(seen)


@functools.cache
def _file_digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def sources_digest(kernel: Compiled) -> str:
    """Return a hash of the sources and constants that a kernel is made of, and of what compiles it."""
    modules, constants, _ = parts(kernel)
    digest = hashlib.sha256("\n".join(constants).encode())
    files = [(name, sys.modules[name].__file__) for name in modules]
    for name, file in [*((name, Path(file)) for name, file in files if file), *((n, _HERE / n) for n in _COMPILER)]:
        digest.update(name.encode() + _file_digest(file))
    return digest.hexdigest()[:24]
