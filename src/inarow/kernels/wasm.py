"""The files by which a browser runs the kernels: a WebAssembly module for each bundle, and a manifest.

The manifest says all that a program must know to call them: the parameters and results of the functions, where the
fields of records are, the constants of their modules, and the names of events.
"""

from __future__ import annotations

import ast
import json
import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from inarow.errors import InarowError
from inarow.kernels import cache
from inarow.kernels.exported import TRACED, Call, exported
from inarow.kernels.lang import loader, trace, wasm
from inarow.kernels.lang.jit import function_of
from inarow.kernels.lang.kinds import (
    NONE,
    ArrayOf,
    Content,
    Fixed,
    Kind,
    Pointer,
    Reference,
    Scalar,
    Struct,
    TupleOf,
    kinds_of,
    parameter_kinds,
    result_kind,
)

MANIFEST = "kernels.json"
MOST = 1 << 53


def modules() -> dict[str, bytes]:
    """Return the files: ``NAME.wasm`` for each bundle, and the manifest."""
    files = {f"{name}.wasm": code for name, _, code in built()}
    return files | {MANIFEST: json.dumps(manifest(), separators=(",", ":")).encode()}


def built(from_cache: bool = True) -> Iterator[tuple[str, str, bytes]]:
    """Yield the bundles: their names, what they are made of, and their modules."""
    for place, (name, calls) in enumerate(exported().items()):
        functions = [_function(function) for function, _ in calls]
        kinds = [kinds_of(arguments) for _, arguments in calls]
        traced = name in TRACED
        content = f"{cache.sources_digest(*functions)} {wasm.digest()} {kinds!r} {place} {traced}"
        exports = [wasm.Export(*parts) for parts in zip(_names(calls), functions, kinds, strict=True)]
        code = _kept(f"wasm.{name}", content) if from_cache else None
        yield name, content, code or _built(f"wasm.{name}", content, exports, place, traced)


def _kept(file: str, content: str) -> bytes | None:
    """Return a module from the package or the cache, if it is there."""
    kept = cache.read_shipped(file, content, [wasm.TRIPLE])
    return kept or cache.read(file, cache.key_of(content, loader.compiler()))


def _built(file: str, content: str, exports: list[wasm.Export], place: int, traced: bool) -> bytes:
    """Compile a module, and keep it."""
    with cache.needing_compiler(file), cache.compiling(file), cache.without_collector():
        code = wasm.build(exports, place, traced)
    cache.write(file, cache.key_of(content, loader.compiler()), code)
    return code


def _function(function: Callable[..., Any]) -> Callable[..., Any]:
    found = function_of(function)
    assert found is not None
    return found


def _names(calls: list[Call]) -> list[str]:
    """Return the names of the functions in a module; those compiled for several kinds of arguments are numbered."""
    names = [_name(function) for function, _ in calls]
    return [name if names.index(name) == i else f"{name}.{names[:i].count(name)}" for i, name in enumerate(names)]


def _name(function: Callable[..., Any]) -> str:
    return f"{_module_name(_function(function).__module__)}.{function.__name__}"


def _module_name(module: str) -> str:
    return module.removeprefix("inarow.").removeprefix("kernels.")


def manifest() -> dict[str, Any]:
    """Return what a program must know to call the modules (docs/kernels.md says how to read it)."""
    types = Types()
    bundles = exported()
    functions: dict[str, list[dict[str, Any]]] = {}
    for bundle, calls in bundles.items():
        for name, (called, arguments) in zip(_names(calls), calls, strict=True):
            function = _function(called)
            parameters = parameter_kinds(function, kinds_of(arguments))
            result = result_kind(function, parameters)
            assert result is not None
            functions.setdefault(_name(called), []).append(
                {
                    "bundle": bundle,
                    "export": name,
                    "parameters": {one: types.of(kind) for one, kind in parameters.items()},
                    "result": types.of(result),
                }
            )
    return {
        "heap": wasm.heap(len(bundles)),
        "stack": wasm.STACK,
        "traced": sorted(TRACED),
        "events": [event.__name__ for event in trace.EVENTS],
        "functions": functions,
        "records": types.records,
        "tuples": types.tuples,
        "constants": {
            _module_name(module): constants
            for module in sorted({_function(one).__module__ for calls in bundles.values() for one, _ in calls})
            if (constants := _constants(module))
        },
    }


def _constants(module: str) -> dict[str, int | float | str]:
    """Return the constants that a module defines; integers that a double does not hold as strings."""
    loaded = sys.modules[module]
    tree = ast.parse("".join(linecache.getlines(str(loaded.__file__))))
    stored = (
        one for node in tree.body if isinstance(node, ast.Assign) for target in node.targets for one in ast.walk(target)
    )
    names = [node.id for node in stored if isinstance(node, ast.Name) and node.id.isupper()]
    found = ((name, getattr(loaded, name)) for name in names)
    return {
        name: value if abs(value) <= MOST else str(value) for name, value in found if isinstance(value, (int, float))
    }


@dataclass
class Types:
    """The types of parameters, results and fields, as JSON: records and named tuples by name."""

    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    tuples: dict[str, dict[str, Any]] = field(default_factory=dict)

    def of(self, kind: Kind) -> Any:
        """Describe a kind: a number by its name, None by null, other things by an object."""
        if isinstance(kind, Scalar):
            return kind.name
        if isinstance(kind, Reference):
            return {"record": self.record(kind.struct)}
        if isinstance(kind, ArrayOf):
            return {"array": self.element(kind.element), "dimensions": kind.ndim}
        if kind == NONE:
            return None
        assert isinstance(kind, TupleOf)  # functions are arguments of Python's only
        parts = [self.of(part) for part in kind.parts]
        if kind.named is None:
            return parts
        described = dict(zip(kind.named._fields, parts, strict=True))  # type: ignore[attr-defined]
        name, number = kind.named.__name__, 1
        while self.tuples.setdefault(name, described) != described:
            number += 1
            name = f"{kind.named.__name__}.{number}"
        return {"tuple": name}

    def element(self, content: Scalar | Struct) -> str:
        """Describe the elements of an array: a number or a record, by name."""
        return content.name if isinstance(content, Scalar) else self.record(content)

    def record(self, struct: Struct) -> str:
        """Describe a record, and return its name."""
        described = {
            "size": struct.size,
            "fields": {name: self.content(content) | {"offset": offset} for name, content, offset in struct.fields},
        }
        if self.records.setdefault(struct.name, described) != described:
            raise InarowError(f"two records of exported kernels have the name {struct.name}")
        return struct.name

    def content(self, content: Content) -> dict[str, Any]:
        """Describe what a record has in a field."""
        if isinstance(content, Fixed):
            return {"type": self.element(content.element), "shape": list(content.lengths)}
        if isinstance(content, Pointer):
            return {"reference": self.element(content.element)}
        return {"type": self.element(content)}
