"""Every kernel compiles for WebAssembly, and needs nothing but memory and a stack there."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
import pytest

from inarow.kernels import warm
from inarow.kernels.lang import jit
from inarow.kernels.lang.kinds import Signature, kinds_of
from inarow.kernels.lang.native import emit
from inarow.kernels.lang.translate import Unit

ALLOWED = {"__linear_memory", "__stack_pointer", "__indirect_function_table"}
IMPORTS = 2
"""The number of the section of imports."""


def leb(data: bytes, at: int) -> tuple[int, int]:
    """Return an unsigned LEB128 number and the place after it."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def imported(module: bytes) -> Iterator[str]:
    """Yield the names that a WebAssembly object file imports: its undefined symbols."""
    assert module[:8] == b"\0asm\1\0\0\0"
    at = 8
    while at < len(module):
        section, (size, at) = module[at], leb(module, at + 1)
        if section == IMPORTS:
            count, place = leb(module, at)
            for _ in range(count):
                length, place = leb(module, place)
                place += length
                length, place = leb(module, place)
                yield module[place : place + length].decode()
                place += length + 1
                kind = module[place - 1]
                if kind == 3:  # a global: its type, and whether it is mutable
                    place += 2
                    continue
                place += kind == 1  # a table: the type of its elements
                limited = module[place] & 1 if kind else 0
                place += 1 if kind else 0  # a memory or a table: flags
                _, place = leb(module, place)
                if limited:
                    _, place = leb(module, place)
        at += size


@pytest.fixture(scope="module")
def signatures() -> dict[jit.Compiled, Signature]:
    """Return every kernel with the kinds of arguments that it is warmed with."""
    found: dict[jit.Compiled, Signature] = {}

    def watch(kernel: jit.Compiled, run: Any, arguments: tuple[Any, ...]) -> Any:
        found[kernel] = kinds_of(arguments)
        return run(*arguments)

    modules = [importlib.import_module(name) for name in warm.kernel_modules()]
    with jit.watching(watch):
        for module in modules:
            if hasattr(module, "warm"):
                getattr(module.warm, "__wrapped__", module.warm)()
    return found


def test_kernels_need_nothing_but_memory_and_a_stack(signatures: dict[jit.Compiled, Signature]) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("wasm32-unknown-unknown")
    machine = target.create_target_machine(features="+bulk-memory", opt=2, reloc="static")
    assert len(signatures) > 25
    kernels = [(kernel.function, kinds) for kernel, kinds in signatures.items()]
    for function, kinds in kernels:
        unit = Unit(checked=False)
        code, _ = unit.function(function, kinds)
        code.linkage = "external"
        assert set(imported(emit(unit, machine))) <= ALLOWED, function.__name__
