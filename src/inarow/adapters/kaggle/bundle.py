"""Functions of inarow with all that they call, as plain Python text that stands alone."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Collection
from functools import lru_cache
from types import ModuleType
from typing import Any, get_type_hints

from inarow import bits, randomness
from inarow.kernels.lang.kinds import Fixed, Pointer, Struct
from inarow.kernels.lang.records import innermost

PLAIN = """
def prefetch(array, index):
    pass


def raised(flag):
    return time.monotonic() > flag[0]


class _opened:
    get = staticmethod(lambda: None)
"""
"""What stands in for parts of inarow: a stop flag holds the time at which to stop, and nobody collects streams."""
_GIVEN = {"prefetch", "raised", "_opened"}


class Bundle:
    """Collects functions, and whatever they need: other functions, constants, named tuples, records, modules."""

    def __init__(self, absent: Collection[str] = ()) -> None:
        """``absent``: optional arguments that are always None, so that what only they need is left out."""
        self.absent = absent
        self.constants: dict[str, Any] = {}
        self.namespaces: dict[str, dict[str, Any]] = {}
        self.tuples: dict[str, tuple[str, ...]] = {}
        self.records: dict[str, str] = {}
        self.sources: dict[str, str] = {}
        self._homes: dict[str, ModuleType] = {}

    def add(self, module: ModuleType, *names: str) -> None:
        """Take these names of a module, with all that they need."""
        for name in names:
            value = vars(module).get(name)
            if name in _GIVEN or value is None:
                continue
            if isinstance(value, ModuleType):
                if value.__name__.startswith("inarow."):
                    self.namespaces[name] = numbers(value)
            elif isinstance(value, int | float):
                self._keep(self.constants, name, value)
            elif isinstance(value, type) and hasattr(value, "_fields"):
                self._keep(self.tuples, name, value._fields)
            elif hasattr(value, "__struct__"):
                self._add_record(name, value)
            elif callable(value):
                self._add_function(_home(name, value), name)

    def _keep(self, kept: dict[str, Any], name: str, value: Any) -> None:
        if kept.setdefault(name, value) != value:
            raise ValueError(f"{name} means two things in the sources of one file")

    def _add_record(self, name: str, kind: Any) -> None:
        """Take a record as a class of its own, whose arrays are lists; all zeros at first."""
        lines = [f"class {name}:", "    def __init__(self):"]
        for field, content, _ in kind.__struct__.fields:
            text = "None" if isinstance(content, Pointer) else "0"
            if isinstance(content, Fixed):
                if isinstance(content.element, Struct):
                    element = innermost(get_type_hints(kind)[field])
                    self._add_record(element.__name__, element)
                    text = f"{element.__name__}()"
                for length in reversed(content.lengths):
                    text = f"[{text} for _ in range({length})]"
            lines.append(f"        self.{field} = {text}")
        self._keep(self.records, name, "\n".join(lines))

    def _add_function(self, home: ModuleType, name: str) -> None:
        self._keep(self._homes, name, home)
        if name in self.sources:
            return
        node = _Plain(self.absent).visit(_definitions(home)[name])
        self.sources[name] = ast.unparse(ast.fix_missing_locations(node))
        self.add(home, *sorted({part.id for part in ast.walk(node) if isinstance(part, ast.Name)}))

    def text(self) -> str:
        """Everything, in an order in which it can be run."""
        parts = [constants(self.constants)]
        parts += [f"class {name}:\n{textwrap.indent(constants(n), '    ')}" for name, n in self.namespaces.items()]
        parts += [
            "\n".join(f"{name} = collections.namedtuple({name!r}, {fields!r})" for name, fields in self.tuples.items())
        ]
        parts += [*self.records.values(), PLAIN.strip(), *self.sources.values()]
        return "\n\n\n".join(part for part in parts if part)


def constants(values: dict[str, Any]) -> str:
    """Assignments, one a line."""
    return "\n".join(f"{name} = {value!r}" for name, value in values.items())


def numbers(module: ModuleType) -> dict[str, Any]:
    """The constants of a module."""
    return {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int | float)}


def _home(name: str, value: Any) -> ModuleType:
    """The module in which a function is written; its compiled twin may live elsewhere."""
    for plain in (bits, randomness):
        if inspect.isfunction(vars(plain).get(name)):
            return plain
    return sys.modules[value.__module__]


@lru_cache(maxsize=32)
def _source(module: ModuleType) -> str:
    return inspect.getsource(module)


def _definitions(module: ModuleType) -> dict[str, ast.FunctionDef | ast.ClassDef]:
    nodes = ast.parse(_source(module)).body
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}


class _Plain(ast.NodeTransformer):
    """Removes what only the compiler and the type checker read, and what absent arguments would need."""

    def __init__(self, absent: Collection[str]) -> None:
        self._absent = absent

    def _kept(self, node: ast.If | ast.IfExp) -> Any:
        """Return the branch that is taken, if it is known, or the whole node."""
        self.generic_visit(node)
        test = node.test
        if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id in self._absent:
            return node.body if isinstance(test.ops[0], ast.Is) else node.orelse
        return node

    def visit_If(self, node: ast.If) -> Any:
        return self._kept(node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self._kept(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        node.returns = None
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for argument in [*arguments, node.args.vararg, node.args.kwarg]:
            if argument is not None:
                argument.annotation = None
        self.generic_visit(node)
        ends = [at for at, statement in enumerate(node.body) if isinstance(statement, ast.Return)]
        node.body = node.body[: ends[0] + 1] if ends else node.body or [ast.Pass()]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Drop events (`kernels.lang.trace`)."""
        called = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "trace":
            return None
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """``array[i, j]``, where an array is a list of lists."""
        self.generic_visit(node)
        if not isinstance(node.slice, ast.Tuple):
            return node
        found = node.value
        for index in node.slice.elts[:-1]:
            found = ast.Subscript(found, index, ast.Load())
        return ast.Subscript(found, node.slice.elts[-1], node.ctx)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        if node.value is None:
            return None
        return ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno)
