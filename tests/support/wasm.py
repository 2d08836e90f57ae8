"""The WebAssembly modules in wasmtime: calls with Python's values, which are copied to the modules' memory and back."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import wasmtime

from inarow.kernels import wasm
from inarow.kernels.lang.jit import function_of
from inarow.kernels.lang.kinds import (
    FLOAT,
    Kind,
    Pointer,
    Scalar,
    Signature,
    TupleOf,
    kinds_of,
    parameter_kinds,
    result_kind,
)

PAGE = 65536
Copies = list[tuple[Any, int]]
"""Arrays and records, and where their copies are."""


class Host:
    """The modules, with one memory."""

    def __init__(self) -> None:
        files = wasm.modules()
        self.manifest = json.loads(files[wasm.MANIFEST])
        self.types = wasm.Types(self.manifest["records"], self.manifest["tuples"])
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        self.memory = wasmtime.Memory(self.store, wasmtime.MemoryType(wasmtime.Limits(16, None)))
        self.top = self.manifest["heap"]
        self.events: list[tuple[Any, ...]] = []
        self.told: list[Any] = []
        self.versions: dict[Any, tuple[Any, list[Scalar]]] = {}
        linker = wasmtime.Linker(engine)
        linker.define(self.store, "env", "memory", self.memory)
        i32, i64, f64 = wasmtime.ValType.i32(), wasmtime.ValType.i64(), wasmtime.ValType.f64()
        self._define(linker, "raised", [i32], [i64], lambda address: int(self.bytes(address, 8).view(np.int64)[0]))
        for name, kind in (("int", i64), ("float", f64), ("address", i32)):
            self._define(linker, f"event_{name}", [kind], [], self.told.append)
        self._define(linker, "event_bool", [i32], [], lambda value: self.told.append(bool(value)))
        self._define(linker, "event", [i32], [], self._event)
        self.instances = {
            name.removesuffix(".wasm"): linker.instantiate(self.store, wasmtime.Module(engine, code))
            for name, code in files.items()
            if name.endswith(".wasm")
        }

    def _define(self, linker: Any, name: str, given: Any, found: Any, run: Callable[..., Any]) -> None:
        linker.define_func("env", name, wasmtime.FuncType(given, found), run)

    def _event(self, number: int) -> None:
        self.events.append((self.manifest["events"][number], *self.told))
        self.told.clear()

    def bytes(self, address: int, length: int) -> Any:
        """Return memory as an array of bytes."""
        base = ctypes.addressof(self.memory.data_ptr(self.store).contents)
        return np.ctypeslib.as_array((ctypes.c_uint8 * length).from_address(base + address))

    def copy(self, content: Any) -> int:
        """Copy an array to memory, and return its address."""
        data = np.ascontiguousarray(content).reshape(-1).view(np.uint8)
        address: int = (self.top + 15) & -16
        missing = address + len(data) - self.memory.data_len(self.store)
        if missing > 0:
            self.memory.grow(self.store, -(-missing // PAGE))
        self.bytes(address, len(data))[:] = data
        self.top = address + len(data)
        return address

    def place(self, value: Any, copies: Copies) -> list[Any]:
        """Copy a value to memory, and return its words; ``copies`` collects what a kernel may write to."""
        if isinstance(value, np.ndarray):
            same = (at for other, at in copies if isinstance(other, np.ndarray) and is_same(value, other))
            address = next(same, None) or self.copy(value)
            copies.append((value, address))
            return [address, *value.shape]
        if hasattr(value, "__struct__"):
            memory = np.frombuffer(value, np.uint8).copy()
            for name, content, offset in value.__struct__.fields:
                if isinstance(content, Pointer):
                    memory[offset : offset + 16].view(np.int64)[:] = self.place(getattr(value, name), copies)
            address = self.copy(memory)
            copies.append((value, address))
            return [address]
        if isinstance(value, tuple):
            return [word for part in value for word in self.place(part, copies)]
        return [] if value is None else [value]

    def changed(self, value: Any, address: int) -> bool:
        """Return whether an array or a record differs from its copy; references in records aside."""
        if isinstance(value, np.ndarray):
            word = np.int64 if value.nbytes % 8 == 0 else np.uint8
            return not np.array_equal(self.bytes(address, value.nbytes).view(word), value.reshape(-1).view(word))
        fields = [(offset, content) for _, content, offset in value.__struct__.fields]
        places = [offset for offset, content in fields if isinstance(content, Pointer)]
        differs = self.bytes(address, value.__struct__.size) != np.frombuffer(value, np.uint8)
        for offset in places:
            differs[offset : offset + 16] = False
        return bool(differs.any())

    def version(self, python: Any, kinds: Signature, traced: bool) -> tuple[Any, list[Scalar]]:
        """Return the export for arguments of these kinds, and the numbers that its result is made of."""
        key = python, kinds, traced
        if key not in self.versions:
            name = f"{python.__module__.removeprefix('inarow.').removeprefix('kernels.')}.{python.__name__}"
            parameters = parameter_kinds(python, kinds)
            described = {one: self.types.of(kind) for one, kind in parameters.items()}
            versions = [
                one
                for one in self.manifest["functions"].get(name, [])
                if one["parameters"] == described and (one["bundle"] in self.manifest["traced"]) == traced
            ]
            assert versions, f"kernels/wasm.py does not list {name} for these arguments: {described}"
            result = result_kind(python, parameters)
            assert result is not None
            exports = self.instances[versions[0]["bundle"]].exports(self.store)
            self.versions[key] = exports[versions[0]["export"]], list(scalars(result))
        return self.versions[key]

    def call(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], traced: bool = False
    ) -> tuple[list[Any], Copies]:
        """Call the version of a function for such arguments; returns the words of its result, and the copies."""
        export, kinds = self.version(function_of(function), kinds_of(arguments), traced)
        copies: Copies = []
        words = self.place(arguments, copies)
        place = self.copy(np.zeros(len(kinds), np.int64)) if len(kinds) > 1 else 0
        found = export(self.store, *[place] * (len(kinds) > 1), *words)
        if len(kinds) < 2:
            return [found] * len(kinds), copies
        stored = self.bytes(place, 8 * len(kinds)).view(np.int64)
        return [
            stored[i : i + 1].view(kind.name if kind is FLOAT else "int64").item() for i, kind in enumerate(kinds)
        ], copies

    def twin(self, kernel: Any, run: Callable[..., Any], arguments: tuple[Any, ...], traced: bool = False) -> Any:
        """Run a kernel by ``run`` and here, and compare its result and what it has written."""
        mark = self.top
        function = getattr(kernel, "function", kernel)
        found, copies = self.call(function, arguments, traced)
        native = run(*arguments)
        assert found == list(numbers(native)), function.__name__
        changed = [type(value).__name__ for value, address in copies if self.changed(value, address)]
        assert not changed, f"{function.__name__} writes other contents"
        self.top = mark
        return native


def is_same(a: Any, b: Any) -> bool:
    """Return whether two arrays are the same memory."""
    return bool(a.nbytes == b.nbytes and a.ctypes.data == b.ctypes.data)


def scalars(kind: Kind) -> Iterator[Scalar]:
    """Yield the numbers that a result is made of."""
    if isinstance(kind, TupleOf):
        for part in kind.parts:
            yield from scalars(part)
    else:
        assert isinstance(kind, Scalar)
        yield kind


def numbers(value: Any) -> Iterator[Any]:
    """Yield the numbers of a result."""
    if isinstance(value, tuple):
        for part in value:
            yield from numbers(part)
    elif value is not None:
        yield value
