"""From a kernel to machine code: translate, optimise once, emit."""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm

from inarow.errors import InarowError
from inarow.kernels.lang.entry import write_entry
from inarow.kernels.lang.jit import Compiled
from inarow.kernels.lang.kinds import Signature
from inarow.kernels.lang.native import ENTRY, PYTHON_ERRORS, PYTHON_FUNCTIONS, Processor
from inarow.kernels.lang.translate import Unit

_KNOWN = {*PYTHON_FUNCTIONS, *PYTHON_ERRORS, "memset", "memcpy", "memmove"}


def build(kernel: Compiled, kinds: Signature, processor: Processor, checked: bool) -> bytes:
    """Return an object file with a kernel, all that it calls, and the function that Python calls."""
    unit = Unit(checked)
    write_entry(unit, *unit.function(kernel.function, kinds), kinds, ENTRY)
    return emit(unit, processor.machine())


def emit(unit: Unit, machine: Any) -> bytes:
    """Return an object file of a unit for a target machine."""
    module = llvm.parse_assembly(str(unit.module))
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(3)
    options.loop_vectorization = True
    options.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    for value in (*module.functions, *module.global_variables):
        if value.is_declaration and value.name not in _KNOWN and not value.name.startswith("llvm."):
            raise InarowError(f"a kernel can't call {value.name}")
    return bytes(machine.emit_object(module))
